//go:build e2e

package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-sandbox/demo"
	"sluice/cmd/sluice/console/browser"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/sandbox"
)

// TestConsoleInABrowser uses the console as a person does, with the company of the demo. Its parts
// build on each other.
func TestConsoleInABrowser(t *testing.T) {
	t.Parallel()
	m, b := newDemoCompany(t), browser.Start(t)
	for _, part := range []struct {
		name string
		do   func(t *testing.T, m *demoCompany, b *browser.Browser)
	}{
		{"rows arrive", rowsArrive},
		{"pages", everyPage},
		{"without scripts", withoutScripts},
		{"console gone", consoleGone},
		{"actions", everyAction},
	} {
		if !t.Run(part.name, func(t *testing.T) {
			of := *m
			of.t = t
			part.do(t, &of, b)
		}) && part.name == "rows arrive" {
			t.Fatal("the other parts need what did not arrive")
		}
	}
}

// rowsArrive: while a page is open, a sync brings records that do not fit. The page shows them
// without being loaded again.
func rowsArrive(t *testing.T, m *demoCompany, b *browser.Browser) { //nolint:thelper // a test of its own, which names its lines
	p := b.Page(t, 1280, 1000, false)
	p.Open(m.url + "/")
	loaded, cell := p.Text("footer time"), "a[href='/quarantine?stream=inventory.items']"
	fatalIf(t, p.Count(cell) != 0, "a record is in quarantine already")
	must(t, m.stage.Trouble(t.Context()))
	p.Wait(cell)
	got, want := p.Text(cell), m.value(`SELECT count(*)::text FROM sluice.quarantine WHERE resource = 'items' AND state = 'open'`)
	errorIf(t, got != want, "the page counts %s records in quarantine, the table has %s", got, want)
	same(t, "the page was loaded again", loaded, p.Text("footer time"))
	m.hold()
}

// addressesAPattern is how many addresses of one pattern are opened: two streams look alike.
const addressesAPattern = 2

// everyPage follows the links from page to page until each pattern was seen, in both schemes and at
// two widths.
func everyPage(t *testing.T, m *demoCompany, b *browser.Browser) { //nolint:thelper // a test of its own, which names its lines
	pattern, times := m.patterns(), map[string]int{}
	todo, opened := []string{m.url + "/"}, []string{}
	p := b.Page(t, 1280, 1000, false)
	m.acts(p, startOfBackfill())
	sure(m.app.Verify(t.Context(), engine.VerifyOptions{Names: []string{"inventory.bills"}, Sample: 1}))(t)
	for len(todo) > 0 {
		address := todo[0]
		todo = todo[1:]
		of := pattern(address)
		if times[of] >= addressesAPattern || slices.Contains(opened, address) {
			continue
		}
		times[of]++
		opened = append(opened, address)
		p.Open(address)
		judge(p)
		var nowhere []string
		for _, link := range p.Links() {
			switch {
			case !strings.HasPrefix(link, m.url+"/"):
				t.Errorf("%s leads away from the console: %s", address, link)
			case pattern(link) == "":
				nowhere = append(nowhere, link)
			default:
				todo = append(todo, link)
			}
		}
		if len(nowhere) > 0 {
			t.Errorf("%s has %d links that lead to no page, such as %s", address, len(nowhere), nowhere[0])
		}
		if times[of] == 1 {
			walk(t, p)
		}
	}
	for _, route := range m.pages.routes() {
		errorIf(t, times[route.Pattern] == 0, "no page leads to %s", route.Pattern)
	}
	t.Logf("%d addresses of %d pages", len(opened), len(times))
	for _, kind := range []struct {
		width int
		dark  bool
	}{{1280, true}, {360, false}, {360, true}} {
		p := b.Page(t, kind.width, 800, kind.dark)
		for _, address := range opened {
			p.Open(address)
			judge(p)
		}
	}
}

func judge(p *browser.Page) {
	p.NoOverflow()
	p.Contrast()
}

