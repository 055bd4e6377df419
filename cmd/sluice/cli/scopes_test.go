package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestIncludes: which granted scope lets a resource be read that needs another.
func TestIncludes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		granted, needed string
		want            bool
	}{
		{"SvcBooks.bills.READ", "SvcBooks.bills.READ", true},
		{"SvcBooks.bills.ALL", "SvcBooks.bills.READ", true},
		{"SvcBooks.bills.READ", "SvcBooks.bills.ALL", false},
		{"SvcBooks.bills.UPDATE", "SvcBooks.bills.READ", false},
		{"SvcBooks.contacts.READ", "SvcBooks.bills.READ", false},
		{"SvcBooks.bill.READ", "SvcBooks.bills.READ", false},
		{"SvcInventory.bills.READ", "SvcBooks.bills.READ", false},
		{"SvcInventory.fullaccess.all", "SvcBooks.bills.READ", false},
		{"SvcBooks.fullaccess.all", "SvcBooks.bills.READ", true},
		{"SvcBooks.fullaccess.ALL", "SvcBooks.custommodules.ALL", true},
		{"SvcCRM.modules.READ", "SvcCRM.modules.Leads.READ", true},
		{"SvcCRM.modules.ALL", "SvcCRM.modules.Leads.READ", true},
		{"SvcCRM.modules.Leads.READ", "SvcCRM.modules.READ", false},
		{"SvcCRM.modules.Deals.READ", "SvcCRM.modules.Leads.READ", false},
		{"SvcBooks", "SvcBooks.bills.READ", false},
		{"READ", "SvcBooks.bills.READ", false},
		{"", "SvcBooks.bills.READ", false},
	} {
		if got := missingScopes([]string{c.needed}, []string{c.granted}); slices.Equal(got, []string{c.needed}) == c.want || len(got) > 1 {
			t.Errorf("with %q is missing %q, want that it includes %s: %t", c.granted, got, c.needed, c.want)
		}
	}
	needed := []string{"SvcBooks.bills.READ", "SvcChat.Channels.READ", "SvcInventory.items.READ"}
	if got := missingScopes(needed, []string{"SvcChat.Channels.READ"}); !slices.Equal(got, []string{needed[0], needed[2]}) {
		t.Errorf("of three scopes are missing %q", got)
	}
}

// scopesFound is what check says of the scopes, nil if it says nothing, and its exit code.
func (s *fixture) scopesFound() (*finding, int) {
	s.t.Helper()
	o := s.run("check", "--json")
	var findings []finding
	if err := json.Unmarshal([]byte(o.stdout), &findings); err != nil {
		s.t.Fatalf("check: %v\n%s%s", err, o.stdout, o.stderr)
	}
	at := slices.IndexFunc(findings, func(f finding) bool { return strings.HasSuffix(f.Check, ", scopes") })
	if at < 0 {
		return nil, o.code
	}
	return &findings[at], o.code
}

// TestCheckNamesMissingScopes: a resource that is enabled after the consent needs a scope that the
// grant lacks. Check names it, without a further call, until the next consent.
func TestCheckNamesMissingScopes(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 116, Records: 50, Limits: sandbox.Limits{Off: true}})
	s.tokenIn()
	consent := func() {
		t.Helper()
		a := s.authorize(secretsOf(), "--port", "0")
		a.browse(a.decides("accept"))
		if stdout, _ := a.ends(codeFine); strings.Count(stdout, ", scopes: ") != 1 {
			t.Errorf("authorize does not say once what was granted:\n%s", stdout)
		}
	}
	all := func(when string) {
		t.Helper()
		if f, code := s.scopesFound(); f == nil || !f.OK || code != codeFine || len(f.Missing) > 0 || f.Next != "" || !strings.HasSuffix(f.Text, "all granted") {
			t.Errorf("%s: exit code %d, %+v", when, code, f)
		}
	}
	s.configured("resources:\n  inventory.composite_items: {enabled: false}\n  inventory.credit_notes: {enabled: false}\n")
	consent()
	before := s.calls()
	all("as many as were asked for")
	spent := s.calls() - before

	s.rewrite("{enabled: false}", "{enabled: true}")
	before = s.calls()
	f, code := s.scopesFound()
	missing := []string{"SvcInventory.compositeitems.READ", "SvcInventory.creditnotes.READ"}
	if f == nil || f.OK || code != codeFailed || !slices.Equal(f.Missing, missing) || f.Next != "sluice authorize "+sandbox.DefaultOrganizationID {
		t.Fatalf("two resources more: exit code %d, %+v, want that %q are missing", code, f, missing)
	}
	if more := s.calls() - before; more != spent || spent == 0 || s.world.Stats().TokenRequests != 2 {
		t.Errorf("%d calls, want %d as without missing scopes; %d requests of a token, want 2", more, spent, s.world.Stats().TokenRequests)
	}
	o := s.run("check")
	for _, want := range []string{", scopes: not granted: " + strings.Join(missing, ",") + ": ", f.Next, "inventory: answered"} {
		if o.code != codeFailed || !strings.Contains(o.stdout, want) || strings.Contains(o.stdout, "Next:") || strings.Count(o.stdout, "FAIL") != 1 {
			t.Errorf("exit code %d, want %d and %q, one failure\n%s", o.code, codeFailed, want, o.stdout)
		}
	}
	// A measurement is made all the same.
	s.prints(codeFailed, "inventory.taxes  ", "check", "--probe", "inventory.taxes")
	s.exec(`UPDATE sluice.tokens SET scopes = NULL`) // upstream named none
	if f, code := s.scopesFound(); f != nil || code != codeFine {
		t.Errorf("where upstream names none: exit code %d, %+v", code, f)
	}
	consent()
	all("after the next consent")
}
