package engine

import (
	"context"
	"errors"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/lineage/rebuild"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/postgres"
)

// Rebuild writes rows of a stream's resource anew from their raw records, by the present
// declaration. The scope says which: all rows that differ, or only those whose content hash
// differs. It makes no call. A rebuild that was interrupted goes on where it stopped.
//
// A dry run writes nothing and returns what would be done.
func (a *App) Rebuild(ctx context.Context, stream pipeline.Stream, scope rebuild.Scope, dry bool, progress func(n int)) (rebuild.Counts, error) {
	normalize, err := a.normalize(stream)
	if err != nil {
		return rebuild.Counts{}, err
	}
	if dry {
		counts, err := rebuild.Plan(ctx, a.DB, stream, scope, normalize, progress)
		if err != nil {
			return counts, fmt.Errorf("look at %s: %w", stream, err)
		}
		return counts, nil
	}
	if err := a.noteLeftOut(ctx); err != nil {
		return rebuild.Counts{}, err
	}
	counts, err := rebuild.Run(ctx, a.DB, stream, scope, normalize, progress)
	if errors.Is(err, warehouse.ErrAtWork) {
		return counts, fmt.Errorf("%s: %w", stream, ErrBusy)
	}
	if errors.Is(err, pipeline.ErrLostClaim) {
		return counts, fmt.Errorf("rebuild %s: %w after %d rows: the same command goes on there when that run has ended", stream, err, counts.Rows)
	}
	return counts, postgres.Fail("rebuild "+stream.String(), err)
}

// Rebuildable returns the lists that a command line names, of one organization or of all, each list
// once.
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

// renew writes rows anew from their raw records, without a call, where this program makes something
// else of them. These are rows whose content hashes follow another rule, since each of their
// records would look changed, and rows that were read in another time zone. It runs before streams
// are worked; Rezone also runs later. A stream that another process writes to is left for the next
// time.
func (a *App) renew(ctx context.Context) error {
	keys, err := a.DB.OtherRule(ctx)
	if err != nil {
		return fmt.Errorf("renew content hashes: %w", err)
	}
	for _, key := range keys {
		if err := a.renewOne(ctx, key, "content hashes are of another rule"); err != nil {
			return err
		}
	}
	return a.Rezone(ctx)
}

// Rezone writes the rows anew that were read in another time zone than their organization's present
// one. If the rows of one list cannot be written, the others go on (invariant 9): the error is
// logged, and the list is tried again the next time.
func (a *App) Rezone(ctx context.Context) error {
	keys, err := a.DB.Rezone(ctx)
	if err != nil {
		return fmt.Errorf("renew rows after a change of time zone: %w", err)
	}
	for _, key := range keys {
		if err := a.renewOne(ctx, key, "times were read in another time zone"); err != nil {
			about(a.Log, key).ErrorContext(ctx, "rows could not be written anew after a change of time zone", "error", err)
		}
	}
	return nil
}

func (a *App) renewOne(ctx context.Context, key Key, why string) error {
	stream, known := a.Stream(key)
	if !known {
		return nil
	}
	about(a.Log, key).WarnContext(ctx, "rows are written anew out of raw records, without a call", "reason", why)
	counts, err := a.Rebuild(ctx, stream, rebuild.Changed, false, nil)
	if errors.Is(err, ErrBusy) || errors.Is(err, pipeline.ErrLostClaim) {
		a.Log.WarnContext(ctx, "another process writes to the stream: its rows are written anew later", key.Log())
		return nil
	}
	if err != nil {
		return err
	}
	about(a.Log, key).InfoContext(ctx, "rows are up to date", "rows", counts.Rows, "rewritten", counts.Rewritten)
	return nil
}
