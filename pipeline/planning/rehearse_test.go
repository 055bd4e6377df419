package planning_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/planning"
)

func keyOf(resource string) pipeline.Key {
	return pipeline.Key{Organization: "1", Service: "shop", Resource: resource}
}

// rehearsed is one service with streams, whose day turns at midnight.
func rehearsed(daily int, streams ...planning.Stream) *planning.RehearsalInput {
	return &planning.RehearsalInput{
		Streams: streams, Workers: 8, Days: 7, Seed: 1, From: monday,
		Services: []planning.RehearsedService{{
			Organization: "1", Name: "shop", Zone: time.UTC,
			Limits: pipeline.Limits{Shared: "suite", PerMinute: 100, Daily: daily, ResetZone: "UTC", Shares: pipeline.Shares{pipeline.ClassIncremental: {Floor: 0.5}}},
		}},
	}
}

func once(name string, every time.Duration) planning.Stream {
	return planning.Stream{
		Key: keyOf(name), Class: pipeline.ClassIncremental, Shape: planning.Shape{Way: planning.WayOnce}, Facts: planning.Facts{Read: true, Every: every},
	}
}

func within(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if math.Abs(got-want) > by {
		t.Errorf("%s is %v, want %v and at most %v beside it", what, got, want, by)
	}
}

// TestRehearseAnInterval: a run every six hours and a tick takes no time, so that a change is up to
// six hours and 15 seconds old, and half of that in the median.
func TestRehearseAnInterval(t *testing.T) {
	t.Parallel()
	got := planning.Rehearse(rehearsed(0, once("a", 6*time.Hour))).Streams[0]
	within(t, "the worst age", got.WorstSeconds, 21_615, 0)
	within(t, "the median", got.MedianSeconds, 21_615.0/2, 1)
	within(t, "calls a day", got.CallsPerDay, 4, 0.15)
	if got.Waits != 0 || got.Runs != int(math.Round(7*got.CallsPerDay)) {
		t.Errorf("%+v", got)
	}
}

// TestRehearseASpentDay: of 100 calls a day others spend two an hour. At one call in 75 seconds
// ours are gone after two hours, and the next one leaves when the day turns.
func TestRehearseASpentDay(t *testing.T) {
	t.Parallel()
	in := rehearsed(100, once("a", time.Minute))
	for weekday := range in.Services[0].Others {
		for hour := range in.Services[0].Others[weekday] {
			in.Services[0].Others[weekday][hour] = 2
		}
	}
	got := planning.Rehearse(in)
	// 48 calls in the first hour, 48 in the second: 96 and four of others. The day then has none.
	within(t, "calls a day", got.Streams[0].CallsPerDay, 96, 1)
	within(t, "the worst age", got.Streams[0].WorstSeconds, 22*3600, 300)
	within(t, "others", got.Services[0].Others, 48, 1e-6)
	if got.Streams[0].Waits == 0 || got.Services[0].Limit != 100 {
		t.Errorf("%+v", got)
	}
	// Half of the day is kept for incremental runs, evenly over the day: sweeps cannot take it.
	sweep := once("b", time.Minute)
	sweep.Class = pipeline.ClassSweep
	both := planning.Rehearse(rehearsed(100, once("a", 30*time.Minute), sweep))
	within(t, "calls of incremental runs beside sweeps", both.Services[0].ByClass[pipeline.ClassIncremental], 48, 1)
}

