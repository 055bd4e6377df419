package engine

import (
	"context"
	"fmt"

	"sluice/pipeline"
)

// absenceRules are the configuration's choice of when a row gets its tombstone.
func (a *App) absenceRules() *pipeline.TombstoneRules {
	chosen := a.Config.Tombstones
	return &pipeline.TombstoneRules{MaxRows: chosen.MaxRows, MaxShare: chosen.MaxShare, Apart: chosen.Apart}
}

// DueSweeps are the sweeps whose turn it is, of the resources among streams: a sync does them
// besides, unless they are among the streams already. Records in quarantine make it their turn: for
// a new one the first sync asks at once.
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
		sweep := stream
		sweep.Work = pipeline.WorkSweep
		key := sweep.Key()
		if stream.Work == pipeline.WorkList && enabled[key] && !chosen[key] && (due[key] || unasked[stream.Key()]) {
			sweeps = append(sweeps, sweep)
		}
	}
	return sweeps, nil
}

// AcceptTombstones marks as gone what a run left for a person to decide about a resource, and gives
// how many rows that were.
func (a *App) AcceptTombstones(ctx context.Context, key Key, run int64) (int, error) {
	stream, ok := a.Stream(key)
	if !ok {
		return 0, fmt.Errorf("%w: %s is not configured", ErrUsage, key)
	}
	return a.DB.AcceptTombstones(ctx, stream, run)
}

// RejectTombstones forgets the evidence that a run left for a person to decide about a resource,
// and gives about how many records that was.
func (a *App) RejectTombstones(ctx context.Context, key Key, run int64) (int, error) {
	stream, ok := a.Stream(key)
	if !ok {
		return 0, fmt.Errorf("%w: %s is not configured", ErrUsage, key)
	}
	return a.DB.RejectTombstones(ctx, stream, run)
}
