//go:build e2e

package cli

import (
	"slices"
	"strings"
	"testing"

	"sluice/cmd/sluice/console/browser"
	"sluice/pipeline/engine"
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
	if p.Count(cell) != 0 {
		t.Fatal("a record is in quarantine already")
	}
	must(t, m.stage.Trouble(t.Context()))
	p.Wait(cell)
	if got, want := p.Text(cell), m.value(`SELECT count(*)::text FROM sluice.quarantine WHERE resource = 'items' AND state = 'open'`); got != want {
		t.Errorf("the page counts %s records in quarantine, the table has %s", got, want)
	}
	if now := p.Text("footer time"); now != loaded {
		t.Errorf("the page was loaded again: at %s and at %s", loaded, now)
	}
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
		if times[route.Pattern] == 0 {
			t.Errorf("no page leads to %s", route.Pattern)
		}
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

// judge looks at a page that is open.
func judge(p *browser.Page) {
	p.NoOverflow()
	p.Contrast()
}

// walk goes through a page with the tabulator, which has to reach everything.
func walk(t *testing.T, p *browser.Page) {
	t.Helper()
	all := p.Focusable()
	order := p.Tab()
	if len(order) != all {
		t.Errorf("%s: the tabulator reaches %d of %d elements: %s", p.URL(), len(order), all, strings.Join(order, ", "))
	}
	if len(order) == 0 || order[0] != `a "Skip to the page"` || !slices.Contains(order, `a "Streams"`) {
		t.Errorf("%s: the tabulator does not begin with the way to the page, or misses the menu: %q", p.URL(), order)
	}
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
		if p.Count("main h1") != 1 {
			t.Errorf("%s has no title", p.URL())
		}
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
	if p.Count("#lost:not([hidden])") != 0 {
		t.Fatal("the page says that the console is gone, and it is there")
	}
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
	if p.Count("#lost:not([hidden])") != 0 {
		m.t.Error("the page is back, and says that the console is gone")
	}
	if now := p.Text("footer time"); now != loaded {
		m.t.Errorf("the page was loaded again: at %s and at %s", loaded, now)
	}
	m.exec(`UPDATE sluice.streams SET state = 'idle', reason = '' WHERE resource = 'bills'`)
}
