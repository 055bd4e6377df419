package engine

import (
	"context"
	"fmt"
	"log/slog"

	"sluice/pipeline"
	"sluice/pipeline/sync"
	"sluice/pipeline/sync/scan"
)

// declareCapabilities stores the capabilities that the declarations of the configured lists state.
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

// narrowable refuses to narrow a backfill by a filter that the list is known not to have. A filter
// that returns too little would hide records; one that upstream ignores would waste calls.
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

// observedLoads is a store that logs when an answer changed a verdict on its list, or when a
// declared key disappeared. A list without a capability that its declaration relies on is read in
// another way from then on, which costs calls. The column of a missing key keeps its old values.
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
			about(n.log, batches[i].Claim.Stream.Key()).Log(ctx, level, "a run changed a verdict on the list",
				"run", batches[i].Claim.Run, "capability", v.Capability, "answer", v.Answer, "value", v.Value, "evidence", v.Evidence)
		}
	}
	for _, name := range loaded.MissingKeys {
		about(n.log, batches[0].Claim.Stream.Key()).WarnContext(ctx,
			"a declared key is gone from most records: its values stay as they were last", "run", batches[0].Claim.Run, "key", name)
	}
	return loaded, nil
}
