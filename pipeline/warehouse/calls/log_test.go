package calls_test

import (
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/calls"
)

const block = 1_000_000_000

// blocks lists the blocks of the log by the first digits of their calls' numbers.
const blocks = `SELECT string_agg(substring(inhrelid::regclass::text FROM '[0-9]+$'), ' ' ORDER BY inhrelid) FROM pg_inherits
	WHERE inhparent = 'sluice.calls'::regclass`

// A day is a block of the log: it is turned once without losing a call, and is dropped as a whole
// when it is old.
func TestTheLogIsKeptByDays(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	keep := func(want int) {
		t.Helper()
		dropped := check.Sure(process.PruneCalls(t.Context(), 3))(h)
		check.Same(t, "blocks dropped", want, dropped)
	}
	call := func(day int64) int64 {
		t.Helper()
		number := h.granted(process, pipeline.ClassSweep, pipeline.Limits{Shared: "suite"})
		check.ErrorIf(t, number/block != day, "call %d is of day %d, want %d", number, number/block, day)
		check.Must(h, process.Finish(t.Context(), number, pipeline.CallResult{Status: 200}))
		return number
	}
	const passes = `UPDATE sluice.calls SET reserved_at = reserved_at - interval '25 hours', lease_until = lease_until - interval '25 hours',
		finished_at = finished_at - interval '25 hours', free_at = free_at - interval '25 hours'`
	keep(0)
	first := call(0)
	keep(0)
	call(0)
	for day := int64(1); day <= 3; day++ {
		h.exec(passes)
		h.exec(`SELECT sluice.recount_calls()`)
		keep(int(max(0, day-2)))
		keep(0)
		next := call(day)
		check.ErrorIf(t, next <= first, "call %d after call %d", next, first)
	}
	check.Same(t, "blocks", "1 2 3 4", ask[string](h, blocks))
	check.Same(t, "calls are kept, want those of three days", 3, ask[int](h, `SELECT count(*) FROM sluice.calls`))
}

// A block with a call that is still under way stays, however old it is.
func TestAnExportKeepsItsDay(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	h.granted(process, pipeline.ClassSweep, pipeline.Limits{Shared: "suite"})
	h.exec(`UPDATE sluice.calls SET reserved_at = reserved_at - interval '9 days'`)
	h.exec(`SELECT sluice.recount_calls()`)
	dropped, err := process.PruneCalls(t.Context(), 3)
	check.ErrorIf(t, err != nil || dropped != 0, "%d blocks dropped (%v), want none", dropped, err)
	check.ErrorIf(t, check.Failure(process.PruneCalls(t.Context(), 1)) == nil, "keeping less than the day that is counted is taken")
}

