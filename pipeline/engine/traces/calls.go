package traces

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"sluice/pipeline"
	"sluice/pipeline/upstream/wire"
)

// Gate adds the spans of calls. Every call passes the gate, so there is one span for each row that
// this process writes to the call log. Where traces are off, Gate gives back what it got.
func (t *Traces) Gate(gate wire.Gate) wire.Gate {
	if t == nil {
		return gate
	}
	return &tracedGate{Gate: gate, traces: t, open: make(map[int64]granted)}
}

// tracedGate is a gate that makes a span of each call.
type tracedGate struct {
	wire.Gate

	traces *Traces
	mu     sync.Mutex
	// open are the calls under way, by their numbers.
	open map[int64]granted
}

// granted is when a call could leave, and how long it had waited for that.
type granted struct {
	at     time.Time
	waited time.Duration
}

// Enter implements wire.Gate.
func (g *tracedGate) Enter(ctx context.Context, call pipeline.Call) (int64, error) {
	asked := g.traces.now()
	number, err := g.Gate.Enter(ctx, call)
	if err != nil {
		return number, err // unwrapped: callers need its kind
	}
	now := g.traces.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open[number] = granted{at: now, waited: now.Sub(asked)}
	return number, nil
}

// Leave implements wire.Gate.
func (g *tracedGate) Leave(ctx context.Context, call pipeline.Call, number int64, result pipeline.CallResult) error {
	end := g.traces.now() // the note in the call log is no part of the call
	err := g.Gate.Leave(ctx, call, number, result)
	g.mu.Lock()
	begun := g.open[number]
	delete(g.open, number)
	g.mu.Unlock()
	g.traces.call(ctx, call, number, result, begun, end)
	return err
}

// call makes the span of a call that ended. Outside of a run it is a trace of its own.
func (t *Traces) call(ctx context.Context, call pipeline.Call, number int64, result pipeline.CallResult, begun granted, end time.Time) {
	_, span := t.tracer.Start(ctx, spanCall, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(begun.at))
	if span.IsRecording() {
		attributes := append(make([]attribute.KeyValue, 0, 16), //nolint:mnd // all that may follow
			t.text(keyOrganization, call.Organization), t.text(keyService, call.Service), t.text(keyResource, call.Resource),
			t.text(keyClass, string(call.Class)), attribute.Int64(keyCall, number),
			attribute.Float64(keyWaited, begun.waited.Seconds()), attribute.String(keyMethod, string(call.Method)),
			t.text(keyTemplate, call.Endpoint), attribute.Int64(keyBytes, result.Bytes),
			attribute.Int(keyReceived, result.Records))
		if call.Run != 0 {
			attributes = append(attributes, attribute.Int64(keyRun, call.Run))
		}
		if call.Page != 0 {
			attributes = append(attributes, attribute.Int(keyPage, call.Page))
		}
		if result.Status != 0 {
			attributes = append(attributes, attribute.Int(keyStatus, result.Status))
		}
		span.SetAttributes(attributes...)
	}
	if failed, kind := failure(result); failed {
		fail(span, kind)
	}
	span.End(trace.WithTimestamp(end))
}

// failure says whether a call failed, and how. A call without a kind and with a detail was given
// up.
func failure(result pipeline.CallResult) (bool, string) {
	switch {
	case result.Kind != 0:
		return true, result.Kind.String()
	case result.Detail != "":
		return true, "stopped"
	default:
		return false, ""
	}
}
