//go:build e2e

package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/cmd/sluice-sandbox/poster"
	"sluice/cmd/sluice/cli/why"
	"sluice/pipeline/engine"
	"sluice/pipeline/notifications"
	"sluice/sandbox"
	"sluice/sandbox/watch/delivery"
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
	const watermarks = `SELECT string_agg(resource || watermark::text, ',' ORDER BY resource) FROM sluice.streams`
	before := one[string](h.fixture, watermarks)
	calls := one[int](h.fixture, `SELECT count(*)::int FROM sluice.calls`)
	serving := h.serve()
	h.rules()
	sure(h.world.Change(sandbox.Change{Seed: 1, Inserts: 1, Edits: 3, Resources: []string{"bills", "items"}}))(t)
	h.waitUntil("what was told is read", func() bool {
		return one[bool](h.fixture, `SELECT count(*) = 8 AND bool_and(read_at IS NOT NULL) FROM sluice.hints`)
	})
	h.equal("inventory.bills")
	h.equal("inventory.items")
	same(t, "watermarks", before, one[string](h.fixture, watermarks))
	spent := one[string](h.fixture, `SELECT coalesce(string_agg(resource || ' ' || class || ' ' || n, ', ' ORDER BY resource), '') FROM (
		SELECT resource, class, count(*) AS n FROM sluice.calls WHERE service = 'inventory' AND id > $1 GROUP BY resource, class) AS c`, calls)
	t.Logf("calls: %s; from callback to row: %.1f s at most", spent, one[float64](h.fixture,
		`SELECT extract(epoch FROM max(h.read_at - h.last_at))::float8 FROM sluice.hints h`))
	// Four bills are a call each, four items one for all, or for those whose callbacks came in
	// time.
	n := one[int](h.fixture, `SELECT count(*)::int FROM sluice.calls WHERE class = 'hinted'`)
	errorIf(t, n < 5 || n > 8, "%d calls were caused by hints, want 5 to 8: %s", n, spent)
	for command, want := range map[string]string{
		"status --why inventory.bills":        "last told of",
		"status --why inventory.bills.hinted": "reads what notifications tell of",
		"notifications inbox":                 "inventory.items",
		"notifications":                       "inventory.bills",
		"budget":                              "hinted",
	} {
		h.prints(codeFine, want, strings.Fields(command)...)
	}
	serving.stops()
	errorIf(t, strings.Contains(serving.stderr.String(), hookSecret), "the log has the secret")
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
		errorIf(t, got != gaps, "%s: gaps are %q, want %q", what, got, gaps)
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
	const states = `SELECT string_agg(module || ' ' || state, ', ' ORDER BY module) FROM sluice.channels`
	same(t, "the channels", "Deals active, Products active", one[string](h.fixture, states))
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
	since := one[float64](h.fixture, `SELECT extract(epoch FROM now() - opened_at)::float8 / 86400 FROM sluice.channel_gaps WHERE channel = 'Products'`)
	errorIf(t, since < 2.9, "the gap began %.1f days ago, want 3", since)
}

// serveProven is serve of which the first test callback arrives: the proxy holds it until it knows
// where the receiver is.
func (h *toldFixture) serveProven() *process {
	h.t.Helper()
	known := make(chan struct{})
	h.public.handler.Store(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		<-known
		h.public.handler.Load().(http.HandlerFunc)(w, q)
	}))
	p := h.serve()
	close(known)
	return p
}

