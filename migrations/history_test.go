package migrations_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
)

// all returns the settings of a configuration that keeps versions of every list.
func all(t *testing.T, url string) migrations.History {
	t.Helper()
	return migrations.History{Tables: list(t, url, `SELECT DISTINCT schema || '.' || name FROM sluice.table_columns WHERE column_name = '_raw_position' ORDER BY 1`)}
}

// objectsOfThePast gives the views of schema as_of and the functions of schema history that there are for
// single tables and views.
const objectsOfThePast = `
SELECT format('%I.%I', relnamespace::regnamespace, relname) FROM pg_class WHERE relnamespace = 'as_of'::regnamespace AND relkind = 'v' AND relname <> 'coverage'
UNION ALL
SELECT format('%I.%I', pronamespace::regnamespace, proname) FROM pg_proc
WHERE pronamespace = 'as_of'::regnamespace AND proname NOT IN ('day', 'chosen', 'ends', 'is_answerable') OR pronamespace = 'history'::regnamespace AND proname LIKE '%\_as\_of'
ORDER BY 1`

// TestHistoryMakesItsViewsAndFunctions: a database without history has none. A table whose versions
// are kept has its function and its view, and there are the views over it with all that they read.
func TestHistoryMakesItsViewsAndFunctions(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	if found := list(t, url, objectsOfThePast); len(found) != 0 {
		t.Fatalf("without history there are %q", found)
	}
	bills := migrations.History{Tables: []string{"inventory.bills"}}
	opts := migrations.Options{History: bills}
	if pending, err := migrations.PendingViews(t.Context(), url, bills); err != nil || !pending {
		t.Errorf("before migrate nothing is pending: %t, %v", pending, err)
	}
	must(t, migrations.Migrate(t.Context(), url, opts))
	if pending, err := migrations.PendingViews(t.Context(), url, bills); err != nil || pending {
		t.Errorf("after migrate: pending is %t, %v", pending, err)
	}
	role, worker := warehousetest.Worker(t, url) // it may not use schema as_of
	must(t, migrations.GrantWorker(t.Context(), url, role))
	if pending, err := migrations.PendingViews(t.Context(), worker, bills); err != nil || pending {
		t.Errorf("as a worker: pending is %t, %v", pending, err)
	}
	found := list(t, url, objectsOfThePast)
	for name, want := range map[string]bool{
		"history.inventory_bills_as_of": true, "history.inventory_bills_line_items_as_of": true, "as_of.inventory_bills": true, "as_of.inventory_bills_line_items": true,
		"as_of.bills": true, "as_of.ap_ageing": true, "as_of.ap_ageing_on": true, "as_of.vendors": true,
		"as_of.inventory_organizations": true, "history.inventory_organizations_as_of": false, // a view reads the table, and has no versions of it
		"as_of.stock": false, "as_of.chat_conversations": false, "history.inventory_items_as_of": false,
	} {
		if slices.Contains(found, name) != want {
			t.Errorf("there is %s: %t, want %t", name, !want, want)
		}
	}
	const made = `SELECT name || ' ' || applied_at FROM sluice.views ORDER BY 1`
	before := list(t, url, made)
	must(t, migrations.Migrate(t.Context(), url, opts))
	if diff := cmp.Diff(before, list(t, url, made)); diff != "" {
		t.Errorf("made again (-want +got):\n%s", diff)
	}
	script(t, url, `ALTER TABLE inventory.bills ADD COLUMN later text`)
	must(t, migrations.Migrate(t.Context(), url, opts))
	const last = `SELECT attname::text FROM pg_attribute WHERE attrelid = 'as_of.inventory_bills'::regclass ORDER BY attnum DESC LIMIT 1`
	if got := list(t, url, last); got[0] != "later" {
		t.Errorf("the last column of the view is %s", got[0])
	}
	every := all(t, url)
	must(t, migrations.Migrate(t.Context(), url, migrations.Options{History: every}))
	if found := list(t, url, objectsOfThePast); len(found) < 250 {
		t.Errorf("with history of every list there are only %d", len(found))
	}
}

