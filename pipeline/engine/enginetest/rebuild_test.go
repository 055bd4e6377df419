package enginetest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/check"
	"sluice/pipeline/lineage/rebuild"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// rebuilt rebuilds all lists, each of which has a record for each row, and returns the counts.
func (f *fixture) rebuilt(scope rebuild.Scope, dry bool) map[string]rebuild.Counts {
	f.t.Helper()
	streams := check.Sure(f.app.Rebuildable(nil, ""))(f.t)
	found := map[string]rebuild.Counts{}
	for _, stream := range streams {
		counts := check.Sure(f.app.Rebuild(f.t.Context(), stream, scope, dry, nil))(f.t)
		name := stream.Service.Name + "." + stream.Resource.Name
		if found[name] = counts; counts.Rejected+counts.Lost != 0 {
			f.t.Errorf("%s: %+v", name, counts)
		}
	}
	return found
}

// edited changes each column of each table in one row, as little as its type allows. It takes
// another row for each column of a table where there are enough rows. Keys and undeclared columns
// stay.
func (f *fixture) edited() {
	f.t.Helper()
	f.exec(`DO $$
DECLARE c record; done bigint; edits bigint := 0;
BEGIN
	FOR c IN SELECT a.attrelid::regclass AS relation, quote_ident(a.attname) AS name, a.atttypid::regtype::text AS type,
			row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS place
		FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid JOIN pg_namespace n ON n.oid = t.relnamespace
		WHERE t.relkind = 'r' AND n.nspname IN ('accounting', 'inventory', 'chat') AND a.attnum > 0 AND NOT a.attisdropped
			AND NOT starts_with(a.attname, '_') AND a.attname <> 'organization_id'
			AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = t.oid AND k.contype = 'p' AND a.attnum = ANY (k.conkey))
	LOOP
		EXECUTE format('UPDATE %1$s AS t SET %2$s = %3$s WHERE t.ctid = (SELECT f.ctid FROM %1$s AS f WHERE f.%2$s IS NOT NULL
			ORDER BY f::text OFFSET (SELECT %4$s %% greatest(count(*), 1) FROM %1$s AS w WHERE w.%2$s IS NOT NULL) LIMIT 1)',
			c.relation, c.name, CASE c.type WHEN 'boolean' THEN 'NOT ' || c.name WHEN 'jsonb' THEN 'jsonb_build_array(' || c.name || ')'
				ELSE c.name || CASE c.type WHEN 'text' THEN $q$ || ' '$q$
					WHEN 'timestamp with time zone' THEN $q$ + interval '1 microsecond'$q$ ELSE ' + 1' END END, c.place);
		GET DIAGNOSTICS done = ROW_COUNT;
		edits := edits + done;
	END LOOP;
	ASSERT edits > 100, 'only ' || edits || ' edits';
END $$`)
}

