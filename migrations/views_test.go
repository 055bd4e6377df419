package migrations_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"sluice/migrations"
	"sluice/pipeline/check"
)

// TestViewsAreMadeAgainWhenTheirTextChanges: a view that did not change is not touched, one that
// gained a column is replaced with what depends on it in place, and none loses a column.
func TestViewsAreMadeAgainWhenTheirTextChanges(t *testing.T) {
	url := parallel(t)
	text := func(columns string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`CREATE OR REPLACE VIEW analytics.base AS SELECT ` + columns)}
	}
	views := fstest.MapFS{
		"views/above.sql": {Data: []byte(`CREATE OR REPLACE VIEW analytics.above AS SELECT one FROM analytics.base`)}, // reads a later file
		"views/base.sql":  text(`1 AS one`),
	}
	const made = `SELECT v.name || ' ' || v.applied_at || ' ' || c.xmin FROM sluice.views v
		JOIN pg_class c ON c.oid = to_regclass('analytics.' || v.name) ORDER BY v.name`
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views)))
	first := list(t, url, made)
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views)))
	check.Same(t, "views that did not change were made again", first, list(t, url, made))
	views["views/base.sql"] = text(`1 AS one, 2 AS two`)
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views)))
	got := list(t, url, `SELECT attname::text FROM pg_attribute WHERE attrelid = 'analytics.base'::regclass AND attnum > 0 ORDER BY attnum`)
	check.ErrorIf(t, len(got) != 2, "the view has the columns %q, want two", got)
	views["views/base.sql"] = text(`2 AS two`)
	err := migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views))
	check.ErrorIf(t, !errors.Is(err, migrations.ErrViewLosesColumns), "a view lost a column: %v", err)
	if got := list(t, url, `SELECT one::text FROM analytics.above`); len(got) != 1 || got[0] != "1" {
		t.Errorf("after the refusal: %q", got)
	}
	function := func(columns, row string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`CREATE OR REPLACE FUNCTION analytics.before(number integer) RETURNS TABLE (` + columns + `)
			LANGUAGE sql STABLE BEGIN ATOMIC SELECT ` + row + ` FROM analytics.base WHERE one < number; END`)}
	}
	views["views/base.sql"] = text(`1 AS one, 2 AS two`)
	views["views/before.sql"] = function(`one integer`, `one`) // before its name, and reads the later one
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views)))
	views["views/before.sql"] = function(`one integer`, `one + 1`)
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views)))
	if got := list(t, url, `SELECT one::text FROM analytics.before(2)`); len(got) != 1 || got[0] != "2" {
		t.Errorf("the function that was replaced returns %q", got)
	}
	views["views/before.sql"] = function(`one integer, two integer`, `one, two`)
	err = migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views))
	check.ErrorIf(t, !errors.Is(err, migrations.ErrViewLosesColumns), "a function returns other columns: %v", err)
	pending, err := migrations.PendingViews(t.Context(), migrated(t), migrations.History{})
	check.ErrorIf(t, err != nil || pending, "a migrated database lacks views: %t, %v", pending, err)
	circle := fstest.MapFS{
		"views/a.sql": {Data: []byte(`CREATE OR REPLACE VIEW analytics.a AS SELECT * FROM analytics.b`)},
		"views/b.sql": {Data: []byte(`CREATE OR REPLACE VIEW analytics.b AS SELECT * FROM analytics.a`)},
	}
	check.ErrorIf(t, migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, circle)) == nil,
		"views that read each other are made")
}

// TestUnionsAreHidden: Postgres takes a bare union out of its view, barrier or not, so that a
// reader's function would be called for rows of other organizations.
func TestUnionsAreHidden(t *testing.T) {
	t.Parallel()
	names := check.Sure(filepath.Glob("views/*.sql"))(t)
	check.FatalIf(t, len(names) < 40, "only %d views", len(names))
	for _, name := range names {
		text := check.Sure(os.ReadFile(name))(t)
		check.ErrorIf(t, strings.Contains("\n"+string(text), "\nUNION"), "%s: select from the union in a subquery", name)
	}
}

func TestShareOfBillsWithLines(t *testing.T) {
	url := parallel(t)
	list(t, url, `INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('a', 'Acme', 'UTC'), ('b', 'Beta', 'UTC') RETURNING 'made'`)
	list(t, url, `INSERT INTO inventory.bills (organization_id, bill_id, date, sub_total, tax_total, balance, exchange_rate,
			_detail_state, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
		SELECT organization, id, day, net, tax, open, rate, state, '\x00', 1, 0, 1, now(), now() FROM (VALUES
			('a', '1', date '2026-01-01', 100, 19, 0, 2, 'current'),
			('a', '2', date '2026-01-31', 50, NULL, 0, NULL, 'none_needed'),
			('a', '3', date '2026-01-15', NULL, null::numeric, 30, 1, 'pending'),
			('a', '4', date '2026-01-15', null::numeric, NULL, null::numeric, 1, 'failed'),
			('a', '5', date '2026-02-01', 10, 1, 0, 1, 'stale'),
			('b', '1', null::date, NULL, null::numeric, NULL, null::numeric, 'current')
		) AS made (organization, id, day, net, tax, open, rate, state) RETURNING 'made'`)
	got := list(t, url, `SELECT concat_ws(' ', organization_id, coalesce(month::text, 'undated'), bills, bills_with_lines, share_of_bills,
			coalesce(value::text, 'unknown'), value_with_lines, coalesce(share_of_value::text, 'unknown'), bills_without_value)
		FROM analytics.bill_lines_loaded ORDER BY organization_id, month`)
	want := []string{
		"a 2026-01-01 4 2 0.5000 238 238 1.0000 3",
		"a 2026-02-01 1 0 0.0000 11 0 0.0000 0",
		"b undated 1 1 1.0000 unknown 0 unknown 1",
	}
	check.Same(t, "by month", want, got)
}

