//go:build e2e

package cli

import (
	"fmt"
	"strings"
	"testing"

	"sluice/cmd/sluice/console/browser"
	"sluice/sandbox"
)

// click is an action as a person does it, and what the database has to say afterwards.
type click struct {
	// page has the button; follow are the links that lead there from it.
	page   string
	follow []string
	// path is where its form posts to, or with * in front how that ends. note is what is typed.
	path, note string
	// what is its name in sluice.actions, and failed says that it cannot be done.
	what   string
	failed bool
	// sql reads a value that has to become want.
	sql, want string
}

// acts does an action, and asserts what it did.
func (m *demoCompany) acts(p *browser.Page, c click) {
	m.t.Helper()
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
	if got := p.Text(".done"); !strings.HasPrefix(got, says+c.what+" ") {
		m.t.Errorf("%s: after it the page says %q, not %q", c.path, got, says+c.what)
	}
	if got, want := m.value(`SELECT coalesce(string_agg(format('%s %s by %s', action, outcome, actor), ', '), '') FROM sluice.actions WHERE id > $1::text::bigint`, noted),
		fmt.Sprintf("%s %s by local", c.what, outcome); got != want {
		m.t.Errorf("%s: noted is %q, want %q", c.path, got, want)
	}
	if got := m.value(c.sql); got != c.want {
		m.t.Errorf("%s: the database has %q, want %q", c.path, got, c.want)
	}
}

// requestsOfBills counts requests for runs of the list of bills.
const requestsOfBills = `SELECT (requested_gen > served_gen)::text FROM sluice.streams WHERE resource = 'bills'`

func runBills() click {
	return click{
		page: "/streams/" + sandbox.DefaultOrganizationID + "/inventory.bills", path: "/streams/" + sandbox.DefaultOrganizationID + "/inventory.bills/run",
		what: "sync", sql: requestsOfBills, want: "true",
	}
}

// stateOfBackfills are the states of all backfills.
const stateOfBackfills = `SELECT string_agg(state, ', ') FROM sluice.backfills`

// startOfBackfill is done before all pages are opened, so that one can show a backfill.
func startOfBackfill() click {
	return click{
		page: "/backfills/new?resource=inventory.bills", path: "/backfills", what: "backfill", sql: stateOfBackfills, want: "queued",
	}
}

// clicks are actions of each kind: a plain button, one that fails, and one that asks first and wants
// a reason. The tests of the pages do all others.
func clicks() []click {
	entry := []string{"main a[href^='/quarantine/entries']", "main td a[href^='/quarantine/']"}
	open := `SELECT count(*)::text FROM sluice.quarantine WHERE state = 'open'`
	return []click{
		runBills(),
		{page: "/quarantine", follow: entry, path: "*/retry", what: "quarantine retry", failed: true, sql: open, want: "2"},
		{page: "/quarantine", follow: entry, path: "*/accept", note: "a test", what: "quarantine accept", sql: open, want: "1"},
		{
			page: "/tombstones", follow: []string{"main a[href^='/tombstones/review/']"}, path: "*/accept", what: "tombstones accept",
			sql: needReview, want: "0",
		},
	}
}

// severalActions clicks what is in the list.
func severalActions(t *testing.T, m *demoCompany, b *browser.Browser) { //nolint:thelper // a test of its own, which names its lines
	p := b.Page(t, 1280, 1000, false)
	for _, c := range clicks() {
		m.acts(p, c)
	}
}
