package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/connectors"
	"sluice/migrations"
	"sluice/schema"
	"sluice/schema/schematest"
)

// declares writes the declarations into a database and returns how many rows that changed.
func declares(t *testing.T, url string, services []schema.Service) int {
	t.Helper()
	changed, err := migrations.Declare(t.Context(), url, services)
	must(t, err)
	return changed
}

// TestColumnsAreThoseOfTheDeclarations: sluice.columns has every column of every copied table that
// upstream or the engine gives a value, and is written only when it differs.
func TestColumnsAreThoseOfTheDeclarations(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	const inDatabase = `SELECT concat_ws('.', n.nspname, c.relname, a.attname)
		FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname IN (SELECT name FROM sluice.service_schemas) AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
			AND a.attname NOT LIKE '\_%' AND NOT (a.attname = 'organization_id' AND a.attnum = 1)
		ORDER BY 1`
	want := list(t, url, inDatabase)
	if len(want) < 400 {
		t.Fatalf("the copied tables have %d columns only", len(want))
	}
	services := connectors.All()
	if changed := declares(t, url, services); changed != len(want) {
		t.Errorf("%d rows were written, the tables have %d columns", changed, len(want))
	}
	if diff := cmp.Diff(want, list(t, url, `SELECT concat_ws('.', schema_name, table_name, column_name) FROM sluice.columns ORDER BY 1`)); diff != "" {
		t.Errorf("columns (-database +declared):\n%s", diff)
	}
	for what, ask := range map[string]string{
		"a column without a sentence":      `SELECT column_name FROM sluice.columns WHERE sentence = ''`,
		"a column without a known kind":    `SELECT column_name FROM sluice.columns WHERE kind NOT IN ('id', 'text', 'bool', 'int', 'decimal', 'date', 'time', 'json')`,
		"a kind of another type than told": `SELECT c.column_name FROM sluice.columns c JOIN information_schema.columns i ON (i.table_schema, i.table_name, i.column_name) = (c.schema_name, c.table_name, c.column_name) WHERE i.data_type <> CASE c.kind WHEN 'id' THEN 'text' WHEN 'text' THEN 'text' WHEN 'bool' THEN 'boolean' WHEN 'int' THEN 'bigint' WHEN 'decimal' THEN 'numeric' WHEN 'date' THEN 'date' WHEN 'time' THEN 'timestamp with time zone' ELSE 'jsonb' END`,
		"two columns at one place":         `SELECT min(column_name) FROM sluice.columns GROUP BY schema_name, table_name, place HAVING count(*) > 1`,
	} {
		if found := list(t, url, ask); len(found) != 0 {
			t.Errorf("%s: %q", what, found)
		}
	}
	if changed := declares(t, url, services); changed != 0 {
		t.Errorf("%d rows were written again", changed)
	}
	list(t, url, `WITH moved AS (UPDATE sluice.columns SET class = 'plain' WHERE (schema_name, table_name, column_name) = ('inventory', 'bills', 'notes') RETURNING 1),
		gone AS (DELETE FROM sluice.columns WHERE (schema_name, table_name, column_name) = ('inventory', 'bills', 'status') RETURNING 1),
		strange AS (INSERT INTO sluice.columns VALUES ('inventory', 'bills', 'strange', 900, 'text', 'plain', false, 'strange', 'Not declared.') RETURNING 1)
		SELECT 'spoiled'`)
	if changed := declares(t, url, services); changed != 3 {
		t.Errorf("%d rows were mended, want 3", changed)
	}
	// What is declared and not in the database is not in it: the plan of a declared list may still
	// wait to be accepted.
	if changed := declares(t, url, append(connectors.All(), schematest.Shop())); changed != 0 {
		t.Errorf("%d rows of tables that do not exist were written", changed)
	}
}
