package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

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
	answer := sure(client.Get(url))(t)
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
	if lost := one[int](s, `SELECT (SELECT count(*) FROM sluice.calls WHERE finished_at IS NULL)
		+ (SELECT count(*) FROM river.river_job WHERE state = 'running')`); lost != 0 {
		t.Errorf("%d calls without an end and jobs at work after a clean stop", lost)
	}

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
	p.terminate()
	p.ends(codeFine, stopLimit)

	sure(s.world.Change(sandbox.Change{Seed: 5, Inserts: 3, Edits: 7}))(t)
	s.pass(25 * time.Hour)
	p = s.start("serve", "--listen", "127.0.0.1:0")
	s.allDone(2)
	s.nothingLeftButDue()
	s.equal()
	p.terminate()
	p.ends(codeFine, stopLimit)
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
	p.terminate()
	p.ends(codeFine, stopLimit)
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
		if heard, err = lines.ReadString('\n'); err != nil {
			t.Fatalf("the log ended: %v", err)
		}
	}
	must(t, reader.Close())
	s.until("runs ended of which the log has a line", `SELECT count(*) >= 3 FROM sluice.runs WHERE ended_at > clock_timestamp() - interval '1 minute'`)
	select {
	case <-p.done:
		t.Fatalf("serve ended with %d", p.code)
	default:
	}
	p.terminate()
	p.ends(codeFine, stopLimit)
	if strings.Contains(p.stdout.String(), "panic") {
		t.Error(p.stdout.String())
	}
}
