package calls_test

import (
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
)

const block = 1_000_000_000

// blocks lists the blocks of the log by the first digits of their calls' numbers.
const blocks = `SELECT string_agg(substring(inhrelid::regclass::text FROM '[0-9]+$'), ' ' ORDER BY inhrelid) FROM pg_inherits
	WHERE inhparent = 'sluice.calls'::regclass`

// A day is a block of the log: it is turned once without losing a call, and is dropped as a whole
// when it is old.
func TestTheLogIsKeptByDays(t *testing.T) {
	t.Parallel()
	h := open(t)
	process := h.process(calls.DefaultRules())
	keep := func(want int) {
		t.Helper()
		dropped, err := process.PruneCalls(t.Context(), 3)
		h.must(err)
		if dropped != want {
			t.Errorf("%d blocks dropped, want %d", dropped, want)
		}
	}
	call := func(day int64) int64 {
		t.Helper()
		number := h.granted(process, pipeline.ClassSweep, pipeline.Limits{Shared: "suite"})
		if number/block != day {
			t.Errorf("call %d is of day %d, want %d", number, number/block, day)
		}
		h.must(process.Finish(t.Context(), number, pipeline.CallResult{Status: 200}))
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
		if next := call(day); next <= first {
			t.Errorf("call %d after call %d", next, first)
		}
	}
	if got := ask[string](h, blocks); got != "1 2 3 4" {
		t.Errorf("blocks %s, want 1 2 3 4", got)
	}
	if got := ask[int](h, `SELECT count(*) FROM sluice.calls`); got != 3 {
		t.Errorf("%d calls are kept, want those of three days", got)
	}
}

// A block with a call that is still under way stays, however old it is.
func TestAnExportKeepsItsDay(t *testing.T) {
	t.Parallel()
	h := open(t)
	process := h.process(calls.DefaultRules())
	h.granted(process, pipeline.ClassSweep, pipeline.Limits{Shared: "suite"})
	h.exec(`UPDATE sluice.calls SET reserved_at = reserved_at - interval '9 days'`)
	h.exec(`SELECT sluice.recount_calls()`)
	if dropped, err := process.PruneCalls(t.Context(), 3); err != nil || dropped != 0 {
		t.Errorf("%d blocks dropped (%v), want none", dropped, err)
	}
	if _, err := process.PruneCalls(t.Context(), 1); err == nil {
		t.Error("keeping less than the day that is counted is taken")
	}
}

// Days turn and are dropped while calls are made: no call fails, none is lost.
func TestDaysTurnUnderTraffic(t *testing.T) {
	t.Parallel()
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
			h.must(err)
			ended = true
		default:
			// Calls are moved to yesterday only for PruneCalls: calls that are counted are not
			// touched.
			h.exec(`UPDATE sluice.calls SET reserved_at = reserved_at - interval '1 day' WHERE reserved_at > clock_timestamp() - interval '1 day'
				AND finished_at IS NOT NULL`)
			_, err := keepers.PruneCalls(t.Context(), 1000)
			h.must(err)
			underWay.Lock()
			underWay.Unlock() // those under way have ended
			turns++
		}
	}
	if got := ask[int](h, `SELECT count(*) FROM sluice.calls WHERE finished_at IS NOT NULL`); got != 4*each {
		t.Errorf("%d calls in the log, want %d", got, 4*each)
	}
	if days := ask[int](h, `SELECT count(DISTINCT id / 1000000000) FROM sluice.calls`); days < 2 {
		t.Errorf("calls of %d days after %d looks: nothing was tried", days, turns)
	}
}

// After the log was edited, calls are counted from it again.
func TestMovedCallsAreCountedAnew(t *testing.T) {
	t.Parallel()
	h := open(t)
	process := h.process(calls.DefaultRules())
	limits := pipeline.Limits{Shared: "suite", PerMinute: 1, Daily: 1, Shares: pipeline.Shares{}}
	h.must(process.Finish(t.Context(), h.granted(process, pipeline.ClassSweep, limits), pipeline.CallResult{Status: 200}))
	h.refused(pipeline.RefusedDay, process, pipeline.ClassSweep, limits, 23*time.Hour, 24*time.Hour+time.Minute)
	moved := func(by string) {
		t.Helper()
		h.exec(`UPDATE sluice.calls SET reserved_at = reserved_at - $1::interval, lease_until = lease_until - $1::interval,
			finished_at = finished_at - $1::interval, free_at = free_at - $1::interval`, by)
		h.exec(`SELECT sluice.recount_calls()`)
	}
	moved("2 minutes")
	limits.Daily = 2
	h.granted(process, pipeline.ClassSweep, limits)
	moved("25 hours")
	limits.Daily = 1
	h.granted(process, pipeline.ClassSweep, limits)
}
