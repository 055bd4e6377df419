package app

import (
	"context"
	"errors"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/rebuild"
	"sluice/schema/normalize"
)

// Rebuild writes the rows of a stream's resource anew out of the records that are kept
// beside them, as the declaration is now: all of them, or those of which the
// declaration makes something else by now. It makes no call. One that was interrupted
// goes on where it stopped.
//
// A dry run writes nothing: it says what would be done.
func (a *App) Rebuild(ctx context.Context, stream pipeline.Stream, scope rebuild.Scope, dry bool, progress func(n int)) (rebuild.Counts, error) {
	normalizer, err := normalize.New(stream.Resource, a.Zone(stream.Organization))
	if err != nil {
		return rebuild.Counts{}, fmt.Errorf("prepare %s: %w", stream, err)
	}
	if dry {
		counts, err := a.DB.RebuildPlan(ctx, stream, scope, normalizer.RecordUnder, progress)
		if err != nil {
			return counts, fmt.Errorf("look at %s: %w", stream, err)
		}
		return counts, nil
	}
	counts, err := a.DB.Rebuild(ctx, stream, scope, normalizer.RecordUnder, progress)
	if errors.Is(err, warehouse.ErrAtWork) {
		return counts, fmt.Errorf("%s: %w", stream, ErrBusy)
	}
	if errors.Is(err, pipeline.ErrLostClaim) {
		return counts, fmt.Errorf("rebuild %s: %w after %d rows: the same command goes on there when that run has ended", stream, err, counts.Rows)
	}
	if err != nil {
		return counts, fmt.Errorf("rebuild %s: %w", stream, err)
	}
	return counts, nil
}

// Rebuildable are the lists that a command line names, of one organization or of all:
// each writes the table of its resource.
func (a *App) Rebuildable(names []string, organization string) ([]pipeline.Stream, error) {
	selected, err := a.Select(names, organization)
	if err != nil {
		return nil, err
	}
	var lists []pipeline.Stream
	seen := make(map[Key]bool, len(selected))
	for _, stream := range selected {
		stream.Work = pipeline.WorkList
		if !seen[stream.Key()] {
			seen[stream.Key()] = true
			lists = append(lists, stream)
		}
	}
	return lists, nil
}

// renew brings the content hashes of all rows up to the rule of this program, once,
// without a call: else each record would look changed. It runs before streams are
// worked; a stream that another process is writing to keeps its hashes for now.
func (a *App) renew(ctx context.Context) error {
	keys, err := a.DB.OtherRule(ctx)
	if err != nil {
		return fmt.Errorf("renew content hashes: %w", err)
	}
	for _, key := range keys {
		stream, known := a.Stream(key)
		if !known {
			continue
		}
		a.Log.WarnContext(ctx, "content hashes are of another rule: rows are written anew out of raw records, without a call", "stream", key.String())
		counts, err := a.Rebuild(ctx, stream, rebuild.Changed, false, nil)
		if errors.Is(err, ErrBusy) || errors.Is(err, pipeline.ErrLostClaim) {
			a.Log.WarnContext(ctx, "the stream is being written by another process: its content hashes stay until the next start", "stream", key.String())
			continue
		}
		if err != nil {
			return err
		}
		a.Log.WarnContext(ctx, "content hashes are up to date", "stream", key.String(), "rows", counts.Rows, "rewritten", counts.Rewritten)
	}
	return nil
}
