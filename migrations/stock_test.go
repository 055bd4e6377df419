package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sqlStock are two organizations of equal identifiers. Item 1 is at two locations. Of 2 the stock
// by location is not loaded, and its sum is known. 3 is a service, 4 a bundle, 5 only sold, 6 gone,
// and 7 has two rows of no location.
const sqlStock = `
WITH organization AS (
	INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('a', 'Acme', 'UTC'), ('b', 'Beta', 'UTC') RETURNING 1
), item AS (
	INSERT INTO inventory.items (organization_id, item_id, name, item_type, product_type, is_combo_product, purchase_rate, stock_on_hand, track_inventory, _deleted_at, _detail_state, ` + own + `)
	SELECT o, i, 'Item ' || i, k, p, c, r, 8, t, gone, d, ` + ownValues + ` FROM (VALUES
		('a', '1', 'inventory', 'goods', NULL::boolean, 2.5, NULL::boolean, NULL::timestamptz, 'current'), ('a', '2', 'inventory', NULL, false, 10, true, NULL, 'stale'),
		('a', '3', 'inventory', 'service', NULL, 10, NULL, null, 'current'), ('a', '4', 'inventory', 'goods', true, 10, NULL, null, 'current'),
		('a', '5', 'sales', 'goods', NULL, 10, false, NULL, 'current'), ('a', '6', 'inventory', 'goods', NULL, 10, NULL, now(), 'current'),
		('a', '7', 'sales_and_purchases', 'goods', NULL, null, true, NULL, 'none_needed'), ('b', '1', 'inventory', 'goods', NULL, 1, NULL, null, 'current')
	) AS v (o, i, k, p, c, r, t, gone, d) RETURNING 1
)
INSERT INTO inventory.items_locations (organization_id, _parent_id, _position, location_id, location_name, location_stock_on_hand, location_available_stock)
SELECT o, i, p, l, 'At ' || l, s, s - 1 FROM (VALUES ('a', '1', 0, 'x', 4), ('a', '1', 1, 'y', 6), ('a', '2', 0, 'x', 99), ('a', '3', 0, 'x', 99), ('a', '4', 0, 'x', 99),
	('a', '5', 0, 'x', 99), ('a', '6', 0, 'x', 99), ('a', '7', 0, NULL, 1), ('a', '7', 1, NULL, 2), ('b', '1', 0, 'x', 7)) AS v (o, i, p, l, s) RETURNING 'made'`

func TestStock(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	list(t, url, sqlStock)
	got := list(t, url, `SELECT concat_ws(' ', organization_id, item_id, location_id, coalesce(location_name, '-'), coalesce(on_hand::text, '?'), coalesce(available::text, '?'),
		coalesce(value_at_purchase_rate::text, '?'), is_loaded) FROM analytics.stock ORDER BY organization_id, item_id, location_id`)
	want := []string{"a 1 x At x 4 3 10.0 t", "a 1 y At y 6 5 15.0 t", "a 2  - 8 ? 80 f", "a 7  - 3 1 ? t", "b 1 x At x 7 6 7 t"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stock (-want +got):\n%s", diff)
	}
	got = list(t, url, `SELECT concat_ws(' ', organization_id, resource, period, documents, complete, share_of_documents, coalesce(value_base::text, '?')) FROM analytics.completeness ORDER BY 1`)
	want = []string{"a inventory.items undated 6 5 0.8333 ?", "b inventory.items undated 1 1 1.0000 ?"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("completeness (-want +got):\n%s", diff)
	}
	keys(t, url, "stock")
}
