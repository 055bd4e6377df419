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

// acts does an action, and asserts what it did.
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
	if got := p.Text(".done"); !strings.HasPrefix(got, says+c.what+" ") {
		m.t.Errorf("%s: after it the page says %q, not %q", c.pattern, got, says+c.what)
	}
	if got, want := m.value(`SELECT coalesce(string_agg(format('%s %s by %s', action, outcome, actor), ', '), '') FROM sluice.actions WHERE id > $1::text::bigint`, noted),
		fmt.Sprintf("%s %s by local", c.what, outcome); got != want {
		m.t.Errorf("%s: noted is %q, want %q", c.pattern, got, want)
	}
	if c.sql == "" {
		return
	}
	if got := m.value(c.sql); got != c.want {
		m.t.Errorf("%s: the database has %q, want %q", c.pattern, got, c.want)
	}
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
