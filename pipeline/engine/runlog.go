package engine

import (
	"context"
	"log/slog"

	"sluice/pipeline"
	"sluice/pipeline/jobs"
)

// loggedRuns is a runner that writes into the log what runs came to. A process that serves has no
// terminal.
type loggedRuns struct {
	jobs.Runner

	app *App
}

// Chunk implements jobs.Runner.
func (l loggedRuns) Chunk(ctx context.Context, claim pipeline.Claim, settle pipeline.Settle) error {
	if err := l.Runner.Chunk(ctx, claim, settle); err != nil {
		return err // it is the runner's, and its kind counts
	}
	run, err := l.app.DB.RunProgress(ctx, claim.Run)
	if err != nil {
		l.app.Log.WarnContext(ctx, "what the run came to could not be read", "stream", claim.Stream.String(), "run", claim.Run, "error", err)
		return nil // the chunk is done: that is the transaction's word, not the log's
	}
	if run.EndedAt == nil {
		return nil
	}
	level := slog.LevelInfo
	if run.Outcome != string(pipeline.OutcomeDone) {
		level = slog.LevelWarn
	}
	l.app.Log.LogAttrs(ctx, level, "a run ended", slog.String("stream", claim.Stream.String()), slog.Int64("run", run.ID),
		slog.String("outcome", run.Outcome), slog.String("note", run.Note), slog.Float64("seconds", run.Seconds),
		slog.Int64("calls", run.Calls), slog.Int64("received", run.Received), slog.Int64("inserted", run.Inserted),
		slog.Int64("updated", run.Updated), slog.Int64("quarantined", run.Quarantined))
	if run.Quarantined > 0 {
		l.alarm(ctx, claim.Stream)
	}
	return nil
}

// alarm writes that too much of a stream does not fit.
func (l loggedRuns) alarm(ctx context.Context, stream pipeline.Stream) {
	row, err := l.app.DB.Stream(ctx, stream.Key())
	if err != nil {
		l.app.Log.WarnContext(ctx, "the quarantine could not be counted", "stream", stream.String(), "error", err)
		return
	}
	if text := l.app.Alarm(&row); text != "" {
		key := stream.ListKey() // entries are kept by the list, whatever the stream's own work is
		l.app.Log.ErrorContext(ctx, text, "stream", stream.String(), "look", "sluice quarantine list "+key.Service+"."+key.Resource)
	}
}

// loggedSettlements is a store that writes into the log why runs stopped before their end.
type loggedSettlements struct {
	jobs.Store

	log *slog.Logger
}

// Settle implements jobs.Store.
func (l loggedSettlements) Settle(ctx context.Context, claim pipeline.Claim, settlement pipeline.Settlement) error {
	if err := l.Store.Settle(ctx, claim, settlement); err != nil {
		return err // it is the store's, and callers look what it is
	}
	attributes := []slog.Attr{
		slog.String("stream", claim.Stream.String()), slog.Int64("run", claim.Run), slog.String("state", string(settlement.State)),
		slog.String("kind", settlement.Kind.String()), slog.String("reason", string(settlement.Reason)),
	}
	if !settlement.Until.IsZero() {
		attributes = append(attributes, slog.Time("until", settlement.Until))
	}
	level, text := slog.LevelWarn, "a run waits"
	if settlement.EndRun {
		level, text = slog.LevelError, "a run failed"
	}
	l.log.LogAttrs(ctx, level, text, attributes...)
	return nil
}
