package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCallsOfOthers: quarters of an hour are shown by days and hours of the organization.
func TestCallsOfOthers(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	list(t, url, `INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('a', 'A', 'Asia/Kolkata'), ('b', 'B', '') RETURNING ''`)
	// In Kolkata it is half past five later: 18:30 is midnight.
	list(t, url, `INSERT INTO sluice.external_quarters (organization_id, service, began_at, calls, seconds, spread) VALUES
		('a', 'shop', '2026-03-03T18:15:00Z', 2.5, 900, true), ('a', 'shop', '2026-03-03T18:30:00Z', 4, 900, false), ('a', 'shop', '2026-03-03T19:15:00Z', 1.25, 600, true),
		('b', 'shop', '2026-03-03T18:30:00Z', 7, 900, false) RETURNING ''`)
	want := []string{"a shop 2026-03-03 23 2.5 15 t", "a shop 2026-03-04 0 5.3 25 t", "b shop 2026-03-03 18 7.0 15 f"}
	got := list(t, url, `SELECT concat_ws(' ', organization_id, service, day, hour, calls, minutes_seen, is_spread) FROM analytics.calls_of_others ORDER BY 1`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	keys(t, url, "calls_of_others")
}
