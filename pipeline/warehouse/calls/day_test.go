package calls_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/calls"
)

// unshared returns limits of a day without shares of classes.
func unshared(daily int) pipeline.Limits {
	return pipeline.Limits{Shared: "suite", Daily: daily, Shares: pipeline.Shares{}}
}

// Calls count until a day after their end and less than a minute longer, whether their hour has
// been summed up or not.
func TestTheRollingDayForgetsByTheMinute(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	for _, ago := range []time.Duration{time.Second, 59 * time.Minute, 5*time.Hour + 30*time.Minute, 23*time.Hour + 59*time.Minute + 58*time.Second} {
		h.past(ago, pipeline.ClassSweep, 2)
	}
	h.past(24*time.Hour+61*time.Second, pipeline.ClassSweep, 5)
	h.refused(pipeline.RefusedDay, process, pipeline.ClassSweep, unshared(8), time.Second, 63*time.Second)
	h.granted(process, pipeline.ClassSweep, unshared(9))
	h.refused(pipeline.RefusedDay, process, pipeline.ClassSweep, unshared(7), 17*time.Hour, 18*time.Hour+31*time.Minute)
}

// A call that ends in a minute before any is reserved in it creates the row of that minute. The
// first reservation still sums up the hours that are over: otherwise they would not count.
func TestAnEndInANewHourDoesNotHideTheLastOne(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	call := h.granted(process, pipeline.ClassSweep, unshared(0))
	h.past(time.Hour, pipeline.ClassSweep, 6)
	// As if it had been reserved, and hours had last been summed up, before.
	h.exec(`DELETE FROM sluice.spent WHERE span = 'hour' OR began_at > clock_timestamp() - interval '5 minutes'`)
	h.exec(`UPDATE sluice.live_calls SET bucket = bucket - interval '2 hours' WHERE id = $1`, call)
	check.Must(h, process.Finish(t.Context(), call, pipeline.CallResult{Status: 200}))
	h.refused(pipeline.RefusedDay, process, pipeline.ClassSweep, unshared(7), time.Hour, 24*time.Hour)
	h.granted(process, pipeline.ClassSweep, unshared(8))
}

// An hour that is over counts before a reservation sums it up: while no call is made, none does.
func TestAnHourThatIsOverCountsAtOnce(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	h.past(5*time.Hour, pipeline.ClassDetails, 4)
	h.past(time.Hour, pipeline.ClassSweep, 6)
	// As if the last call had been made in that hour: only the hours before it are summed up.
	h.exec(`DELETE FROM sluice.spent WHERE span = 'hour' AND began_at > clock_timestamp() - interval '3 hours'`)
	fixed := unshared(1000)
	fixed.ResetZone = "UTC"
	fixed.ResetHour = ask[int](h, `SELECT extract(hour FROM clock_timestamp() AT TIME ZONE 'UTC' - interval '12 hours')::integer`)
	for name, limits := range map[string]pipeline.Limits{"a rolling day": unshared(1000), "a day that turns": fixed} {
		day := check.Sure(process.Day(t.Context(), "o", "shop", limits))(h)
		check.ErrorIf(t, day.Spent != 10 || day.ByClass[pipeline.ClassSweep] != 6 || day.ByClass[pipeline.ClassDetails] != 4,
			"%s: %d calls, by class %v, want 10: 6 of sweeps, 4 of details", name, day.Spent, day.ByClass)
	}
	h.granted(process, pipeline.ClassProbe, unshared(1000)) // sums the hour up
	day := check.Sure(process.Day(t.Context(), "o", "shop", fixed))(h)
	check.Same(t, "calls once the hour is summed up", 11, day.Spent)
}

