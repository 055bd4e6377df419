package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"sluice/sandbox"
)

// stopLimit is how long a test waits for a process that was asked to stop.
const stopLimit = patience

func (p *process) said(message, key string) string {
	p.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		for line := range strings.Lines(p.stderr.String()) {
			var said map[string]any
			if json.Unmarshal([]byte(line), &said) == nil && said["message"] == message {
				value, _ := said[key].(string)
				return value
			}
		}
		select {
		case <-ticker.C:
		case <-p.done:
			p.t.Fatalf("the process ended with %d before it said %q\n%s", p.code, message, p.stderr.String())
		case <-deadline.C:
			p.t.Fatalf("the process did not say %q within %s\n%s", message, patience, p.stderr.String())
		}
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	client := &http.Client{Timeout: patience}
	answer, err := client.Get(url)
	must(t, err)
	text := sure(io.ReadAll(answer.Body))(t)
	must(t, answer.Body.Close())
	return answer.StatusCode, string(text)
}

// TestServe starts and stops the service: during its work, while idle, and after a day in which
// everything has become due.
func TestServe(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 61, Records: 2000, Limits: sandbox.Limits{Off: true}, PageLatency: 30 * time.Millisecond}).narrow()
	s.configured("  inventory.items: {notified: {every: 6h}}\n")
	s.notified("http://127.0.0.1:1")

	atWork, release := s.secondPages("/inventory/v1/items")
	p := s.start("serve", "--listen", "127.0.0.1:0")
	address := p.said("serving", "listen")
	s.looksWell(address)
	receiver := "http://" + p.said("receiving callbacks", "listen")
	if taken, forged := s.hook(hookSecret, receiver+"/test/"+businessKey, `{"nonce":"x"}`), s.hook(hookSecret, receiver+"/test/1", `{"nonce":"x"}`); taken != http.StatusOK || forged != http.StatusUnauthorized {
		t.Errorf("serve answers a callback with %d, and a forged one with %d", taken, forged)
	}
	s.counts(1, "callbacks arrived", `SELECT count(*) FROM sluice.callbacks`)
	select {
	case <-atWork:
	case <-p.done:
		t.Fatalf("serve ended with %d\n%s", p.code, p.stderr.String())
	}
	p.terminate()
	p.said("stopping: running chunks end at their next page", "")
	release()
	p.ends(codeFine, stopLimit)
	s.quiet()
	open := one[int](s, `SELECT count(*) FROM sluice.runs WHERE ended_at IS NULL`)
	errorIf(t, open == 0, "no run was under way when serve was stopped: the stop interrupted nothing")
	lost := one[int](s, `SELECT (SELECT count(*) FROM sluice.calls WHERE finished_at IS NULL)
		+ (SELECT count(*) FROM river.river_job WHERE state = 'running')`)
	errorIf(t, lost != 0, "%d calls without an end and jobs at work after a clean stop", lost)

	p = s.start("serve", "--listen", "127.0.0.1:0")
	address = p.said("serving", "listen")
	s.allDone(1)
	s.equal()
	s.exec(`INSERT INTO sluice.callbacks (organization_id, dialect, digest, received_at, repeated_at, module, operation, ids, bytes)
		VALUES ($1, 'watch', '', now(), clock_timestamp(), 'Deals', '', '{}', 1)`, businessKey)
	s.exec(`UPDATE sluice.channels SET expires_at = now() + interval '1 day'`)
	s.exec(`INSERT INTO sluice.runs (organization_id, service, resource, class, gen, ended_at, outcome, updated)
		VALUES ($1, 'inventory', 'items.hinted', 'hinted', 0, now(), 'done', 1)`, businessKey)
	s.showsStreams(address)
	p.stops()

	sure(s.world.Change(sandbox.Change{Seed: 5, Inserts: 3, Edits: 7}))(t)
	s.pass(25 * time.Hour)
	p = s.start("serve", "--listen", "127.0.0.1:0")
	s.allDone(2)
	s.nothingLeftButDue()
	s.equal()
	p.stops()
}

