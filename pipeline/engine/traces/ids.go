package traces

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"time"

	"go.opentelemetry.io/otel/trace"

	"sluice/pipeline"
)

// ids numbers traces and spans: those of a run by the run, all others at random.
type ids struct{}

// runKey is the key in a context of the span that is begun as the run.
type runKey struct{}

// NewIDs implements sdk.IDGenerator.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if of, ok := ctx.Value(runKey{}).(trace.SpanContext); ok {
		return of.TraceID(), of.SpanID()
	}
	var id trace.TraceID
	binary.NativeEndian.PutUint64(id[:8], random())
	binary.NativeEndian.PutUint64(id[8:], random())
	return id, newSpanID()
}

// NewSpanID implements sdk.IDGenerator.
func (ids) NewSpanID(context.Context, trace.TraceID) trace.SpanID { return newSpanID() }

func newSpanID() trace.SpanID {
	var id trace.SpanID
	binary.NativeEndian.PutUint64(id[:], random())
	return id
}

// random is never zero: zero is no valid number of a trace or a span.
func random() uint64 { return rand.Uint64() | 1 }

// ofRun numbers the trace and the span of a run. Its chunks may be read by several processes, one
// after the other, and all of them have to name the same trace. The instant at which the run began
// tells runs of different warehouses apart, whose numbers are the same.
func ofRun(stream pipeline.Key, run int64, began time.Time) trace.SpanContext {
	text := "sluice run\x00" + stream.String() + "\x00"
	name := binary.BigEndian.AppendUint64([]byte(text), uint64(run)) //nolint:gosec // only its bits matter
	name = binary.BigEndian.AppendUint64(name, uint64(began.UTC().UnixMicro()))
	sum := sha256.Sum256(name)
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID(sum[:16]), SpanID: trace.SpanID(sum[16:24]), TraceFlags: trace.FlagsSampled, Remote: true,
	})
}
