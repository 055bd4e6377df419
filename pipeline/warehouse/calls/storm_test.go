package calls_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/calls"
)

// upstream is the judge: it records when calls arrive and when they end, by its own clock.
type upstream struct {
	mu             sync.Mutex
	arrivals, ends []time.Time
}

// arrive records an arrival. A call whose lease has ended does not leave any more, as in package
// wire: a machine may be so busy.
func (u *upstream) arrive(lease time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Now()
	if now.After(lease) {
		return false
	}
	u.arrivals = append(u.arrivals, now)
	return true
}

// answer records the end of a call. The caller gives up at the end of its lease.
func (u *upstream) answer(lease time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Now()
	if now.After(lease) {
		now = lease
	}
	u.ends = append(u.ends, now)
}

// most returns how many calls arrived at most within any such span.
func (u *upstream) most(span time.Duration) int {
	slices.SortFunc(u.arrivals, time.Time.Compare)
	most, first := 0, 0
	for last := range u.arrivals {
		for u.arrivals[last].Sub(u.arrivals[first]) >= span {
			first++
		}
		most = max(most, last-first+1)
	}
	return most
}

// top returns how many calls were under way at once at most.
func (u *upstream) top() int {
	slices.SortFunc(u.arrivals, time.Time.Compare)
	slices.SortFunc(u.ends, time.Time.Compare)
	top, ended := 0, 0
	for i, at := range u.arrivals {
		for ended < len(u.ends) && !u.ends[ended].After(at) {
			ended++
		}
		top = max(top, i+1-ended)
	}
	return top
}

// storm is traffic by several processes: most calls end as they should. Some processes die before
// or after their call arrives. Some calls last longer than a lease and are renewed meanwhile. Some
// are reported long after their leases.
type storm struct {
	*fixture

	upstream  upstream
	limits    pipeline.Limits
	rules     calls.Rules
	processes []*calls.Ledger
}

const lease = 200 * time.Millisecond

func (s *storm) blow(span time.Duration, workers int) {
	s.Helper()
	ends := time.Now().Add(span)
	group, ctx := errgroup.WithContext(s.Context())
	for worker := range workers {
		chance := rand.New(rand.NewPCG(uint64(worker), 5)) // a seed makes a failure repeatable
		process := s.processes[worker%len(s.processes)]
		class := pipeline.Classes()[worker%len(pipeline.Classes())]
		group.Go(func() error {
			for time.Now().Before(ends) {
				if err := s.call(ctx, process, class, chance); err != nil {
					return err
				}
			}
			return nil
		})
	}
	check.Must(s, group.Wait())
}

func (s *storm) call(ctx context.Context, process *calls.Ledger, class pipeline.Class, chance *rand.Rand) error {
	until := time.Now().Add(lease)
	decision, err := process.Reserve(ctx, aCall("shop", class), s.limits)
	if err != nil {
		return err
	}
	if decision.Refused != "" {
		pause(ctx, min(decision.Wait, 10*time.Millisecond))
		return nil
	}
	fate := chance.IntN(40)
	if fate == 0 {
		return nil // dies before it calls
	}
	pause(ctx, time.Duration(chance.IntN(9))*time.Millisecond)
	if !s.upstream.arrive(until) {
		return process.Finish(ctx, decision.Call, pipeline.CallResult{})
	}
	if fate == 1 {
		s.upstream.answer(until)
		return nil // dies before it can report the end of the call
	}
	pause(ctx, time.Duration(chance.IntN(9))*time.Millisecond)
	if fate == 2 {
		for range 6 { // an export: it lasts for two leases
			pause(ctx, lease/3)
			if now := time.Now(); now.Before(until) {
				until = now.Add(lease)
			}
			if _, err := s.pool.Exec(ctx, `SELECT sluice.renew_call($1, $2, $3)`, decision.Call, lease, s.rules.Day); err != nil {
				return err
			}
		}
	}
	s.upstream.answer(until)
	if fate == 3 {
		pause(ctx, lease+s.rules.Window) // suspended, and counted as lost by all processes
	}
	return process.Finish(ctx, decision.Call, pipeline.CallResult{Status: 200})
}

func newStorm(t *testing.T, limits pipeline.Limits, rules calls.Rules) *storm {
	t.Helper()
	s := &storm{fixture: open(t), limits: limits, rules: rules}
	for range 4 {
		s.processes = append(s.processes, s.process(rules))
	}
	return s
}

// The invariant at the receiving end: no window and no day sees more arrivals than allowed, and
// never more calls are under way, whatever happens to the callers. And the allowance is used up.
func TestNoLimitIsExceededInAStorm(t *testing.T) {
	const day, window = 1440 * time.Millisecond, 150 * time.Millisecond
	limits := pipeline.Limits{Shared: "suite", PerMinute: 40, Concurrent: 12, Daily: 240, Shares: pipeline.Shares{}}
	s := newStorm(t, limits, calls.Rules{Lease: lease, Window: window, Day: day})
	for len(s.upstream.arrivals) <= limits.Daily { // a busy machine needs more than four days for that
		s.blow(4*day, 20)
	}
	most := s.upstream.most(window)
	check.ErrorIf(t, most > limits.PerMinute, "%d calls arrived within a window, %d are allowed", most, limits.PerMinute)
	if most := s.upstream.most(day); most > limits.Daily {
		t.Errorf("%d calls arrived within a day, %d are allowed", most, limits.Daily)
	}
	// Only a call that keeps its slot without a lease is under way for upstream alone; none of ours
	// does.
	top := s.upstream.top()
	check.ErrorIf(t, top > limits.Concurrent, "%d calls were under way at once, %d are allowed", top, limits.Concurrent)
	s.agrees(day)
}

// agrees compares the counters with the log, as the last decision saw them: it sums up the hours
// that are over, and on a busy machine another one may be over when the counters are read. The
// counters of the last day lie between the calls that ended since its beginning and those that ended
// since a minute earlier. Each call counts in one class.
func (s *storm) agrees(day time.Duration) {
	s.Helper()
	pause(s.Context(), lease+s.rules.Window)
	s.reserve(s.processes[0], pipeline.ClassProbe, s.limits) // gives up lost calls
	// Calls that were reported after they had been given up count twice: they are left out on one
	// side.
	least, most, counted := 0, 0, 0
	check.Must(s, s.pool.QueryRow(s.Context(), `
		WITH edge AS MATERIALIZED (SELECT max(reserved_at) AS now, max(reserved_at) - $1::interval AS at FROM sluice.calls),
		ended AS (SELECT coalesce(finished_at, CASE WHEN free_at > now THEN reserved_at ELSE lease_until END) AS at,
			finished_at > lease_until AS late FROM sluice.calls, edge)
		SELECT (SELECT count(*) FROM ended, edge WHERE ended.at > edge.at),
			(SELECT count(*) + count(*) FILTER (WHERE late) FROM ended, edge WHERE ended.at > edge.at - 3 * $1::interval / 1440),
			(SELECT sum(calls) FROM edge, sluice.day_spent('o', 'shop', edge.now, edge.at, NULL, $1))`, day).Scan(&least, &most, &counted))
	check.ErrorIf(s, counted < least || counted > most, "%d calls are counted for the day, the log has %d to %d", counted, least, most)
	const odd = `SELECT count(*) FROM sluice.spent WHERE calls <> incremental + details + sweep + backfill + probe + hinted`
	rows := ask[int](s.fixture, odd)
	check.ErrorIf(s, rows != 0, "the classes of %d minutes and hours do not add up to their calls", rows)
}
