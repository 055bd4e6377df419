package cli

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"sluice/sandbox"
)

const (
	answered  = http.StatusOK
	noPage    = http.StatusNotFound
	forbidden = http.StatusForbidden
	unnamed   = http.StatusUnauthorized
)

// The pages and actions of the console are written down by hand, by pattern: a new one has to be
// entered here. The company has no records, so what an address names by a number is unknown.
const (
	pagesOfAll = `/{$} /quarantine /quarantine/entries /drift /drift/{stream} /budget /runs /streams/{org}/{name} /backfills /backfills/new
		/tombstones /notifications /notifications/callbacks /dictionary /dictionary/{service} /dictionary/{service}/{table}
		/questions /questions/{n} /checks /organizations /configuration /health`
	pagesOfNothing  = `/quarantine/{id} /runs/{id} /backfills/{id} /tombstones/review/{run} /r/{resource}/{id...} /checks/{id}`
	actsOfOperators = `/quarantine/retry /quarantine/accept /quarantine/{id}/retry /quarantine/{id}/accept /budget/reopen /streams/{org}/{name}/run
		/backfills /backfills/{id}/pause /backfills/{id}/resume /backfills/{id}/cancel /notifications/{org}/check
		/tombstones/review/{run}/accept /tombstones/review/{run}/reject`
)

// filled is an address that has a pattern.
var filled = strings.NewReplacer("{$}", "", "{org}", sandbox.DefaultOrganizationID, "{name}", "inventory.bills", "{stream}", "inventory.bills",
	"{resource}", "inventory.bills", "{id...}", "1", "{id}", "1", "{run}", "1", "{n}", "1", "{service}", "inventory", "{table}", "bills").Replace

// TestWhoMaySee asks for each page and for each action as each kind of person: one without a name,
// one in neither list, a viewer and an operator.
func TestWhoMaySee(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 10})
	s.configured("console: {auth: header, trusted_proxies: [192.0.2.0/24], operators: [" + anOperator + "], viewers: [" + aViewer + "]}\n")
	d := s.desk()
	p := &pages{cli: &cli{}, app: d.app}
	want := map[string][4]int{
		"/static/console.css": {unnamed, forbidden, answered, answered},
		"/live?page=nowhere":  {unnamed, forbidden, http.StatusBadRequest, http.StatusBadRequest},
		"/nowhere":            {unnamed, forbidden, noPage, noPage},
	}
	var patterns []string
	for list, statuses := range map[string][2]int{
		pagesOfAll: {answered, answered}, pagesOfNothing: {noPage, noPage}, "/actions": {forbidden, answered},
		"/notifications/callbacks/{id}": {forbidden, noPage},
	} {
		for pattern := range strings.FieldsSeq(list) {
			patterns = append(patterns, pattern)
			for _, format := range []string{"", "?format=json"} {
				want[filled(pattern)+format] = [4]int{unnamed, forbidden, statuses[0], statuses[1]}
			}
		}
	}
	people := []string{"", "eve", aViewer, anOperator}
	for address, statuses := range want {
		for i, person := range people {
			d.who = person
			if got := d.asks(address, nil).Code; got != statuses[i] {
				t.Errorf("%q gets status %d at %s, want %d", person, got, address, statuses[i])
			}
		}
	}
	for _, route := range p.routes() {
		if !slices.Contains(patterns, route.Pattern) {
			t.Errorf("the lists do not say who may see %s", route.Pattern)
		}
	}
	acts := strings.Fields(actsOfOperators)
	for _, action := range p.actions() {
		if !slices.Contains(acts, action.Pattern) {
			t.Errorf("the list of actions does not have %s", action.Pattern)
		}
	}
	if len(patterns) != len(p.routes()) || len(acts) != len(p.actions()) {
		t.Errorf("the lists have %d pages and %d actions, the console %d and %d", len(patterns), len(acts), len(p.routes()), len(p.actions()))
	}
	for _, pattern := range acts {
		d.acted(filled(pattern), people)
	}
	// Only the attempts of the operator from the console's own pages can have been noted.
	s.counts(0, "actions of people who may not act", `SELECT count(*) FROM sluice.actions WHERE actor <> $1`, anOperator)
}

// acted posts as each kind of person, from the console's own page and from elsewhere.
func (d *desk) acted(address string, people []string) {
	d.t.Helper()
	for from, elsewhere := range map[[2]string]bool{
		{"Sec-Fetch-Site", "same-origin"}: false, {"Origin", "http://example.com"}: false, {"Sec-Fetch-Site", "cross-site"}: true,
		{"Sec-Fetch-Site", "same-site"}: true, {"Origin", "https://elsewhere.example"}: true,
	} {
		for i, status := range []int{unnamed, forbidden, forbidden, forbidden} {
			d.who = people[i]
			got := d.asks(address, url.Values{}, from[0], from[1]).Code
			if i == 3 && !elsewhere {
				if slices.Contains([]int{unnamed, forbidden, http.StatusMethodNotAllowed}, got) {
					d.t.Errorf("%s gets status %d for %s, and she is an operator", d.who, got, address)
				}
			} else if got != status {
				d.t.Errorf("%q gets status %d for %s from %q, want %d", d.who, got, address, from, status)
			}
		}
	}
}