// control asks the sandbox, or changes it, and reads the answer.
func (h *toldFixture) control(method, path, body string, into any) {
	h.t.Helper()
	r := httptest.NewRequestWithContext(h.t.Context(), method, "http://127.0.0.1/_sandbox/"+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:1"
	w := httptest.NewRecorder()
	h.world.ServeHTTP(w, r)
	fatalIf(h.t, w.Code != http.StatusOK, "%s %s: %d %s", path, body, w.Code, w.Body)
	must(h.t, json.Unmarshal(w.Body.Bytes(), into))
}

// sent is what became of callbacks, with the channels that live and their events.
type sent struct {
	delivery.Stats

	OverLimit int `json:"over_limit"`
	Channels  int `json:"channels"`
	Events    int `json:"events"`
	Silent    int `json:"silent"`
}

// sent asks about webhooks (of rules) or notifications (of channels).
func (h *toldFixture) sent(kind string) sent {
	h.t.Helper()
	var shown struct {
		Stats sent `json:"stats"`
	}
	h.control(http.MethodGet, kind, "", &shown)
	return shown.Stats
}

// hintsRead says that a change was told of, and that all that was told of is read.
const hintsRead = `SELECT count(*) > 0 AND bool_and(read_at IS NOT NULL) FROM sluice.hints WHERE resource = $1`

// hourPasses lets an hour pass for the schedule of a list. It is due then if it is read every hour,
// and not if it is read every six.
func (h *toldFixture) hourPasses(list string) {
	h.t.Helper()
	h.exec(`UPDATE sluice.streams SET next_due_at = next_due_at - interval '1 hour', last_done_at = last_done_at - interval '1 hour'
		WHERE resource = $1`, list)
}

// aged makes runs and hints some time older: a list that was read just now rests, calls of the last
// minute count, and a callback tells of no change that comes later.
func (h *toldFixture) aged(by time.Duration) {
	h.t.Helper()
	h.exec(`UPDATE sluice.runs SET started_at = started_at - $1::interval, ended_at = ended_at - $1::interval`, by)
	h.exec(`UPDATE sluice.hints SET first_at = first_at - $1::interval, last_at = last_at - $1::interval, read_at = read_at - $1::interval`, by)
}

// readBySchedule lets an hour pass, and waits for the run of the list that has to follow.
func (h *toldFixture) readBySchedule(list string) {
	h.t.Helper()
	const runs = `SELECT count(*)::int FROM sluice.runs WHERE resource = $1 AND outcome = 'done'`
	before := one[int](h.fixture, runs, list)
	h.hourPasses(list)
	const read = `SELECT (` + runs + `) > $2 AND NOT EXISTS (SELECT FROM sluice.runs WHERE ended_at IS NULL)`
	h.until("the list is read by its usual interval", read, list, before)
}

// earnsTrust lets upstream tell of a change, and reads the list three times, which finds nothing
// that was not told of. Runs on request count, and need not wait for a tick.
func (h *toldFixture) earnsTrust(list string) {
	h.t.Helper()
	h.aged(time.Hour)
	h.edit(1, "inventory."+list, 3)
	h.until("what was told is read", hintsRead, list)
	for range 3 {
		h.sync(codeFine, list)
	}
	h.says("inventory."+list, "; trusted, so scheduled runs come every ")
}

// says checks what status --why says about the notifications of a list.
func (h *toldFixture) says(list, want string) {
	h.t.Helper()
	e, _ := h.whyOf(list)
	errorIf(h.t, !strings.Contains(e.Told, want), "status --why %s says %q, want %q", list, e.Told, want)
}

// anHourAgo is the clock of an upstream that is an hour behind. Its changes are as old at once, so
// that a run does not wait for callbacks about them that may still come.
func anHourAgo() time.Time { return time.Now().Add(-time.Hour) }

// TestUntoldChanges: the run that finds changes of which nothing told takes the usual interval
// back, and by that interval every change is found.
func TestUntoldChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		list string
		seed int64
		// breaks lets callbacks be lost, and untold counts those that were.
		breaks func(h *toldFixture)
		untold func(h *toldFixture) int
	}{
		"three callbacks in ten are lost": {
			list: "bills", seed: 243,
			breaks: func(h *toldFixture) { h.control(http.MethodPost, "notifications", `{"chaos":{"lose":0.3}}`, new(any)) },
			untold: func(h *toldFixture) int { return h.sent("webhooks").Lost },
		},
		"the webhooks of the day are used up": {
			list: "bills", seed: 246,
			breaks: func(h *toldFixture) {
				var shown struct {
					Settings sandbox.Webhooks `json:"settings"`
				}
				h.control(http.MethodGet, "webhooks", "", &shown)
				shown.Settings.Daily = h.sent("webhooks").Queued
				must(h.t, h.world.SetWebhooks(shown.Settings))
			},
			untold: func(h *toldFixture) int { return h.sent("webhooks").OverLimit },
		},
		"a channel that was granted is silent": {
			list: "items", seed: 247,
			breaks: func(h *toldFixture) {
				must(h.t, h.world.SetFaults([]sandbox.Fault{{Path: "/crm/", Kind: "silent_channel", Rate: 1}}))
				h.prints(codeFine, "active", "notifications", "renew", "Products")
			},
			untold: func(h *toldFixture) int { return h.sent("notifications").Silent },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			full := "inventory." + c.list
			h := newTold(t, sandbox.Options{Seed: c.seed, Records: 200, Plan: "elite", Limits: sandbox.Limits{Off: true}, Now: anHourAgo},
				"  "+full+": {every: 1h, notified: {every: 6h}}\n")
			h.world.Advance(time.Second) // from now on its answers have the date of its clock
			h.sync(codeFine)
			if c.list == "bills" {
				h.rules()
			}
			serving := h.serveProven()
			h.until("the channels are granted", bothGranted)
			h.earnsTrust(c.list)

			c.breaks(h)
			h.changesUntold(c.list, 2, c.untold)
			for range 5 {
				h.hourPasses(c.list)
			}
			due := one[bool](h.fixture, `SELECT next_due_at <= now() FROM sluice.streams WHERE resource = $1`, c.list)
			errorIf(t, due, "the trusted list is read before its six hours are over")
			h.findsUntold(c.list)
			h.changesUntold(c.list, 3, c.untold)
			h.findsUntold(c.list)
			serving.stops()
		})
	}
}