// A day that turns at an hour counts calls that ended since, and turns here one window later than
// upstream.
func TestTheDayTurnsAtAnHourOfAZone(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	limits := unshared(3)
	limits.ResetZone = "Asia/Kolkata"
	limits.ResetHour = ask[int](h, `SELECT extract(hour FROM clock_timestamp() AT TIME ZONE 'Asia/Kolkata' - interval '2 minutes')::integer`)
	since := time.Duration(ask[float64](h, `SELECT extract(epoch FROM clock_timestamp() AT TIME ZONE 'Asia/Kolkata'
		- date_trunc('hour', clock_timestamp() AT TIME ZONE 'Asia/Kolkata' - interval '2 minutes'))::float8`) * float64(time.Second))
	h.past(since+90*time.Second, pipeline.ClassSweep, 50) // yesterday's
	h.past(since/2, pipeline.ClassSweep, 2)
	h.granted(process, pipeline.ClassSweep, limits)
	turn := 24*time.Hour + time.Minute - since
	h.refused(pipeline.RefusedDay, process, pipeline.ClassSweep, limits, turn-10*time.Second, turn+time.Second)
	// Until a window after the day turned, yesterday's calls count.
	later := h.process(calls.Rules{Lease: 2 * time.Minute, Window: since + time.Minute, Day: 24 * time.Hour})
	limits.Daily = 40
	h.refused(pipeline.RefusedDay, later, pipeline.ClassSweep, limits, 45*time.Second, 61*time.Second)
	limits.ResetHour = (limits.ResetHour + 23) % 24 // an hour earlier: yesterday's calls are today's
	h.refused(pipeline.RefusedDay, process, pipeline.ClassSweep, limits, turn-time.Hour-10*time.Second, turn-time.Hour+time.Second)
	limits.ResetZone = "Atlantis"
	check.ErrorIf(t, check.Failure(process.Reserve(t.Context(), aCall("shop", pipeline.ClassSweep), limits)) == nil,
		"a zone that does not exist is taken")
}

func TestAClassStopsAtItsCeiling(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	limits := pipeline.Limits{Shared: "suite", Daily: 10} // the usual shares: 4 details, 5 of backfill
	h.past(3*time.Hour, pipeline.ClassDetails, 1)
	h.past(time.Hour, pipeline.ClassDetails, 2)
	h.granted(process, pipeline.ClassDetails, limits)
	h.refused(pipeline.RefusedClass, process, pipeline.ClassDetails, limits, 20*time.Hour, 21*time.Hour+time.Minute)
	h.granted(process, pipeline.ClassBackfill, limits)
	h.granted(process, pipeline.ClassIncremental, limits)
}

// A backfill that takes all that it gets leaves the incremental runs what they need, and is lent
// what they do not need.
func TestABackfillDoesNotStarveIncrementalRuns(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	limits := pipeline.Limits{Shared: "suite", Daily: 240, Shares: pipeline.Shares{pipeline.ClassIncremental: {Floor: 0.4}}}
	taken := 0
	for h.reserve(process, pipeline.ClassBackfill, limits).Refused == "" {
		taken++
	}
	want := 240 - 96
	check.ErrorIf(t, taken != want, "the backfill took %d calls at once, want all but the floor: %d", taken, want)
	for range 96 / 24 { // an hour of the floor
		h.granted(process, pipeline.ClassIncremental, limits)
	}
	h.refused(pipeline.RefusedClass, process, pipeline.ClassBackfill, limits, time.Hour-time.Second, 24*time.Hour)

	// The same calls are spread over the day. They return evenly, so nearly all the rest of the
	// floor is lent.
	h.exec(`UPDATE sluice.calls SET reserved_at = at, lease_until = at, finished_at = at, free_at = at FROM (
		SELECT id, clock_timestamp() - interval '24 hours' * (row_number() OVER (ORDER BY id)) / 150 AS at FROM sluice.calls) AS c
		WHERE c.id = calls.id`)
	h.exec(`SELECT sluice.recount_calls()`)
	for taken = 0; h.reserve(process, pipeline.ClassBackfill, limits).Refused == ""; taken++ {
	}
	check.ErrorIf(t, taken < 10 || taken > 240-148-96/24, "the backfill was lent %d calls, want some, and not the last hour's", taken)
	for range 96 / 24 {
		h.granted(process, pipeline.ClassIncremental, limits)
	}
}