// secondPages lets the first page of a list through. All later ones wait until the function is
// called; the channel is closed when the first of them has arrived.
func (s *fixture) secondPages(path string) (<-chan struct{}, func()) {
	arrived, released := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s.arrivals.through(func(upstream http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if page := r.URL.Query().Get("page"); r.URL.Path == path && page != "" && page != "1" {
				once.Do(func() { close(arrived) })
				select {
				case <-released:
				case <-r.Context().Done():
					return
				}
			}
			upstream.ServeHTTP(w, r)
		})
	})
	return arrived, func() { close(released) }
}

// allDone waits until every stream has completed so many runs, and none is due: a list of headers
// makes its details due at once. Sweeps and looks are due later.
func (s *fixture) allDone(runs int) {
	s.t.Helper()
	s.until("every stream has its runs done", `SELECT count(*) FILTER (WHERE run_id IS NULL AND $1 <= (
		SELECT count(*) FROM sluice.runs r WHERE r.outcome = 'done' AND (r.service, r.resource) = (s.service, s.resource)
	)) = count(*) AND count(*) > $2 AND bool_and(next_due_at > clock_timestamp()) FROM sluice.streams s
		WHERE enabled AND resource !~ '\.(sweep|look|hinted)$'`, runs, len(resources()))
}

// nothingLeftButDue waits until every stream, sweeps included, is idle and none is due, so that the
// schedule has done all that it planned.
func (s *fixture) nothingLeftButDue() {
	s.t.Helper()
	s.until("nothing is at work or due", `SELECT NOT EXISTS (SELECT FROM sluice.streams
		WHERE enabled AND (state <> 'idle' OR next_due_at <= clock_timestamp()))
		AND NOT EXISTS (SELECT FROM river.river_job WHERE state <> 'completed')`)
}

func (s *fixture) looksWell(address string) {
	s.t.Helper()
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ready\n"} {
		status, text := get(s.t, "http://"+address+path)
		errorIf(s.t, status != http.StatusOK || text != want, "%s: %d %q", path, status, text)
	}
	s.prints(codeFine, "", "health", "--listen", address)
}

// showsStreams looks for the streams in /metrics. TestEveryMetric has all metrics.
func (s *fixture) showsStreams(address string) {
	s.t.Helper()
	status, text := get(s.t, "http://"+address+"/metrics")
	fatalIf(s.t, status != http.StatusOK, "/metrics: %d %s", status, text)
	for _, r := range resources() {
		want := `sluice_stream_state{organization="60012345678",resource="` + r.name + `",service="` + r.service + `",state="idle"} 1`
		errorIf(s.t, !strings.Contains(text, want), "/metrics lacks %s", want)
	}
}

func (s *fixture) serveUntil(what, condition string, args ...any) {
	s.t.Helper()
	p := s.start("serve", "--listen", "127.0.0.1:0")
	p.said("serving", "listen") // wait until serve has started
	s.until(what, condition, args...)
	p.stops()
	s.quiet()
}

// TestServeSurvivesAClosedLog: the reader of standard error ends, and the work goes on.
func TestServeSurvivesAClosedLog(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 63, Records: 20, Limits: sandbox.Limits{Off: true}}).narrow()
	reader, writer, err := os.Pipe()
	must(t, err)
	p := s.startOn(writer, "serve", "--listen", "127.0.0.1:0")
	must(t, writer.Close())
	// The first line says that it serves; from then on its standard error has no reader.
	lines, heard := bufio.NewReader(reader), ""
	for !strings.Contains(heard, `"serving"`) {
		heard, err = lines.ReadString('\n')
		fatalIf(t, err != nil, "the log ended: %v", err)
	}
	must(t, reader.Close())
	s.until("runs ended of which the log has a line", `SELECT count(*) >= 3 FROM sluice.runs WHERE ended_at > clock_timestamp() - interval '1 minute'`)
	select {
	case <-p.done:
		t.Fatalf("serve ended with %d", p.code)
	default:
	}
	p.stops()
	errorIf(t, strings.Contains(p.stdout.String(), "panic"), "%v", p.stdout.String())
}

// otlpCollector takes traces as a collector does.
type otlpCollector struct {
	mu    sync.Mutex
	bytes bytes.Buffer
	spans []*tracepb.Span
	wrong error
}

