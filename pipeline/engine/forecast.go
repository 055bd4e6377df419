package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/sync/scan"
	"sluice/pipeline/warehouse/streams"
	"sluice/schema"
)

// Foresee returns streams with their facts, for forecasts.
func (a *App) Foresee(ctx context.Context, wanted []pipeline.Stream) ([]planning.Stream, error) {
	all, err := a.DB.FactsOfStreams(ctx, onlyOrganization(wanted))
	if err != nil {
		return nil, fmt.Errorf("read what is known of the streams: %w", err)
	}
	known := make(map[Key]streams.Facts, len(all))
	for i := range all {
		known[Key{Organization: all[i].Organization, Service: all[i].Service, Resource: all[i].Resource}] = all[i]
	}
	can, err := a.DB.AllCapabilities(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what the lists can do: %w", err)
	}
	foreseen := make([]planning.Stream, 0, len(wanted))
	for _, stream := range wanted {
		s := a.foreseen(stream, ofList(known[stream.Key()], known[stream.ListKey()]))
		foreseen = append(foreseen, a.able(s, stream, can[stream.ListKey()]))
	}
	return foreseen, nil
}

// onlyOrganization returns the organization of streams, "" if they have several.
func onlyOrganization(of []pipeline.Stream) string {
	other := func(s pipeline.Stream) bool { return s.Organization != of[0].Organization }
	if len(of) == 0 || slices.ContainsFunc(of, other) {
		return ""
	}
	return of[0].Organization
}

// ofList returns the facts of a stream; those of a sweep or a look get the rows and runs of its
// list. Both read rows of the resource, but their own runs insert almost none.
func ofList(own, list streams.Facts) streams.Facts {
	for _, work := range []pipeline.Work{pipeline.WorkSweep, pipeline.WorkLook} {
		if strings.HasSuffix(own.Resource, "."+string(work)) {
			own.Rows, own.Runs = list.Rows, list.Runs
		}
	}
	return own
}

func (a *App) foreseen(stream pipeline.Stream, known streams.Facts) planning.Stream {
	s := planning.Stream{
		Key:   stream.Key(),
		Class: pipeline.ClassOf(stream),
		Shape: planning.ShapeOf(stream, pipeline.DefaultRules().PerPage),
		Facts: planning.Facts{
			Read: known.Watermark != nil, Since: seconds(known.SinceSeconds), Every: seconds(known.EverySeconds),
			Rows:    measured(float64(known.Rows+known.RowsBeside), known.Runs > 0),
			Changes: changes(known),
			Whole:   whole(known),
			Waiting: measured(float64(known.Waiting), true),
		},
	}
	cursor, perParent := stream.Resource.Cursor.(schema.PerParent)
	if perParent {
		// Parents in the warehouse are known from the first run on, which looks for them.
		s.Parents = measured(float64(known.Parents), known.Runs > 0 || len(cursor.From) == 0)
	}
	if perParent || stream.Work == pipeline.WorkDetails {
		s.PerRun = a.Allowance(stream)
	}
	return s
}

// able adds what follows from the capabilities of a stream's list.
func (a *App) able(s planning.Stream, stream pipeline.Stream, known pipeline.Capabilities) planning.Stream {
	s.ReadsByKeyset, s.CountStands = scan.ReadsByKeyset(stream, known), a.countStands(stream, known)
	return s
}

func (a *App) countStands(stream pipeline.Stream, known pipeline.Capabilities) bool {
	return scan.CountStands(stream, known) && a.CountEvery(stream) > 0
}

// watchedEnough is the least time that runs from a watermark have to cover before they count as a
// measure of changes a day.
const watchedEnough = time.Hour

func changes(known streams.Facts) planning.Figure {
	watched := seconds(known.WatchedSeconds)
	if watched < watchedEnough {
		return planning.Figure{Basis: planning.Unknown}
	}
	const day = 24 * time.Hour
	return measured(float64(known.Changed)*float64(day)/float64(watched), true)
}

// whole is the share of changed records of a list that needed no single record. A backlog of before
// can be among the single records, so that the share is rather too low.
func whole(known streams.Facts) float64 {
	if known.Changed == 0 {
		return 0
	}
	return max(1-float64(known.Singles)/float64(known.Changed), 0)
}

func measured(value float64, known bool) planning.Figure {
	if !known {
		return planning.Figure{Basis: planning.Unknown}
	}
	return planning.Figure{Value: value, Basis: planning.Measured}
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// forecasting stores the forecast of a run before the run loads anything, so that forecast and
// actual cost can be compared. If the forecast cannot be stored, the run goes on.
func (a *App) forecasting(ready func(context.Context, pipeline.Stream) error) func(context.Context, pipeline.Stream) error {
	return func(ctx context.Context, stream pipeline.Stream) error {
		if err := a.storeForecast(ctx, stream); err != nil {
			about(a.Log, stream.Key()).WarnContext(ctx, "the run has no forecast", "error", err)
		}
		return ready(ctx, stream)
	}
}

func (a *App) storeForecast(ctx context.Context, stream pipeline.Stream) error {
	if stream.Work == pipeline.WorkBackfill || stream.Work == pipeline.WorkHinted {
		return nil // the command that opened the backfill stored its forecast; what will be told is unknown
	}
	key := stream.Key()
	known, err := a.DB.FactsSoon(ctx, key, true)
	if err != nil || len(known) == 0 {
		return err
	}
	facts := known[0]
	if besides(stream) {
		list, err := a.DB.FactsSoon(ctx, stream.ListKey(), false)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			facts = ofList(facts, list[0])
		}
	}
	can, err := a.DB.Capabilities(ctx, stream)
	if err != nil {
		return err
	}
	run := planning.Next([]planning.Stream{a.able(a.foreseen(stream, facts), stream, can)})[0]
	if run.Basis == planning.Unknown {
		return nil
	}
	kept := streams.Forecast{Calls: run.Calls, Basis: run.Basis.String(), Rows: known[0].Rows}
	return a.DB.StoreForecast(ctx, key, kept)
}
