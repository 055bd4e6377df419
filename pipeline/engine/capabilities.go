package engine

import (
	"context"
	"fmt"
	"log/slog"

	"sluice/pipeline"
	"sluice/pipeline/sync"
	"sluice/pipeline/sync/scan"
)

// declareCapabilities notes what the declarations of the configured lists say that these can do.
func (a *App) declareCapabilities(ctx context.Context) error {
	var lists []pipeline.Stream
	for _, stream := range a.Streams() {
		if stream.Work == pipeline.WorkList {
			lists = append(lists, stream)
		}
	}
	if err := a.DB.Declare(ctx, lists); err != nil {
		return fmt.Errorf("note what the lists of the configuration can do: %w", err)
	}
	return nil
}

// narrowable refuses to narrow a backfill by what the list is known not to do: a filter that lets
// less pass than it should would hide records, one that is ignored would spend calls for nothing.
func (a *App) narrowable(ctx context.Context, b *Backfill) error {
	if b.Bound.IsZero() {
		return nil
	}
	known, err := a.DB.Capabilities(ctx, b.Stream)
	if err != nil {
		return fmt.Errorf("read what the list can do: %w", err)
	}
	if !scan.FallsBack(b.Stream, known) {
		return nil
	}
	name := resourceName(b.Stream)
	return fmt.Errorf("%w: %s is known not to be narrowed by modification time: leave --from out, or measure it again: sluice check --probe %s",
		ErrUsage, name, name)
}

// observedLoads is a store that says in the log when an answer changed what is held of its list: a
// list that does not do what its declaration relies on is read in another way from then on, which
// costs calls; a key that is gone leaves its column behind.
type observedLoads struct {
	sync.Store

	log *slog.Logger
}

// Load implements sync.Store.
func (n observedLoads) Load(ctx context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error) {
	loaded, err := n.Store.Load(ctx, batches...)
	if err != nil {
		return loaded, err
	}
	for i := range batches {
		for _, v := range batches[i].Observed {
			level := slog.LevelInfo
			if v.Answer == pipeline.AnswerNo {
				level = slog.LevelWarn
			}
			n.log.Log(ctx, level, "what the list can do is seen to be otherwise", "stream", batches[i].Claim.Stream.String(),
				"capability", v.Capability, "verdict", v.Answer, "value", v.Value, "evidence", v.Evidence)
		}
	}
	for _, name := range loaded.MissingKeys {
		n.log.WarnContext(ctx, "a declared key is gone from most records: its values stay as they were last",
			"stream", batches[0].Claim.Stream.String(), "key", name)
	}
	return loaded, nil
}