// Days turn and are dropped while calls are made: no call fails, none is lost.
func TestDaysTurnUnderTraffic(t *testing.T) {
	h := open(t)
	var callers errgroup.Group
	// underWay is held by each reservation. One that began before a block was made may not know
	// that block: it has a day to end before numbers of it are drawn, and here until the next turn.
	var underWay sync.RWMutex
	const each = 60
	for range 4 {
		process := h.process(calls.DefaultRules())
		callers.Go(func() error {
			for range each {
				underWay.RLock()
				decision, err := process.Reserve(t.Context(), aCall("shop", pipeline.ClassSweep), pipeline.Limits{Shared: "suite"})
				underWay.RUnlock()
				if err != nil {
					return err
				}
				if err := process.Finish(t.Context(), decision.Call, pipeline.CallResult{Status: 200}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	keepers := h.process(calls.DefaultRules())
	done := make(chan error, 1)
	go func() { done <- callers.Wait() }()
	turns, ended := 0, false
	for !ended {
		select {
		case err := <-done:
			check.Must(h, err)
			ended = true
		default:
			// Calls are moved to yesterday only for PruneCalls: calls that are counted are not
			// touched.
			h.exec(`UPDATE sluice.calls SET reserved_at = reserved_at - interval '1 day' WHERE reserved_at > clock_timestamp() - interval '1 day'
				AND finished_at IS NOT NULL`)
			check.Must(h, check.Failure(keepers.PruneCalls(t.Context(), 1000)))
			underWay.Lock()
			underWay.Unlock() // those under way have ended
			turns++
		}
	}
	check.Same(t, "calls in the log", 4*each, ask[int](h, `SELECT count(*) FROM sluice.calls WHERE finished_at IS NOT NULL`))
	days := ask[int](h, `SELECT count(DISTINCT id / 1000000000) FROM sluice.calls`)
	check.ErrorIf(t, days < 2, "calls of %d days after %d looks: nothing was tried", days, turns)
}

// oneAsks lets many callers ask at once, in two processes, and returns the call of the only one
// that is granted.
func (h *fixture) oneAsks(after string, processes []*calls.Ledger, limits pipeline.Limits) int64 {
	h.Helper()
	const callers = 12
	decisions := make(chan pipeline.Decision)
	for i := range callers {
		go func() {
			decision, err := processes[i%len(processes)].Reserve(h.Context(), aCall("shop", pipeline.ClassIncremental), limits)
			if err != nil {
				h.Error(err)
			}
			decisions <- decision
		}()
	}
	var asked []int64
	for range callers {
		switch decision := <-decisions; {
		case decision.Refused == "":
			asked = append(asked, decision.Call)
		case decision.Refused != pipeline.RefusedClosed || decision.Wait > time.Second:
			h.Errorf("after %s: %+v, want a short wait for the one that asks", after, decision)
		}
	}
	check.FatalIf(h, len(asked) != 1, "after %s %d of %d ask, want one", after, len(asked), callers)
	return asked[0]
}

// After a long wait that upstream asked for, one call finds out whether it answers again.
func TestOneCallAsksBehindALongWait(t *testing.T) {
	h := open(t)
	limits := unshared(1000)
	processes := []*calls.Ledger{h.process(calls.DefaultRules()), h.process(calls.DefaultRules())}
	closed := func(d time.Duration) {
		check.Must(h, processes[0].Penalize(t.Context(), "o", "shop", limits.Shared, pipeline.Throttled, d))
	}
	over := func() {
		h.exec(`UPDATE sluice.budgets SET closed_until = clock_timestamp() - interval '1 second'`)
	}
	closed(time.Hour)
	h.refused(pipeline.RefusedClosed, processes[1], pipeline.ClassIncremental, limits, 59*time.Minute, time.Hour)
	over()
	check.Must(h, processes[0].Finish(t.Context(), h.oneAsks("the wait", processes, limits), pipeline.CallResult{Kind: pipeline.Unavailable, Status: 503}))
	refused := h.oneAsks("an answer that says nothing", processes, limits)
	closed(time.Minute) // once more, but briefly
	check.Must(h, processes[1].Finish(t.Context(), refused, pipeline.CallResult{Kind: pipeline.Throttled, Status: 429}))
	h.refused(pipeline.RefusedClosed, processes[1], pipeline.ClassIncremental, limits, 50*time.Second, time.Minute)
	over()
	lost := h.oneAsks("another refusal", processes, limits)
	h.exec(`UPDATE sluice.calls SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1`, lost)
	check.Must(h, processes[1].Finish(t.Context(), h.oneAsks("one that never ended", processes, limits), pipeline.CallResult{Status: 200}))
	for range 3 {
		h.granted(processes[0], pipeline.ClassIncremental, limits)
	}
	// A wait of a minute ends for all callers at once.
	closed(time.Minute)
	over()
	for range 3 {
		h.granted(processes[0], pipeline.ClassIncremental, limits)
	}
}

// A remainder of nothing, by headers alone, is valid for an hour. Then one call asks, and if it
// succeeds without a figure, the old figure is dropped.
func TestAFigureOfNothingIsAskedAboutAfterAnHour(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]pipeline.Limits{"a plan": unshared(1000), "no plan": unshared(0)} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			processes := []*calls.Ledger{h.process(calls.DefaultRules()), h.process(calls.DefaultRules())}
			nothing := pipeline.CallResult{Status: 200, DayLimit: 1000, DayReset: 24 * time.Hour}
			hour := func() {
				h.exec(`UPDATE sluice.day_budgets SET seen_at = seen_at - interval '1 hour'`)
			}
			check.Must(h, processes[0].Finish(t.Context(), h.granted(processes[0], pipeline.ClassIncremental, limits), nothing))
			h.refused(pipeline.RefusedDay, processes[1], pipeline.ClassIncremental, limits, 59*time.Minute, time.Hour)
			hour()
			check.Must(h, processes[1].Finish(t.Context(), h.oneAsks("an hour", processes, limits), nothing))
			h.refused(pipeline.RefusedDay, processes[1], pipeline.ClassIncremental, limits, 59*time.Minute, time.Hour)
			hour()
			check.Must(h, processes[1].Finish(t.Context(), h.oneAsks("another", processes, limits), pipeline.CallResult{Status: 200}))
			for range 3 {
				h.granted(processes[0], pipeline.ClassIncremental, limits)
			}
		})
	}
}

// If our own count has used up the plan, upstream's figure agrees with it, and no call asks before
// the day turns.
func TestASpentPlanIsNotAskedAbout(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	limits := unshared(1)
	check.Must(h, process.Finish(t.Context(), h.granted(process, pipeline.ClassIncremental, limits),
		pipeline.CallResult{Status: 200, DayLimit: 1, DayReset: 20 * time.Hour}))
	h.exec(`UPDATE sluice.day_budgets SET seen_at = seen_at - interval '2 hours'`)
	h.refused(pipeline.RefusedDay, process, pipeline.ClassIncremental, limits, 20*time.Hour-time.Minute, 20*time.Hour)
}

// A figure that fits into no column is cut, wherever it comes from: the end of a call can always be
// recorded.
func TestAnyFigureCanBeNoted(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	check.Must(h, process.Finish(t.Context(), h.granted(process, pipeline.ClassIncremental, unshared(0)),
		pipeline.CallResult{Status: 200, DayLimit: 1 << 40, DayRemaining: 1 << 40, DayReset: 1 << 62}))
	h.granted(process, pipeline.ClassIncremental, unshared(0))
}

// TestAnOldProbeOpensNoSpentDay: upstream called the day spent after the probe had answered, so one
// new call asks.
func TestAnOldProbeOpensNoSpentDay(t *testing.T) {
	h := open(t)
	limits := unshared(1000)
	limits.Shares = pipeline.Shares{pipeline.ClassDetails: {Floor: 0.1}} // calls are reserved for other classes, and the old figure must not count for them
	processes := []*calls.Ledger{h.process(calls.DefaultRules()), h.process(calls.DefaultRules())}
	nothing := pipeline.CallResult{Status: 200, DayLimit: 1000, DayReset: 24 * time.Hour}
	check.Must(h, processes[0].Finish(t.Context(), h.granted(processes[0], pipeline.ClassIncremental, limits), nothing))
	h.exec(`UPDATE sluice.day_budgets SET seen_at = seen_at - interval '1 hour'`)
	check.Must(h, processes[0].Finish(t.Context(), h.oneAsks("an hour", processes, limits), nothing))
	check.Must(h, processes[0].Penalize(t.Context(), "o", "shop", limits.Shared, pipeline.Exhausted, time.Hour))
	h.exec(`UPDATE sluice.day_budgets SET exhausted_until = clock_timestamp() - interval '1 second', reset_at = clock_timestamp()`)
	h.oneAsks("the spent day", processes, limits)
}

// A database that was promoted or restored may have forgotten calls. Until none of them can be in
// upstream's minute or under way, no call leaves, whichever process asks.
func TestNoCallLeavesAfterTheTimelineChanged(t *testing.T) {
	h := open(t)
	limits := unshared(1000)
	processes := []*calls.Ledger{h.process(calls.DefaultRules()), h.process(calls.DefaultRules())}
	decision := h.reserve(processes[0], pipeline.ClassIncremental, limits)
	check.FatalIf(t, decision.Refused != "", "on the timeline of the migration: %+v", decision)
	h.exec(`UPDATE sluice.last_timeline SET timeline = 'another'`)
	for range 2 {
		for _, process := range processes {
			h.refused(pipeline.RefusedForgotten, process, pipeline.ClassIncremental, limits, 110*time.Second, 120*time.Second)
		}
	}
	h.exec(`UPDATE sluice.last_timeline SET seen_at = seen_at - interval '2 minutes'`)
	if decision := h.reserve(processes[1], pipeline.ClassIncremental, limits); decision.Refused != "" {
		t.Errorf("a lease later: %+v", decision)
	}
	h.exec(`DELETE FROM sluice.last_timeline`) // as a copy of some tables would lack it
	h.refused(pipeline.RefusedForgotten, processes[0], pipeline.ClassIncremental, limits, 110*time.Second, 120*time.Second)
}
