package cells_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Which tables of ours move with an organization, decided here by a person; all tables of services
// do. A table that a migration adds belongs into one of the lists. Links are conditions of tables
// without organizations.
const (
	moved = `
history.days history.periods history.versions notifications.events
sluice.adopted_batches sluice.adoptions sluice.after_close_notices sluice.backfills sluice.budgets sluice.callbacks sluice.calls
sluice.capabilities sluice.certificates sluice.certified_rows sluice.channel_gaps sluice.closed_records sluice.closing_sums
sluice.closings sluice.day_budgets sluice.drift sluice.erased_records sluice.erased_values sluice.erasures
sluice.external_quarters sluice.external_seen sluice.external_spent sluice.forecasts sluice.hints sluice.keys sluice.lateness
sluice.live_calls sluice.organizations sluice.parents sluice.quarantine sluice.raw_looks sluice.raw_records sluice.rebuilds
sluice.runs sluice.sightings sluice.spent sluice.streams sluice.tombstones`

	// What the configuration makes anew.
	dropped = `sluice.channels sluice.wantable sluice.wants`

	// What the cell saw and did itself, and what is of no organization.
	stays = `
sluice.actions sluice.cell sluice.change_log sluice.changes sluice.checks sluice.columns sluice.console_address
sluice.erasure_salt sluice.event_receivers sluice.findings sluice.homes sluice.housekeeping sluice.last_tick
sluice.last_timeline sluice.left_out sluice.migration_steps sluice.processes sluice.reader_key sluice.schema_version
sluice.service_schemas sluice.tokens sluice.verifications sluice.verified_streams sluice.views`
)

// links are the tables whose rows belong to an organization by another table.
var links = map[string]string{ //nolint:gochecknoglobals // a constant
	"sluice.adopted_batches":     "adoption_id IN (SELECT id FROM sluice.adoptions WHERE organization_id = $1)",
	"sluice.after_close_notices": "closing_id IN (SELECT id FROM sluice.closings WHERE organization_id = $1)",
	"sluice.closed_records":      "closing_id IN (SELECT id FROM sluice.closings WHERE organization_id = $1)",
	"sluice.closing_sums":        "closing_id IN (SELECT id FROM sluice.closings WHERE organization_id = $1)",
	"sluice.certified_rows":      "certificate_id IN (SELECT id FROM sluice.certificates WHERE organization_id = $1)",
	"sluice.forecasts":           "run_id IN (SELECT id FROM sluice.runs WHERE organization_id = $1)",
	"sluice.sightings":           "run_id IN (SELECT id FROM sluice.runs WHERE organization_id = $1)",
}

// moves returns the tables that move.
func (m *member) moves() []string {
	m.Helper()
	return slices.Sorted(slices.Values(append(strings.Fields(moved), m.services()...)))
}

// services returns the tables of services.
func (m *member) services() []string {
	m.Helper()
	return list[string](m, `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN sluice.service_schemas s ON s.name = n.nspname WHERE c.relkind = 'r' ORDER BY 1`)
}

// contents returns a digest of the rows that an organization has in each table, and their number,
// without the tables that have none.
func (m *member) contents(organization string, tables []string) map[string]string {
	m.Helper()
	found := map[string]string{}
	for _, table := range tables {
		where := links[table]
		if where == "" {
			where = "organization_id = $1"
		}
		n := ask[int](m, "SELECT count(*) FROM "+table+" WHERE "+where, organization)
		if n > 0 {
			found[table] = fmt.Sprint(n, " rows, ", ask[string](m, "SELECT md5(string_agg(t::text, E'\\n' ORDER BY t::text)) FROM "+table+" t WHERE "+where, organization))
		}
	}
	return found
}

func TestEveryTableIsSorted(t *testing.T) {
	t.Parallel()
	m := fleet(t, "a")[0]
	known := map[string]int{}
	for table := range strings.FieldsSeq(moved + " " + dropped + " " + stays) {
		known[table]++
	}
	for _, table := range list[string](m, `SELECT c.oid::regclass::text FROM pg_class c WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
		AND c.relnamespace IN ('sluice'::regnamespace, 'history'::regnamespace, 'notifications'::regnamespace) ORDER BY 1`) {
		if known[table] != 1 {
			t.Errorf("table %s is in %d of the lists of this file: decide whether its rows move with an organization", table, known[table])
		}
		delete(known, table)
	}
	for table := range known {
		t.Errorf("there is no table %s any more", table)
	}
	if n := len(m.services()); n < 100 {
		t.Errorf("the services have %d tables", n)
	}
	all := m.columns()
	for _, table := range slices.Concat(m.moves(), strings.Fields(dropped)) {
		if keyed := slices.ContainsFunc(all[table], func(c column) bool { return c.Name == "organization_id" }); keyed == (links[table] != "") {
			t.Errorf("table %s has a column for the organization: %t; it is linked by another table: %t", table, keyed, !keyed)
		}
	}
	for table := range maps.Keys(links) {
		if !slices.Contains(m.moves(), table) {
			t.Errorf("linked table %s does not move", table)
		}
	}
}
