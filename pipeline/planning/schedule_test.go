package planning_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/pipeline/planning"
)

// TestTakes: minutes counted by hand.
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
		if got := pace.Takes(test.calls, test.chain); got.Round(time.Millisecond) != test.want {
			t.Errorf("%d calls, %d in a chain: %s, want %s", test.calls, test.chain, got, test.want)
		}
	}
}

// TestDone: days counted by hand.
func TestDone(t *testing.T) {
	t.Parallel()
	spent := planning.Day{Limit: 1000}
	spent.Spent[0] = 1000 // in the last hour: it comes back in 23 to 24 hours
	fast := planning.Pace{}
	for name, test := range map[string]struct {
		day      planning.Day
		calls    int
		from, to time.Duration
		never    bool
	}{
		"nothing to do":      {planning.Day{Limit: 1000}, 0, 0, 0, false},
		"no limit":           {planning.Day{}, 1_000_000, 0, 0, false},
		"at once":            {planning.Day{Limit: 1000}, 1000, 0, 0, false},
		"one too many":       {planning.Day{Limit: 1000}, 1001, 24 * time.Hour, 24 * time.Hour, false},
		"20,000 details":     {planning.Day{Limit: 1000}, 20_000, 19 * 24 * time.Hour, 19 * 24 * time.Hour, false},
		"behind a spent day": {spent, 1, 24 * time.Hour, 24 * time.Hour, false},
		"beside a schedule":  {planning.Day{Limit: 1000, Others: 500}, 5000, 8 * 24 * time.Hour, 10 * 24 * time.Hour, false},
		"others take it all": {planning.Day{Limit: 1000, Others: 1000}, 5000, 0, 0, true},
	} {
		done, ok := test.day.Done(test.calls, fast)
		if ok == test.never || done < test.from || done > test.to {
			t.Errorf("%s: %s (%v), want %s to %s", name, done, ok, test.from, test.to)
		}
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
		day := planning.Day{Limit: rapid.IntRange(100, 2000).Draw(t, "limit"), Others: rapid.Float64Range(0, 90).Draw(t, "others")}
		for i := range day.Spent {
			day.Spent[i] = rapid.IntRange(0, 50).Draw(t, "spent")
		}
		calls, more := rapid.IntRange(0, 20_000).Draw(t, "calls"), rapid.IntRange(0, 300).Draw(t, "more")
		if pace.Takes(calls, calls) > pace.Takes(calls+more, calls+more) || pace.Takes(calls, 0) > pace.Takes(calls+more, 0) {
			t.Fatalf("%d calls take longer than %d", calls, calls+more)
		}
		done, ok := day.Done(calls, pace)
		longer, _ := day.Done(calls+more, pace)
		larger := day
		larger.Limit += more
		sooner, _ := larger.Done(calls, pace)
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

// TestCheapest: the schedule achieves the freshness, and by an independent count no other interval
// of whole minutes that does so costs less. With calls that take no time a change is at most as old
// as the interval and a tick.
func TestCheapest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		s.Way = rapid.SampledFrom([]planning.Way{planning.WayRows, planning.WayChanges}).Draw(t, "list")
		s.Full, s.Page = true, rapid.IntRange(20, 300).Draw(t, "page of a list")
		s.Changes.Value = float64(rapid.IntRange(0, 200).Draw(t, "changes of a minute") * 1440)
		fresh := time.Duration(rapid.IntRange(1, 300).Draw(t, "fresh")) * time.Minute
		cost, ok := s.Cheapest(fresh, planning.Pace{})
		best := -1.0
		for every := time.Minute; every+15*time.Second <= fresh; every += time.Minute {
			if calls := simulated(s, every); best < 0 || calls < best {
				best = calls
			}
		}
		if ok != (best >= 0) {
			t.Fatalf("found %v, there is one: %v", ok, best >= 0)
		}
		if ok && (cost.Every+15*time.Second > fresh || cost.Fresh > fresh || cost.PerDay.Value-best > 1e-6 || best-cost.PerDay.Value > 1e-6) {
			t.Fatalf("every %s costs %f a day and is %s fresh; the cheapest within %s costs %f", cost.Every, cost.PerDay.Value, cost.Fresh, fresh, best)
		}
	})
}

// TestCheapestOfParents: a run reads all parents, or the schedule takes several rounds.
func TestCheapestOfParents(t *testing.T) {
	t.Parallel()
	s := stream("persons", planning.Shape{Way: planning.WayParents, Each: planning.WayOnce}, planning.Facts{
		Rows: known(500), Parents: known(64), PerRun: 20, Every: 24 * time.Hour,
	})
	if cost := s.PerDay(nil, planning.Pace{}); cost.PerDay.Value != 20 || cost.Fresh < 96*time.Hour || cost.Fresh > 97*time.Hour {
		t.Errorf("20 of 64 a day take four days: %+v", cost)
	}
	cost, ok := s.Cheapest(6*time.Hour, planning.Pace{})
	if !ok || cost.PerRun != 64 || cost.Every != 5*time.Hour+59*time.Minute {
		t.Errorf("all within six hours: %+v", cost)
	}
	s.Parents = unknown()
	if _, ok := s.Cheapest(6*time.Hour, planning.Pace{}); ok {
		t.Error("a schedule for an unknown number of parents")
	}
}
