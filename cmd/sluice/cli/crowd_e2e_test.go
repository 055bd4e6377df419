//go:build e2e

package cli

import (
	"testing"
	"time"

	"sluice/sandbox"
)

// TestTwoSyncsAtOnce tries to break invariant 3: two processes work and checks run beside them,
// with more to read than a minute allows. Upstream is the judge: it counts by itself and refuses
// excess calls.
func TestTwoSyncsAtOnce(t *testing.T) {
	t.Parallel()
	const minute, atOnce = 100, 5 // of the plan free: docs/upstream.md U40 and U41
	s := newFixture(t, sandbox.Options{Seed: 31, Records: 20_000, Plan: "free", PageLatency: 50 * time.Millisecond}).narrow()
	spent := s.arrivals.after(minute / 2)
	first, second := s.start("sync", "--json"), s.start("sync", "--json")
	select {
	case <-spent:
	case <-first.done:
		t.Fatalf("the first process ended before half a minute's calls were made: %s", first.stderr.String())
	}
	for range 3 {
		if o := s.run("check"); o.code != codeFine {
			t.Errorf("check beside two syncs: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
		}
	}
	// What exceeds the first minute waits for the second one.
	first.worksOff(codeFine)
	second.worksOff(codeFine)
	s.equal()

	stats := s.world.Stats()
	s.withinLimits(minute, atOnce, time.Minute)
	if stats.Worst60s < minute*9/10 || stats.WorstConcurrent < 3 || stats.Calls <= minute {
		t.Errorf("%d calls, %d in 60 s, %d at once: too few to try the limits", stats.Calls, stats.Worst60s, stats.WorstConcurrent)
	}
	if stats.Calls != s.calls() {
		t.Errorf("upstream counted %d calls, the call log has %d", stats.Calls, s.calls())
	}
	if stats.TokenRequests != 1 {
		t.Errorf("%d tokens were asked for, want one for all processes", stats.TokenRequests)
	}
	if twice := one[int](s, `SELECT count(*) FROM sluice.runs WHERE inserted + updated > 0`); twice != len(resources()) {
		t.Errorf("%d runs wrote rows, want one of each stream", twice)
	}
}
