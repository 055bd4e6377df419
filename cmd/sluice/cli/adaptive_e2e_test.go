//go:build e2e

package cli

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/why"
	"sluice/sandbox"
)

// The resource whose records change, and the one whose records do not, and their targets.
const (
	busy, quiet = "inventory.items", "accounting.vendor_payments"
	targets     = "  " + busy + ": {freshness: 2h}\n  " + quiet + ": {freshness: 6h}\n"
)

// later lets time pass for runs and plans, too: intervals are learned from when runs began.
func (s *fixture) later(d time.Duration) {
	s.t.Helper()
	s.pass(d)
	s.exec(`UPDATE sluice.runs SET started_at = started_at - $1::interval, ended_at = ended_at - $1::interval, watermark_before = watermark_before - $1::interval`, d)
	s.exec(`UPDATE sluice.streams SET planned_at = planned_at - $1::interval`, d)
	// Upstream's clock does not move: its tokens stay valid, and it issues at most ten in ten
	// minutes.
	s.exec(`UPDATE sluice.tokens SET expires_at = expires_at + $1::interval, attempted_at = attempted_at + $1::interval`, d)
}

// whyOf gives what status --why says about a resource's list, as JSON and as text.
func (s *fixture) whyOf(resource string) (why.Explanation, string) {
	s.t.Helper()
	var all []why.Explanation
	s.document(&all, "status", "--why", resource)
	at := slices.IndexFunc(all, func(e why.Explanation) bool { return e.Service+"."+e.Resource == resource })
	if at < 0 {
		s.t.Fatalf("status --why %s explains %+v", resource, all)
	}
	o := s.run("status", "--why", resource)
	if o.code != codeFine || !strings.Contains(o.stdout, resource+": every ") || !strings.Contains(o.stdout, all[at].Why) {
		s.t.Errorf("status --why %s: exit code %d\n%s%s", resource, o.code, o.stdout, o.stderr)
	}
	return all[at], o.stdout
}

const (
	plannedSince = `SELECT count(*) = 2 AND bool_and(coalesce(planned_at > clock_timestamp() - interval '2 minutes', false))
		FROM sluice.streams WHERE ceiling IS NOT NULL AND enabled`
	runsOf = `SELECT count(*) FROM sluice.runs WHERE service || '.' || resource = $1`
)

// TestAdaptive: a resource that changes twelve times an hour and one that never does, through a
// virtual day. The busy one is read as often as the floor allows, the quiet one as rarely as its
// target. When the quiet one changes, the schedule follows.
func TestAdaptive(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 400, Limits: sandbox.Limits{Off: true}}).narrow()
	text, err := os.ReadFile(s.config)
	must(t, err)
	must(t, os.WriteFile(s.config, append(text, targets...), 0o600))

	s.sync(codeFine)
	if e, _ := s.whyOf(busy); e.Source != why.SourceLearned || e.Why != "nothing was learned yet: sluice serve works intervals out once a minute" {
		t.Errorf("before anything was learned: %+v", e)
	}
	// Thirty hours of runs on request.
	for turn := range int64(10) {
		s.later(3 * time.Hour)
		s.edit(turn, busy, 36)
		s.sync(codeFine, busy, quiet)
	}
	s.serveUntil("intervals were worked out", plannedSince)

	e, said := s.whyOf(busy)
	if e.EverySeconds != 300 || e.Plan == nil || e.Plan.Reason != "floor" || e.Plan.ChangesPerHour < 9 || e.Plan.ChangesPerHour > 13 ||
		e.FreshnessSeconds != 7200 || !strings.Contains(said, "changes an hour") || !strings.Contains(said, "1 call a run, target 2 h, floor 5 m") ||
		!strings.Contains(said, "as often as the floor allows") {
		t.Errorf("the busy one: %+v\n%s", e, said)
	}
	// After 30 quiet hours the learned interval is six hours: the target, less the tick and two
	// runs.
	e, said = s.whyOf(quiet)
	if e.EverySeconds < 6*3600-30 || e.EverySeconds > 6*3600 || e.Plan == nil || e.Plan.ChangesPerHour != 0 || !strings.Contains(said, "no change seen over") {
		t.Errorf("the quiet one: %+v\n%s", e, said)
	}

	// Six minutes later the busy one is due and the quiet one is not.
	before, still := one[int](s, runsOf, busy), one[int](s, runsOf, quiet)
	s.later(6 * time.Minute)
	s.serveUntil("the busy one was read again", `SELECT (`+runsOf+`) > $2 AND NOT EXISTS (SELECT FROM sluice.runs WHERE ended_at IS NULL)`, busy, before)
	if got := one[int](s, runsOf, quiet); got != still {
		t.Errorf("the quiet one was read %d times within six minutes", got-still)
	}

	// The quiet one changes again: the next planning sees it, long before the plan is old.
	s.edit(99, quiet, 20)
	s.sync(codeFine, quiet)
	s.serveUntil("the quiet one is read more often", `SELECT planned_every < interval '3 hours' FROM sluice.streams WHERE service || '.' || resource = $1`, quiet)

	// A stated interval or target counts, and what was learned is dropped.
	must(t, os.WriteFile(s.config, append(text, "  "+busy+": {every: 1h}\n  "+quiet+": {freshness: 6h}\n"...), 0o600))
	s.serveUntil("the stated interval counts", `SELECT planned_every IS NULL AND every = interval '1 hour' FROM sluice.streams WHERE service || '.' || resource = $1`, busy)
	if e, said := s.whyOf(busy); e.Source != why.SourceConfigured || e.EverySeconds != 3600 || !strings.Contains(said, "every 1 h, stated in the configuration") {
		t.Errorf("stated: %+v\n%s", e, said)
	}
	if o := s.run("status", busy); o.code != codeUsage || !strings.Contains(o.stderr, "behind --why") {
		t.Errorf("resources without --why: exit code %d\n%s", o.code, o.stderr)
	}
}