// TestRehearseDetailsAndBackfills: each change of a list is read once more. A backfill of 100 calls
// of a second each is made in two chunks, each after a tick.
func TestRehearseDetailsAndBackfills(t *testing.T) {
	t.Parallel()
	list := planning.Stream{
		Key: keyOf("a"), Class: pipeline.ClassIncremental, Shape: planning.Shape{Way: planning.WayChanges, Page: 200, Full: true},
		Facts: planning.Facts{Read: true, Every: time.Hour, Changes: planning.Figure{Value: 240, Basis: planning.Measured}, ReadsByKeyset: true},
	}
	details := planning.Stream{
		Key: keyOf("a.details"), Class: pipeline.ClassDetails, Shape: planning.Shape{Way: planning.WayDetails, Batch: 1}, Facts: planning.Facts{Read: true, Every: time.Hour},
	}
	in := rehearsed(0, list, details)
	in.Services[0].Latency = time.Second
	in.Backfills = []planning.RehearsedBackfill{{Key: keyOf("b.backfill"), Calls: 100}}
	got := planning.Rehearse(in)
	within(t, "calls of the list", got.Streams[0].CallsPerDay, 24, 0.5)
	within(t, "calls of details", got.Streams[1].CallsPerDay, 240, 24) // 1,680 in the week, with a standard deviation of 41: six a day
	if end := got.Backfills[0].Seconds; end == nil || *end != 130 {
		t.Errorf("the backfill ends after %v seconds, want 15 + 50 + 15 + 50", end)
	}
	// The single record comes after its list.
	if got.Streams[1].WorstSeconds <= 3600 || got.Streams[1].WorstSeconds > 2*3600 {
		t.Errorf("details are up to %v seconds old", got.Streams[1].WorstSeconds)
	}
	if diff := cmp.Diff(got, planning.Rehearse(in)); diff != "" {
		t.Errorf("a second rehearsal differs (-first +second):\n%s", diff)
	}
	// The list has the whole record of three quarters of the rows, so that a quarter is read.
	some := list
	some.Whole = 0.75
	within(t, "calls of details of a quarter", planning.Rehearse(rehearsed(0, some, details)).Streams[1].CallsPerDay, 60, 12) // a standard deviation of three a day
	some.Whole = 1
	if none := planning.Rehearse(rehearsed(0, some, details)).Streams[1]; none.CallsPerDay != 0 || none.WorstSeconds != 0 {
		t.Errorf("without need of single records: %+v", none)
	}
	// The changes come at the same instants for another interval.
	list.Every = 20 * time.Minute
	faster := planning.Rehearse(rehearsed(0, list, details))
	within(t, "calls of details of a faster list", faster.Streams[1].CallsPerDay, got.Streams[1].CallsPerDay, 2)
	within(t, "calls of the faster list", faster.Streams[0].CallsPerDay, 71, 0.7) // in 20 minutes and a tick
}

// TestCompareRehearsals: a tenth and a minute of freshness are tolerated, a twentieth and a call of
// the sum of calls.
func TestCompareRehearsals(t *testing.T) {
	t.Parallel()
	of := func(calls float64, streams ...planning.RehearsedStream) *planning.Rehearsal {
		return &planning.Rehearsal{Streams: streams, Services: []planning.RehearsedDay{{CallsPerDay: calls}}}
	}
	stream := func(name string, worst, calls float64) planning.RehearsedStream {
		return planning.RehearsedStream{Key: keyOf(name), WorstSeconds: worst, CallsPerDay: calls}
	}
	before := of(100, stream("a", 3600, 24), stream("b", 3600, 24), stream("c", 100, 24), stream("gone", 1, 1))
	got := planning.Compare(before, of(105, stream("a", 3961, 20), stream("b", 3960, 24), stream("c", 160, 26), stream("new", 1, 1)), planning.DefaultTolerance())
	want := map[string][2]planning.Verdict{
		"a": {planning.Worse, planning.Better}, "b": {planning.Same, planning.Same}, "c": {planning.Same, planning.Worse},
		"new": {planning.Added, planning.Added}, "gone": {planning.LeftOut, planning.LeftOut},
	}
	for _, c := range got.Streams {
		if verdicts := [2]planning.Verdict{c.Fresh, c.Calls}; verdicts != want[c.Resource] {
			t.Errorf("%s: %v, want %v", c.Resource, verdicts, want[c.Resource])
		}
	}
	if diff := cmp.Diff([]string{"1/shop.a: a change is up to 1h6m1s old, instead of 1h0m0s", "1/shop.gone: it is not copied any more"}, got.Worse); diff != "" {
		t.Errorf("what is worse (-want +got):\n%s", diff)
	}
	more := planning.Compare(of(100), of(105.1), planning.DefaultTolerance())
	if diff := cmp.Diff([]string{"all streams: 105 calls a day, instead of 100"}, more.Worse); diff != "" {
		t.Errorf("what is worse (-want +got):\n%s", diff)
	}
}
