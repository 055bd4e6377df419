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
	"sluice/pipeline/sync/scan"
	"sluice/pipeline/warehouse/calls"
	changelog "sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/closings"
	"sluice/pipeline/warehouse/receivers"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/verifications"
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
	for _, read := range []func(context.Context) error{
		reading(&f.Streams, a.streamFigures),
		reading(&f.Days, func(ctx context.Context) ([]metrics.Day, error) { return a.Days(ctx, "") }),
		reading(&f.Calls, tally.Last24Hours),
		reading(&f.Backfills, a.DB.Progress),
		reading(&f.Held, a.DB.Held),
		reading(&f.Found, verifications.New(a.DB.Pool()).LastFound),
		reading(&f.Closings, func(ctx context.Context) ([]closings.Count, error) { return closings.Counts(ctx, a.DB.Pool()) }),
		reading(&f.Telling, a.Telling),
		reading(&f.Receivers, a.receiverFigures),
		reading(&f.LakeLag, func(ctx context.Context) (*time.Duration, error) { return changelog.LakeLag(ctx, a.DB.Pool()) }),
		reading(&f.DiedYoung, a.DB.TokensDiedYoung),
		reading(&f.LastTick, a.DB.LastTick),
		reading(&f.OldestJob, func(ctx context.Context) (*time.Time, error) { return jobs.Oldest(ctx, a.DB.Pool()) }),
	} {
		if err := read(ctx); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// receiverFigures are the figures of the configured receivers of events.
func (a *App) receiverFigures(ctx context.Context) ([]metrics.Receiver, error) {
	if len(a.Config.Events) == 0 {
		return nil, nil
	}
	all, err := a.EventReceivers(ctx)
	if err != nil {
		return nil, err
	}
	var figures []metrics.Receiver
	for i := range all {
		if r := &all[i]; r.Configured {
			figures = append(figures, metrics.Receiver{
				Name: r.Name, Lag: r.Lag, Disabled: r.State == receivers.Disabled, Delivered: r.Delivered, Failed: r.Failed,
			})
		}
	}
	return figures, nil
}

// reading makes a function that stores what another one reads.
func reading[T any](into *T, read func(context.Context) (T, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		var err error
		*into, err = read(ctx)
		return err
	}
}

func (a *App) streamFigures(ctx context.Context) ([]metrics.Stream, error) {
	figures, err := a.DB.Figures(ctx)
	if err != nil {
		return nil, err
	}
	bound, err := a.Bounds(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]metrics.Stream, 0, len(figures))
	for i := range figures {
		s := &figures[i]
		one := metrics.Stream{
			Figures: *s, Holds: !strings.Contains(s.Resource, "."),
			Alarm: a.Alarm(&streams.Status{Quarantined: s.Quarantined, Withheld: s.Withheld, QuarantinedShare: s.QuarantinedShare}) != "",
		}
		if s.Enabled {
			one.Late = bound(Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource}, seconds(s.EverySeconds))
		}
		all = append(all, one)
	}
	return all, nil
}

// Bounds returns a function that gives the age of the watermark above which a stream is late, from
// its interval. It is zero for backfills, which have no schedule.
func (a *App) Bounds(ctx context.Context) (func(stream Key, every time.Duration) time.Duration, error) {
	late, err := a.DB.Lateness(ctx)
	if err != nil {
		return nil, fmt.Errorf("read how late records came: %w", err)
	}
	can, err := a.DB.AllCapabilities(ctx, pipeline.CapabilityTotal, pipeline.CapabilitySums)
	if err != nil {
		return nil, fmt.Errorf("read what the lists can do: %w", err)
	}
	by, waits := make(map[Key]time.Duration, len(late)), make(map[Key]time.Duration)
	for _, stream := range a.Streams() {
		if a.countStands(stream, can[stream.ListKey()]) {
			waits[stream.Key()] = scan.WholeEvery
		}
	}
	for i := range late {
		by[Key{Organization: late[i].Organization, Service: late[i].Service, Resource: late[i].Resource}] = seconds(late[i].LeftSeconds)
	}
	return func(stream Key, every time.Duration) time.Duration {
		list, work, _ := strings.Cut(stream.Resource, ".")
		if work == string(pipeline.WorkBackfill) {
			return 0
		}
		lag := pipeline.DefaultRules().LagFor(by[Key{Organization: stream.Organization, Service: stream.Service, Resource: list}])
		return waits[stream] + planning.LateAfter(every, lag)
	}, nil
}

// Days returns the days of the configured services of an organization, or of all if it is empty.
func (a *App) Days(ctx context.Context, organization string) ([]metrics.Day, error) {
	var (
		of     []calls.Allowance
		limits []pipeline.Limits
	)
	for _, stream := range a.Streams() {
		account := func(known calls.Allowance) bool {
			return known.Organization == stream.Organization && known.Service == stream.Service.Name
		}
		if organization != "" && stream.Organization != organization || slices.ContainsFunc(of, account) {
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