func walk(t *testing.T, p *browser.Page) {
	t.Helper()
	all := p.Focusable()
	order := p.Tab()
	errorIf(t, len(order) != all, "%s: the tabulator reaches %d of %d elements: %s", p.URL(), len(order), all, strings.Join(order, ", "))
	errorIf(t, len(order) == 0 || order[0] != `a "Skip to the page"` || !slices.Contains(order, `a "Streams"`),
		"%s: the tabulator does not begin with the way to the page, or misses the menu: %q", p.URL(), order)
}

// withoutScripts: each page of the navigation works, and so does an action.
func withoutScripts(t *testing.T, m *demoCompany, b *browser.Browser) { //nolint:thelper // a test of its own, which names its lines
	p := b.Page(t, 360, 800, false)
	p.WithoutScript()
	for _, route := range m.pages.routes() {
		if route.Nav == "" {
			continue
		}
		p.Open(m.url + strings.TrimSuffix(route.Pattern, "{$}"))
		judge(p)
		errorIf(t, p.Count("main h1") != 1, "%s has no title", p.URL())
	}
	p.Open(m.url + "/")
	p.Click("details.menu summary")
	p.Wait("nav a")
	m.acts(p, runBills())
}

const consoleIsGone = "The console does not answer. This page comes back by itself."

// consoleGone: a page that is open says that the console is gone, and follows changes again when
// one is there at the same address, without being loaded again.
func consoleGone(t *testing.T, m *demoCompany, b *browser.Browser) { //nolint:thelper // a test of its own, which names its lines
	first := sure(m.cli.openConsole(t.Context(), m.app, "127.0.0.1:0"))(t)
	p := b.Page(t, 360, 800, false)
	p.Allow("net::ERR_")
	p.Open(first.url)
	loaded := p.Text("footer time")
	fatalIf(t, p.Count("#lost:not([hidden])") != 0, "the page says that the console is gone, and it is there")
	must(t, first.stop(t.Context()))
	p.Says("#lost", consoleIsGone)
	judge(p)
	second := sure(m.cli.openConsole(t.Context(), m.app, first.listener.Addr().String()))(t)
	defer func() { must(t, second.stop(t.Context())) }()
	m.comesBack(p, loaded)
}

// comesBack checks that a page which lost its console shows a change that is made now.
func (m *demoCompany) comesBack(p *browser.Page, loaded string) {
	m.t.Helper()
	const reason = "a reason of a test"
	m.exec(`UPDATE sluice.streams SET state = 'retrying', reason = $1 WHERE resource = 'bills'`, reason)
	p.Says("main", reason)
	errorIf(m.t, p.Count("#lost:not([hidden])") != 0, "the page is back, and says that the console is gone")
	same(m.t, "the page was loaded again", loaded, p.Text("footer time"))
	m.exec(`UPDATE sluice.streams SET state = 'idle', reason = '' WHERE resource = 'bills'`)
}

// click is an action as a person does it, and what the database has to say afterwards.
type click struct {
	// before is done before, if not nil.
	before func(m *demoCompany)
	// page has the button; follow are the links that lead there from it.
	page   string
	follow []string
	// path is where its form posts to, or with * in front how that ends. note is what is typed.
	path, note string
	// pattern is the action's, what is its name in sluice.actions, and failed says that it cannot
	// be done.
	pattern, what string
	failed        bool
	// sql reads a value that has to become want; "" where only what is noted is looked at.
	sql, want string
}

