package engine

import (
	"context"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/tombstones"
)

// DueSweeps returns the sweeps and looks of the resources among streams that a sync runs in
// addition: those that are due and not among the streams. A list with a new record in quarantine
// has its sweep at once. A look beside a sweep would find nothing more.
func (a *App) DueSweeps(ctx context.Context, streams []pipeline.Stream) ([]pipeline.Stream, error) {
	states, err := a.DB.Streams(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("look for sweeps that are due: %w", err)
	}
	now := a.options.Now()
	enabled, due, unasked := make(map[Key]bool), make(map[Key]bool), make(map[Key]bool)
	for i := range states {
		s := &states[i]
		key := Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource}
		enabled[key], due[key], unasked[key] = s.Enabled, !s.NextDueAt.After(now), s.Unrequested > 0
	}
	var sweeps []pipeline.Stream
	chosen := make(map[Key]bool, len(streams))
	for _, stream := range streams {
		chosen[stream.Key()] = true
	}
	for _, stream := range streams {
		if stream.Work != pipeline.WorkList {
			continue
		}
		sweep, look := stream, stream
		sweep.Work, look.Work = pipeline.WorkSweep, pipeline.WorkLook
		switch key, other := sweep.Key(), look.Key(); {
		case chosen[key]:
		case enabled[key] && (due[key] || unasked[stream.Key()]):
			sweeps = append(sweeps, sweep)
		case enabled[other] && due[other] && !chosen[other]:
			sweeps = append(sweeps, look)
		}
	}
	return sweeps, nil
}

// DecideTombstones decides about the rows that a run left to the operator, and returns about how
// many records it was.
func (a *App) DecideTombstones(ctx context.Context, key Key, run int64, decide tombstones.Decision) (int, error) {
	stream, ok := a.Stream(key)
	if !ok {
		return 0, fmt.Errorf("%w: %s is not configured", ErrUsage, key)
	}
	return a.DB.DecideTombstones(ctx, stream, run, decide)
}