// TestRebuild: after any damage all tables are what they were, without a call, and repeatedly; with
// tombstones, single records and exports. What verify found is gone.
func TestRebuild(t *testing.T) {
	f := newFixture(t, sandbox.Options{Seed: 61, Records: 60, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}, sixLists(), "", single())
	f.copies()
	f.exec(`UPDATE inventory.bills SET _deleted_at = '2026-01-01' WHERE bill_id IN (SELECT _parent_id FROM inventory.bills_line_items LIMIT 3)`)
	for array := range strings.FieldsSeq(one[string](f, `SELECT string_agg(relname, ' ') FROM pg_class WHERE relkind = 'r' AND relname LIKE 'bills\_%'`)) {
		f.exec(`UPDATE inventory.` + array + ` AS c SET _deleted_at = b._deleted_at FROM inventory.bills b WHERE b.bill_id = c._parent_id AND b._deleted_at IS NOT NULL`)
	}
	digests := func() map[string]string {
		t.Helper()
		return warehousetest.Digests(t, f.conn)
	}
	before, calls := digests(), f.calls()
	check.FatalIf(t, len(before) < 10, "only %d tables hold anything: %v", len(before), before)
	warehousetest.Damage(t, f.conn)
	if plan := f.rebuilt(rebuild.All, true); plan["inventory.bills"].Rewritten == 0 || plan["inventory.bills"].Rewritten != plan["inventory.bills"].Rows {
		t.Errorf("the plan: %+v", plan)
	}
	plan := f.rebuilt(rebuild.Changed, true)
	check.ErrorIf(t, plan["inventory.bills"].Rewritten != 0, "no declaration changed: %+v", plan)
	got := digests()
	check.ErrorIf(t, got["inventory.items"] == before["inventory.items"], "a dry run writes")
	for _, step := range []struct {
		what    string
		before  func()
		rewrite bool
	}{{"after edits of the tables", func() {}, true}, {"again", func() {}, false}, {"after an edit of each column", f.edited, true}} {
		step.before()
		rewritten := 0
		for resource, counts := range f.rebuilt(rebuild.All, false) {
			if rewritten += counts.Rewritten; !step.rewrite && counts.Rewritten > 0 {
				t.Errorf("%s, %s: %+v", step.what, resource, counts)
			}
		}
		check.ErrorIf(t, step.rewrite && rewritten == 0, "%s: nothing was written", step.what)
		diff := cmp.Diff(before, digests())
		check.ErrorIf(t, diff != "", "%s (-before +after):\n%s", step.what, diff)
	}
	check.Same(t, "calls", calls, f.calls())
	found := f.verify(0, 0)
	check.ErrorIf(t, len(found.Findings) != 0, "verify finds %+v", found.Findings)
	// A later sync finds no change: the hashes are those of the records.
	f.exec(`UPDATE sluice.runs SET updated = 0, silent = 0`)
	f.copies()
	check.Same(t, "rows that the next sync updates", 0, one[int](f, `SELECT sum(updated) FROM sluice.runs`))
}

// TestRetriesTogether retries records that one call brought: most fit, one is refused by the
// database, one came in two versions, and one still does not fit. Each has its own result.
func TestRetriesTogether(t *testing.T) {
	f := newFixture(t, sandbox.Options{Seed: 95, Records: 10}, []string{"inventory.items"}, "", single())
	f.exec(`ALTER TABLE inventory.items ADD CONSTRAINT good CHECK (name <> 'bad') NOT VALID`)
	f.exec(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, call_id)
SELECT $1, 'inventory', 'items', sha256(raw::bytea), raw::json ->> 'item_id', convert_to(raw, 'UTF8'), 'bad_number', 'rate', 7
FROM unnest(ARRAY['{"item_id": "81", "name": "a", "rate": 1}', '{"item_id": "82", "name": "bad"}', '{"item_id": "83", "name": "b"}',
	'{"item_id": "83", "name": "c"}', '{"item_id": "84", "rate": "much"}', '{"item_id": "85", "name": "d"}']) AS raw`, single().key)
	entries := check.Sure(f.app.DB.Quarantine(t.Context(), quarantine.Filter{State: "open"}))(t)
	var ids []int64
	for i := range entries {
		ids = append(ids, entries[i].ID)
	}
	results := check.Sure(f.app.Retry(t.Context(), ids...))(t)
	loaded := map[string]int{}
	for _, result := range results {
		if record := one[string](f, `SELECT record_id FROM sluice.quarantine WHERE id = $1`, result.ID); result.Loaded {
			loaded[record]++
		} else if want := map[string]string{"82": "the database refuses it", "84": "number"}[record]; want == "" || !strings.Contains(result.Why, want) {
			t.Errorf("%s is not loaded: %q", record, result.Why)
		}
	}
	check.Same(t, "loaded", map[string]int{"81": 1, "83": 2, "85": 1}, loaded)
	check.Same(t, "the rows", "81 83 85", one[string](f, `SELECT string_agg(item_id, ' ' ORDER BY item_id) FROM inventory.items`))
	check.Same(t, "open", "82 84", one[string](f, `SELECT string_agg(record_id, ' ' ORDER BY record_id) FROM sluice.quarantine WHERE state = 'open'`))
	check.Same(t, "runs loaded them, want 2: the versions of one record apart", 2, one[int](f, `SELECT count(*) FROM sluice.runs`))
}
