//go:build e2e

package cli

import (
	"strings"
	"testing"
	"time"
)

// forget makes the last check of the organizations too old to count.
func (s *fixture) forget() {
	s.t.Helper()
	s.exec(`UPDATE sluice.organizations SET checked_at = checked_at - interval '7 hours'`)
}

// looks counts the calls that checked which business the organization is.
func (s *fixture) looks() int {
	s.t.Helper()
	return one[int](s, `SELECT count(*) FROM sluice.calls WHERE class = 'probe' AND resource = 'organizations'`)
}

// TestAnOrganizationIsDeactivated: its streams are denied, no row gets a tombstone, and no list is
// requested. When it is active again, they go on from their watermarks, and no record is missing.
func TestAnOrganizationIsDeactivated(t *testing.T) {
	t.Parallel()
	f, upstream := newZoneStage(t)
	f.clear()
	f.sync(codeFine, f.name, "items.sweep")
	watermark := one[time.Time](f.fixture, `SELECT watermark FROM sluice.streams WHERE resource = 'items'`)
	upstream.writes(`"is_org_active":true`, `"is_org_active":false`)
	f.change(1, all)
	f.forget()
	calls, looks := f.arrivals.total(), f.looks()
	for _, r := range f.sync(codeFailed, f.name, "items.sweep").Streams {
		if r.Kind != "denied" || r.Received != 0 || !strings.Contains(r.Reason, "no longer active") {
			t.Errorf("%+v, want denied because the organization is not active", r)
		}
	}
	if asked, looked := f.arrivals.total()-calls, f.looks()-looks; asked > looked || looked == 0 {
		t.Errorf("%d calls, of which %d check the identity of the organization", asked, looked)
	}
	gone := one[int](f.fixture, `SELECT (SELECT count(*) FROM sluice.tombstones) + (SELECT count(*) FROM inventory.items WHERE _deleted_at IS NOT NULL)`)
	if gone != 0 {
		t.Errorf("%d tombstones", gone)
	}
	if got := one[time.Time](f.fixture, `SELECT watermark FROM sluice.streams WHERE resource = 'items'`); !got.Equal(watermark) {
		t.Errorf("the watermark moved from %s to %s", watermark, got)
	}
	upstream.writes("", "")
	f.forget()
	f.sync(codeFine, f.name)
	f.equal(f.name)
}
