package migrations_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"sluice/migrations"
)

// TestWhoMayReadWhat tries every table and view as a reader of each kind and as a stranger, after a
// migration and after the plan of a declared list.
func TestWhoMayReadWhat(t *testing.T) {
	t.Parallel()
	f := newReadable(t)
	f.mayRead()
	const plan = `CREATE SCHEMA IF NOT EXISTS "custom";
CREATE TABLE "custom"."lists" (organization_id text, _raw_position integer);
COMMENT ON TABLE "custom"."lists" IS 'A list.';
`
	must(t, migrations.Execute(t.Context(), f.url, migrations.Options{}, func(context.Context) (string, error) { return plan, nil }))
	if !slices.Contains(f.objects(), "custom.lists") {
		t.Fatal("the plan made no table")
	}
	f.mayRead()
}

// mayRead fails the test where a role may read what it must not, or must read what it may not, and
// where a reader may write or make anything.
func (f *readable) mayRead() {
	f.Helper()
	all, raw := []string{f.masked, f.unmasked, f.raw}, []string{f.raw}
	special := map[string][]string{
		"analytics.readers": nil, "sluice.organizations": raw, "sluice.raw_records": raw, "sluice.tombstones": raw, "sluice.columns": raw, "notifications.events": raw,
	}
	bySchema := map[string][]string{"analytics": all, "history": raw, "as_of": raw, "sluice": nil, "river": nil, "notifications": nil}
	services := list(f.T, f.url, `SELECT name FROM sluice.service_schemas`)
	for _, service := range services {
		bySchema[service] = raw
	}
	objects := f.objects()
	if len(objects) < 120 {
		f.Fatalf("there are %d tables and views only", len(objects))
	}
	for _, role := range append(all, f.stranger) {
		conn := f.as(role, nil)
		for _, object := range objects {
			schema, _, _ := strings.Cut(object, ".")
			may, isSpecial := special[object]
			if !isSpecial {
				may = bySchema[schema]
			}
			_, err := conn.Exec(f.Context(), "SELECT FROM "+object+" LIMIT 0")
			if want := slices.Contains(may, role); (err == nil) != want {
				f.Errorf("%s reads %s: %v, want that it may: %t", role, object, err, want)
			}
			if pg, ok := errors.AsType[*pgconn.PgError](err); err != nil && (!ok || pg.Code != "42501") {
				f.Errorf("%s reads %s: %v", role, object, err)
			}
		}
		for what, ask := range map[string]string{
			"write to": `SELECT c.oid::regclass::text FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v') AND c.oid >= 16384
				AND has_table_privilege('` + role + `', c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER, REFERENCES')`,
			"make things in": `SELECT n.nspname::text FROM pg_namespace n WHERE n.nspname !~ '^pg_' AND n.nspname <> 'public' AND has_schema_privilege('` + role + `', n.oid, 'CREATE')`,
		} {
			if found := list(f.T, f.url, ask); len(found) != 0 {
				f.Errorf("%s may %s %q", role, what, found)
			}
		}
	}
	for ask, want := range map[string]string{
		`SELECT count(*)::text FROM history.inventory_bills_as_of(now() - interval '1 hour')`: "2", `SELECT count(*)::text FROM history.on_day(NULL::inventory.bills, current_date)`: "2",
		`SELECT sluice.raw_record(1, 0) ->> 'name'`: "PERSONAL",
	} {
		var got string
		if err := f.as(f.raw, nil).QueryRow(f.Context(), ask).Scan(&got); err != nil || got != want {
			f.Errorf("a raw reader asks %s: %q, %v, want %q", ask, got, err, want)
		}
		if err := f.as(f.unmasked, nil).QueryRow(f.Context(), ask).Scan(&got); err == nil {
			f.Errorf("another reader gets an answer to %s: %q", ask, got)
		}
	}
}

