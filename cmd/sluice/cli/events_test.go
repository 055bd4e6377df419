package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"sluice/sandbox"
)

const eventsSecret = "whsec_Y2FuYXJ5T2ZUaGVFdmVudHMtY2FuYXJ5T2ZUaGVFdmVudHM="

// listenerOfEvents takes messages, or answers a status.
type listenerOfEvents struct {
	*httptest.Server

	mu     sync.Mutex
	status int
	// records are those of record.changed with the last op of each; finished are the ended runs.
	records  map[string]string
	finished map[string]int
	types    map[string]int
}

func newListenerOfEvents(t *testing.T) *listenerOfEvents {
	t.Helper()
	l := &listenerOfEvents{status: http.StatusNoContent, records: map[string]string{}, finished: map[string]int{}, types: map[string]int{}}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

func (l *listenerOfEvents) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status == http.StatusNoContent {
		var m struct {
			Type string `json:"type"`
			Data struct {
				Table  string `json:"table"`
				Record string `json:"record_id"`
				Op     string `json:"op"`
			} `json:"data"`
		}
		if json.Unmarshal(body, &m) != nil || !strings.HasPrefix(q.Header.Get("Webhook-Signature"), "v1,") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		l.types[m.Type]++
		switch m.Type {
		case "record.changed":
			l.records[m.Data.Table+" "+m.Data.Record] = m.Data.Op
		case "run.finished":
			l.finished[m.Data.Table]++
		}
	}
	w.WriteHeader(l.status)
}

func (l *listenerOfEvents) answers(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.status = status
}

func (l *listenerOfEvents) heard(table, op string) (int, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for record, last := range l.records {
		if strings.HasPrefix(record, table+" ") && last == op {
			n++
		}
	}
	return n, l.finished[table]
}

func (s *fixture) receivers() []receiverView {
	s.t.Helper()
	views := decoded[[]receiverView](s, codeFine, "events")
	return views
}

// TestEvents tells a receiver what a sync changed, and looks at it with every command.
func TestEvents(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 84, Records: 60}).narrow()
	l := newListenerOfEvents(t)
	s.environment["EVENTS_SECRET"] = eventsSecret
	s.configured("events:\n  - {name: tests, url: \"" + l.URL + "\", secret: \"${EVENTS_SECRET}\", tables: [inventory.items]}\n")
	views := s.receivers()
	errorIf(t, len(views) != 1 || views[0].State != "waiting", "before the first start: %+v, want that it waits", views)
	if o := s.run("events", "test", "tests"); o.code != codeFine || l.types["test"] != 1 {
		t.Errorf("test: exit code %d, messages %v\n%s%s", o.code, l.types, o.stdout, o.stderr)
	}
	s.sync(codeFine, "items", "accounting.expenses")
	var rows int
	must(t, s.conn.QueryRow(t.Context(), `SELECT count(*) FROM inventory.items`).Scan(&rows))
	if records, runs := l.heard("inventory.items", "new"); records != rows || rows == 0 || runs == 0 || len(l.records) != rows {
		t.Errorf("heard of %d new items and %d runs, %d records in all, want %d items and nothing else", records, runs, len(l.records), rows)
	}
	changed := sure(s.world.Change(sandbox.Change{Seed: 4, Edits: 3, Resources: []string{"items"}}))(t)
	s.sync(codeFine, "items")
	if records, _ := l.heard("inventory.items", "changed"); records != len(changed["items"].Edited) || records == 0 {
		t.Errorf("heard of %d changed items, want %d", records, len(changed["items"].Edited))
	}
	start := s.receivers()[0]
	errorIf(t, start.State != "ok" || start.LagSeconds != 0 || start.Delivered < int64(rows)+3 || start.Cursor == "",
		"%+v, want that everything was told", start)

	l.answers(http.StatusGone)
	sure(s.world.Change(sandbox.Change{Seed: 5, Edits: 3, Resources: []string{"items"}}))(t)
	s.sync(codeFine, "items")
	for _, command := range []string{"events", "status"} {
		s.prints(codeFine, "tests gets no events: it answered 410", command)
	}
	s.desk().says("/", "tests gets no events: it answered 410")
	if receiver := s.receivers()[0]; receiver.LagSeconds == 0 {
		t.Errorf("%+v has no lag after 410", receiver)
	}
	l.answers(http.StatusNoContent)
	told := s.receivers()[0].Delivered
	s.sync(codeFine, "items")
	still := s.receivers()[0]
	errorIf(t, still.State != "disabled" || still.Delivered != told, "%+v: a disabled receiver was told something", still)
	s.prints(codeFine, "", "events", "enable", "tests")
	s.sync(codeFine, "items")
	if now := s.receivers()[0]; now.State != "ok" || now.Delivered <= told || now.LagSeconds != 0 {
		t.Errorf("after enable: %+v", now)
	}

	if o := s.run("events", "replay", "tests", "--from", start.Cursor); o.code != codeFine || s.receivers()[0].LagSeconds == 0 {
		t.Errorf("replay: exit code %d\n%s", o.code, o.stderr)
	}
	if o := s.run("events", "replay", "tests", "--from", "now"); o.code != codeFine || s.receivers()[0].LagSeconds != 0 {
		t.Errorf("replay from now: exit code %d\n%s", o.code, o.stderr)
	}
	for _, wrong := range []struct{ line, says string }{
		{"replay tests", "needs --from"},
		{"replay tests --from 1;elsewhere;1:1:", "another database"},
		{"replay tests --from nonsense", "analytics.changes_cursor()"},
		{"replay nowhere --from now", `there is no receiver "nowhere"`},
		{"enable nowhere", `there is no receiver "nowhere"`},
		{"test nowhere", `there is no receiver "nowhere"`},
	} {
		s.complains(codeUsage, wrong.says, append([]string{"events"}, strings.Fields(wrong.line)...)...)
	}
	configured := sure(os.ReadFile(s.config))(t)
	must(t, os.WriteFile(s.config, bytes.ReplaceAll(configured, []byte("name: tests,"), []byte("name: another,")), 0o600))
	s.prints(codeFine, "tests is not in the configuration. Its position stays until", "events")
}