// bothGranted says that the two channels of the configuration are granted.
const bothGranted = `SELECT count(*) = 2 AND bool_and(state = 'active') FROM sluice.channels`

// untoldEdits is how many records changesUntold edits.
const untoldEdits = 15

// changesUntold edits records, and waits until what is told of that is read.
func (h *toldFixture) changesUntold(list string, seed int64, untold func(*toldFixture) int) {
	h.t.Helper()
	h.aged(3 * time.Hour)
	before := untold(h)
	h.edit(seed, "inventory."+list, untoldEdits)
	h.until("what was told is read", hintsRead, list)
	fatalIf(h.t, untold(h) == before, "nothing was untold, so nothing is shown")
}

// findsUntold lets an hour pass, after which the list is read and finds what nothing told of.
func (h *toldFixture) findsUntold(list string) {
	h.t.Helper()
	h.readBySchedule(list)
	h.equal("inventory." + list)
	const last = `SELECT r.unannounced::int FROM sluice.runs r JOIN sluice.streams s ON r.id = s.last_run_id WHERE s.resource = $1`
	untold := one[int](h.fixture, last, list)
	errorIf(h.t, untold < 1 || untold > untoldEdits, "the run found %d changes that were not told of, want some of %d", untold, untoldEdits)
	h.says("inventory."+list, "not trusted, so the usual interval applies: the last run found ")
}

// TestCallbacksInAnyOrder: callbacks that come late, twice and in another order lead to the values
// that upstream has at the end, by hints alone.
func TestCallbacksInAnyOrder(t *testing.T) {
	t.Parallel()
	h := newTold(t, sandbox.Options{
		Seed: 248, Records: 200, Plan: "elite", Limits: sandbox.Limits{Off: true},
		Chaos: sandbox.Chaos{Reorder: 0.5, Duplicate: 0.5, Late: 0.5, LateBy: 2 * time.Second},
	}, "")
	h.sync(codeFine)
	h.exec(`UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`) // nothing is due by schedule
	h.rules()
	serving := h.serveProven()
	h.aged(time.Hour)
	for round := range int64(5) {
		sure(h.world.Change(sandbox.Change{Seed: round, Inserts: 1, Edits: 4, Resources: []string{"bills", "items"}}))(t)
	}
	h.waitUntil("all is sent", func() bool { s := h.sent("webhooks"); return s.Sent == s.Queued+s.Duplicated })
	for _, list := range []string{"bills", "items"} {
		h.until("what was told is read", hintsRead, list)
		h.equal("inventory." + list)
	}
	if s := h.sent("webhooks"); s.Reordered == 0 || s.Late == 0 || s.Duplicated == 0 {
		t.Errorf("%d callbacks were reordered, %d late, %d sent twice: nothing is shown", s.Reordered, s.Late, s.Duplicated)
	}
	runs := one[int](h.fixture, `SELECT count(*)::int FROM sluice.runs WHERE resource IN ('bills', 'items')`)
	errorIf(t, runs > 4, "lists were read %d times, want once at first and at most once more", runs)
	serving.stops()
}