// TestMaskedReadersSeeNothingPersonal searches every cell of every view for the marks of personal
// columns, as text and as JSON. An organization that a reader may not see has no row in any.
func TestMaskedReadersSeeNothingPersonal(t *testing.T) {
	t.Parallel()
	f := newReadable(t)
	masked, unmasked, raw := f.as(f.masked, nil), f.as(f.unmasked, nil), f.as(f.raw, nil)
	var empty, shown []string
	for _, answer := range f.answers() {
		rows := f.rows(masked, answer)
		if len(rows) == 0 {
			empty = append(empty, answer)
		}
		for _, row := range rows {
			if found := marks.FindAllString(row, -1); len(found) > 0 {
				slices.Sort(found)
				t.Errorf("a masked reader sees in %s: %q", answer, slices.Compact(found))
			}
		}
		open := f.rows(unmasked, answer)
		if slices.ContainsFunc(open, marks.MatchString) {
			shown = append(shown, answer)
		}
		for _, row := range append(rows, open...) {
			if strings.Contains(row, `"organization_id":"b"`) {
				t.Errorf("a reader of organization a sees in %s: %s", answer, row)
			}
		}
		both, limited := f.rows(raw, answer), slices.ContainsFunc(open, func(row string) bool { return strings.Contains(row, `"organization_id":"a"`) })
		if limited && len(both) <= len(open) && !strings.Contains(answer, "'a'") {
			t.Errorf("%s has %d rows of one organization and %d of two", answer, len(open), len(both))
		}
	}
	t.Logf("without rows: %q, with something personal for those who may see it: %q", empty, shown)
	for _, bites := range []string{"analytics.bills", "analytics.spend_lines", "analytics.organizations", "analytics.freshness", "analytics.deleted"} {
		if slices.Contains(empty, bites) {
			t.Errorf("%s has no row, so nothing of it was searched", bites)
		}
	}
	const contacts = "analytics.contacts"
	if slices.Contains(f.answers(), contacts) && !slices.Contains(shown, contacts) {
		t.Errorf("a reader of persons sees none in %s", contacts)
	}
}

// TestAReadersFunctionSeesNoOtherRow: a function of the reader in a condition is called for the
// reader's own rows alone, and with masked values.
func TestAReadersFunctionSeesNoOtherRow(t *testing.T) {
	t.Parallel()
	f := newReadable(t)
	var heard []string
	conn := f.as(f.masked, func(said string) { heard = append(heard, said) })
	_, err := conn.Exec(t.Context(), `CREATE FUNCTION pg_temp.peek(organization text, value text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS
		$$ BEGIN RAISE NOTICE 'peek %|%', organization, value; RETURN true; END $$`)
	must(t, err)
	views := list(t, f.url, `SELECT format('SELECT count(*) FROM analytics.%I WHERE %s', c.relname,
			string_agg(format('pg_temp.peek(organization_id, %I::text)', a.attname), ' AND ' ORDER BY a.attnum))
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
		WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind = 'v'
			AND EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'organization_id')
		GROUP BY c.relname ORDER BY c.relname`)
	if len(views) < 7 {
		t.Fatalf("only these views have organizations: %q", views)
	}
	for _, ask := range views {
		heard = nil
		_, err := conn.Exec(t.Context(), ask)
		must(t, err)
		for _, said := range heard {
			if !strings.HasPrefix(said, "peek a|") || marks.MatchString(said) {
				t.Errorf("%.60s… is called with %s", ask, said)
				break
			}
		}
	}
	// The same function on a view without the barrier hears of both: the test can hear.
	script(t, f.url, `CREATE VIEW analytics.leaky AS SELECT b.organization_id, b.status FROM inventory.bills b WHERE b.organization_id::text || '' = 'a' || repeat('', 1000);
		GRANT SELECT ON analytics.leaky TO `+f.masked)
	heard = nil
	_, err = conn.Exec(t.Context(), `SELECT count(*) FROM analytics.leaky WHERE pg_temp.peek(organization_id, '')`)
	must(t, err)
	if !slices.ContainsFunc(heard, func(said string) bool { return strings.HasPrefix(said, "peek b|") }) {
		t.Errorf("a view without the barrier is as tight: %q", heard)
	}
}