// However many change notifications arrive, by default their calls take three tenths of the day,
// and the rest is there for the other classes.
func TestHintedCallsHaveACeiling(t *testing.T) {
	h := open(t)
	process, limits := h.process(calls.DefaultRules()), pipeline.Limits{Shared: "suite", Daily: 100}
	h.past(3*time.Hour, pipeline.ClassHinted, 1)
	h.past(time.Hour, pipeline.ClassHinted, 28)
	h.granted(process, pipeline.ClassHinted, limits)
	h.refused(pipeline.RefusedClass, process, pipeline.ClassHinted, limits, 20*time.Hour, 21*time.Hour+time.Minute)
	for _, class := range []pipeline.Class{pipeline.ClassIncremental, pipeline.ClassDetails, pipeline.ClassSweep, pipeline.ClassBackfill, pipeline.ClassProbe} {
		h.granted(process, class, limits)
	}
	day := check.Sure(process.Day(t.Context(), "o", "shop", limits))(h)
	want := map[pipeline.Class]int64{"incremental": 1, "details": 1, "sweep": 1, "backfill": 1, "probe": 1, "hinted": 30}
	diff := cmp.Diff(want, day.ByClass)
	check.ErrorIf(t, diff != "" || day.Spent != 35, "%d calls are spent, want 35; by class (-want +got):\n%s", day.Spent, diff)
}

// A clock that was set back counts calls in an hour that was summed up. The next minute sums it up
// again, each class by itself.
func TestTheLastHourIsSummedUpAgain(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	want := map[pipeline.Class]int64{}
	for i, class := range pipeline.Classes() {
		h.past(3*time.Hour, class, i+1)
		want[class] = int64(i + 1)
	}
	h.exec(`UPDATE sluice.spent SET calls = 0, incremental = 0, details = 0, sweep = 0, backfill = 0, probe = 0, hinted = 0
		WHERE span = 'hour' AND began_at = (SELECT max(began_at) FROM sluice.spent WHERE span = 'hour')`)
	h.granted(process, pipeline.ClassSweep, unshared(1000))
	want[pipeline.ClassSweep]++
	day := check.Sure(process.Day(t.Context(), "o", "shop", unshared(1000)))(h)
	check.Same(t, "calls by class", want, day.ByClass)
}

// Other work leaves hinted calls their floor, and they take no call that is kept for probes.
func TestTheFloorOfHintedCallsIsKept(t *testing.T) {
	h := open(t)
	process, limits := h.process(calls.DefaultRules()), pipeline.Limits{Shared: "suite", Daily: 100}
	taken := func(class pipeline.Class) int {
		t.Helper()
		n := 0
		for h.reserve(process, class, limits).Refused == "" {
			n++
		}
		return n
	}
	for _, step := range []struct {
		class pipeline.Class
		want  int
	}{
		{pipeline.ClassIncremental, 93}, // 5 are kept for hinted calls, 2 for probes
		{pipeline.ClassHinted, 5},
		{pipeline.ClassProbe, 2},
	} {
		got := taken(step.class)
		check.ErrorIf(t, got != step.want, "%s took %d calls of what was left, want %d", step.class, got, step.want)
	}
}

// After code 1070 half as many calls may be under way; the number then rises evenly to the old one.
func TestCallsAtOnceAreHalvedAndRise(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	limits := pipeline.Limits{Shared: "suite", Concurrent: 8}
	penalize := func() {
		t.Helper()
		check.Must(h, process.Penalize(t.Context(), "o", "shop", "suite", pipeline.Crowded, 10*time.Minute))
	}
	passes := func(passed string) {
		t.Helper()
		h.exec(`UPDATE sluice.budgets SET capped_at = capped_at - $1::interval, cap_until = cap_until - $1::interval`, passed)
	}
	allowed := func(want int) {
		t.Helper()
		under := 0
		for under < 20 && h.reserve(process, pipeline.ClassSweep, limits).Refused == "" {
			under++
		}
		check.Same(t, "at once", want, under)
		h.exec(`DELETE FROM sluice.live_calls`)
	}
	allowed(8)
	penalize()
	allowed(4)
	passes("5 minutes")
	allowed(6)
	penalize()
	allowed(3)
	penalize() // the same evidence
	allowed(3)
	for range 6 {
		passes("11 seconds")
		penalize()
	}
	allowed(1)
	passes("10 minutes")
	allowed(8)
}