// TestThreeHoursDown: nothing receives what upstream tells for three hours. The proof of the way is
// older than it lasts, so the list is read by its usual interval, although a process that starts
// proves the way at once.
func TestThreeHoursDown(t *testing.T) {
	t.Parallel()
	const list, full = "bills", "inventory.bills"
	h := newTold(t, sandbox.Options{Seed: 245, Records: 200, Plan: "elite", Limits: sandbox.Limits{Off: true}},
		"  "+full+": {every: 1h, notified: {every: 6h}}\n")
	h.sync(codeFine)
	h.rules()
	serving := h.serveProven()
	h.earnsTrust(list)
	serving.stops()
	h.quiet()

	h.public.says(http.StatusBadGateway, "bad gateway")
	for range 3 {
		h.hourPasses(list)
	}
	h.exec(`UPDATE sluice.streams SET told_until = told_until - interval '3 hours'`)
	h.aged(3 * time.Hour)
	before := h.sent("webhooks")
	h.edit(2, full, 9)
	h.waitUntil("nothing takes what is told", func() bool {
		now := h.sent("webhooks")
		return now.Failed == before.Failed+9 && now.Sent == before.Sent
	})

	serving = h.serveProven()
	h.until("the list is read by its usual interval", `SELECT EXISTS (SELECT FROM sluice.runs
		WHERE resource = $1 AND outcome = 'done' AND started_at > now() - interval '1 hour')`, list)
	h.equal(full)
	h.says(full, "; trusted, so scheduled runs come every ")
	serving.stops()
}

// TestAChannelLapsesInTenDays: no process runs for ten days, so nothing renews the channel, which
// was granted for less than seven. The time since then is a gap. When it closes, the list is read
// that the channel tells of, although it is not due by schedule.
func TestAChannelLapsesInTenDays(t *testing.T) {
	t.Parallel()
	const list, full, days = "items", "inventory.items", 10
	h := newTold(t, sandbox.Options{Seed: 244, Records: 200, Limits: sandbox.Limits{Off: true}},
		"  "+full+": {every: 1h, notified: {every: 480h}}\n")
	h.sync(codeFine)
	serving := h.serveProven()
	h.until("the channels are granted", bothGranted)
	h.earnsTrust(list)
	serving.stops()
	h.quiet()

	h.world.Advance(days * 24 * time.Hour)
	h.pass(days * 24 * time.Hour)
	h.aged(days * 24 * time.Hour)
	for _, sql := range []string{
		`UPDATE sluice.streams SET told_until = told_until - $1::interval`,
		`UPDATE sluice.channels SET enabled_at = enabled_at - $1::interval, expires_at = expires_at - $1::interval, renew_at = renew_at - $1::interval`,
	} {
		h.exec(sql, days*24*time.Hour)
	}
	h.exec(`UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`) // nothing is due by schedule
	before := h.sent("notifications")
	h.edit(2, full, 9)
	if now := h.sent("notifications"); now.Channels != 0 || now.Events != before.Events+1 || now.Queued != before.Queued {
		t.Fatalf("upstream has %d channels, and told of %d of %d events", now.Channels, now.Queued-before.Queued, now.Events-before.Events)
	}

	h.environment[withClock] = (days * 24 * time.Hour).String() // it agrees with upstream's
	serving = h.serveProven()
	h.until("the gap is closed", `SELECT count(*) = 2 AND bool_and(closed_at IS NOT NULL) FROM sluice.channel_gaps WHERE channel <> ''`)
	// A run that began before may have asked for its first page only then.
	h.until("the list is read", `SELECT EXISTS (SELECT FROM sluice.runs r, sluice.channel_gaps g
		WHERE r.resource = $1 AND r.outcome = 'done' AND g.channel = 'Products'
			AND (SELECT min(c.reserved_at) FROM sluice.calls c WHERE c.run_id = r.id) >= g.closed_at)`, list)
	h.equal(full)
	serving.stops()
	const opened = `SELECT extract(epoch FROM now() - opened_at)::float8 / 86400 FROM sluice.channel_gaps WHERE channel = 'Products'`
	ago := one[float64](h.fixture, opened)
	errorIf(t, ago < 3.4 || ago > 3.6, "the gap began %.2f days ago, want 3.5: ten less the six and a half that were granted", ago)
	renewed := h.sent("notifications")
	errorIf(t, renewed.Channels != 2, "upstream has %d channels at the end, want 2", renewed.Channels)
}

// whyOf gives what status --why says about a resource's list, as JSON and as text.
func (s *fixture) whyOf(resource string) (why.Explanation, string) {
	s.t.Helper()
	all := decoded[[]why.Explanation](s, codeFine, "status", "--why", resource)
	at := slices.IndexFunc(all, func(e why.Explanation) bool { return e.Service+"."+e.Resource == resource })
	fatalIf(s.t, at < 0, "status --why %s explains %+v", resource, all)
	o := s.run("status", "--why", resource)
	o.prints(s.t, codeFine, resource+": every ", all[at].Why)
	return all[at], o.stdout
}
