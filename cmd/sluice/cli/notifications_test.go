package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sluice/pipeline/warehouse/hints"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

const hookSecret = "canaryOfTheHook0123"

// front is a proxy in front of a receiver, which tests break.
type front struct {
	*httptest.Server

	handler atomic.Value // of http.HandlerFunc
}

// newFront makes a proxy that reaches nothing yet.
func newFront(t *testing.T) *front {
	t.Helper()
	f := &front{}
	f.says(http.StatusBadGateway, "bad gateway")
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		f.handler.Load().(http.HandlerFunc)(w, q)
	}))
	t.Cleanup(f.Close)
	return f
}

// says makes the proxy answer by itself.
func (f *front) says(status int, body string) {
	f.handler.Store(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
}

// passes makes the proxy pass requests on, after it did something to them.
func (f *front) passes(address string, change func(*http.Request)) {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	f.handler.Store(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		change(q)
		proxy.ServeHTTP(w, q)
	}))
}

// asIs changes nothing.
func asIs(*http.Request) {}

// notified puts notifications into the configuration.
func (s *fixture) notified(public string) {
	s.t.Helper()
	text := sure(os.ReadFile(s.config))(s.t)
	changed := strings.Replace(string(text), "    credentials:\n", `    notifications:
      secret: ${HOOK_SECRET}
      watch: [{module: Products, tells: [inventory.items]}, {module: Deals, operations: [create, edit]}]
    credentials:
`, 1)
	changed += fmt.Sprintf("notifications: {listen: \"127.0.0.1:0\", public_url: %q}\n", public)
	must(s.t, os.WriteFile(s.config, []byte(changed), 0o600))
	s.environment["HOOK_SECRET"] = hookSecret
}

// receiver is the same program on another machine: it has the secret of notifications and a role
// that may take callbacks, and nothing else.
func (s *fixture) receiver() *fixture {
	s.t.Helper()
	role, address := warehousetest.Worker(s.t, s.environment["SLUICE_DATABASE_URL"])
	s.exec(`SELECT sluice.grant_receiver($1)`, role)
	other := *s
	other.environment = map[string]string{"SLUICE_DATABASE_URL": address, "HOOK_SECRET": hookSecret}
	return &other
}

const businessKey = sandbox.DefaultOrganizationID

// TestNotifications receives callbacks in a process of its own, behind a proxy, and looks at them
// with every command.
func TestNotifications(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 83, Records: 100}).narrow()
	public := newFront(t)
	s.notified(public.URL + "/sluice")
	s.sync(codeFine, "items")
	calls := s.calls()
	s.prints(codeFine, "No callback has arrived", "notifications", "inbox")
	s.broken("proxy") // nothing listens behind it

	p := s.receiver().start("notifications", "serve", "--listen", "127.0.0.1:0")
	address := p.said("receiving callbacks", "listen")
	status := p.said("serving", "listen")
	public.passes(address, asIs)
	s.prints(codeFine, "ok    "+businessKey, "notifications", "check")

	item := s.truth("inventory.items")[0]
	rule := fmt.Sprintf(`{"item":{"item_id":%q},"operation":"edit"}`, item)
	same(t, "a rule got the status", http.StatusOK, s.hook(hookSecret, public.URL+"/sluice/rule/"+businessKey+"/inventory.items", rule))
	entries := decoded[[]hints.Entry](s, codeFine, "notifications", "inbox", "--org", "Sandbox Trading", "--since", "1h")
	kinds := make([]string, 0, len(entries))
	for i := range entries {
		kinds = append(kinds, entries[i].Dialect+" "+entries[i].Module+" "+entries[i].Operation)
	}
	want := []string{"rule inventory.items update", "test  "}
	fatalIf(t, !slices.Equal(kinds, want) || !slices.Equal(entries[0].IDs, []string{item}), "the inbox has %q, want %q", kinds, want)
	s.looksAt(&entries[0], item)

	_, text := get(t, "http://"+status+"/metrics")
	for _, want := range []string{
		`sluice_callbacks_total{dialect="rule",organization="` + businessKey + `",verdict="taken"} 1`,
		"sluice_callback_seconds_count ",
	} {
		errorIf(t, !strings.Contains(text, want), "/metrics lacks %s:\n%s", want, text)
	}
	for path, want := range map[string]int{"/readyz": http.StatusOK, "/healthz": http.StatusOK} {
		got, _ := get(t, "http://"+status+path)
		errorIf(t, got != want, "%s: %d", path, got)
	}
	s.brokenLinks(public, address)
	p.stops()
	said := p.stdout.String() + p.stderr.String()
	errorIf(t, strings.Contains(said, hookSecret) || strings.Contains(said, item), "the receiver says a secret or what a body says:\n%s", said)
	errorIf(t, s.calls() != calls, "notifications made a call")
}