func (c *otlpCollector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var data tracepb.TracesData
	zip, err := gzip.NewReader(r.Body)
	if err == nil {
		var body []byte
		if body, err = io.ReadAll(zip); err == nil {
			c.bytes.Write(body)
			err = proto.Unmarshal(body, &data)
		}
	}
	if err != nil {
		c.wrong = err
	}
	for _, of := range data.GetResourceSpans() {
		for _, scope := range of.GetScopeSpans() {
			c.spans = append(c.spans, scope.GetSpans()...)
		}
	}
}

func (c *otlpCollector) named(name string) []*tracepb.Span {
	var found []*tracepb.Span
	for _, span := range c.spans {
		if span.GetName() == name {
			found = append(found, span)
		}
	}
	return found
}

func figureOf(span *tracepb.Span, name string) int64 {
	for _, attribute := range span.GetAttributes() {
		if attribute.GetKey() == name {
			return attribute.GetValue().GetIntValue()
		}
	}
	return 0
}

func wordOf(span *tracepb.Span, name string) string {
	for _, attribute := range span.GetAttributes() {
		if attribute.GetKey() == name {
			return attribute.GetValue().GetStringValue()
		}
	}
	return ""
}

// TestTraces: the spans of a sync are the chunks of its runs and the rows of the call log, in the
// right order of parents, and no byte of them is a secret or a value of a record.
func TestTraces(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 63, Records: 60, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/creditnotes", Kind: "unavailable"}}))
	collector := new(otlpCollector)
	server := httptest.NewServer(collector)
	t.Cleanup(server.Close)
	const canary = "canary-of-telemetry"
	s.environment["OTLP_AUTHORIZATION"] = "Bearer " + canary
	s.configured(fmt.Sprintf("telemetry: {otlp: %q, headers: {authorization: \"${OTLP_AUTHORIZATION}\"}}\n", server.URL))
	s.sync(codeFailed)

	if collector.wrong != nil {
		t.Fatal(collector.wrong)
	}
	chunks, calls, loads := collector.named("chunk"), collector.named("call"), collector.named("load")
	for what, counts := range map[string][2]int64{
		"chunks": {int64(len(chunks)), one[int64](s, `SELECT sum(chunks)::bigint FROM sluice.runs`)},
		"calls":  {int64(len(calls)), one[int64](s, `SELECT count(*) FROM sluice.calls`)},
	} {
		errorIf(t, counts[0] != counts[1] || counts[0] == 0, "%s: %d spans, and %d rows", what, counts[0], counts[1])
	}
	same(t, "spans of the three names", len(collector.spans), len(chunks)+len(calls)+len(loads))
	page := sure(os.ReadFile("../../../docs/operations/traces.md"))(t)
	for _, span := range collector.spans {
		for _, attribute := range append(span.GetAttributes(), &commonpb.KeyValue{Key: span.GetName()}) {
			name := attribute.GetKey()
			errorIf(t, !strings.Contains(string(page), "`"+name+"`"), "docs/operations/traces.md lacks %s", name)
		}
	}
	s.parents(collector)
	s.rowsOfSpans(calls, loads)
	s.noSecretIn(collector.bytes.String(), canary)
}

// parents holds the tree of spans together: a chunk, and in it calls and loads.
func (s *fixture) parents(collector *otlpCollector) {
	s.t.Helper()
	names := map[string]string{"chunk": "", "call": "chunk", "load": "chunk"}
	byID := make(map[string]*tracepb.Span, len(collector.spans))
	for _, span := range collector.spans {
		byID[string(span.GetSpanId())] = span
	}
	for _, span := range collector.spans {
		parent := byID[string(span.GetParentSpanId())]
		if parent.GetName() != names[span.GetName()] {
			s.t.Errorf("the parent of a span %q is %q, want %q", span.GetName(), parent.GetName(), names[span.GetName()])
			continue
		}
		run, of := figureOf(span, "sluice.run.id"), figureOf(parent, "sluice.run.id")
		apart := run != of && run != 0 // a call for a token is none of the run
		errorIf(s.t, parent != nil && (apart || !bytes.Equal(parent.GetTraceId(), span.GetTraceId())),
			"a span %q of run %d has a parent of run %d, or of another trace", span.GetName(), run, of)
		errorIf(s.t, span.GetEndTimeUnixNano() < span.GetStartTimeUnixNano(), "a span %q ends before it begins", span.GetName())
	}
}

