package traces

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"sluice/pipeline"
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

// chunk begins the span of a chunk, which is a trace.
func (t *Traces) chunk(ctx context.Context, claim pipeline.Claim, job int64) (context.Context, func(error)) {
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