// The calls of other programs are what upstream says was used less our own, by its day. A day that
// is over is stored.
func TestOthersSpendingIsSeen(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	const external = `SELECT coalesce(sluice.external_calls('o', 'shop'), -1)`
	h.past(30*time.Minute, pipeline.ClassSweep, 10)
	answer := func(remaining int) {
		t.Helper()
		check.Must(h, process.Finish(t.Context(), h.granted(process, pipeline.ClassSweep, unshared(1000)), pipeline.CallResult{
			Status: 200, DayLimit: 1000, DayRemaining: remaining, DayReset: 23 * time.Hour,
		}))
	}
	check.Same(t, "calls of others before any answer", -1, ask[int](h, external))
	answer(989)
	check.Same(t, "calls of others, want none: the eleven were ours", 0, ask[int](h, external))
	answer(900)
	h.granted(process, pipeline.ClassSweep, unshared(1000)) // not in the answer
	check.Same(t, "calls of others, want 1000 - 900 - 12", 88, ask[int](h, external))
	h.exec(`UPDATE sluice.day_budgets SET reset_at = clock_timestamp() - interval '1 second'`)
	answer(999)
	check.Same(t, "kept", "88 of 1000", ask[string](h, `SELECT string_agg(calls || ' of ' || limit_seen, ',') FROM sluice.external_spent`))
}

// A call counts from its reservation. One without a reported end counts until a day after the end
// of its lease, also while its slot is free and no process has noticed. One that is under way for
// more than a day counts all the time.
func TestALostCallCountsToTheEndOfItsLease(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	h.granted(process, pipeline.ClassSweep, unshared(1))
	h.exec(`UPDATE sluice.spent SET began_at = began_at - interval '25 hours'`)
	h.exec(`UPDATE sluice.live_calls SET bucket = bucket - interval '25 hours'`)
	h.refused(pipeline.RefusedDay, process, pipeline.ClassSweep, unshared(1), time.Second, 24*time.Hour)
	h.exec(`UPDATE sluice.live_calls SET lease_until = clock_timestamp() - interval '23 hours', free_at = clock_timestamp() - interval '22 hours'`)
	h.refused(pipeline.RefusedDay, process, pipeline.ClassSweep, unshared(1), time.Hour-2*time.Minute, time.Hour+2*time.Minute)
	h.granted(process, pipeline.ClassSweep, unshared(2))
}

// A call that is lost, or whose answer has no figure of the day, is subtracted from the remainder
// that a later call saw.
func TestWhatWasUnderWayIsTakenOffUpstreamsFigure(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	silent := h.granted(process, pipeline.ClassSweep, unshared(1000))
	h.granted(process, pipeline.ClassSweep, unshared(1000)) // lost
	check.Must(h, process.Finish(t.Context(), h.granted(process, pipeline.ClassSweep, unshared(1000)), pipeline.CallResult{
		Status: 200, DayLimit: 1000, DayRemaining: 4, DayReset: time.Hour,
	}))
	check.Must(h, process.Finish(t.Context(), silent, pipeline.CallResult{}))
	h.exec(`UPDATE sluice.live_calls SET lease_until = clock_timestamp(), free_at = clock_timestamp()`) // time passes
	h.granted(process, pipeline.ClassSweep, unshared(1000))
	h.granted(process, pipeline.ClassSweep, unshared(1000))
	h.refused(pipeline.RefusedDay, process, pipeline.ClassSweep, unshared(1000), 59*time.Minute, time.Hour)
}

// A process that was suspended for longer than its lease may have called just now: its call takes a
// slot again.
func TestACallReportedLateTakesASlotAgain(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	limits := pipeline.Limits{Shared: "suite", PerMinute: 1}
	late := h.granted(process, pipeline.ClassSweep, limits)
	h.exec(`UPDATE sluice.live_calls SET lease_until = clock_timestamp() - interval '1 minute', free_at = clock_timestamp()`) // time passes
	check.Must(h, process.Finish(t.Context(), h.granted(process, pipeline.ClassSweep, limits), pipeline.CallResult{Status: 200}))
	h.exec(`UPDATE sluice.live_calls SET free_at = clock_timestamp()`)
	h.exec(`DELETE FROM sluice.live_calls WHERE id = $1`, late)
	check.Must(h, process.Finish(t.Context(), late, pipeline.CallResult{Status: 200}))
	h.refused(pipeline.RefusedMinute, process, pipeline.ClassSweep, limits, time.Millisecond, time.Minute)
}

