package engine

import (
	"context"
	"log/slog"

	"sluice/pipeline"
	"sluice/pipeline/jobs"
)

// about returns the log for lines about a stream.
func about(log *slog.Logger, stream Key) *slog.Logger { return log.With(stream.Log()) }

// loggedRuns is a runner that logs the result of each run, because a process that serves has no
// terminal.
type loggedRuns struct {
	jobs.Runner

	app *App
}

// Chunk implements jobs.Runner.
func (l loggedRuns) Chunk(ctx context.Context, claim pipeline.Claim, settle pipeline.Settle) error {
	if err := l.Runner.Chunk(ctx, claim, settle); err != nil {
		return err // unwrapped: callers need its kind
	}
	run, err := l.app.DB.RunProgress(ctx, claim.Run)
	if err != nil {
		about(l.app.Log, claim.Stream.Key()).WarnContext(ctx, "the result of the run could not be read", "run", claim.Run, "error", err)
		return nil // the chunk is committed, with or without a log line
	}
	if run.EndedAt == nil {
		return nil
	}
	level := slog.LevelInfo
	if run.Outcome != string(pipeline.OutcomeDone) {
		level = slog.LevelWarn
	}
	l.app.Log.LogAttrs(ctx, level, "a run ended", claim.Stream.Key().Log(), slog.Int64("run", run.ID),
		slog.String("outcome", run.Outcome), slog.String("note", run.Note), slog.Float64("seconds", run.Seconds),
		slog.Int64("calls", run.Calls), slog.Int64("received", run.Received), slog.Int64("inserted", run.Inserted),
		slog.Int64("updated", run.Updated), slog.Int64("quarantined", run.Quarantined))
	if run.Quarantined > 0 {
		l.alarm(ctx, claim.Stream)
	}
	return nil
}

// alarm logs that too many records of a stream do not fit.
func (l loggedRuns) alarm(ctx context.Context, stream pipeline.Stream) {
	row, err := l.app.DB.Stream(ctx, stream.Key())
	if err != nil {
		about(l.app.Log, stream.Key()).WarnContext(ctx, "the quarantine could not be counted", "error", err)
		return
	}
	if text := l.app.Alarm(&row); text != "" {
		key := stream.ListKey() // entries of every work of the resource have the list's key
		about(l.app.Log, stream.Key()).ErrorContext(ctx, text, "look", "sluice quarantine list "+key.Service+"."+key.Resource)
	}
}

// loggedSettlements is a store that logs why runs stopped before their end.
type loggedSettlements struct {
	jobs.Store

	log *slog.Logger
}

// Settle implements jobs.Store.
func (l loggedSettlements) Settle(ctx context.Context, claim pipeline.Claim, settlement pipeline.Settlement) error {
	if err := l.Store.Settle(ctx, claim, settlement); err != nil {
		return err // unwrapped: callers compare it
	}
	attributes := []slog.Attr{
		claim.Stream.Key().Log(), slog.Int64("run", claim.Run), slog.String("state", string(settlement.State)),
		slog.String("kind", settlement.Kind.String()), slog.String("reason", string(settlement.Reason)),
	}
	if !settlement.Until.IsZero() {
		attributes = append(attributes, slog.Time("until", settlement.Until))
	}
	if settlement.EndRun {
		l.log.LogAttrs(ctx, slog.LevelError, "a run failed", attributes...)
	} else {
		l.log.LogAttrs(ctx, slog.LevelWarn, "a run waits", attributes...)
	}
	return nil
}
