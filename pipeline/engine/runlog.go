package engine

import (
	"context"
	"fmt"
	"log/slog"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"sluice/pipeline"
	"sluice/pipeline/jobs"
	"sluice/pipeline/sync"
	"sluice/pipeline/sync/scan"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams"
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

// Alarm returns a text if too many records of a stream do not fit, by the configured thresholds; ""
// if not. The share is that of the last run that ended; the open entries are those of all runs.
// Records that withheld a watermark alarm until they are loaded, no longer exist upstream, or the
// operator decides about them.
func (a *App) Alarm(s *streams.Status) string {
	thresholds := a.Config.Quarantine
	switch {
	case s.QuarantinedShare > thresholds.MaxShare:
		return fmt.Sprintf("ALARM: %.1f %% of the last run's records are in quarantine (quarantine.max_share: %g %%)",
			100*s.QuarantinedShare, 100*thresholds.MaxShare)
	case s.Withheld > 0:
		return fmt.Sprintf("ALARM: %s that made the watermark wait are in quarantine (quarantine.max_share: %g %%)",
			records(s.Withheld), 100*thresholds.MaxShare)
	case thresholds.MaxOpen > 0 && s.Quarantined > int64(thresholds.MaxOpen):
		return fmt.Sprintf("ALARM: %s are in quarantine (quarantine.max_open: %s)",
			records(s.Quarantined), english().Sprint(thresholds.MaxOpen))
	default:
		return ""
	}
}

// records writes a number of records: 1 record, 1,001 records.
func records(n int64) string {
	if n == 1 {
		return "1 record"
	}
	return english().Sprintf("%d records", n)
}

// english writes numbers with separators of thousands.
func english() *message.Printer { return message.NewPrinter(language.English) }

// declareCapabilities stores the capabilities that the declarations of the configured lists state.
func (a *App) declareCapabilities(ctx context.Context) error {
	return postgres.Fail("note what the lists of the configuration can do", a.DB.Declare(ctx, onlyLists(a.Streams())))
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
