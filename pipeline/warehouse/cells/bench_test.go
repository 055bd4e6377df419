package cells_test

import (
	"flag"
	"runtime"
	"testing"
	"time"

	"sluice/pipeline/warehouse/cells"
)

var benchRows = flag.Int("rows", 1_000_000, "how many records the organization of BenchmarkMove has") //nolint:gochecknoglobals // a flag

// BenchmarkMove moves an organization with its items, arrays, raw pages, calls and runs there and
// back. Other organizations have a fifth of the items, and 35,000 streams.
func BenchmarkMove(b *testing.B) {
	rows := *benchRows
	if testing.Short() {
		rows /= 100
	}
	both := fleet(b, "a", "b")
	a, target := both[0], both[1]
	a.settle(moving, other)
	a.grow(moving, rows)
	a.grow(other, rows/5)
	a.exec(`INSERT INTO sluice.homes (organization_id, state) SELECT 'o' || i, 'here' FROM generate_series(1, 500) AS i`)
	a.exec(`INSERT INTO sluice.streams (organization_id, service, resource, every) SELECT 'o' || i, 'inventory', 'r' || r, '1 hour'
		FROM generate_series(1, 500) AS i, generate_series(1, 70) AS r`)
	a.exec(`VACUUM ANALYZE`)
	total := ask[int64](a, `SELECT count(*) FROM inventory.items WHERE organization_id = $1`, moving)
	if total != int64(rows) {
		b.Fatalf("%d rows", total)
	}
	took := map[cells.Step]time.Duration{}
	from, to := a, target
	for b.Loop() {
		m := move(from, to)
		last := time.Now()
		var moved int64
		m.Progress = func(step cells.Step, _ string, n int64) {
			took[step] += time.Since(last)
			last = time.Now()
			if step == cells.Copying {
				moved = n
			}
		}
		if err := m.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
		if moved < total {
			b.Fatalf("%d rows moved", moved)
		}
		from, to = to, from
	}
	for step, name := range map[cells.Step]string{cells.Copying: "s/copying", cells.Comparing: "s/comparing", cells.Dropping: "s/dropping"} {
		b.ReportMetric(took[step].Seconds()/float64(b.N), name)
	}
	b.ReportMetric(float64(total)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(memory.Sys)/(1<<20), "MB")
}

// grow gives an organization items with an array, and the pages and calls that brought them: 200
// on a page, 5 pages a run.
//
//nolint:dupword // columns repeat values
func (m *member) grow(organization string, rows int) {
	m.Helper()
	m.exec(`INSERT INTO sluice.runs (organization_id, service, resource, class, gen, ended_at, outcome)
		SELECT $1, 'inventory', 'items', 'incremental', 1, now(), 'done' FROM generate_series(1, $2::integer / 1000)`, organization, rows)
	m.exec(`INSERT INTO sluice.streams (organization_id, service, resource, every, last_run_id)
		SELECT $1, 'inventory', 'r' || r, '1 hour', (SELECT max(id) FROM sluice.runs WHERE organization_id = $1) FROM generate_series(1, 70) AS r`, organization)
	m.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, run_id, method, path, page, reserved_at, lease_until, free_at, finished_at, status, bytes, records)
		SELECT r.organization_id, 'inventory', 'items', 'incremental', 'suite', r.id, 'GET', '/inventory/v1/items', p, now(), now(), now(), now(), 200, 120000, 200
		FROM sluice.runs r, generate_series(1, 5) AS p WHERE r.organization_id = $1`, organization)
	m.exec(`INSERT INTO sluice.raw_records (call_id, first_position, organization_id, service, resource, records, record_count)
		SELECT c.id, 0, c.organization_id, 'inventory', 'items', (SELECT string_agg(sha512(convert_to(c.id || '/' || n, 'UTF8')), '') FROM generate_series(1, 300) AS n), 200
		FROM sluice.calls c WHERE c.organization_id = $1`, organization)
	m.exec(`INSERT INTO inventory.items (organization_id, item_id, name, sku, group_id, group_name, status, item_type, product_type, unit, description, rate, purchase_rate,
			is_taxable, tax_id, tax_name, tax_percentage, account_name, vendor_id, vendor_name, upc, created_time, last_modified_time, category_name, brand,
			_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at, _payload_hash, _extra)
		SELECT $1, (460000000000000000 + i)::text, 'Item number ' || i, 'SKU-' || i, (i / 10)::text, 'Group ' || i / 10, 'active', 'inventory', 'goods', 'pcs',
			'A description of item ' || i || ', of the usual length', i * 1.25, i, i % 2 = 0, (i % 7)::text, 'Standard', 19, 'Sales', (i % 500)::text, 'Vendor ' || i % 500,
			(4000000000000 + i)::text, now() - i * interval '1 second', now(), 'Category ' || i % 30, 'Brand ' || i % 90,
			sha256(i::text::bytea), 64 + i / 200, i % 200, 1, now(), now(), i::bigint * 7919, jsonb_build_object('unknown_key', i)
		FROM generate_series(1, $2::integer) AS i`, organization, rows)
	m.exec(`INSERT INTO inventory.items_custom_fields (organization_id, _parent_id, _position, customfield_id, value, label)
		SELECT $1, (460000000000000000 + i)::text, 1, '77', to_jsonb(i), 'Field' FROM generate_series(2, $2::integer, 2) AS i`, organization, rows)
}
