package publish_test

import (
	"maps"
	"testing"

	"sluice/pipeline/warehouse/changes"
)

// TestTheLakeIsWhatTheWarehouseIs: the first copy, changes with lines that come and go, tombstones,
// and rows that are deleted.
func TestTheLakeIsWhatTheWarehouseIs(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write(changes.New, "1", sqlBills, "1", "22", "333")
	w.write(changes.New, "9", sqlBills, "1", "4444")
	result := w.publish()
	if got := len(result.Tables); got != 2 {
		t.Errorf("%d tables were published: %+v", got, result.Tables)
	}
	same := func(bills, lines int) {
		t.Helper()
		if got := w.equal("inventory.bills"); got != bills {
			t.Errorf("%d bills in the lake, want %d", got, bills)
		}
		if got := w.equal("inventory.bills_line_items"); got != lines {
			t.Errorf("%d lines in the lake, want %d", got, lines)
		}
	}
	same(5, 15)

	w.write(changes.Changed, "1", sqlChange, "22", "333")
	w.write(changes.New, "3", sqlBills, "7")
	w.publish()
	same(6, 16)

	w.write(changes.Changed, "1", sqlChange, "22", "1") // 22 changes again
	w.publish()
	same(6, 15)

	w.write(changes.Deleted, "9", `WITH l AS (UPDATE inventory.bills_line_items SET _deleted_at = now() WHERE organization_id = $1 AND _parent_id = ANY ($2))
		UPDATE inventory.bills SET _deleted_at = now() WHERE organization_id = $1 AND bill_id = ANY ($2)`, "1")
	w.write(changes.Deleted, "1", `DELETE FROM inventory.bills WHERE organization_id = $1 AND bill_id = ANY ($2)`, "333")
	w.publish()
	same(5, 13)

	before, location := w.files(), w.location("inventory.bills")
	if result := w.publish(); len(result.Tables) > 0 {
		t.Errorf("nothing changed, and %+v was published", result.Tables)
	}
	if after := w.files(); !maps.Equal(before, after) || w.location("inventory.bills") != location {
		t.Errorf("nothing changed, and %d files became %d", len(before), len(after))
	}
}
