package planning_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
)

func TestTakes(t *testing.T) {
	t.Parallel()
	pace := planning.Pace{PerMinute: 100, Concurrent: 5, Latency: time.Second}
	for _, test := range []struct {
		calls, chain int
		want         time.Duration
	}{
		{0, 0, 0},
		{1, 1, time.Second},
		{100, 1, 20 * time.Second},    // five at once
		{100, 100, 100 * time.Second}, // one after the other
		{101, 1, 61*time.Second + 200*time.Millisecond},
		{1000, 1, 9*61*time.Second + 20*time.Second},
	} {
		got := pace.Takes(test.calls, test.chain)
		errorIf(t, got.Round(time.Millisecond) != test.want, "%d calls, %d in a chain: %s, want %s", test.calls, test.chain, got, test.want)
	}
}

func TestDone(t *testing.T) {
	t.Parallel()
	whole := planning.Day{Limit: 1000, Left: 1000}
	for name, test := range map[string]struct {
		day    planning.Day
		calls  int
		others float64
		days   int
		never  bool
	}{
		"nothing to do":      {whole, 0, 0, 0, false},
		"no limit":           {planning.Day{}, 1_000_000, 0, 0, false},
		"at once":            {whole, 1000, 0, 0, false},
		"one too many":       {whole, 1001, 0, 1, false},
		"20,000 details":     {whole, 20_000, 0, 19, false},
		"behind a spent day": {planning.Day{Limit: 1000}, 1, 0, 1, false},
		"beside a schedule":  {whole, 5000, 500, 8, false},
		"others take it all": {whole, 5000, 1000, 0, true},
	} {
		done, ok := test.day.Done(test.calls, test.others, planning.Pace{})
		errorIf(t, ok == test.never || done != time.Duration(test.days)*24*time.Hour, "%s: %s (%v), want %d days", name, done, ok, test.days)
	}
}

// TestLongerForMore: more calls never end sooner, and a larger allowance never later.
func TestLongerForMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pace := planning.Pace{
			PerMinute: rapid.IntRange(0, 120).Draw(t, "per minute"), Concurrent: rapid.IntRange(0, 10).Draw(t, "concurrent"),
			Latency: time.Duration(rapid.IntRange(0, 5000).Draw(t, "latency")) * time.Millisecond,
		}
		day, others := planning.Day{Limit: rapid.IntRange(100, 2000).Draw(t, "limit")}, rapid.Float64Range(0, 90).Draw(t, "others")
		day.Left = rapid.IntRange(0, day.Limit).Draw(t, "left")
		calls, more := rapid.IntRange(0, 20_000).Draw(t, "calls"), rapid.IntRange(0, 300).Draw(t, "more")
		if pace.Takes(calls, calls) > pace.Takes(calls+more, calls+more) || pace.Takes(calls, 0) > pace.Takes(calls+more, 0) {
			t.Fatalf("%d calls take longer than %d", calls, calls+more)
		}
		done, ok := day.Done(calls, others, pace)
		longer, _ := day.Done(calls+more, others, pace)
		larger := day
		larger.Limit += more
		sooner, _ := larger.Done(calls, others, pace)
		if !ok || done > longer || sooner > done || done < 0 {
			t.Fatalf("%d calls: %s; %d calls: %s; %d a day more: %s", calls, done, calls+more, longer, more, sooner)
		}
	})
}

// simulated counts the calls a day of a list without parents under an interval, run by run. It uses
// what the documents say of pages and no code of package planning.
func simulated(s planning.Stream, every time.Duration) float64 {
	records := s.Rows.Value
	if s.Way == planning.WayChanges {
		records = s.Changes.Value / 1440 * every.Minutes() // whole changes a minute
	}
	pages := 1
	for rest := int(records); s.Full && rest >= s.Page || rest > s.Page; rest -= s.Page {
		pages++
	}
	calls := pages
	if pages > 1 {
		calls *= 2
	}
	return float64(calls) * 24 / every.Hours()
}

// TestPerDay: an interval costs what an independent count says. With calls that take no time a
// change is at most as old as the interval and a tick.
func TestPerDay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		s.Way = rapid.SampledFrom([]planning.Way{planning.WayRows, planning.WayChanges}).Draw(t, "list")
		s.Full, s.Page = true, rapid.IntRange(20, 300).Draw(t, "page of a list")
		s.Changes.Value = float64(rapid.IntRange(0, 200).Draw(t, "changes of a minute") * 1440)
		s.Every = time.Duration(rapid.IntRange(1, 300).Draw(t, "every")) * time.Minute
		cost, want := s.PerDay(nil, planning.Pace{}), simulated(s, s.Every)
		if cost.Every != s.Every || cost.Fresh != s.Every+15*time.Second || cost.PerDay.Value-want > 1e-6 || want-cost.PerDay.Value > 1e-6 {
			t.Fatalf("every %s costs %f a day, want %f, and is %s fresh", cost.Every, cost.PerDay.Value, want, cost.Fresh)
		}
	})
}

