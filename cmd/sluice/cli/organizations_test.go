package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sluice/sandbox"
	"sluice/sandbox/oracle"
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

// TestSeveralOrganizations: records of organizations do not mix, and the failure of one stops no
// other (invariant 9).
func TestSeveralOrganizations(t *testing.T) {
	t.Parallel()
	all := businesses()
	s := newFixture(t, sandbox.Options{
		Seed: 61, Records: 60, Limits: sandbox.Limits{Off: true},
		Organizations: []sandbox.OrganizationOptions{
			{ID: all[1].id, Seed: 62, Records: 40, TimeZone: "America/New_York"},
			{ID: all[2].id, DataCenter: "eu", Seed: 63, Records: 50, TimeZone: "Europe/Berlin"},
		},
	})
	s.configure(all)

	if result := s.sync(codeFine, "--org", "second"); len(result.Streams) == 0 {
		t.Error("nothing was synced of one organization")
	}
	if n := one[int](s, `SELECT count(DISTINCT organization_id) FROM inventory.items`); n != 1 {
		t.Errorf("--org: rows of %d organizations, want one", n)
	}
	s.sync(codeFine)
	s.apart(all)

	// The credentials of the second one die: the others go on.
	for _, b := range all {
		_, err := s.world.ChangeOf(b.id, b.dataCenter, sandbox.Change{Seed: 9, Inserts: 5, Edits: 5})
		must(t, err)
	}
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/", Kind: "forbidden", Organization: all[1].id}}))
	for _, r := range s.sync(codeFailed).Streams {
		want := "idle"
		// No row waits for its details, so no call is made and refused.
		if r.Organization == all[1].key && !strings.HasSuffix(r.Resource, ".details") {
			want = "denied"
		}
		if r.State != want {
			t.Errorf("%s is %s, want %s: %s", r.Key, r.State, want, r.Reason)
		}
	}
	must(t, s.world.SetFaults(nil))
	s.sync(codeFine)
	s.apart(all)
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

// apart compares the rows of each organization with its records upstream.
func (s *fixture) apart(all []business) {
	s.t.Helper()
	zones := map[string]string{}
	for _, o := range all {
		for _, list := range [][2]string{
			{"accounting", "chart_of_accounts"}, {"inventory", "items"}, {"inventory", "taxes"}, {"chat", "channels"}, {"chat", "conversations"},
		} {
			result, err := oracle.Compare(s.t.Context(), s.conn, list[0], list[1], o.key, s.world.TruthOf(o.id, o.dataCenter, list[0], list[1]))
			must(s.t, err)
			if result.Different+result.Gone > 0 || result.Live == 0 {
				s.t.Errorf("%s of %s: %d records, %d differences, %d rows without a record:\n%s", list[1], o.name,
					result.Live, result.Different, result.Gone, strings.Join(result.Differences, "\n"))
			}
		}
		zones[o.key] = one[string](s, `SELECT time_zone FROM sluice.organizations WHERE organization_id = $1`, o.key)
	}
	if zones[all[1].key] != "America/New_York" || zones[all[2].key] != "Europe/Berlin" {
		s.t.Errorf("the time zones of the organizations are %v", zones)
	}
	shared := `SELECT count(*) FROM inventory.items a JOIN inventory.items b USING (item_id) WHERE a.organization_id < b.organization_id`
	if one[int](s, shared) == 0 {
		s.t.Error("no two organizations have an item of the same identifier: nothing could have mixed")
	}
	// Every call went to the data center of its organization.
	for _, o := range all {
		stats, err := s.world.StatsOf(o.id, o.dataCenter)
		must(s.t, err)
		if calls := one[int](s, `SELECT count(*) FROM sluice.calls WHERE organization_id = $1 AND resource <> 'token'`, o.key); stats.Calls != calls {
			s.t.Errorf("%s: upstream counted %d calls, the call log has %d", o.name, stats.Calls, calls)
		}
	}
}
