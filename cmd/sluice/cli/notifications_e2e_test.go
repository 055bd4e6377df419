//go:build e2e

package cli

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"sluice/cmd/sluice-sandbox/poster"
	"sluice/pipeline/engine"
	"sluice/pipeline/notifications"
	"sluice/sandbox"
)

// toldFixture is a fixture whose upstream tells of changes, through a proxy in front of the
// receiver.
type toldFixture struct {
	*fixture
	public *front
}

// newTold opens the fixture; resources are added to the configuration.
func newTold(t *testing.T, options sandbox.Options, resources string) *toldFixture {
	t.Helper()
	options.Poster = new(poster.Poster)
	h := &toldFixture{fixture: newFixture(t, options).narrow(), public: newFront(t)}
	h.configured(resources)
	h.notified(h.public.URL)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go h.world.Run(ctx)
	return h
}

// serve starts the program and waits until it receives callbacks.
func (h *toldFixture) serve() *process {
	h.t.Helper()
	p := h.start("serve", "--listen", "127.0.0.1:0")
	h.public.passes(p.said("receiving callbacks", "listen"), asIs)
	return p
}

// rules lets upstream tell of bills and items, with nothing but their identifiers.
func (h *toldFixture) rules() {
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
	h := newTold(t, sandbox.Options{Seed: 241, Records: 300, HeadersOnly: true, Plan: "elite", Limits: sandbox.Limits{Off: true}}, "")
	h.sync(codeFine)
	h.exec(`UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`) // nothing is due by schedule
	before := one[string](h.fixture, `SELECT string_agg(resource || watermark::text, ',' ORDER BY resource) FROM sluice.streams`)
	calls := one[int](h.fixture, `SELECT count(*)::int FROM sluice.calls`)
	serving := h.serve()
	h.rules()
	sure(h.world.Change(sandbox.Change{Seed: 1, Inserts: 1, Edits: 3, Resources: []string{"bills", "items"}}))(t)
	h.waitUntil("what was told is read", func() bool {
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
	// Four bills are a call each, four items one for all, or for those whose callbacks came in
	// time.
	if n := one[int](h.fixture, `SELECT count(*)::int FROM sluice.calls WHERE class = 'hinted'`); n < 5 || n > 8 {
		t.Errorf("%d calls were caused by hints, want 5 to 8: %s", n, spent)
	}
	for command, want := range map[string]string{
		"status --why inventory.bills":        "last told of",
		"status --why inventory.bills.hinted": "reads what notifications tell of",
		"notifications inbox":                 "inventory.items",
		"notifications":                       "inventory.bills",
		"budget":                              "hinted",
	} {
		h.prints(codeFine, want, strings.Fields(command)...)
	}
	serving.terminate()
	serving.ends(codeFine, patience)
	if strings.Contains(serving.stderr.String(), hookSecret) {
		t.Error("the log has the secret")
	}
}

// TestTheWayIsProvenAgainAndAgain: test callbacks go through the proxy, and channels are granted. A
// broken proxy and a channel that lapsed are gaps; when they close, the lists are read that they
// were about.
func TestTheWayIsProvenAgainAndAgain(t *testing.T) {
	t.Parallel()
	h := newTold(t, sandbox.Options{Seed: 242, Records: 60}, "  inventory.items: {notified: {every: 6h}}\n")
	h.sync(codeFine, "items")
	later := time.Duration(0)
	command := &cli{env: h.env(&buffer{}, &buffer{}), config: h.config}
	options := command.options()
	options.Now = func() time.Time { return time.Now().Add(later) }
	app := sure(engine.Open(t.Context(), options))(t)
	defer func() { must(t, app.Close(context.WithoutCancel(t.Context()))) }()
	receiver := sure(app.OpenReceiver(t.Context(), func(notifications.Observation) {}))(t)
	defer receiver.Close()
	listening := httptest.NewServer(receiver)
	defer listening.Close()
	client := sure(app.Client())(t)
	keeper := app.Told(client)
	turn := func(what string, proven bool, gaps string) {
		t.Helper()
		must(t, keeper.Turn(t.Context()))
		if got := one[bool](h.fixture, `SELECT coalesce(told_until > now(), false) FROM sluice.streams WHERE resource = 'items'`); got != proven {
			t.Errorf("%s: the way is proven: %t, want %t", what, got, proven)
		}
		got := one[string](h.fixture, `SELECT coalesce(string_agg(channel || ' ' || reason || CASE WHEN closed_at IS NULL THEN '' ELSE ', closed' END, '; ' ORDER BY id), '')
			FROM sluice.channel_gaps`)
		if got != gaps {
			t.Errorf("%s: gaps are %q, want %q", what, got, gaps)
		}
	}
	reread := func(what string) {
		t.Helper()
		if !one[bool](h.fixture, `SELECT EXISTS (SELECT FROM sluice.hints WHERE resource = 'items' AND record_id = '' AND read_at IS NULL)`) {
			t.Errorf("%s: the list is not to be read", what)
		}
		h.exec(`DELETE FROM sluice.hints`)
	}
	address := sure(url.Parse(listening.URL))(t)

	h.public.passes(address.Host, asIs)
	turn("at first", true, "")
	if got := one[string](h.fixture, `SELECT string_agg(module || ' ' || state, ', ' ORDER BY module) FROM sluice.channels`); got != "Deals active, Products active" {
		t.Errorf("the channels are %s", got)
	}
	later += 16 * time.Minute
	h.public.says(http.StatusBadGateway, "bad gateway")
	const broken = " a test callback did not arrive: proxy"
	turn("the proxy is broken", false, broken)
	later += 16 * time.Minute
	h.public.passes(address.Host, asIs)
	turn("the proxy is mended", true, broken+", closed")
	reread("the proxy is mended")

	// Nothing renewed the channels for ten days.
	h.exec(`UPDATE sluice.channels SET expires_at = now() - interval '3 days', renew_at = now() + interval '1 hour' WHERE module = 'Products'`)
	const lapsed = broken + ", closed; Products the channel is active and expired"
	turn("a channel lapsed", false, lapsed)
	h.exec(`UPDATE sluice.channels SET renew_at = now()`)
	turn("the channel is renewed", true, lapsed+", closed")
	reread("the channel is renewed")
	for _, step := range [][2]string{
		{"notifications disable Products", "disabled"},
		{"notifications enable", "active"}, {"notifications renew Deals", "active"}, {"notifications", "Nothing was told from"},
	} {
		h.prints(codeFine, step[1], strings.Fields(step[0])...)
	}
	h.counts(2, "channels are active at the end", `SELECT count(*)::int FROM sluice.channels WHERE state = 'active'`)
	h.complains(codeUsage, `no channel for module "Leads"`, "notifications", "enable", "Leads")
	if since := one[float64](h.fixture, `SELECT extract(epoch FROM now() - opened_at)::float8 / 86400 FROM sluice.channel_gaps WHERE channel = 'Products'`); since < 2.9 {
		t.Errorf("the gap began %.1f days ago, want 3", since)
	}
}
