//go:build e2e

package cli

import (
	"testing"
	"time"

	"sluice/sandbox"
)

// TestTwoSyncsAtOnce tries to break invariant 3: two processes work and checks run beside them,
// with more to read than a minute allows. Most slots of the first minute are held before they
// start, so that any machine makes enough calls to reach the limit.
func TestTwoSyncsAtOnce(t *testing.T) {
	t.Parallel()
	const minute, atOnce = 100, 5 // of the plan free: docs/upstream.md U40 and U41
	s := newFixture(t, sandbox.Options{Seed: 31, Records: 20_000, Plan: "free", PageLatency: 50 * time.Millisecond}).narrow()
	s.exec(`INSERT INTO sluice.calls (organization_id, reserved_at, service, finished_at, resource, lease_until, class, free_at, shared, method, path)
		SELECT $1, now(), 'inventory', now(), 'held', now(), 'sweep', now() + interval '1 minute', 'suite', 'GET', '/held' FROM generate_series(1, $2::integer)`,
		businessKey, minute-2*atOnce)
	s.exec(`SELECT sluice.recount_calls()`)
	called := s.arrivals.after(atOnce)
	first, second := s.start("sync", "--json"), s.start("sync", "--json")
	s.wait("the processes work", called)
	for range 3 {
		s.prints(codeFine, "", "check")
	}
	// What exceeds the first minute waits for the second one.
	first.worksOff(codeFine)
	second.worksOff(codeFine)
	s.equal()

	stats := s.world.Stats()
	if fullest := s.withinLimits(minute, atOnce, time.Minute); fullest < minute || stats.Calls <= minute {
		t.Errorf("%d calls, %d slots held together: too few to try the limits", stats.Calls, fullest)
	}
	if logged := s.calls() - (minute - 2*atOnce); stats.Calls != logged {
		t.Errorf("upstream counted %d calls, the call log has %d", stats.Calls, logged)
	}
	if stats.TokenRequests != 1 {
		t.Errorf("%d tokens were asked for, want one for all processes", stats.TokenRequests)
	}
	if twice := one[int](s, `SELECT count(*) FROM sluice.runs WHERE inserted + updated > 0`); twice != len(resources()) {
		t.Errorf("%d runs wrote rows, want one of each stream", twice)
	}
}
