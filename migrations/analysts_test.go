package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShareOfBillsWithLines(t *testing.T) {
	t.Parallel()
	url := migrated(t)
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
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by month (-want +got):\n%s", diff)
	}
}

// TestEveryTableForAnalystsIsExplained covers the tables and views of services.
func TestEveryTableForAnalystsIsExplained(t *testing.T) {
	t.Parallel()
	const here = `FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
		WHERE nspname IN ('accounting', 'invoicing', 'billing', 'inventory', 'chat', 'analytics', 'notifications') AND relkind IN ('r', 'v')`
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
