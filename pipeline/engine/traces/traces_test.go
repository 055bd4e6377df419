package traces

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

const canary = "canary-of-a-header"

// gate is a gate that lets every call pass.
type gate struct{ last int64 }

func (g *gate) Enter(context.Context, pipeline.Call) (int64, error) { g.last++; return g.last, nil }

func (*gate) Leave(context.Context, pipeline.Call, int64, pipeline.CallResult) error { return nil }

// heard is a log that can be read.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// inbox is a collector in this process.
type inbox struct {
	mu    sync.Mutex
	spans []*tracepb.Span
	wrong string
}

func (c *inbox) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.URL.Path != "/v1/traces" || r.Header.Get("Authorization") != "Bearer "+canary {
		c.wrong = r.URL.Path + " or its headers"
	}
	zip, err := gzip.NewReader(r.Body)
	if err != nil {
		c.wrong = err.Error()
		return
	}
	body, err := io.ReadAll(zip)
	var data tracepb.TracesData
	if err == nil {
		err = proto.Unmarshal(body, &data)
	}
	if err != nil {
		c.wrong = err.Error()
		return
	}
	for _, of := range data.GetResourceSpans() {
		for _, scope := range of.GetScopeSpans() {
			c.spans = append(c.spans, scope.GetSpans()...)
		}
	}
}

// begin begins traces that go to an address, and gives their log, too.
func begin(address string, sample float64) (*Traces, *heard) {
	log := new(heard)
	return New(Options{
		Collector: address, Headers: map[string]string{"authorization": "Bearer " + canary}, Sample: sample, Now: time.Now,
		Log: slog.New(slog.NewJSONHandler(log, nil)), Scrub: outside.NewScrubber(),
	}), log
}

// pass makes calls.
func pass(ctx context.Context, tb testing.TB, gate wire.Gate, calls int) {
	tb.Helper()
	for range calls {
		call := pipeline.Call{Organization: "1", Service: "inventory", Resource: "bills", Class: "incremental", Method: "GET", Endpoint: "/bills", Run: 7}
		number, err := gate.Enter(ctx, call)
		if err == nil {
			err = gate.Leave(ctx, call, number, pipeline.CallResult{Status: 200, Records: 200, Bytes: 1 << 16})
		}
		check.Must(tb, err)
	}
}

// TestASpanNamesTheTemplate: of the path of a call, its span has the template alone.
func TestASpanNamesTheTemplate(t *testing.T) {
	t.Parallel()
	collector := new(inbox)
	server := httptest.NewServer(collector)
	defer server.Close()
	traces, _ := begin(server.URL, 1)
	traces.flush = patience
	gate := traces.Gate(new(gate))
	call := pipeline.Call{Organization: "1", Service: "inventory", Resource: "bills", Method: "GET", Path: "/inventory/v1/bills/460000001", Endpoint: "/bills/{id}"}
	number, err := gate.Enter(t.Context(), call)
	if err == nil {
		err = gate.Leave(t.Context(), call, number, pipeline.CallResult{Status: 200})
	}
	check.Must(t, err)
	traces.Close(t.Context())
	server.Close()
	check.FatalIf(t, len(collector.spans) != 1, "%d spans, want 1", len(collector.spans))
	if text := collector.spans[0].String(); !strings.Contains(text, "/bills/{id}") || strings.Contains(text, "460000001") {
		t.Errorf("the span of a call has not the template alone:\n%s", text)
	}
}

// TestTheLastSpansAreSent: at its end a process sends the spans that wait.
func TestTheLastSpansAreSent(t *testing.T) {
	t.Parallel()
	collector := new(inbox)
	server := httptest.NewServer(collector)
	defer server.Close()
	traces, log := begin(server.URL+"/", 1)
	traces.flush = patience
	pass(t.Context(), t, traces.Gate(new(gate)), 600)
	traces.Close(t.Context())
	server.Close() // nothing is under way any more
	check.ErrorIf(t, len(collector.spans) != 600 || collector.wrong != "" || log.String() != "",
		"%d spans arrived, wrong: %q, log: %s", len(collector.spans), collector.wrong, log)
}

// patience is what a busy machine may add to a bound.
const patience = time.Minute