// TestOneCallAsksWhetherTheDayTurned: after code 45 many callers in several processes wait for the
// instant at which the day may turn. One of them asks. While it has no answer, and after an answer
// without a figure of the day, no two ask at once.
func TestOneCallAsksWhetherTheDayTurned(t *testing.T) {
	h := open(t)
	processes := []*calls.Ledger{h.process(calls.DefaultRules()), h.process(calls.DefaultRules())}
	spent := func() {
		check.Must(h, processes[0].Penalize(t.Context(), "o", "shop", "suite", pipeline.Exhausted, time.Hour))
	}
	turn := func() {
		h.exec(`UPDATE sluice.day_budgets SET exhausted_until = clock_timestamp() - interval '1 second'`)
	}
	asks := func(after string) int64 { return h.oneAsks(after, processes, unshared(1000)) }

	check.Must(h, processes[0].Finish(t.Context(), h.granted(processes[0], pipeline.ClassIncremental, unshared(1000)), pipeline.CallResult{Status: 200}))
	spent()
	h.refused(pipeline.RefusedDay, processes[0], pipeline.ClassIncremental, unshared(1000), 50*time.Minute, time.Hour)
	turn()
	check.Must(h, processes[0].Finish(t.Context(), asks("45"), pipeline.CallResult{Kind: pipeline.Unavailable, Status: 503}))
	first := asks("an answer that says nothing")
	spent()
	check.Must(h, processes[1].Finish(t.Context(), first, pipeline.CallResult{Kind: pipeline.Exhausted, Status: 429, Code: "45"}))
	h.refused(pipeline.RefusedDay, processes[1], pipeline.ClassIncremental, unshared(1000), 50*time.Minute, time.Hour)
	turn()
	lost := asks("45 at the first turn")
	h.exec(`UPDATE sluice.calls SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1`, lost)
	check.Must(h, processes[1].Finish(t.Context(), asks("one that never ended"), pipeline.CallResult{Status: 200}))
	for range 3 {
		h.granted(processes[0], pipeline.ClassIncremental, unshared(1000))
	}
	check.Same(t, "a day that has turned is still said to be spent", 0,
		ask[int](h, `SELECT count(*) FROM sluice.day_budgets WHERE exhausted_until IS NOT NULL OR probe_call IS NOT NULL`))
}

// TestSharesAreOfTheLimitSeenLast: between the turn of upstream's day and its next answer only the
// old limit is known. 75 is half of 150, the share of backfills.
func TestSharesAreOfTheLimitSeenLast(t *testing.T) {
	h := open(t)
	process := h.process(calls.DefaultRules())
	limits := pipeline.Limits{Shared: "suite", Daily: 1000, ResetZone: "UTC"} // the plan is larger
	answer := pipeline.CallResult{Status: 200, DayLimit: 150, DayRemaining: 149, DayReset: time.Hour}
	check.Must(h, process.Finish(t.Context(), h.granted(process, pipeline.ClassBackfill, limits), answer))
	h.exec(`UPDATE sluice.day_budgets SET reset_at = clock_timestamp() - interval '1 second'`)
	h.exec(`DELETE FROM sluice.calls`)
	h.exec(`SELECT sluice.recount_calls()`)
	taken := 0
	for h.reserve(process, pipeline.ClassBackfill, limits).Refused == "" && taken < 1000 {
		taken++
	}
	check.ErrorIf(t, taken != 75, "backfills took %d calls before any answer, want 75", taken)
	h.exec(`UPDATE sluice.day_budgets SET seen_at = seen_at - interval '49 hours'`)
	h.granted(process, pipeline.ClassBackfill, limits)
}
