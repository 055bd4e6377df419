package migrations_test

import (
	"database/sql"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver that goose speaks through
	"github.com/pressly/goose/v3"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
)

// before brings a database to the version before the one that is to be tried.
func before(t *testing.T, version int64) string {
	t.Helper()
	url := warehousetest.New(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), `CREATE SCHEMA sluice`); err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS,
		goose.WithTableName("sluice.schema_version"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), version-1); err != nil {
		t.Fatal(err)
	}
	return url
}

// breadth is the version that brought details.
const breadth = 4

// Rows that were loaded before there were details: those without lines are asked
// for, those with lines are not.
func TestRowsWithoutLinesBecomePending(t *testing.T) {
	t.Parallel()
	url := before(t, breadth)
	const ours = `_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at) SELECT `
	for table, key := range map[string][2]string{
		"accounting.vendor_payments": {"payment_id", "bills"},
		"inventory.items":            {"item_id", "locations"},
		"inventory.bills":            {"bill_id", "line_items"},
		"inventory.credit_notes":     {"creditnote_id", "line_items"},
	} {
		list(t, url, `INSERT INTO `+table+` (organization_id, `+key[0]+`, `+ours+
			`organization, id, '\x00', 1, 0, 1, now(), now()
			FROM unnest(ARRAY['a', 'a', 'b'], ARRAY['1', '2', '1']) AS made (organization, id) RETURNING 'made'`)
		list(t, url, `INSERT INTO `+table+`_`+key[1]+` (organization_id, _parent_id, _position) VALUES ('a', '1', 0) RETURNING 'made'`)
	}
	if err := migrations.Migrate(t.Context(), url, migrations.Options{}); err != nil {
		t.Fatal(err)
	}
	want := []string{"a 1 none_needed", "a 2 pending", "b 1 pending"}
	for table, key := range map[string]string{
		"accounting.vendor_payments": "payment_id",
		"inventory.items":            "item_id",
		"inventory.bills":            "bill_id",
		"inventory.credit_notes":     "creditnote_id",
	} {
		got := list(t, url, `SELECT organization_id || ' ' || `+key+` || ' ' || _detail_state FROM `+table+` ORDER BY 1`)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", table, diff)
		}
	}
}

func TestShareOfBillsWithLines(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	list(t, url, `INSERT INTO inventory.bills (organization_id, bill_id, date, sub_total, tax_total, balance, exchange_rate,
			_detail_state, _hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
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
		"a 2026-01-01 4 2 0.5000 318 288 0.9057 1",
		"a 2026-02-01 1 0 0.0000 11 0 0.0000 0",
		"b undated 1 1 1.0000 unknown 0 unknown 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by month (-want +got):\n%s", diff)
	}
}

// TestEveryTableForAnalystsIsExplained covers what services' tables and views hold.
func TestEveryTableForAnalystsIsExplained(t *testing.T) {
	t.Parallel()
	const here = `FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
		WHERE nspname IN ('accounting', 'invoicing', 'billing', 'inventory', 'chat', 'analytics') AND relkind IN ('r', 'v')`
	url := migrated(t)
	if tables := list(t, url, `SELECT c.oid::regclass::text `+here); len(tables) < 50 {
		t.Fatalf("only %d tables: %v", len(tables), tables)
	}
	bare := list(t, url, `SELECT c.oid::regclass::text `+here+` AND coalesce(obj_description(c.oid, 'pg_class'), '') !~ '\.$'
		UNION ALL SELECT attrelid::regclass || '.' || attname FROM pg_attribute
		WHERE attrelid IN (SELECT c.oid `+here+`) AND attnum > 0 AND coalesce(col_description(attrelid, attnum), '') !~ '\.$'`)
	if len(bare) != 0 {
		t.Errorf("without a comment that ends with a full stop: %v", bare)
	}
}
