package migrations_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
)

// TestFunctionsSeeNoOthersSchema: a function that looks for names in other schemas executes another
// role's objects there, with the rights of its caller. So each function has a pinned search path,
// or its body was parsed when it was created and looks up no name later. The functions of the
// second kind are inlined into their callers; they are those of schema analytics, and listed here.
func TestFunctionsSeeNoOthersSchema(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	must(t, migrations.Migrate(t.Context(), url, migrations.Options{History: all(t, url)}))
	const open = `SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace::regnamespace::text IN ('sluice', 'history', 'as_of', 'analytics', 'notifications')
		AND prosqlbody IS NULL AND coalesce(NOT 'search_path=pg_catalog, pg_temp' = ANY (proconfig), true) ORDER BY 1`
	if diff := cmp.Diff([]string{}, list(t, url, open)); diff != "" {
		t.Errorf("functions without SET search_path = pg_catalog, pg_temp (-want +got):\n%s", diff)
	}
	const parsed = `SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace::regnamespace::text IN ('sluice', 'history', 'notifications') AND prosqlbody IS NOT NULL ORDER BY 1`
	inlined := []string{"sluice.last_reset(timestamp with time zone,integer,text)"} // every reservation asks twice
	if diff := cmp.Diff(inlined, list(t, url, parsed)); diff != "" {
		t.Errorf("functions whose body was parsed when they were made (-want +got):\n%s", diff)
	}
	if readers := list(t, url, `SELECT proname::text FROM pg_proc WHERE pronamespace = 'history'::regnamespace AND proname LIKE '%_as_of'`); len(readers) < 40 {
		t.Errorf("functions that were made for tables are to be looked at, too, and are: %q", readers)
	}
}

// TestTheTurnOfADayLooksForNoName: the search path of the function is not pinned, so that it can be
// inlined. Even so it calls no object that another role has put before those of Postgres.
func TestTheTurnOfADayLooksForNoName(t *testing.T) {
	t.Parallel()
	planted := warehousetest.Connect(t, migrated(t))
	for _, sql := range []string{
		`CREATE FUNCTION public.make_interval(hours integer) RETURNS interval LANGUAGE sql AS 'SELECT NULL::interval'`,
		`CREATE FUNCTION public.date_trunc(text, timestamp) RETURNS timestamp LANGUAGE sql AS 'SELECT NULL::timestamp'`,
		`CREATE FUNCTION public.timezone(text, timestamptz) RETURNS timestamp LANGUAGE sql AS 'SELECT NULL::timestamp'`,
		`CREATE FUNCTION public.shift(timestamp, interval) RETURNS timestamp LANGUAGE sql AS 'SELECT NULL::timestamp'`,
		`CREATE OPERATOR public.+ (FUNCTION = public.shift, LEFTARG = timestamp, RIGHTARG = interval)`,
		`CREATE OPERATOR public.- (FUNCTION = public.shift, LEFTARG = timestamp, RIGHTARG = interval)`,
		`SET search_path = public, pg_catalog`,
	} {
		if _, err := planted.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	var turn time.Time
	const ask = `SELECT sluice.last_reset('2026-03-02 01:00+00', 9, 'Asia/Kolkata')` // 06:30 there: the day turned at 09:00 of the day before
	if err := planted.QueryRow(t.Context(), ask).Scan(&turn); err != nil || !turn.Equal(time.Date(2026, 3, 1, 3, 30, 0, 0, time.UTC)) {
		t.Errorf("the last turn is %s (%v)", turn, err)
	}
}

// TestUpgradeBesideObjectsOfOthers: another role has planted objects before a database is upgraded.
// The program makes no function for tables of that role, so that the role can drop them.
func TestUpgradeBesideObjectsOfOthers(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	opts := migrations.Options{History: all(t, url)}
	strangers := warehousetest.Plant(t, url)
	for range 2 {
		must(t, migrations.Migrate(t.Context(), url, later(t, opts)))
		strangers.Loot()
		made := list(t, url, `SELECT proname::text FROM pg_proc WHERE pronamespace = 'history'::regnamespace AND proname ~ '^(mart|public)_|copied|trap' ORDER BY 1`)
		if diff := cmp.Diff([]string{}, made); diff != "" {
			t.Errorf("functions for tables of others (-want +got):\n%s", diff)
		}
	}
	strangers.Exec(`DROP TABLE mart.lines; DROP TABLE inventory.trap; CREATE TABLE mart.lines AS SELECT * FROM inventory.bills_line_items`)
	err := migrations.Execute(t.Context(), url, migrations.Options{}, func(context.Context) (string, error) {
		return `CREATE SCHEMA IF NOT EXISTS custom; CREATE TABLE custom.things (organization_id text, thing_id text, _raw_position integer)`, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	opts.History.Tables = append(opts.History.Tables, "custom.things")
	must(t, migrations.Migrate(t.Context(), url, later(t, opts)))
	if got := list(t, url, `SELECT to_regproc('history.custom_things_as_of')::text`); got[0] != "history.custom_things_as_of" {
		t.Errorf("the new table has no function: %q", got)
	}
	strangers.Loot()
}
