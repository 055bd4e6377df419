package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sluice/pipeline/warehouse/warehousetest"
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
	same(t, "of three scopes are missing", []string{needed[0], needed[2]}, missingScopes(needed, []string{"SvcChat.Channels.READ"}))
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

// business is one of several organizations of a test.
type business struct {
	// key is the key of its rows, name its name in the configuration.
	key, name string
	// id and dataCenter are those upstream.
	id, dataCenter string
}

// businesses: two in one data center, whose records have the same identifiers, and one in another
// data center with the identifier of the first.
func businesses() []business {
	return []business{
		{sandbox.DefaultOrganizationID, "first", sandbox.DefaultOrganizationID, ""},
		{"70099990001", "second", "70099990001", ""},
		{"first-eu", "third", sandbox.DefaultOrganizationID, "eu"},
	}
}

// TestSyncOfOneOrganization: --org copies one of several.
func TestSyncOfOneOrganization(t *testing.T) {
	t.Parallel()
	all := businesses()
	s := newFixture(t, sandbox.Options{
		Seed: 61, Records: 5, Limits: sandbox.Limits{Off: true},
		Organizations: []sandbox.OrganizationOptions{{ID: all[1].id, Seed: 62, Records: 5}, {ID: all[2].id, DataCenter: "eu", Seed: 63, Records: 5}},
	})
	s.configure(all)
	errorIf(t, len(s.sync(codeFine, "items", "--org", "second").Streams) == 0, "nothing was synced of one organization")
	s.counts(1, "organizations with rows after --org", `SELECT count(DISTINCT organization_id) FROM inventory.items`)
}

// TestOrganizationsCommand: the zone of an organization is upstream's if the configuration has
// none, and its rows are stored under its key.
func TestOrganizationsCommand(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 94, Records: 100})
	s.rewrite("    time_zone: Asia/Kolkata\n", "    key: trading\n")
	s.prints(codeFine, "not met yet", "organizations")
	s.sync(codeFine, "items")
	views := decoded[[]organizationView](s, codeFine, "organizations")
	if len(views) != 1 || views[0].Key != "trading" || views[0].ID != sandbox.DefaultOrganizationID || views[0].TimeZone != "Asia/Kolkata" ||
		views[0].Pinned == nil || !views[0].Pinned.Active || views[0].DataCenter != "com" || !slices.Contains(views[0].Services, "inventory") {
		t.Fatalf("organizations shows %+v", views)
	}
	if n, all := one[int](s, `SELECT count(*) FROM inventory.items WHERE organization_id = 'trading'`), one[int](s, `SELECT count(*) FROM inventory.items`); n == 0 || n != all {
		t.Errorf("%d of %d rows are kept under the key", n, all)
	}
	for _, org := range []string{"trading", "Sandbox Trading", sandbox.DefaultOrganizationID} {
		s.sync(codeFine, "items", "--org", org)
	}
	s.rewrite("    key: trading\n", "    key: trading\n    time_zone: Europe/Rome\n")
	s.prints(codeFine, "time_zone Europe/Rome and upstream says Asia/Kolkata", "check")
	s.exec(`UPDATE sluice.organizations SET name = 'Somebody Else'`)
	s.prints(codeFailed, "Somebody Else", "check")
	s.prints(codeFine, views[0].Pinned.Name, "organizations", "accept", "Sandbox Trading")
	s.prints(codeUsage, "", "organizations", "accept", "nobody")
}

// configure writes a configuration for several organizations and some resources.
func (s *fixture) configure(all []business) {
	s.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "database: {url: \"${SLUICE_DATABASE_URL}\"}\nvendor: {name: Svc, api_url: %[1]q, chat_url: %[1]q, auth_url: %[1]q}\norganizations:\n", s.upstream.URL)
	for _, o := range all {
		variable := "TOKEN_OF_" + strings.ToUpper(o.name)
		s.environment[variable] = sandbox.RefreshTokenFor(o.id, o.dataCenter)
		fmt.Fprintf(&b, "  - name: %s\n    id: %q\n    key: %q\n    data_center: com\n", o.name, o.id, o.key)
		fmt.Fprintf(&b, "    credentials: {client_id: %q, client_secret: \"${SANDBOX_CLIENT_SECRET}\", refresh_token: \"${%s}\"}\n", sandbox.ClientID, variable)
		if o.dataCenter != "" {
			address := s.upstream.URL + "/dc/" + o.dataCenter
			fmt.Fprintf(&b, "    addresses: {api_url: %[1]q, chat_url: %[1]q, auth_url: %[1]q}\n", address)
		}
		b.WriteString("    services: {accounting: {plan: premium}, inventory: {plan: premium}, chat: {plan: free}}\n")
	}
	b.WriteString("resources:\n")
	for _, off := range []string{
		"accounting.vendor_payments", "accounting.contact_persons", "accounting.base_currency_adjustments", "accounting.opening_balances",
		"inventory.credit_notes", "inventory.composite_items", "inventory.bills", "inventory.locations",
	} {
		fmt.Fprintf(&b, "  %s: {enabled: false}\n", off)
	}
	must(s.t, os.WriteFile(s.config, []byte(b.String()), 0o600))
}

// TestOfflineCheckAsksNothing: check --offline makes no call.
func TestOfflineCheckAsksNothing(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 82, Records: 10}).narrow()
	before := s.world.Stats()
	if o := s.run("check", "--offline"); o.code != codeFine || s.world.Stats().Calls != before.Calls || strings.Contains(o.stdout, "identity") {
		t.Errorf("check --offline asks upstream\n%s%s", o.stdout, o.stderr)
	}
}

// TestCheckBeforeMigrate: on a new database check says what it could check, makes no call, and
// names the next step.
func TestCheckBeforeMigrate(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 83, Records: 10})
	s.environment["SLUICE_DATABASE_URL"] = warehousetest.New(t)
	o := s.run("check")
	o.prints(t, codeFine, "ok    configuration", "ok    SLUICE_ENCRYPTION_KEY", "ok    database: reachable", "Next: sluice migrate")
	if strings.Contains(o.stdout, "FAIL") || s.world.Stats().Calls+s.world.Stats().TokenRequests > 0 {
		t.Errorf("something failed, or upstream was asked: %+v\n%s", s.world.Stats(), o.stdout)
	}
	findings := decoded[[]finding](s, codeFine, "check")
	last := findings[len(findings)-1]
	errorIf(t, last.Next != "sluice migrate" || !last.OK, "for programs it is %+v", last)
	s.prints(codeEnvironment, "FAIL  probe", "check", "--probe")
	key := s.environment["SLUICE_ENCRYPTION_KEY"]
	delete(s.environment, "SLUICE_ENCRYPTION_KEY")
	s.prints(codeUsage, "Next: sluice migrate", "check")
	s.environment["SLUICE_ENCRYPTION_KEY"] = key
	for _, command := range []string{"migrate", "check"} {
		if o := s.run(command); o.code != codeFine || strings.Contains(o.stdout, "Next:") {
			t.Errorf("%s: exit code %d\n%s%s", command, o.code, o.stdout, o.stderr)
		}
	}
}
