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
	list(t, url, `INSERT INTO inventory.bills (organization_id, bill_id, sub_total, tax_total, balance, _detail_state, discount_total, discount, discount_percent,
			adjustment, is_inclusive_tax, tds_total, total_retention_amount, _extra, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
		SELECT 'a', i, 100, 0, 100, 'current', d, j::jsonb, p, adj, incl, tds, ret, e::jsonb, '\x00', 1, 0, 1, now(), now() FROM (VALUES
			('1', NULL::numeric, NULL, NULL::numeric, NULL::numeric, NULL::boolean, NULL::numeric, NULL::numeric, NULL),
			('2', 0, '"0.00%"', 0, 0, false, 0, 0, '{"tds_x":"0"}'),
			('3', 5, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
			('4', NULL, '"5%"', NULL, NULL, NULL, NULL, NULL, NULL),
			('5', NULL, NULL, 5, NULL, NULL, NULL, NULL, NULL),
			('6', NULL, NULL, NULL, -1, NULL, NULL, NULL, NULL),
			('7', NULL, NULL, NULL, NULL, true, NULL, NULL, NULL),
			('8', NULL, NULL, NULL, NULL, NULL, 2, NULL, NULL),
			('9', NULL, NULL, NULL, NULL, NULL, NULL, 2, NULL),
			('10', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"discount_more":5}')
		) AS v (i, d, j, p, adj, incl, tds, ret, e) RETURNING 'made'`)
	got := list(t, url, `SELECT bill_id FROM sluice.bill_sums ORDER BY bill_id`)
	if diff := cmp.Diff([]string{"1", "2"}, got); diff != "" {
		t.Errorf("in the equations (-want +got):\n%s", diff)
	}
}
