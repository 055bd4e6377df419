package places_test

import (
	"fmt"
	"testing"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/places"
)

// sqlItems makes $1 items with about 30 texts each, and their raw records in pages of 200. Upstream
// escapes what is outside of ASCII in one page of ten.
const sqlItems = `
INSERT INTO inventory.items (organization_id, item_id, name, sku, group_id, group_name, status, item_type, product_type, source, unit, description,
	purchase_description, rate, is_taxable, tax_id, tax_name, account_name, purchase_account_id, purchase_account_name, inventory_account_id, vendor_id,
	vendor_name, attribute_name1, attribute_option_name1, upc, ean, part_number, hsn_or_sac, image_name, image_type, created_time, last_modified_time,
	_extra, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
SELECT 'acme', '46000000' || lpad(g::text, 10, '0'), 'Item ' || g || ' of Müller & Söhne', 'SKU-' || g, '460000000000' || g %% 997, 'Group ' || g %% 997, 'active',
	'inventory', 'goods', 'user', 'pcs', repeat('A description of goods, with "quotes". ', 1 + g %% 4), 'Bought from ' || md5(g::text), g %% 1000, true,
	'460000000000111', 'Standard Tax', 'Sales', '460000000000222', 'Cost of Goods Sold', '460000000000333', '460000000000' || g %% 313,
	'Vendor ' || md5((g %% 313)::text), 'Colour', 'Blue ' || g %% 7, lpad(g::text, 12, '0'), lpad(g::text, 13, '0'), 'PN-' || md5(g::text), '4711', 'a.png', 'png',
	now(), clock_timestamp(), '{"actual_available_stock": 12, "show_in_storefront": false}', sha256(g::text::bytea), g / 200 + 1, g %% 200, 1, now(), clock_timestamp()
FROM generate_series(0, %[1]d - 1) g;
INSERT INTO sluice.raw_records (call_id, first_position, organization_id, service, resource, records, record_count)
SELECT _call_id, 0, 'acme', 'inventory', 'items', E'[\n' || string_agg(CASE WHEN _call_id %% 10 = 0
	THEN replace(to_json(i)::text, 'ü', '\u00fc') ELSE to_json(i)::text END, E',\n' ORDER BY _raw_position) || E'\n]', count(*)
FROM inventory.items i GROUP BY _call_id;
UPDATE inventory.items SET vendor_name = 'Anna.Pavlova@Example.com' WHERE item_id = '46000000' || lpad('7', 10, '0');
ANALYZE inventory.items, sluice.raw_records`

// BenchmarkFind searches a million items and their raw records for a text that stands in one place:
// docs/performance.md has the figure.
func BenchmarkFind(b *testing.B) {
	items := 1_000_000
	if testing.Short() {
		items = 2_000
	}
	db, _ := open(b, fmt.Sprintf(sqlItems, items))
	for _, c := range []struct {
		name, text string
		want       int64
	}{{"mail", "anna.pavlova@example.com", 1}, {"name", "Müller-Lüdenscheid", 0}} {
		b.Run(c.name, func(b *testing.B) {
			n := check.Sure(places.NewNeedle(c.text))(b)
			for b.Loop() {
				found := check.Sure(places.Find(b.Context(), db.Pool(), places.Query{Needle: n, Limit: 20}))(b)
				count := int64(0)
				for _, place := range found.Places {
					count += place.Count
				}
				check.FatalIf(b, count != c.want, "found %d times, want %d", count, c.want)
			}
		})
	}
}