// TestEveryTableForAnalystsIsExplained covers the tables and views of services.
func TestEveryTableForAnalystsIsExplained(t *testing.T) {
	t.Parallel()
	const here = `FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
		WHERE nspname IN ('accounting', 'invoicing', 'billing', 'inventory', 'chat', 'analytics', 'notifications') AND relkind IN ('r', 'v')`
	url := migrated(t)
	tables := list(t, url, `SELECT c.oid::regclass::text `+here)
	check.FatalIf(t, len(tables) < 50, "only %d tables: %v", len(tables), tables)
	bare := list(t, url, `SELECT c.oid::regclass::text `+here+` AND coalesce(obj_description(c.oid, 'pg_class'), '') !~ '\.$'
		UNION ALL SELECT attrelid::regclass || '.' || attname FROM pg_attribute
		WHERE attrelid IN (SELECT c.oid `+here+`) AND attnum > 0 AND coalesce(col_description(attrelid, attnum), '') !~ '\.$'`)
	check.ErrorIf(t, len(bare) != 0, "without a comment that ends with a full stop: %v", bare)
}

// TestRunsAreKept: runs older than the given age are deleted, except for the last 400 of a stream,
// open ones, and those that a stream or an entry of the quarantine names. Verifications and
// processes of that age are deleted, too.
func TestRunsAreKept(t *testing.T) {
	url := parallel(t)
	list(t, url, `WITH made AS (
		INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome)
		SELECT '1', 'shop', resource, 'sweep', 0, now() - ago, CASE WHEN n <> 7 THEN now() - ago END, CASE WHEN n <> 7 THEN 'done' END
		FROM (VALUES ('many', 500), ('few', 300)) AS s (resource, runs), LATERAL generate_series(1, runs) AS n,
			LATERAL (SELECT make_interval(days => CASE WHEN n <= 60 THEN 500 ELSE 100 END) AS ago) AS a
		ORDER BY resource DESC, n RETURNING id, resource
	) SELECT 'made' FROM made LIMIT 1`)
	list(t, url, `INSERT INTO sluice.streams (organization_id, service, resource, every, last_run_id)
		SELECT '1', 'shop', resource, '1 h', min(id) + 9 FROM sluice.runs GROUP BY resource RETURNING 'made'`)
	list(t, url, `INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, raw, code, run_id)
		SELECT '1', 'shop', 'many', '\x01', '', 'no_id', min(id) + 19 FROM sluice.runs WHERE resource = 'many' RETURNING 'made'`)
	list(t, url, `INSERT INTO sluice.verifications (started_at, calls_allowed) VALUES (now() - interval '500 days', 1), (now(), 2) RETURNING 'made'`)
	list(t, url, `INSERT INTO sluice.findings (verification_id, number, severity, source, code, organization_id, service, resource, detail)
		SELECT id, 1, 'notice', 'check', 'x', '', '', '', 'x' FROM sluice.verifications RETURNING 'made'`)
	list(t, url, `INSERT INTO sluice.processes (name, started_at, stopped_at) VALUES ('old', now() - interval '500 days', now() - interval '499 days'),
		('killed', now() - interval '500 days', NULL), ('new', now(), NULL) RETURNING 'made'`)
	for _, step := range []struct {
		query string
		want  []string
	}{
		{`SELECT sluice.prune_runs('400 days', 20)::text`, []string{"20"}},
		{`SELECT sluice.prune_runs('400 days')::text`, []string{"37"}}, // of 60 old ones, without the open one and the two that are named
		{`SELECT sluice.prune_runs('400 days')::text`, []string{"0"}},
		{`SELECT resource || ' ' || count(*) FROM sluice.runs GROUP BY resource ORDER BY 1`, []string{"few 300", "many 443"}},
		{`SELECT calls_allowed::text FROM sluice.verifications`, []string{"2"}},
		{`SELECT count(*)::text FROM sluice.findings`, []string{"1"}},
		{`SELECT name FROM sluice.processes`, []string{"new"}},
		{`SELECT sluice.prune_runs('840 hours')::text`, []string{"40"}}, // retention.runs is 840h at least; 403 of 443 stay: the last 400, and three as above
	} {
		check.Same(t, step.query, step.want, list(t, url, step.query))
	}
}
