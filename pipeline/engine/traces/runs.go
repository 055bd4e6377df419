package traces

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"sluice/pipeline"
	"sluice/pipeline/jobs"
	"sluice/pipeline/outside"
	"sluice/pipeline/sync"
)

// Chunks gives what jobs calls around each chunk; nil where traces are off.
func (t *Traces) Chunks() func(ctx context.Context, claim pipeline.Claim, job int64) (context.Context, func(error)) {
	if t == nil {
		return nil
	}
	return t.chunk
}

// chunk begins the span of a chunk, in the trace of its run.
func (t *Traces) chunk(ctx context.Context, claim pipeline.Claim, job int64) (context.Context, func(error)) {
	ctx = trace.ContextWithRemoteSpanContext(ctx, ofRun(claim.Stream.Key(), claim.Run, claim.Began))
	ctx, span := t.tracer.Start(ctx, spanChunk, trace.WithTimestamp(t.now()))
	if span.IsRecording() {
		span.SetAttributes(append(t.about(claim), attribute.Int64(keyJob, job))...)
	}
	return ctx, func(err error) { t.end(span, kindOf(err), err != nil) }
}

// about are the attributes by which a run is found.
func (t *Traces) about(claim pipeline.Claim) []attribute.KeyValue {
	key := claim.Stream.Key()
	return []attribute.KeyValue{
		t.text(keyOrganization, key.Organization), t.text(keyService, key.Service), t.text(keyResource, key.Resource),
		t.text(keyClass, string(pipeline.ClassOf(claim.Stream))), attribute.Int64(keyRun, claim.Run),
	}
}

// text is an attribute of text. The scrubber is the last protection, as in the log.
func (t *Traces) text(name, value string) attribute.KeyValue {
	return attribute.String(name, outside.Visible(t.scrub.Scrub(value)))
}

// end ends a span, with the kind of its failure if it failed.
func (t *Traces) end(span trace.Span, kind string, failed bool) {
	if failed {
		fail(span, kind)
	}
	span.End(trace.WithTimestamp(t.now()))
}

// fail notes the kind of a failure. A word is all that is told of it.
func fail(span trace.Span, kind string) {
	span.SetAttributes(attribute.String(keyError, kind))
	span.SetStatus(codes.Error, kind)
}

// kindOf names a failure in one word of our own. The text of an error may name a record.
func kindOf(err error) string {
	switch kind := pipeline.KindOf(err); {
	case kind != 0:
		return kind.String()
	case errors.Is(err, pipeline.ErrLostClaim):
		return "lost"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "stopped"
	default:
		return "other"
	}
}

// Runs adds the span of a run, which is made when the run ends. Where traces are off, it gives back
// what it got.
func (t *Traces) Runs(runner jobs.Runner, store jobs.Store) (jobs.Runner, jobs.Store) {
	if t == nil {
		return runner, store
	}
	return tracedRuns{Runner: runner, traces: t}, tracedSettlements{Store: store, traces: t}
}

// tracedRuns is a runner that makes the spans of runs that come to their end.
type tracedRuns struct {
	jobs.Runner

	traces *Traces
}

// Chunk implements jobs.Runner.
func (r tracedRuns) Chunk(ctx context.Context, claim pipeline.Claim, settle pipeline.Settle) error {
	ended := false
	err := r.Runner.Chunk(ctx, claim, func(ctx context.Context, tx pgx.Tx, more bool) error {
		ended = !more
		return settle(ctx, tx, more)
	})
	if err == nil && ended {
		r.traces.ended(ctx, claim)
	}
	return err
}

// tracedSettlements is a store that makes the spans of runs that fail.
type tracedSettlements struct {
	jobs.Store

	traces *Traces
}

// Settle implements jobs.Store.
func (s tracedSettlements) Settle(ctx context.Context, claim pipeline.Claim, settlement pipeline.Settlement) error {
	err := s.Store.Settle(ctx, claim, settlement)
	if err == nil && settlement.EndRun {
		s.traces.ended(ctx, claim)
	}
	return err
}

// ended makes the span of a run that ended. A run that is not sampled is not read.
func (t *Traces) ended(ctx context.Context, claim pipeline.Claim) {
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return
	}
	run, err := t.run(ctx, claim.Run)
	if err != nil || run.EndedAt == nil {
		t.log.WarnContext(ctx, "the span of a run is missing: its result could not be read", "run", claim.Run, "error", t.scrub.Error(err))
		return
	}
	of := ofRun(claim.Stream.Key(), claim.Run, claim.Began)
	// The clock of the database says when a run began and ended; spans use that of the process.
	end := t.now()
	took := time.Duration(run.Seconds * float64(time.Second))
	_, span := t.tracer.Start(context.WithValue(ctx, runKey{}, of), spanRun, trace.WithNewRoot(), trace.WithTimestamp(end.Add(-took)))
	span.SetAttributes(append(t.about(claim), attribute.String(keyOutcome, run.Outcome),
		attribute.Int64(keyCountChunks, run.Chunks), attribute.Int64(keyCountCalls, run.Calls), attribute.Int64(keyCountPages, run.Pages),
		attribute.Int64(keyReceived, run.Received), attribute.Int64(keyInserted, run.Inserted),
		attribute.Int64(keyUpdated, run.Updated), attribute.Int64(keyUnchanged, run.Unchanged),
		attribute.Int64(keyRejected, run.Quarantined))...)
	if run.Outcome == string(pipeline.OutcomeFailed) {
		fail(span, cmp.Or(run.Kind, "other"))
	}
	span.End(trace.WithTimestamp(end))
}

// Loads adds the spans of transactions that load batches. Where traces are off, it gives back what
// it got.
func (t *Traces) Loads(store sync.Store) sync.Store {
	if t == nil {
		return store
	}
	return tracedLoads{Store: store, traces: t}
}

// tracedLoads is a store that makes a span of each transaction.
type tracedLoads struct {
	sync.Store

	traces *Traces
}

// Load implements sync.Store.
func (l tracedLoads) Load(ctx context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error) {
	ctx, span := l.traces.tracer.Start(ctx, spanLoad, trace.WithTimestamp(l.traces.now())) //nolint:spancheck // loaded ends it
	loaded, err := l.Store.Load(ctx, batches...)
	l.traces.loaded(span, batches, loaded, err)
	return loaded, err //nolint:spancheck // as above
}

// loaded ends the span of a transaction.
func (t *Traces) loaded(span trace.Span, batches []pipeline.Batch, loaded pipeline.Loaded, err error) {
	if !span.IsRecording() {
		span.End()
		return
	}
	received, rejected := 0, loaded.Rejected
	var calls []int64
	for i := range batches {
		received += batches[i].Received
		rejected += len(batches[i].Rejected)
		if call := batches[i].Call; call != 0 && len(calls) < mostOf {
			calls = append(calls, call)
		}
	}
	span.SetAttributes(append(t.about(batches[0].Claim), attribute.Int(keyCountBatches, len(batches)),
		attribute.Int64Slice(keyCalls, calls), attribute.Int(keyReceived, received),
		attribute.Int(keyInserted, loaded.Inserted), attribute.Int(keyUpdated, loaded.Updated),
		attribute.Int(keyUnchanged, loaded.Unchanged), attribute.Int(keySuperseded, loaded.Superseded),
		attribute.Int(keyRejected, rejected))...)
	t.end(span, kindOf(err), err != nil)
}
