package calls_test

import (
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
)

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
	if len(asked) != 1 {
		h.Fatalf("after %s %d of %d ask, want one", after, len(asked), callers)
	}
	return asked[0]
}

// After a long wait that upstream asked for, one call finds out whether it answers again.
func TestOneCallAsksBehindALongWait(t *testing.T) {
	t.Parallel()
	h := open(t)
	limits := unshared(1000)
	processes := []*calls.Ledger{h.process(calls.DefaultRules()), h.process(calls.DefaultRules())}
	closed := func(d time.Duration) {
		h.must(processes[0].Penalize(t.Context(), "o", "shop", limits.Shared, pipeline.Throttled, d))
	}
	over := func() {
		h.exec(`UPDATE sluice.budgets SET closed_until = clock_timestamp() - interval '1 second'`)
	}
	closed(time.Hour)
	h.refused(pipeline.RefusedClosed, processes[1], pipeline.ClassIncremental, limits, 59*time.Minute, time.Hour)
	over()
	h.must(processes[0].Finish(t.Context(), h.oneAsks("the wait", processes, limits), pipeline.CallResult{Kind: pipeline.Unavailable, Status: 503}))
	refused := h.oneAsks("an answer that says nothing", processes, limits)
	closed(time.Minute) // once more, but briefly
	h.must(processes[1].Finish(t.Context(), refused, pipeline.CallResult{Kind: pipeline.Throttled, Status: 429}))
	h.refused(pipeline.RefusedClosed, processes[1], pipeline.ClassIncremental, limits, 50*time.Second, time.Minute)
	over()
	lost := h.oneAsks("another refusal", processes, limits)
	h.exec(`UPDATE sluice.calls SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1`, lost)
	h.must(processes[1].Finish(t.Context(), h.oneAsks("one that never ended", processes, limits), pipeline.CallResult{Status: 200}))
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
			t.Parallel()
			h := open(t)
			processes := []*calls.Ledger{h.process(calls.DefaultRules()), h.process(calls.DefaultRules())}
			nothing := pipeline.CallResult{Status: 200, DayLimit: 1000, DayReset: 24 * time.Hour}
			hour := func() {
				h.exec(`UPDATE sluice.day_budgets SET seen_at = seen_at - interval '1 hour'`)
			}
			h.must(processes[0].Finish(t.Context(), h.granted(processes[0], pipeline.ClassIncremental, limits), nothing))
			h.refused(pipeline.RefusedDay, processes[1], pipeline.ClassIncremental, limits, 59*time.Minute, time.Hour)
			hour()
			h.must(processes[1].Finish(t.Context(), h.oneAsks("an hour", processes, limits), nothing))
			h.refused(pipeline.RefusedDay, processes[1], pipeline.ClassIncremental, limits, 59*time.Minute, time.Hour)
			hour()
			h.must(processes[1].Finish(t.Context(), h.oneAsks("another", processes, limits), pipeline.CallResult{Status: 200}))
			for range 3 {
				h.granted(processes[0], pipeline.ClassIncremental, limits)
			}
		})
	}
}

// If our own count has used up the plan, upstream's figure agrees with it, and no call asks before
// the day turns.
func TestASpentPlanIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	h := open(t)
	process := h.process(calls.DefaultRules())
	limits := unshared(1)
	h.must(process.Finish(t.Context(), h.granted(process, pipeline.ClassIncremental, limits),
		pipeline.CallResult{Status: 200, DayLimit: 1, DayReset: 20 * time.Hour}))
	h.exec(`UPDATE sluice.day_budgets SET seen_at = seen_at - interval '2 hours'`)
	h.refused(pipeline.RefusedDay, process, pipeline.ClassIncremental, limits, 20*time.Hour-time.Minute, 20*time.Hour)
}

// A figure that fits into no column is cut, wherever it comes from: the end of a call can always be
// recorded.
func TestAnyFigureCanBeNoted(t *testing.T) {
	t.Parallel()
	h := open(t)
	process := h.process(calls.DefaultRules())
	h.must(process.Finish(t.Context(), h.granted(process, pipeline.ClassIncremental, unshared(0)),
		pipeline.CallResult{Status: 200, DayLimit: 1 << 40, DayRemaining: 1 << 40, DayReset: 1 << 62}))
	h.granted(process, pipeline.ClassIncremental, unshared(0))
}

// TestAnOldProbeOpensNoSpentDay: upstream called the day spent after the probe had answered, so one
// new call asks.
func TestAnOldProbeOpensNoSpentDay(t *testing.T) {
	t.Parallel()
	h := open(t)
	limits := unshared(1000)
	limits.Shares = pipeline.Shares{pipeline.ClassDetails: {Floor: 0.1}} // calls are reserved for other classes, and the old figure must not count for them
	processes := []*calls.Ledger{h.process(calls.DefaultRules()), h.process(calls.DefaultRules())}
	nothing := pipeline.CallResult{Status: 200, DayLimit: 1000, DayReset: 24 * time.Hour}
	h.must(processes[0].Finish(t.Context(), h.granted(processes[0], pipeline.ClassIncremental, limits), nothing))
	h.exec(`UPDATE sluice.day_budgets SET seen_at = seen_at - interval '1 hour'`)
	h.must(processes[0].Finish(t.Context(), h.oneAsks("an hour", processes, limits), nothing))
	h.must(processes[0].Penalize(t.Context(), "o", "shop", limits.Shared, pipeline.Exhausted, time.Hour))
	h.exec(`UPDATE sluice.day_budgets SET exhausted_until = clock_timestamp() - interval '1 second', reset_at = clock_timestamp()`)
	h.oneAsks("the spent day", processes, limits)
}

// A database that was promoted or restored may have forgotten calls. Until none of them can be in
// upstream's minute or under way, no call leaves, whichever process asks.
func TestNoCallLeavesAfterTheTimelineChanged(t *testing.T) {
	t.Parallel()
	h := open(t)
	limits := unshared(1000)
	processes := []*calls.Ledger{h.process(calls.DefaultRules()), h.process(calls.DefaultRules())}
	if decision := h.reserve(processes[0], pipeline.ClassIncremental, limits); decision.Refused != "" {
		t.Fatalf("on the timeline of the migration: %+v", decision)
	}
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