// looksAt shows what was told, and what to set up.
func (s *fixture) looksAt(rule *hints.Entry, item string) {
	s.t.Helper()
	for command, want := range map[string][]string{
		"notifications":                            {"Products", "inventory.items", "Deals", "create, edit", "rule"},
		"notifications inbox --limit 1":            {"rule", item},
		fmt.Sprint("notifications show ", rule.ID): {item, "not kept", "inventory.items"},
		"notifications setup --org " + businessKey: {
			"/sluice/rule/" + businessKey + "/inventory.items", `{"item_id": "PLACEHOLDER"}`, "X-Svc-Webhook-Signature", "19 characters",
			"/sluice/watch/" + businessKey,
		},
	} {
		args := strings.Fields(command)
		o := s.run(args...)
		o.prints(s.t, codeFine, want...)
		j := s.run(append([]string{"--json"}, args...)...)
		errorIf(s.t, !json.Valid([]byte(j.stdout)) || strings.Contains(o.stdout+j.stdout, hookSecret),
			"%s --json: exit code %d\n%s%s", command, j.code, j.stdout, j.stderr)
	}
	for args, code := range map[string]int{
		"show 99999": codeUsage, "show x": codeUsage, "inbox --since yesterday": codeUsage, "inbox --org nobody": codeUsage,
		"setup --org nobody": codeUsage, "serve more": codeUsage,
	} {
		s.prints(code, "", append([]string{"notifications"}, strings.Fields(args)...)...)
	}
}

// broken runs check, which has to name this link.
func (s *fixture) broken(link string) {
	s.t.Helper()
	views := decoded[[]knockView](s, codeEnvironment, "notifications", "check")
	errorIf(s.t, len(views) != 1 || string(views[0].Broken) != link || views[0].Next == "", "check: %+v, want %s", views, link)
}

// brokenLinks breaks the way to the inbox at each link.
func (s *fixture) brokenLinks(public *front, address string) {
	s.t.Helper()
	public.says(http.StatusNotFound, "there is no such page")
	s.broken("path")
	public.passes(address, func(q *http.Request) { // it writes the body anew
		body, _ := io.ReadAll(q.Body)
		body = append(bytes.TrimSuffix(body, []byte("}")), " }"...)
		q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	})
	s.broken("signature")
	public.says(http.StatusOK, "taken\n") // a receiver of another database
	s.broken("inbox")

	public.passes(address, asIs)
	s.exec(`ALTER FUNCTION notifications.take_callback RENAME TO away`)
	s.broken("database")
	s.exec(`ALTER FUNCTION notifications.away RENAME TO take_callback`)
	s.prints(codeFine, "", "notifications", "check")
}

// TestReceiverNeedsItsOwn: the receiver says what it needs.
func TestReceiverNeedsItsOwn(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10})
	s.complains(codeUsage, "notifications.listen is missing", "notifications", "serve")
	for _, command := range []string{"check", "setup"} {
		s.complains(codeUsage, "no organization has notifications", "notifications", command)
	}
	s.notified("http://127.0.0.1:1")
	_, address := warehousetest.Worker(t, s.environment["SLUICE_DATABASE_URL"])
	other := *s
	other.environment = maps.Clone(s.environment)
	other.environment["SLUICE_DATABASE_URL"] = address
	other.complains(codeEnvironment, "grant_receiver", "notifications", "serve")
	delete(s.environment, "HOOK_SECRET")
	s.complains(codeUsage, "HOOK_SECRET", "notifications", "serve")
	s.complains(codeUsage, "notifications.secret", "notifications", "check")
	s.prints(codeFine, "is missing", "notifications", "setup")
}

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
	o := s.run("events", "test", "tests")
	errorIf(t, o.code != codeFine || l.types["test"] != 1, "test: exit code %d, messages %v\n%s%s", o.code, l.types, o.stdout, o.stderr)
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
	receiver := s.receivers()[0]
	errorIf(t, receiver.LagSeconds == 0, "%+v has no lag after 410", receiver)
	l.answers(http.StatusNoContent)
	told := s.receivers()[0].Delivered
	s.sync(codeFine, "items")
	still := s.receivers()[0]
	errorIf(t, still.State != "disabled" || still.Delivered != told, "%+v: a disabled receiver was told something", still)
	s.prints(codeFine, "", "events", "enable", "tests")
	s.sync(codeFine, "items")
	now := s.receivers()[0]
	errorIf(t, now.State != "ok" || now.Delivered <= told || now.LagSeconds != 0, "after enable: %+v", now)

	o = s.run("events", "replay", "tests", "--from", start.Cursor)
	errorIf(t, o.code != codeFine || s.receivers()[0].LagSeconds == 0, "replay: exit code %d\n%s", o.code, o.stderr)
	o = s.run("events", "replay", "tests", "--from", "now")
	errorIf(t, o.code != codeFine || s.receivers()[0].LagSeconds != 0, "replay from now: exit code %d\n%s", o.code, o.stderr)
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
