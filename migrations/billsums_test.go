package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSumsLeaveOutWhatEntersThemOtherwise: bills with a discount, an adjustment, tax in their
// prices, tax withheld or a retention are in no equation, wherever upstream says so. Bill 1 is
// plain, 2 has zeros, and each other has one of them.
func TestSumsLeaveOutWhatEntersThemOtherwise(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	list(t, url, `INSERT INTO inventory.bills (organization_id, bill_id, sub_total, tax_total, balance, _detail_state,
			_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
		SELECT 'a', i, 100, 0, 100, 'current', '\x00', 1, 0, 1, now(), now() FROM generate_series(1, 10) AS i RETURNING 'made'`)
	for bill, has := range map[string]string{
		"2": `discount_total = 0, discount = '"0.00%"', adjustment = 0, is_inclusive_tax = false, tds_total = 0, _extra = '{"tds_x":"0"}'`,
		"3": `discount_total = 5`, "4": `discount = '"5%"'`, "5": `discount_percent = 5`, "6": `adjustment = -1`, "7": `is_inclusive_tax = true`,
		"8": `tds_total = 2`, "9": `total_retention_amount = 2`, "10": `_extra = '{"discount_more":5}'`,
	} {
		list(t, url, `UPDATE inventory.bills SET `+has+` WHERE bill_id = '`+bill+`' RETURNING 'changed'`)
	}
	got := list(t, url, `SELECT bill_id FROM sluice.bill_sums ORDER BY bill_id`)
	if diff := cmp.Diff([]string{"1", "2"}, got); diff != "" {
		t.Errorf("in the equations (-want +got):\n%s", diff)
	}
}