// rowsOfSpans compares spans with the rows that they name.
func (s *fixture) rowsOfSpans(calls, loads []*tracepb.Span) {
	s.t.Helper()
	singles := 0
	for _, span := range calls {
		row := one[string](s, `SELECT concat_ws(' ', organization_id, service, resource, class, coalesce(run_id, 0), method, status, nullif(kind, ''), coalesce(records, 0))
			FROM sluice.calls WHERE id = $1`, figureOf(span, "sluice.call.id"))
		got := strings.Join([]string{wordOf(span, "sluice.organization"), wordOf(span, "sluice.service"), wordOf(span, "sluice.resource"), wordOf(span, "sluice.class")}, " ") +
			fmt.Sprintf(" %d %s %d", figureOf(span, "sluice.run.id"), wordOf(span, "http.request.method"), figureOf(span, "http.response.status_code"))
		if kind := wordOf(span, "error.type"); kind != "" {
			got += " " + kind
		}
		got += fmt.Sprintf(" %d", figureOf(span, "sluice.records.received"))
		errorIf(s.t, got != row, "call: span %s, row %s", got, row)
		template := wordOf(span, "url.template")
		if template == "/bills/{id}" {
			singles++
		}
		errorIf(s.t, !strings.HasPrefix(template, "/") || strings.Contains(template, "?"), "the template of a call is %q", template)
	}
	errorIf(s.t, singles == 0, "no call has the identifier of a record in its path, so nothing could hold one")
	var batches, pages, received int64
	for _, span := range loads {
		batches += figureOf(span, "sluice.count.batches")
		for _, attribute := range span.GetAttributes() {
			if attribute.GetKey() == "sluice.call.ids" {
				pages += int64(len(attribute.GetValue().GetArrayValue().GetValues()))
			}
		}
		received += figureOf(span, "sluice.records.received")
	}
	// A batch without a call ends a run that had nothing more to read.
	if want := one[int64](s, `SELECT sum(pages)::bigint FROM sluice.runs`); pages != want || batches < pages || pages < 8 {
		s.t.Errorf("the loads had %d batches with %d pages, the runs %d pages", batches, pages, want)
	}
	want := one[int64](s, `SELECT sum(received)::bigint FROM sluice.runs`)
	errorIf(s.t, received != want, "the loads had %d records, the runs received %d", received, want)
}

// valuesOfRecords are long enough not to be in bytes by chance. Keys of ours and of the
// organization are no values of records.
const valuesOfRecords = `
SELECT string_agg(DISTINCT v.value, E'\n') FROM (
	SELECT to_jsonb(b) AS row FROM inventory.bills b UNION ALL SELECT to_jsonb(i) FROM inventory.items i
	UNION ALL SELECT to_jsonb(p) FROM accounting.vendor_payments p UNION ALL SELECT to_jsonb(c) FROM accounting.chart_of_accounts c
	UNION ALL SELECT to_jsonb(l) FROM inventory.bills_line_items l
) r, jsonb_each_text(r.row) v
WHERE v.key NOT LIKE '\_%' AND v.key <> 'organization_id' AND length(v.value) >= 8 AND v.value NOT IN ('accounting', 'inventory')`

// noSecretIn looks for secrets, and for values of records, in what the collector got.
func (s *fixture) noSecretIn(sent, canary string) {
	s.t.Helper()
	wanted := []string{canary, sandbox.ClientSecret, sandbox.RefreshToken, testKey, "organization_id=", "page=", "per_page", "127.0.0.1", s.upstream.URL}
	for token := range s.arrivals.tokens {
		wanted = append(wanted, token)
	}
	secrets := len(wanted)
	values := strings.Split(one[string](s, valuesOfRecords), "\n")
	fatalIf(s.t, len(values) < 300 || secrets < 10 || len(sent) < 10_000,
		"%d values, %d secrets, %d bytes: too few to find anything", len(values), secrets, len(sent))
	for i, text := range append(wanted, values...) {
		if strings.Contains(sent, text) {
			what := "a value of a record"
			if i < secrets {
				what = "a secret or a query"
			}
			s.t.Errorf("%s is in the spans: %q", what, text)
		}
	}
}