func (m *demoCompany) acts(p *browser.Page, c click) {
	m.t.Helper()
	if c.before != nil {
		c.before(m)
	}
	noted := m.value(`SELECT coalesce(max(id), 0)::text FROM sluice.actions`)
	p.Open(m.url + c.page)
	for _, link := range c.follow {
		p.Follow(link)
	}
	form := "form.act[action='" + c.path + "']"
	if end, found := strings.CutPrefix(c.path, "*"); found {
		form = "form.act[action$='" + end + "']"
	}
	if p.Count("details.ask "+form) > 0 {
		p.Click("details.ask:has(" + form + ") summary")
	}
	if c.note != "" {
		p.Type(form+" input[name=note]", c.note)
	}
	p.Follow(form + " button")
	outcome, says := "done", "Done: "
	if c.failed {
		outcome, says = "failed", "Not done: "
	}
	got := p.Text(".done")
	errorIf(m.t, !strings.HasPrefix(got, says+c.what+" "), "%s: after it the page says %q, not %q", c.pattern, got, says+c.what)
	got, want := m.value(`SELECT coalesce(string_agg(format('%s %s by %s', action, outcome, actor), ', '), '') FROM sluice.actions WHERE id > $1::text::bigint`, noted),
		fmt.Sprintf("%s %s by local", c.what, outcome)
	errorIf(m.t, got != want, "%s: noted is %q, want %q", c.pattern, got, want)
	if c.sql == "" {
		return
	}
	same(m.t, c.pattern+": the database has", c.want, m.value(c.sql))
}

// requestsOfBills counts requests for runs of the list of bills.
const requestsOfBills = `SELECT (requested_gen > served_gen)::text FROM sluice.streams WHERE resource = 'bills'`

func runBills() click {
	return click{
		page: "/streams/" + sandbox.DefaultOrganizationID + "/inventory.bills", path: "/streams/" + sandbox.DefaultOrganizationID + "/inventory.bills/run",
		pattern: "/streams/{org}/{name}/run", what: "sync", sql: requestsOfBills, want: "true",
	}
}

// stateOfBackfills are the states of all backfills.
const stateOfBackfills = `SELECT string_agg(state, ', ') FROM sluice.backfills`

// startOfBackfill is done before all pages are opened, so that one can show a backfill.
func startOfBackfill() click {
	return click{
		page: "/backfills/new?resource=inventory.bills", path: "/backfills", pattern: "/backfills", what: "backfill", sql: stateOfBackfills, want: "queued",
	}
}

// clicks are all other actions in an order in which each can be done.
func clicks() []click {
	entry, cause := []string{"main a[href^='/quarantine/entries']", "main td a[href^='/quarantine/']"}, []string{"main a[href^='/quarantine/entries']"}
	open := `SELECT count(*)::text FROM sluice.quarantine WHERE state = 'open'`
	return []click{
		runBills(),
		{page: "/quarantine", follow: entry, path: "*/retry", pattern: "/quarantine/{id}/retry", what: "quarantine retry", failed: true, sql: open, want: "2"},
		{page: "/quarantine", follow: entry, path: "*/accept", note: "a test", pattern: "/quarantine/{id}/accept", what: "quarantine accept", sql: open, want: "1"},
		{page: "/quarantine", follow: cause, path: "/quarantine/retry", pattern: "/quarantine/retry", what: "quarantine retry", sql: open, want: "1"},
		{page: "/quarantine", follow: cause, path: "/quarantine/accept", note: "a test", pattern: "/quarantine/accept", what: "quarantine accept", sql: open, want: "0"},
		{page: "/backfills", path: "*/pause", pattern: "/backfills/{id}/pause", what: "backfill pause", sql: stateOfBackfills, want: "paused"},
		{page: "/backfills", path: "*/resume", pattern: "/backfills/{id}/resume", what: "backfill resume", sql: stateOfBackfills, want: "queued"},
		{page: "/backfills", path: "*/cancel", pattern: "/backfills/{id}/cancel", what: "backfill cancel", sql: stateOfBackfills, want: "cancelled"},
		{page: "/notifications", path: "*/check", pattern: "/notifications/{org}/check", what: "notifications check"},
		{page: "/budget", path: "/budget/reopen", pattern: "/budget/reopen", what: "budget reopen",
			sql: `SELECT count(*)::text FROM sluice.day_budgets WHERE exhausted_until > now()`, want: "0"},
		{page: "/tombstones", follow: []string{"main a[href^='/tombstones/review/']"}, path: "*/reject", pattern: "/tombstones/review/{run}/reject",
			what: "tombstones reject", sql: needReview, want: "0"},
		{page: "/tombstones", follow: []string{"main a[href^='/tombstones/review/']"}, path: "*/accept", pattern: "/tombstones/review/{run}/accept",
			what: "tombstones accept", before: (*demoCompany).hold, sql: needReview, want: "0"},
	}
}

