//go:build e2e

package cli

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
	"sluice/sandbox/oracle"
)

// TestAsLive copies a company that sends what live services send: lists of headers, keys beyond the
// documents, other names of arrays. Then it copies changes, and then nothing.
func TestAsLive(t *testing.T) {
	t.Parallel()
	s := newWideStage(t, sandbox.Options{Seed: 73, Records: 200, Demo: true, AsLive: true})
	s.inTurns()
	s.liveEqual()

	s.pass(25 * time.Hour)
	_, err := s.world.Change(sandbox.Change{Seed: 5, Inserts: 2, Edits: 3})
	must(t, err)
	s.inTurns()
	s.liveEqual()

	s.pass(25 * time.Hour)
	for stream, r := range s.inTurns() {
		if r.Inserted+r.Updated+r.Quarantined > 0 || r.Outcome != "done" {
			t.Errorf("%s: the third sync says %+v", stream, r)
		}
		if strings.HasSuffix(stream, ".details") && r.Calls > 0 {
			t.Errorf("%s: %d calls for single records whose list rows did not change", stream, r.Calls)
		}
	}
}

// liveEqual compares all tables with upstream. Each key on the wire has a column, or is ignored for
// a declared reason.
func (s *fixture) liveEqual() {
	s.t.Helper()
	for _, r := range wideResources() {
		truth := s.world.Truth(r.service, r.name)
		if r.name == "contact_persons" {
			truth = s.ofSeen(r.service, truth)
		}
		result, err := oracle.Compare(s.t.Context(), s.conn, r.service, r.name, sandbox.DefaultOrganizationID, adapted(truth, r.adapt))
		must(s.t, err)
		if result.Different > 0 || result.Live == 0 || result.Gone > 0 {
			s.t.Errorf("%s.%s: %d differences in %d records, %d rows without a record:\n%s", r.service, r.name, result.Different, result.Live, result.Gone,
				strings.Join(result.Differences, "\n"))
		}
		if result.Undeclared > 0 {
			s.t.Errorf("%s.%s: %d rows have keys that are neither declared nor ignored, of these: %v", r.service, r.name, result.Undeclared,
				slices.Sorted(maps.Keys(result.Unmapped)))
		}
	}
	if n := one[int](s, `SELECT count(*) FROM sluice.quarantine`); n > 0 {
		s.t.Errorf("%d records are in quarantine", n)
	}
	for _, table := range []string{
		"inventory.bills", "inventory.credit_notes", "inventory.items", "inventory.composite_items", "accounting.vendor_payments",
		"accounting.expenses", "accounting.chart_of_accounts", "accounting.base_currency_adjustments",
	} {
		if n := one[int](s, `SELECT count(*) FROM `+table+` WHERE _detail_state <> 'current'`); n > 0 {
			s.t.Errorf("%s: the single records of %d rows are not in them", table, n)
		}
	}
}