// TestPerDayOfParents: where a run does not read all parents, a change waits for the whole round.
func TestPerDayOfParents(t *testing.T) {
	t.Parallel()
	s := stream("persons", planning.Shape{Way: planning.WayParents, Each: planning.WayOnce}, planning.Facts{
		Rows: known(500), Parents: known(64), PerRun: 20, Every: 24 * time.Hour,
	})
	if cost := s.PerDay(nil, planning.Pace{}); cost.PerDay.Value != 20 || cost.Fresh < 96*time.Hour || cost.Fresh > 97*time.Hour {
		t.Errorf("20 of 64 a day take four days: %+v", cost)
	}
	s.PerRun = 64
	cost := s.PerDay(nil, planning.Pace{})
	errorIf(t, cost.PerDay.Value != 64 || cost.Fresh != 24*time.Hour+15*time.Second, "all of 64 a day: %+v", cost)
	s.Parents = unknown()
	cost = s.PerDay(nil, planning.Pace{})
	errorIf(t, cost.PerDay.Known(), "the cost of an unknown number of parents: %+v", cost)
}

func TestDue(t *testing.T) {
	t.Parallel()
	const every = 2 * time.Hour
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	ended := func(turn pipeline.Occasion) pipeline.Occasion {
		turn.Event, turn.Every = pipeline.Ended, every
		return turn
	}
	for name, test := range map[string]struct {
		turn pipeline.Occasion
		want pipeline.Due
	}{
		"a new stream is due at once":                {pipeline.Occasion{Event: pipeline.Registered, Every: every}, pipeline.Due{Bound: pipeline.Exactly}},
		"a new stream with a first turn waits":       {pipeline.Occasion{Event: pipeline.Registered, First: every}, pipeline.Due{Bound: pipeline.Exactly, After: every}},
		"a shorter interval takes effect at once":    {pipeline.Occasion{Event: pipeline.Reconfigured, Every: every}, pipeline.Due{Bound: pipeline.Earlier, After: every}},
		"a stream that was taken waits its interval": {pipeline.Occasion{Event: pipeline.Taken, Every: every}, pipeline.Due{Bound: pipeline.Exactly, After: every}},
		"a request is now":                           {pipeline.Occasion{Event: pipeline.Requested, Every: every}, pipeline.Due{Bound: pipeline.Exactly}},
		"what it waited for happened":                {pipeline.Occasion{Event: pipeline.Woken, Every: every}, pipeline.Due{Bound: pipeline.Exactly}},
		"rows wait for their single records":         {pipeline.Occasion{Event: pipeline.DetailsWanted}, pipeline.Due{Bound: pipeline.Earlier, Spare: true}},
		"a look is needless while counts agree":      {pipeline.Occasion{Event: pipeline.CountAgrees}, pipeline.Due{Bound: pipeline.Later, After: 24 * time.Hour, Spare: true}},
		"rejected records are asked for in an hour":  {pipeline.Occasion{Event: pipeline.Rejected, Since: now}, pipeline.Due{Bound: pipeline.Earlier, Since: now, After: time.Hour}},
		"another time zone has lists read whole":     {pipeline.Occasion{Event: pipeline.Rezoned}, pipeline.Due{Bound: pipeline.Earlier}},
		"an occasion that is unknown moves nothing":  {pipeline.Occasion{Event: "?", Every: every}, pipeline.Due{}},

		"a run that ends waits its interval":            {ended(pipeline.Occasion{State: pipeline.StateIdle}), pipeline.Due{Bound: pipeline.Later, After: every}},
		"a failed run, too":                             {ended(pipeline.Occasion{State: pipeline.StateFailed}), pipeline.Due{Bound: pipeline.Later, After: every}},
		"but not before what it waits for":              {ended(pipeline.Occasion{Until: now}), pipeline.Due{Bound: pipeline.Later, After: every, NotBefore: now}},
		"a denied stream is tried a day later":          {ended(pipeline.Occasion{State: pipeline.StateDenied}), pipeline.Due{Bound: pipeline.Later, After: 24 * time.Hour}},
		"no parent was known":                           {ended(pipeline.Occasion{Again: pipeline.AgainNoParent}), pipeline.Due{Bound: pipeline.Exactly, After: 30 * time.Minute}},
		"too much was refused":                          {ended(pipeline.Occasion{Again: pipeline.AgainWithheld}), pipeline.Due{Bound: pipeline.Exactly, After: time.Hour}},
		"rows were missed for the first time":           {ended(pipeline.Occasion{Again: pipeline.AgainMissed}), pipeline.Due{Bound: pipeline.Exactly, After: time.Hour}},
		"a shorter interval is sooner than any of them": {pipeline.Occasion{Event: pipeline.Ended, Every: time.Minute, Again: pipeline.AgainMissed}, pipeline.Due{Bound: pipeline.Exactly, After: time.Minute}},
		"a request during the run comes before all":     {ended(pipeline.Occasion{State: pipeline.StateDenied, Requested: true}), pipeline.Due{Bound: pipeline.Exactly}},
		"a run aside moves nothing":                     {ended(pipeline.Occasion{Aside: true, Requested: true}), pipeline.Due{}},

		"a lapsed interval counts from the last run": {
			pipeline.Occasion{Event: pipeline.Lapsed, Every: every, Since: now.Add(-time.Hour), Now: now},
			pipeline.Due{Bound: pipeline.Earlier, Since: now.Add(-time.Hour), After: every, NotBefore: now},
		},
	} {
		got := planning.Due(test.turn)
		errorIf(t, got != test.want, "%s: Due = %+v, want %+v", name, got, test.want)
	}
}

