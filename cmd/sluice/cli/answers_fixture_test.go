package cli

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// companyFixture is the setting for the questions of the docs: two businesses under one identifier
// in two data centers, whose dates always differ.
type companyFixture struct {
	*fixture
	all []business
	// then is what upstream had before the changes, today what it has now.
	then, today map[string]*ledger
	// edited are the bills that were edited in between, by business.
	edited map[string][]string
}

// companyZones are 25 hours apart: at any time their dates differ, and one of them differs from the
// date in UTC.
func companyZones() map[string]string {
	return map[string]string{sandbox.DefaultOrganizationID: "Pacific/Kiritimati", "first-eu": "Pacific/Pago_Pago"}
}

// companyResources are the resources that the statements of the docs need, and few others.
const companyResources = `resources:
  inventory.bills: {history: true, calls_per_run: 4}
  inventory.credit_notes: {history: true}
  inventory.items: {daily: [items_locations]}
  accounting.chart_of_accounts: {daily: [current_balance]}
  accounting.contact_persons: {calls_per_run: 5}
  accounting.base_currency_adjustments: {calls_per_run: 3}
  invoicing.contact_persons: {enabled: true, calls_per_run: 2}
  billing.contact_persons: {calls_per_run: 2}
tombstones: {apart: 0s}
`

// newCompany copies the businesses, changes them, and copies the changes that the lists show.
func newCompany(t *testing.T) *companyFixture {
	t.Helper()
	all := []business{
		{key: sandbox.DefaultOrganizationID, name: "first", id: sandbox.DefaultOrganizationID},
		{key: "first-eu", name: "second", id: sandbox.DefaultOrganizationID, dataCenter: "eu"},
	}
	zones := companyZones()
	c := &companyFixture{all: all, edited: map[string][]string{}, fixture: newFixture(t, sandbox.Options{
		Seed: 5, Records: 300, TimeZone: zones[all[0].key], Limits: sandbox.Limits{Off: true},
		Organizations: []sandbox.OrganizationOptions{{ID: all[1].id, DataCenter: "eu", Seed: 6, Records: 300, TimeZone: zones[all[1].key]}},
	})}
	c.configure(all)
	text := sure(os.ReadFile(c.config))(t)
	before, _, _ := strings.Cut(string(text), "resources:\n")
	before = strings.ReplaceAll(before, "chat: {plan: free}", "invoicing: {plan: free}, billing: {plan: paid}")
	must(t, os.WriteFile(c.config, []byte(before+companyResources), 0o600))
	c.runs(codeFine, "migrate")
	c.sync(codeFine)
	c.then = c.look()
	c.backdate()
	c.change()
	c.pass(2 * time.Minute)
	c.sync(codeFine, "bills")
	for range 2 { // two scans prove that a record is gone
		c.sync(codeFine, "bills.sweep")
	}
	c.today = c.look()
	c.exec(`INSERT INTO sluice.console_address (address) VALUES ('https://sluice.example.com')`)
	return c
}

func (c *companyFixture) backdate() {
	c.age()
	c.exec(`UPDATE history.versions SET valid_from = valid_from - interval '3 days', valid_to = valid_to - interval '3 days'`)
	c.exec(`UPDATE history.periods SET began_at = began_at - interval '3 days', asked_at = asked_at - interval '3 days'`)
}

func (c *companyFixture) change() {
	c.t.Helper()
	for _, b := range c.all {
		changed := sure(c.world.ChangeOf(b.id, b.dataCenter, sandbox.Change{Seed: 8, Inserts: 6, Edits: 20, Resources: []string{"bills"}}))(c.t)
		c.edited[b.key] = changed["bills"].Edited
		var gone []string
		for _, bill := range c.then[b.key].bills {
			if id := bill.text("bill_id"); len(gone) < 4 && !slices.Contains(c.edited[b.key], id) {
				gone = append(gone, id)
			}
		}
		c.deleteOf(b, "inventory.bills", gone...)
	}
}

func (c *companyFixture) look() map[string]*ledger {
	c.t.Helper()
	ledgers := map[string]*ledger{}
	for _, b := range c.all {
		read := func(service, resource string) []record {
			var records []record
			for raw := range c.world.TruthOf(b.id, b.dataCenter, service, resource) {
				records = append(records, parse(raw))
			}
			fatalIf(c.t, len(records) == 0, "%s has no %s", b.name, resource)
			return records
		}
		ledgers[b.key] = &ledger{
			bills: read("inventory", "bills"), notes: read("inventory", "credit_notes"), items: read("inventory", "items"),
			accounts: read("accounting", "chart_of_accounts"),
		}
	}
	return ledgers
}
