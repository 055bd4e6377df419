//go:build e2e

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sluice/sandbox"
)

const hookSecret = "abcdefGHIJKL0123456789"

// hooked is a fixture whose upstream tells of changes, through a proxy in front of the receiver.
type hooked struct {
	*fixture
	public *httptest.Server
	// behind is where the receiver listens.
	behind atomic.Pointer[url.URL]
	log    *buffer
}

// newHooked opens the fixture. The receiver's configuration is added to.
func newHooked(t *testing.T, options sandbox.Options, resources string) *hooked {
	t.Helper()
	options.Poster = newCallbackPoster()
	h := &hooked{fixture: newFixture(t, options).narrow(), log: &buffer{}}
	h.public = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		target := h.behind.Load()
		if target == nil {
			http.Error(w, "no receiver", http.StatusBadGateway)
			return
		}
		(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) }}).ServeHTTP(w, r)
	}))
	t.Cleanup(h.public.Close)
	h.environment["HOOK_SECRET"] = hookSecret
	text, err := os.ReadFile(h.config)
	must(t, err)
	changed := strings.Replace(string(text), "    services:\n", "    notifications: {secret: \"${HOOK_SECRET}\"}\n    services:\n", 1) + resources +
		fmt.Sprintf("notifications: {listen: \"127.0.0.1:0\", public_url: %s, debounce: 200ms}\n", h.public.URL)
	must(t, os.WriteFile(h.config, []byte(changed), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go h.world.Run(ctx)
	return h
}

// serve starts the program and waits until it receives callbacks.
func (h *hooked) serve() *process {
	h.t.Helper()
	p := h.startOn(h.log, "serve", "--listen", "127.0.0.1:0")
	h.eventually("the receiver listens", func() bool {
		for line := range strings.Lines(h.log.String()) {
			var entry struct{ Message, Listen string }
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Message == "receiving callbacks" {
				address, err := url.Parse("http://" + entry.Listen)
				must(h.t, err)
				h.behind.Store(address)
				return true
			}
		}
		return false
	})
	return p
}

func (h *hooked) eventually(what string, is func() bool) {
	h.t.Helper()
	deadline := time.Now().Add(patience)
	for !is() {
		if time.Now().After(deadline) {
			h.t.Fatalf("%s: not within %s\n%s", what, patience, h.log.String())
		}
		time.Sleep(20 * time.Millisecond) // between two looks at the database
	}
}

// rules lets upstream tell of bills and items, with nothing but their identifiers.
func (h *hooked) rules() {
	h.t.Helper()
	var set sandbox.Webhooks
	for resource, id := range map[string]string{"inventory.bills": "bill_id", "inventory.items": "item_id"} {
		set.Rules = append(set.Rules, sandbox.WebhookRule{
			Resource: resource, Address: h.public.URL + "/rule/" + sandbox.DefaultOrganizationID + "/" + resource, Secret: hookSecret,
			Body: `{"` + id + `":"${` + id + `}"}`,
		})
	}
	must(h.t, h.world.SetWebhooks(set))
}

// TestToldChanges: a change upstream is in the warehouse without a scheduled run, for the calls of
// its single records.
func TestToldChanges(t *testing.T) {
	t.Parallel()
	h := newHooked(t, sandbox.Options{Seed: 241, Records: 300, HeadersOnly: true, Plan: "elite", Limits: sandbox.Limits{Off: true}}, "")
	h.sync(codeFine)
	h.exec(`UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`) // nothing is due by schedule
	before := one[string](h.fixture, `SELECT string_agg(resource || watermark::text, ',' ORDER BY resource) FROM sluice.streams`)
	calls := one[int](h.fixture, `SELECT count(*)::int FROM sluice.calls`)
	serving := h.serve()
	h.rules()
	_, err := h.world.Change(sandbox.Change{Seed: 1, Inserts: 1, Edits: 3, Resources: []string{"bills", "items"}})
	must(t, err)
	h.eventually("what was told is read", func() bool {
		return one[bool](h.fixture, `SELECT count(*) = 8 AND bool_and(read_at IS NOT NULL) FROM sluice.hints`)
	})
	h.equal("inventory.bills")
	h.equal("inventory.items")
	if after := one[string](h.fixture, `SELECT string_agg(resource || watermark::text, ',' ORDER BY resource) FROM sluice.streams`); after != before {
		t.Errorf("a watermark moved: %s, before %s", after, before)
	}
	spent := one[string](h.fixture, `SELECT coalesce(string_agg(resource || ' ' || class || ' ' || n, ', ' ORDER BY resource), '') FROM (
		SELECT resource, class, count(*) AS n FROM sluice.calls WHERE service = 'inventory' AND id > $1 GROUP BY resource, class) AS c`, calls)
	t.Logf("calls: %s; from callback to row: %.1f s at most", spent, one[float64](h.fixture,
		`SELECT extract(epoch FROM max(h.read_at - h.last_at))::float8 FROM sluice.hints h`))
	// Four bills are a call each, four items one for all, or for those whose callbacks came in time.
	if n := one[int](h.fixture, `SELECT count(*)::int FROM sluice.calls WHERE class = 'hinted'`); n < 5 || n > 8 {
		t.Errorf("%d calls were caused by hints, want 5 to 8: %s", n, spent)
	}
	for command, want := range map[string]string{
		"status --why inventory.bills":        "last told of",
		"status --why inventory.bills.hinted": "reads what notifications tell of",
		"notifications inbox":                 "inventory.items",
		"notifications list":                  "inventory.bills",
		"budget":                              "hinted",
	} {
		if o := h.run(strings.Fields(command)...); o.code != codeFine || !strings.Contains(o.stdout, want) {
			t.Errorf("%s: code %d, shows no %q:\n%s%s", command, o.code, want, o.stdout, o.stderr)
		}
	}
	serving.terminate()
	serving.ends(codeFine, patience)
	if strings.Contains(h.log.String(), hookSecret) {
		t.Error("the log has the secret")
	}
}