// TestSweepsAreSpread: the first sweep of each stream is due in the second half of its interval, at
// different times.
func TestSweepsAreSpread(t *testing.T) {
	t.Parallel()
	turns := map[time.Duration]bool{}
	for _, resource := range []string{"bills.sweep", "items.sweep", "taxes.sweep"} {
		at := planning.FirstSweep(pipeline.Key{Organization: "1", Service: "inventory", Resource: resource}, time.Hour)
		errorIf(t, at < 30*time.Minute || at > time.Hour, "the first %s is due after %s", resource, at)
		turns[at] = true
	}
	errorIf(t, len(turns) != 3, "the first sweeps are due after %v", turns)
}

func TestLeftOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	shares := pipeline.Shares{pipeline.ClassIncremental: {Floor: 0.4}, pipeline.ClassProbe: {Floor: 0.1}, pipeline.ClassDetails: {Ceiling: 0.25}}
	limits := pipeline.Limits{Daily: 1000, Shares: shares}
	day := calls.Day{At: now, Spent: 800, LastHour: 400, ByClass: map[pipeline.Class]int64{
		pipeline.ClassIncremental: 100, pipeline.ClassBackfill: 700,
	}}
	got := planning.LeftOf(limits, &day)
	// 300 of the incremental floor and 100 of the probes' are reserved; 200 are left, so half of
	// each is lent.
	want := []planning.ClassDay{
		{Class: "incremental", Spent: 100, Floor: 400, Ceiling: 1000, Reserved: 300, Lent: 150},
		{Class: "details", Ceiling: 250},
		{Class: "sweep", Ceiling: 1000},
		{Class: "backfill", Spent: 700, Ceiling: 1000},
		{Class: "probe", Floor: 100, Ceiling: 1000, Reserved: 100, Lent: 50},
		{Class: "hinted", Ceiling: 1000},
	}
	if diff := cmp.Diff(want, got.Classes); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	errorIf(t, got.Left != 200 || got.RunsOutAt == nil || !got.RunsOutAt.Equal(now.Add(30*time.Minute)),
		"%d left until %v, want 200 for half an hour", got.Left, got.RunsOutAt)
	// Upstream knows of others; and what comes back before it is gone does not run out.
	day.SeenLeft, day.External, day.LastHour = new(int64(24)), new(int64(176)), 1
	got = planning.LeftOf(limits, &day)
	errorIf(t, got.Left != 24 || got.RunsOutAt != nil, "%d left until %v, want 24 that last", got.Left, got.RunsOutAt)
	turn := now.Add(25 * time.Hour)
	day.Turn = &turn
	at := planning.LeftOf(limits, &day).RunsOutAt
	errorIf(t, at == nil || !at.Equal(now.Add(24*time.Hour)), "runs out at %v, want in a day: the day turns later", at)
}

// TestWeekOf: of ten days the 90th percentile is the ninth smallest, of a week the largest.
func TestWeekOf(t *testing.T) {
	t.Parallel()
	got := planning.WeekOf(nil)
	errorIf(t, got != nil, "of no day: %+v", got)
	for _, c := range []struct {
		days []int64
		want planning.Week
	}{
		{[]int64{7}, planning.Week{Days: 1, Mean: 7, P90: 7}},
		{[]int64{5, 90, 10, 20, 30, 40, 50}, planning.Week{Days: 7, Mean: 35, P90: 90}},
		{[]int64{100, 1, 2, 3, 4, 5, 6, 7, 8, 9}, planning.Week{Days: 10, Mean: 14.5, P90: 9}},
	} {
		if diff := cmp.Diff(&c.want, planning.WeekOf(c.days)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.days, diff)
		}
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb rapid.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