// everyAction does each action once. An action that is not in the list fails the test.
func everyAction(t *testing.T, m *demoCompany, b *browser.Browser) { //nolint:thelper // a test of its own, which names its lines
	receiver := sure(openListener(t.Context(), m.app, callbackMetrics(m.app)))(t)
	defer func() { must(t, receiver.stop(t.Context())) }()
	m.exec(`UPDATE sluice.day_budgets SET exhausted_until = now() + interval '1 hour' WHERE service = 'inventory'`)
	left := map[string]bool{}
	for _, action := range m.pages.actions() {
		left[action.Pattern] = true
	}
	delete(left, startOfBackfill().pattern)
	p := b.Page(t, 1280, 1000, false)
	for _, c := range clicks() {
		if !left[c.pattern] {
			t.Errorf("%s is no action", c.pattern)
			continue
		}
		delete(left, c.pattern)
		m.acts(p, c)
	}
	for pattern := range left {
		t.Errorf("the test does not click %s: enter it in clicks", pattern)
	}
}

// demoCompany is the company of the demo with its console, at rest: nothing changes unless a test
// changes it.
type demoCompany struct {
	t     *testing.T
	stage *demo.Stage
	cli   *cli
	app   *engine.App
	pages *pages
	url   string
	conn  *pgx.Conn
}

// companyRecords is enough that lists have several pages.
const companyRecords = 1000

func newDemoCompany(t *testing.T) *demoCompany {
	t.Helper()
	ctx := t.Context()
	var said buffer
	stage := sure(demo.Open(ctx, demoOptions(t, &said, t.Output(), companyRecords)))(t)
	t.Cleanup(func() { must(t, stage.Close(context.WithoutCancel(ctx))) })
	must(t, stage.Copy(ctx))
	m := &demoCompany{t: t, stage: stage, cli: &cli{env: Env{
		Stdout: &said, Stderr: t.Output(), LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now, scrub: outside.NewScrubber(),
	}}}
	m.app = m.opened(stage.Environment["DEMO_DATABASE_URL"])
	m.pages, m.url = &pages{cli: m.cli, app: m.app}, onShow(t, m.cli, m.app)
	m.conn = sure(pgx.Connect(ctx, stage.Environment["DEMO_DATABASE_URL"]))(t)
	t.Cleanup(func() { _ = m.conn.Close(context.WithoutCancel(ctx)) })
	return m
}

// openConsole offers the console at an address.
func (c *cli) openConsole(ctx context.Context, a *engine.App, listen string) (*consoleListener, error) {
	l, err := listenForConsole(ctx, a, listen)
	if err != nil {
		return nil, err
	}
	if err := c.offerPages(ctx, a, l); err != nil {
		return nil, errors.Join(err, l.listener.Close())
	}
	l.serve()
	return l, nil
}

func onShow(t *testing.T, c *cli, a *engine.App) string {
	t.Helper()
	listener := sure(c.openConsole(t.Context(), a, "127.0.0.1:0"))(t)
	t.Cleanup(func() { must(t, listener.stop(context.WithoutCancel(t.Context()))) })
	return strings.TrimSuffix(listener.url, "/")
}

func (m *demoCompany) opened(database string) *engine.App {
	m.t.Helper()
	options := m.cli.options()
	options.ConfigPath, options.LogLevel = "demo.yaml", "error"
	options.ReadFile = func(string) ([]byte, error) { return []byte(m.stage.Config), nil }
	options.LookupEnv = func(name string) (string, bool) {
		if name == "DEMO_DATABASE_URL" {
			return database, true
		}
		value, ok := m.stage.Environment[name]
		return value, ok
	}
	a := sure(engine.Open(m.t.Context(), options))(m.t)
	m.t.Cleanup(func() { must(m.t, a.Close(context.WithoutCancel(m.t.Context()))) })
	return a
}

