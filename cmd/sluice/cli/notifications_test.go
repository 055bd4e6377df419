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
	if want := []string{"rule inventory.items update", "test  "}; !slices.Equal(kinds, want) || !slices.Equal(entries[0].IDs, []string{item}) {
		t.Fatalf("the inbox has %q, want %q", kinds, want)
	}
	s.looksAt(&entries[0], item)

	_, text := get(t, "http://"+status+"/metrics")
	for _, want := range []string{
		`sluice_callbacks_total{dialect="rule",organization="` + businessKey + `",verdict="taken"} 1`,
		"sluice_callback_seconds_count ",
	} {
		errorIf(t, !strings.Contains(text, want), "/metrics lacks %s:\n%s", want, text)
	}
	for path, want := range map[string]int{"/readyz": http.StatusOK, "/healthz": http.StatusOK} {
		if got, _ := get(t, "http://"+status+path); got != want {
			t.Errorf("%s: %d", path, got)
		}
	}
	s.brokenLinks(public, address)
	p.terminate()
	p.ends(codeFine, stopLimit)
	if said := p.stdout.String() + p.stderr.String(); strings.Contains(said, hookSecret) || strings.Contains(said, item) {
		t.Errorf("the receiver says a secret or what a body says:\n%s", said)
	}
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
		for _, text := range want {
			errorIf(s.t, o.code != codeFine || !strings.Contains(o.stdout, text),
				"%s: exit code %d, want 0 and %q\n%s%s", command, o.code, text, o.stdout, o.stderr)
		}
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
	o := s.run("notifications", "check", "--json")
	var views []knockView
	if err := json.Unmarshal([]byte(o.stdout), &views); err != nil || o.code != codeEnvironment || len(views) != 1 || string(views[0].Broken) != link || views[0].Next == "" {
		s.t.Errorf("check: exit code %d, want 3 and %s\n%s%s", o.code, link, o.stdout, o.stderr)
	}
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
