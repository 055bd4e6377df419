package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/engine/metrics"
	"sluice/pipeline/jobs"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams"
)

// Metrics returns what the metrics of this process are made of. Callbacks are nil in a process that
// receives none.
func (a *App) Metrics(build metrics.Build, callbacks *metrics.Callbacks) metrics.Options {
	tally := calls.NewTally(a.DB.Ledger)
	return metrics.Options{
		Build: build, Hints: a.Hints, Calls: a.Calls, Callbacks: callbacks,
		Read: func(ctx context.Context) (*metrics.Figures, error) {
			figures, err := a.figures(ctx, tally)
			if err != nil {
				a.Log.WarnContext(ctx, "the figures of the metrics could not be read", "error", err)
			}
			return figures, err
		},
	}
}

// figures reads what the metrics show of the control tables. The number of its statements does not
// depend on the number of streams.
func (a *App) figures(ctx context.Context, tally *calls.Tally) (*metrics.Figures, error) {
	f := new(metrics.Figures)
	for _, read := range []func() error{
		func() (err error) { f.Streams, err = a.streamFigures(ctx); return err },
		func() (err error) { f.Days, err = a.days(ctx); return err },
		func() (err error) { f.Calls, err = tally.Last24Hours(ctx); return err },
		func() (err error) { f.Backfills, err = a.DB.Progress(ctx); return err },
		func() (err error) { f.Held, err = a.DB.Held(ctx); return err },
		func() (err error) { f.Found, err = a.Verifications().LastFound(ctx); return err },
		func() (err error) { f.Telling, err = a.Telling(ctx); return err },
		func() (err error) { f.DiedYoung, err = a.DB.TokensDiedYoung(ctx); return err },
		func() (err error) { f.LastTick, err = a.DB.LastTick(ctx); return err },
		func() (err error) { f.OldestJob, err = jobs.Oldest(ctx, a.DB.Pool()); return err },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (a *App) streamFigures(ctx context.Context) ([]metrics.Stream, error) {
	figures, err := a.DB.Figures(ctx)
	if err != nil {
		return nil, err
	}
	late, err := a.DB.Lateness(ctx)
	if err != nil {
		return nil, fmt.Errorf("read how late records came: %w", err)
	}
	by := make(map[Key]time.Duration, len(late))
	for i := range late {
		by[Key{Organization: late[i].Organization, Service: late[i].Service, Resource: late[i].Resource}] = seconds(late[i].LeftSeconds)
	}
	all := make([]metrics.Stream, len(figures))
	for i := range figures {
		s := &figures[i]
		list, work, other := strings.Cut(s.Resource, ".")
		all[i] = metrics.Stream{
			Figures: *s, Holds: !other,
			Alarm: a.Alarm(&streams.Status{Quarantined: s.Quarantined, Withheld: s.Withheld, QuarantinedShare: s.QuarantinedShare}) != "",
		}
		if s.Enabled && work != string(pipeline.WorkBackfill) {
			lag := pipeline.DefaultRules().LagFor(by[Key{Organization: s.Organization, Service: s.Service, Resource: list}])
			all[i].Late = planning.LateAfter(seconds(s.EverySeconds), lag)
		}
	}
	return all, nil
}

// days returns the days of the configured services.
func (a *App) days(ctx context.Context) ([]metrics.Day, error) {
	var (
		of     []calls.Allowance
		limits []pipeline.Limits
	)
	for _, stream := range a.Streams() {
		account := func(known calls.Allowance) bool {
			return known.Organization == stream.Organization && known.Service == stream.Service.Name
		}
		if slices.ContainsFunc(of, account) {
			continue
		}
		limit, err := a.Limits(stream.Organization, stream.Service.Name)
		if err != nil {
			return nil, err
		}
		limits = append(limits, limit)
		of = append(of, calls.Allowance{
			Organization: stream.Organization, Service: stream.Service.Name, ResetHour: limit.ResetHour, ResetZone: limit.ResetZone,
		})
	}
	spent, err := a.DB.Days(ctx, of)
	if err != nil {
		return nil, fmt.Errorf("read the budgets: %w", err)
	}
	all := make([]metrics.Day, len(of))
	for i := range of {
		all[i] = metrics.Day{
			Organization: of[i].Organization, Service: of[i].Service, Day: spent[i], DayLeft: planning.LeftOf(limits[i], &spent[i]),
		}
	}
	return all, nil
}

// calledServices are the services that the organizations have, and the one of tokens, each once.
func calledServices(conf *config.Config) []string {
	names := map[string]bool{tokenService: true}
	for i := range conf.Organizations {
		for name := range conf.Organizations[i].Services {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