// hold reads the list of credit notes until what was deleted upstream needs a decision. The other
// ones have a key that no declaration knows.
func (m *demoCompany) hold() {
	m.t.Helper()
	must(m.t, m.stage.Upstream.World.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/creditnotes", Kind: "extra_keys"}}))
	const believed = 2 // scans that have to miss a record
	for range believed {
		sure(m.cli.syncOnce(m.t.Context(), m.app, []string{"inventory.credit_notes"}, ""))(m.t)
	}
	fatalIf(m.t, m.value(needReview) == "0", "no deletion needs a decision")
}

// needReview counts the deletions that need a decision.
const needReview = `SELECT count(*)::text FROM sluice.tombstones WHERE state = 'needs_review'`

func (m *demoCompany) value(sql string, args ...any) string {
	m.t.Helper()
	var value string
	err := m.conn.QueryRow(m.t.Context(), sql, args...).Scan(&value)
	fatalIf(m.t, err != nil, "%v\n%s", err, sql)
	return value
}

func (m *demoCompany) exec(sql string, args ...any) {
	m.t.Helper()
	sure(m.conn.Exec(m.t.Context(), sql, args...))(m.t)
}

// patterns gives the pattern of an address of the console; "" if it has none.
func (m *demoCompany) patterns() func(address string) string {
	mux := http.NewServeMux()
	for _, route := range m.pages.routes() {
		mux.Handle(route.Pattern, http.NotFoundHandler())
	}
	return func(address string) string {
		request := sure(http.NewRequestWithContext(m.t.Context(), http.MethodGet, address, http.NoBody))(m.t)
		_, pattern := mux.Handler(request)
		return pattern
	}
}

// pictures is where TestPictures writes: make screenshots names docs/images.
var pictures = flag.String("pictures", "", "folder for the pictures of the console (default: one that is removed)")

// mostPicture is what a picture may weigh, in bytes.
const mostPicture = 120 << 10

// TestPictures takes the pictures that the documents show: the company of the demo, with what needs
// a person. Without the flag it only tries whether they can be taken and are small.
func TestPictures(t *testing.T) {
	t.Parallel()
	m := newDemoCompany(t)
	must(t, m.stage.Trouble(t.Context()))
	m.hold()
	folder := cmp.Or(*pictures, t.TempDir())
	p := browser.Start(t).Page(t, 1280, 1100, false)
	for _, picture := range []struct {
		name, page string
		follow     []string
	}{
		{"console-streams", "/", nil},
		{"console-budget", "/budget?org=" + sandbox.DefaultOrganizationID + "&service=inventory", nil},
		{"console-quarantine", "/quarantine", []string{"main a[href^='/quarantine/entries']", "main td a[href^='/quarantine/']"}},
		{"console-record", "/r/inventory.bills/" + m.value(`SELECT bill_id FROM inventory.bills WHERE notes LIKE 'Changed%' ORDER BY 1 LIMIT 1`), nil},
	} {
		p.Open(m.url + picture.page)
		for _, link := range picture.follow {
			p.Follow(link)
		}
		judge(p)
		small := palette(t, p.Picture())
		errorIf(t, len(small) > mostPicture, "%s weighs %d bytes, at most %d are allowed", picture.name, len(small), mostPicture)
		must(t, os.WriteFile(filepath.Join(folder, picture.name+".png"), small, 0o644))
	}
}

// palette gives a picture with its 256 most frequent colors, which weighs a third.
func palette(t *testing.T, picture []byte) []byte {
	t.Helper()
	whole := sure(png.Decode(bytes.NewReader(picture)))(t)
	counts := map[color.RGBA]int{}
	bounds := whole.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[color.RGBAModel.Convert(whole.At(x, y)).(color.RGBA)]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int { return counts[b] - counts[a] })
	var colors color.Palette
	for _, one := range frequent[:min(len(frequent), 256)] {
		colors = append(colors, one)
	}
	few := image.NewPaletted(bounds, colors)
	draw.Draw(few, bounds, whole, bounds.Min, draw.Src)
	var out bytes.Buffer
	must(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few))
	return out.Bytes()
}
