package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sluice/sandbox"
)

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
	if result := s.sync(codeFine, "items", "--org", "second"); len(result.Streams) == 0 {
		t.Error("nothing was synced of one organization")
	}
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
