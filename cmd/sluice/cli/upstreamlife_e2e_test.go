//go:build e2e

package cli

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
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

// TestAResourceIsSwitchedOffAndOn: its watermark is kept, so the first run after that asks for the
// changes meanwhile, and finds them.
func TestAResourceIsSwitchedOffAndOn(t *testing.T) {
	t.Parallel()
	f := newFaultFixtureOf(t, true, large)
	f.sync(codeFine, f.name)
	watermark := one[time.Time](f.fixture, `SELECT watermark FROM sluice.streams WHERE resource = 'items'`)
	on, err := os.ReadFile(f.config)
	must(t, err)
	must(t, os.WriteFile(f.config, append(on, "  inventory.items: {enabled: false}\n"...), 0o600))
	f.change(1, 20)
	f.sync(codeFine, "inventory.credit_notes")
	if o := f.run("sync", f.name); o.code != codeUsage {
		t.Errorf("a resource that is switched off: exit code %d\n%s", o.code, o.stderr)
	}
	must(t, os.WriteFile(f.config, on, 0o600))
	received := f.sync(codeFine, f.name).Streams[0].Received
	if before := one[time.Time](f.fixture, `SELECT watermark_before FROM sluice.runs WHERE resource = 'items' ORDER BY id DESC LIMIT 1`); !before.Equal(watermark) {
		t.Errorf("the run began from %s, and the watermark was %s", before, watermark)
	}
	if received == 0 || received > 200 {
		t.Errorf("%d records came, want those that changed", received)
	}
	f.equal(f.name)
}

// TestThePlanChangesUpstream: the configuration still names the old plan. The headers of answers
// report a smaller day before one call is refused; a larger day is used from the next day on.
func TestThePlanChangesUpstream(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 96, Records: 300}).narrow()
	change := func(seed int64) {
		_, err := s.world.Change(sandbox.Change{Seed: seed, Inserts: 4, Edits: 12, Resources: []string{"items", "bills"}})
		must(t, err)
	}
	plan := func(body string) {
		answer, err := s.upstream.Client().Post(s.upstream.URL+"/_sandbox/plan", "application/json", strings.NewReader(body))
		must(t, err)
		must(t, answer.Body.Close())
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("plan: %s", answer.Status)
		}
	}
	s.sync(codeFine, "items", "bills")
	plan(`{"plan":"free","limits":{"daily_inventory":30}}`)
	s.untilTheDayIsSpent(30, func(n int) { change(int64(n + 1)) })
	plan(`{"plan":"premium","limits":{"daily_inventory":7500}}`)
	s.pass(25 * time.Hour)
	s.world.Advance(25 * time.Hour)
	s.sync(codeFine, "items", "bills")
	s.equal("inventory.items")
	s.equal("inventory.bills")
}