// TestHistoryEnds: what was made for it is dropped, unless others built on it. Then the error names
// their objects, and all stays.
func TestHistoryEnds(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	both := migrations.Options{History: migrations.History{Tables: []string{"inventory.bills", "chat.conversations"}}}
	must(t, migrations.Migrate(t.Context(), url, both))
	whole := list(t, url, objectsOfThePast)
	script(t, url, `CREATE SCHEMA hers; CREATE VIEW hers.report AS SELECT bill_id FROM as_of.bills; CREATE VIEW hers.lines AS SELECT item_total FROM as_of.inventory_bills_line_items;
		CREATE VIEW hers.chats AS SELECT title FROM as_of.chat_conversations; CREATE VIEW hers.other AS SELECT 1 AS one FROM hers.report`)
	chats := migrations.Options{History: migrations.History{Tables: []string{"chat.conversations"}}}
	err := migrations.Migrate(t.Context(), url, chats)
	if !errors.Is(err, migrations.ErrDependents) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hers.chats") {
		t.Fatalf("Migrate = %v, want ErrDependents in one line", err)
	}
	for _, want := range []string{"view hers.report depends on view as_of.bills", "view hers.lines depends on view as_of.inventory_bills_line_items", "view hers.other"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
	if diff := cmp.Diff(whole, list(t, url, objectsOfThePast)); diff != "" {
		t.Errorf("dropped although it is used (-want +got):\n%s", diff)
	}
	outlook, err := migrations.Foresee(t.Context(), url, chats)
	must(t, err)
	if last := outlook.Steps; len(last) != 1 || len(last[0].Statements) != 2 || !strings.HasPrefix(last[0].Statements[1].SQL, "DROP VIEW as_of.") ||
		len(last[0].Statements[1].Locks) < 5 || !strings.HasPrefix(last[0].Statements[0].SQL, "DROP FUNCTION ") {
		t.Errorf("foreseen is %+v", last)
	}
	script(t, url, `DROP VIEW hers.report, hers.lines, hers.other`)
	must(t, migrations.Migrate(t.Context(), url, chats))
	left := list(t, url, objectsOfThePast)
	if slices.Contains(left, "as_of.inventory_bills") || slices.Contains(left, "history.inventory_bills_as_of") || !slices.Contains(left, "as_of.chats") ||
		!slices.Contains(left, "history.chat_conversations_as_of") {
		t.Errorf("left are %q", left)
	}
	script(t, url, `DROP VIEW hers.chats`)
	must(t, migrations.Migrate(t.Context(), url, migrations.Options{}))
	if left := append(list(t, url, objectsOfThePast), list(t, url, `SELECT name FROM sluice.views WHERE name LIKE '%.%'`)...); len(left) != 0 {
		t.Errorf("left are %q", left)
	}
	must(t, migrations.Migrate(t.Context(), url, both))
	if diff := cmp.Diff(whole, list(t, url, objectsOfThePast)); diff != "" {
		t.Errorf("on again (-want +got):\n%s", diff)
	}
}

// TestHistoryOfOtherOrganizations: another configuration keeps versions of its organizations in the
// same database. What they need stays until their period ends.
func TestHistoryOfOtherOrganizations(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	run(t, url, `INSERT INTO history.periods (organization_id, service, resource, in_schema, key_column, arrays, versions, daily, time_zone)
		VALUES ('theirs', 'inventory', 'bills', 'inventory', 'bill_id', '{}', true, '{}', 'UTC') RETURNING 'made'`)
	has := func(when string, organization string, want bool) {
		t.Helper()
		must(t, migrations.Migrate(t.Context(), url, migrations.Options{History: migrations.History{Organizations: []string{organization}}}))
		if found := list(t, url, objectsOfThePast); slices.Contains(found, "as_of.bills") != want {
			t.Errorf("%s there is %q", when, found)
		}
	}
	has("by the configuration of another organization", "ours", true)
	has("by its own configuration", "theirs", false)
	run(t, url, `UPDATE history.periods SET ended_at = clock_timestamp() RETURNING 'ended'`)
	has("after the period", "ours", false)
}
