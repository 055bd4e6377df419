package engine

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"sluice/pipeline/check"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse"
)

// TestTracesAreOff: without a collector, and in a process that makes no call, nothing sends.
func TestTracesAreOff(t *testing.T) { //nolint:paralleltest // it looks at all goroutines
	before := goleak.IgnoreCurrent()
	for name, a := range map[string]*App{
		"no collector": {Config: &config.Config{}},
		"offline":      {Config: &config.Config{Telemetry: config.Telemetry{OTLP: "http://127.0.0.1:1", Sample: 1}}, options: Options{Purpose: config.ForOffline}},
	} {
		a.startTraces()
		check.ErrorIf(t, a.traces != nil, "%s: traces are made", name)
	}
	goleak.VerifyNone(t, before)
	on := &App{Config: &config.Config{Telemetry: config.Telemetry{OTLP: "http://127.0.0.1:1", Sample: 1}}, DB: &warehouse.DB{}, Log: slog.New(slog.DiscardHandler), options: Options{Now: time.Now}}
	on.startTraces()
	check.ErrorIf(t, on.traces == nil, "with a collector no traces are made")
	on.traces.Close(t.Context())
}

// TestALineNamesItsTrace: a line of the log has the numbers of the span in its context, and no such
// key without one.
func TestALineNamesItsTrace(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := check.Sure(newLog(Options{LogTo: &out, Scrub: outside.NewScrubber()}, "info"))(t)
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}})
	log.InfoContext(trace.ContextWithSpanContext(t.Context(), span), "in a span")
	log.InfoContext(t.Context(), "in none")
	inside, outside, _ := strings.Cut(out.String(), "\n")
	if !strings.Contains(inside, `"trace_id":"01000000000000000000000000000000"`) || !strings.Contains(inside, `"span_id":"0200000000000000"`) {
		t.Errorf("no numbers in %s", inside)
	}
	check.ErrorIf(t, strings.Contains(outside, "trace_id"), "a number of no trace in %s", outside)
}
