package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox"
)

// digests are the digests of all tables of records: every column of every row.
func (s *fixture) digests() map[string]string {
	s.t.Helper()
	found := map[string]string{}
	for table := range strings.FieldsSeq(one[string](s, `SELECT string_agg(format('%I.%I', n.nspname, c.relname), ' ') FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
		WHERE c.relkind = 'r' AND n.nspname NOT IN ('sluice', 'river') AND pg_relation_size(c.oid) > 0`)) {
		if rows := one[string](s, `SELECT count(*) || ' rows, ' || coalesce(md5(string_agg(t::text, E'\n' ORDER BY t::text)), '') FROM `+table+` t`); rows != "0 rows, " {
			found[table] = rows
		}
	}
	return found
}

// rebuilt rebuilds and gives the result for each resource.
func (s *fixture) rebuilt(code int, args ...string) map[string]filledView {
	s.t.Helper()
	var views []rebuiltView
	o := s.run(append([]string{"--json", "rebuild"}, args...)...)
	if o.code != code {
		s.t.Fatalf("rebuild %q: exit code %d, want %d\n%s%s", args, o.code, code, o.stdout, o.stderr)
	}
	must(s.t, json.Unmarshal([]byte(o.stdout), &views))
	found := map[string]filledView{}
	for _, v := range views {
		if v.Error != "" {
			s.t.Logf("%s: %s", v.Resource, v.Error)
		}
		found[v.Resource] = v.filledView
	}
	return found
}

// tampered damages tables as a person could, and leaves tombstones and calls alone.
func (s *fixture) tampered() {
	s.t.Helper()
	s.exec(`UPDATE inventory.items SET name = 'edited', rate = NULL`)
	s.exec(`UPDATE inventory.bills SET vendor_name = NULL, sub_total = 0`)
	s.exec(`DELETE FROM inventory.bills_line_items WHERE _position > 0`)
	// Damage to elements alone: some records have fewer, others more.
	s.exec(`DELETE FROM accounting.vendor_payments_bills WHERE mod(hashtext(_parent_id), 2) = 0`)
	s.exec(`INSERT INTO accounting.vendor_payments_bills SELECT (jsonb_populate_record(b, '{"_position": 99}')).* FROM accounting.vendor_payments_bills b
		WHERE _position = 0`)
	s.exec(`UPDATE chat.conversations SET title = 'edited'`)
}

// edited changes each column of each table in one row, as little as its type allows. It takes
// another row for each column of a table where there are enough rows. Keys and undeclared columns
// stay.
func (s *fixture) edited() {
	s.t.Helper()
	s.exec(`DO $$
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
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 61, Records: 60, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	s.exec(`UPDATE inventory.bills SET _deleted_at = '2026-01-01' WHERE bill_id IN (SELECT _parent_id FROM inventory.bills_line_items LIMIT 3)`)
	for array := range strings.FieldsSeq(one[string](s, `SELECT string_agg(relname, ' ') FROM pg_class WHERE relkind = 'r' AND relname LIKE 'bills\_%'`)) {
		s.exec(`UPDATE inventory.` + array + ` AS c SET _deleted_at = b._deleted_at FROM inventory.bills b WHERE b.bill_id = c._parent_id AND b._deleted_at IS NOT NULL`)
	}
	before, calls := s.digests(), s.calls()
	if len(before) < 10 {
		t.Fatalf("only %d tables hold anything: %v", len(before), before)
	}
	s.tampered()
	if plan := s.rebuilt(codeFine, "--dry-run"); plan["inventory.bills"].Rewritten == 0 || plan["inventory.bills"].Rewritten != plan["inventory.bills"].Rows {
		t.Errorf("the plan: %+v", plan)
	}
	if plan := s.rebuilt(codeFine, "--dry-run", "--changed"); plan["inventory.bills"].Rewritten != 0 {
		t.Errorf("no declaration changed: %+v", plan)
	}
	if got := s.digests(); got["inventory.items"] == before["inventory.items"] {
		t.Error("a dry run writes")
	}
	for _, step := range []struct {
		what    string
		before  func()
		rewrite bool
	}{{"after edits of the tables", func() {}, true}, {"again", func() {}, false}, {"after an edit of each column", s.edited, true}} {
		step.before()
		rewritten := 0
		for resource, counts := range s.rebuilt(codeFine) {
			if rewritten += counts.Rewritten; counts.Rejected+counts.Lost != 0 || !step.rewrite && counts.Rewritten > 0 {
				t.Errorf("%s, %s: %+v", step.what, resource, counts)
			}
		}
		if step.rewrite && rewritten == 0 {
			t.Errorf("%s: nothing was written", step.what)
		}
		if diff := cmp.Diff(before, s.digests()); diff != "" {
			t.Errorf("%s (-before +after):\n%s", step.what, diff)
		}
	}
	if got := s.calls(); got != calls {
		t.Errorf("%d calls were made", got-calls)
	}
	if found := s.verified(codeFine, "--local"); len(found.Findings) != 0 {
		t.Errorf("verify finds %+v", found.Findings)
	}
	// A later sync finds no change: the hashes are those of the records.
	s.exec(`UPDATE sluice.runs SET updated = 0, silent = 0`)
	s.sync(codeFine)
	if updated := one[int](s, `SELECT sum(updated) FROM sluice.runs`); updated != 0 {
		t.Errorf("the next sync updates %d rows", updated)
	}
}