// TestACollectorThatFails: calls go on and take no longer, one warning tells what was lost, and
// neither it nor the end of the process waits. The collector that is slow never answers, so the
// bounds may be wide: machines are busy.
func TestACollectorThatFails(t *testing.T) {
	t.Parallel()
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, canary, http.StatusInternalServerError) }))
	t.Cleanup(failing.Close)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, canary, http.StatusUnauthorized) }))
	t.Cleanup(refusing.Close)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		check.ErrorIf(t, r.Header.Get("Authorization") != "" && r.URL.Path == "/other", "the header followed a redirect")
		http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(elsewhere.Close)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices the end of the connection only behind the body
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	for name, test := range map[string]struct{ address, why string }{
		"gone": {"http://127.0.0.1:1", "the connection failed"}, "failing": {failing.URL, "the collector refused them"}, "slow": {slow.URL, "the time to send them was over"},
		"refusing": {refusing.URL, "refused them: check telemetry.otlp"}, "elsewhere": {elsewhere.URL, "the collector refused them"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			traces, log := begin(test.address, 1)
			begun := time.Now()
			pass(t.Context(), t, traces.Gate(new(gate)), 3*sdk.DefaultMaxQueueSize)
			took := time.Since(begun)
			check.ErrorIf(t, took > patience, "the calls took %s", took)
			begun = time.Now()
			traces.Close(t.Context())
			took = time.Since(begun)
			check.ErrorIf(t, took > flushLimit+patience, "the end took %s", took)
			text := log.String()
			// The clock stands still, so it is still the first minute.
			lines := strings.Count(text, "\n")
			check.ErrorIf(t, lines != 1 || !strings.Contains(text, test.why), "%d warnings, want one, with %q\n%s", lines, test.why, text)
			check.ErrorIf(t, strings.Contains(text, canary) || strings.Contains(text, test.address),
				"the warning quotes an answer, a header or the address\n%s", text)
		})
	}
}

// TestOff: without a collector, every seam stays what it is, and nothing runs or is allocated.
func TestOff(t *testing.T) { //nolint:paralleltest // it counts allocations
	var off *Traces
	var inner wire.Gate = new(gate)
	check.ErrorIf(t, off.Gate(inner) != inner || off.Chunks() != nil || off.Loads(nil) != nil, "a seam is not what it was")
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		off.Gate(inner)
		off.Chunks()
		off.Close(ctx)
		if trace.SpanContextFromContext(ctx).IsValid() { // what a line of the log asks
			t.Error("there is a span")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	all := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(all[:runtime.Stack(all, true)]), "\n\n") {
		check.ErrorIf(t, strings.Contains(stack, "batchSpanProcessor") && strings.Contains(stack, "TestOff"), "a goroutine sends:\n%s", stack)
	}
}

// TestSampling: the share is kept, and calls follow their chunk.
func TestSampling(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(inbox))
	defer server.Close()
	one, _ := begin(server.URL, 0.25)
	defer one.Close(t.Context())
	claim := pipeline.Claim{Stream: pipeline.Stream{Organization: "1", Service: &schema.Service{Name: "inventory"}, Resource: &schema.Resource{Name: "bills"}}}
	sampled := 0
	for range 1000 {
		ctx, end := one.chunk(t.Context(), claim, 1)
		_, call := one.tracer.Start(ctx, spanCall)
		check.FatalIf(t, call.SpanContext().IsSampled() != trace.SpanContextFromContext(ctx).IsSampled(), "a call does not follow its chunk")
		call.End()
		end(nil)
		if call.SpanContext().IsSampled() {
			sampled++
		}
	}
	check.ErrorIf(t, sampled < 180 || sampled > 320, "%d chunks in 1000 are traced, want about 250", sampled)
}

func TestNothingStays(t *testing.T) { //nolint:paralleltest // it looks at all goroutines
	before := goleak.IgnoreCurrent()
	collector := new(inbox)
	server := httptest.NewServer(collector)
	traces, _ := begin(server.URL, 1)
	pass(t.Context(), t, traces.Gate(new(gate)), 1)
	traces.Close(t.Context())
	traces.provider.Tracer("late") // a span that comes too late is dropped
	server.Close()
	goleak.VerifyNone(t, before)
	check.ErrorIf(t, len(collector.spans) != 1, "%d spans, want 1", len(collector.spans))
}
