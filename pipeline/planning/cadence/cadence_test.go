package cadence_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/pipeline/planning/cadence"
)

// busy is a stream with so many changes an hour.
func busy(perHour, calls float64, ceiling time.Duration) cadence.Stream {
	return cadence.Stream{
		Seen:  cadence.Seen{Runs: 10, Span: 10 * time.Hour, Changes: int64(math.Ceil(perHour * 10)), PerHour: perHour, Calls: calls},
		Every: 15 * time.Minute, Ceiling: ceiling,
	}
}

// quiet is a stream without changes in the observed time.
func quiet(watched time.Duration, calls float64, ceiling time.Duration) cadence.Stream {
	return cadence.Stream{Seen: cadence.Seen{Runs: 10, Span: watched, Calls: calls}, Every: 15 * time.Minute, Ceiling: ceiling}
}

// TestPlan: the intervals are computed by hand. The floor is five minutes.
func TestPlan(t *testing.T) {
	t.Parallel()
	const hour, minute = time.Hour, time.Minute
	enough := math.Inf(1)
	for name, test := range map[string]struct {
		streams []cadence.Stream
		perDay  float64
		want    []cadence.Interval
	}{
		"no streams":            {nil, 400, nil},
		"busy, calls in plenty": {[]cadence.Stream{busy(12, 1, hour)}, enough, []cadence.Interval{{5 * minute, cadence.Floor}}},
		// A change in ten hours: at 0.03 changes for a call, a run in 18 minutes.
		"little changes": {[]cadence.Stream{busy(0.1, 1, 6*hour)}, enough, []cadence.Interval{{18 * minute, cadence.Worth}}},
		"little changes, and the target is half an hour, a run takes two calls": {
			[]cadence.Stream{busy(0.1, 2, 30*minute)}, enough, []cadence.Interval{{30 * minute, cadence.Ceiling}},
		},
		"never seen": {[]cadence.Stream{{Every: 20 * minute, Ceiling: hour}}, enough, []cadence.Interval{{20 * minute, cadence.Unseen}}},
		"never seen, a target shorter than declared": {
			[]cadence.Stream{{Every: 24 * hour, Ceiling: hour}}, enough, []cadence.Interval{{hour, cadence.Ceiling}},
		},
		// The first run after the load shows what changes, whatever is declared.
		"loaded just now": {
			[]cadence.Stream{{Every: 24 * hour, Ceiling: 96 * hour, First: true}}, enough, []cadence.Interval{{5 * minute, cadence.Unseen}},
		},
		// It takes no part in the 12 calls of a day, which the other gets.
		"loaded just now beside busy": {
			[]cadence.Stream{{Every: 24 * hour, Ceiling: 96 * hour, First: true}, busy(40, 1, 4*hour)}, 12,
			[]cadence.Interval{{5 * minute, cadence.Unseen}, {2 * hour, cadence.Shared}},
		},
		// Half a change in ten hours, a tenth of a change for a call: every two hours.
		"quiet for ten hours":   {[]cadence.Stream{quiet(10*hour, 1, 6*hour)}, enough, []cadence.Interval{{2 * hour, cadence.Quiet}}},
		"quiet for two days":    {[]cadence.Stream{quiet(48*hour, 1, 6*hour)}, enough, []cadence.Interval{{6 * hour, cadence.Ceiling}}},
		"quiet for ten minutes": {[]cadence.Stream{quiet(10*minute, 1, 6*hour)}, enough, []cadence.Interval{{5 * minute, cadence.Quiet}}},
		// 60 calls a day. At their ceilings both take 24 together. Four times the changes are worth
		// twice the runs: 40 and 20.
		"shared out": {
			[]cadence.Stream{busy(40, 1, 2*hour), busy(10, 1, 2*hour)}, 60,
			[]cadence.Interval{{36 * minute, cadence.Shared}, {72 * minute, cadence.Shared}},
		},
		// The same with four times the calls a run: half the runs. 10 runs of 4 calls, 20 of 1.
		"calls count": {
			[]cadence.Stream{busy(10, 4, 8*hour), busy(10, 1, 8*hour)}, 60,
			[]cadence.Interval{{144 * minute, cadence.Shared}, {72 * minute, cadence.Shared}},
		},
		// The quiet one goes to its ceiling first (3 calls), and the busy one gets what is left:
		// 21.
		"quiet beside busy": {
			[]cadence.Stream{busy(40, 1, 2*hour), quiet(48*hour, 1, 8*hour)}, 24,
			[]cadence.Interval{{4115 * time.Second, cadence.Shared}, {8 * hour, cadence.Ceiling}},
		},
		// The targets need 24 and 12 calls, and 18 are available: all intervals are twice as long.
		"not all targets can be met": {
			[]cadence.Stream{busy(40, 1, hour), busy(1, 1, 2*hour)}, 18,
			[]cadence.Interval{{2 * hour, cadence.Extended}, {4 * hour, cadence.Extended}},
		},
		"nothing is left": {
			[]cadence.Stream{busy(40, 1, hour), busy(1, 1, 240*hour)}, -3,
			[]cadence.Interval{{168 * hour, cadence.Extended}, {240 * hour, cadence.Extended}},
		},
		"the floor counts before the target": {[]cadence.Stream{busy(40, 1, minute)}, enough, []cadence.Interval{{5 * minute, cadence.Ceiling}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := cadence.Plan(test.streams, 5*minute, test.perDay, 1)
			if len(got) != len(test.want) {
				t.Fatalf("got %v", got)
			}
			for i := range got {
				if got[i] != test.want[i] {
					t.Errorf("stream %d: every %s (%s), want %s (%s)", i, got[i].Every, got[i].Reason, test.want[i].Every, test.want[i].Reason)
				}
			}
		})
	}
}

// drawn returns random streams, a floor and the calls of a day.
func drawn(t *rapid.T) ([]cadence.Stream, time.Duration, float64) {
	floor := time.Duration(rapid.IntRange(1, 30).Draw(t, "floor")) * time.Minute
	streams := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) cadence.Stream {
		ceiling := time.Duration(rapid.IntRange(1, 2000).Draw(t, "ceiling")) * time.Minute
		calls := float64(rapid.IntRange(1, 50).Draw(t, "calls"))
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return cadence.Stream{Every: 30 * time.Minute, Ceiling: ceiling}
		case 1:
			return quiet(time.Duration(rapid.IntRange(1, 200).Draw(t, "watched"))*time.Hour, calls, ceiling)
		default:
			return busy(rapid.Float64Range(0.001, 500).Draw(t, "an hour"), calls, ceiling)
		}
	}), 1, 8).Draw(t, "streams")
	return streams, floor, rapid.Float64Range(1, 5000).Draw(t, "a day")
}

func calls(s *cadence.Stream) float64 { return max(s.Seen.Calls, 1) }

// TestBounds: the floor and the calls of the day always hold. The ceilings hold unless the reason
// is Extended.
func TestBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		streams, floor, perDay := drawn(t)
		got := cadence.Plan(streams, floor, perDay, 1)
		more := cadence.Plan(streams, floor, perDay*2, 1)
		spent, bounded := 0.0, false
		for i, interval := range got {
			spent += calls(&streams[i]) * 24 / interval.Every.Hours()
			bounded = bounded || interval.Every >= 7*24*time.Hour
			ceiling := max(streams[i].Ceiling, floor)
			if interval.Every < floor || (interval.Reason != cadence.Extended && interval.Every > ceiling) {
				t.Fatalf("stream %d: every %s (%s), not within %s and %s", i, interval.Every, interval.Reason, floor, ceiling)
			}
			if interval.Reason == cadence.Extended && interval.Every < ceiling {
				t.Fatalf("stream %d: stretched to %s, below its ceiling %s", i, interval.Every, ceiling)
			}
			if more[i].Every > interval.Every+time.Second {
				t.Fatalf("stream %d: every %s, and with twice the calls every %s", i, interval.Every, more[i].Every)
			}
		}
		if spent > perDay*(1+1e-6) && !bounded {
			t.Fatalf("%v takes %f calls a day of %f", got, spent, perDay)
		}
	})
}

// TestNothingIsBetter: where calls are shared, moving calls from one busy stream to another makes
// changes wait longer.
func TestNothingIsBetter(t *testing.T) {
	t.Parallel()
	// waits is the total time that the changes of one hour have to wait.
	waits := func(perHour, every float64) float64 { return perHour * every / 2 }
	rapid.Check(t, func(t *rapid.T) {
		floor := 5 * time.Minute
		streams := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) cadence.Stream {
			return busy(rapid.Float64Range(5, 500).Draw(t, "an hour"), float64(rapid.IntRange(1, 4).Draw(t, "calls")),
				time.Duration(rapid.IntRange(60, 2000).Draw(t, "ceiling"))*time.Minute)
		}), 2, 6).Draw(t, "streams")
		perDay := rapid.Float64Range(100, 1500).Draw(t, "a day")
		got := cadence.Plan(streams, floor, perDay, 1)
		from := rapid.IntRange(0, len(got)-1).Draw(t, "from")
		to := rapid.IntRange(0, len(got)-1).Draw(t, "to")
		if from == to || got[from].Reason == cadence.Extended {
			return
		}
		// Moved calls a day: `from` runs less often, `to` more often.
		moved := rapid.Float64Range(0.5, 20).Draw(t, "moved")
		rare := calls(&streams[from]) * 24 / (calls(&streams[from])*24/got[from].Every.Hours() - moved)
		often := calls(&streams[to]) * 24 / (calls(&streams[to])*24/got[to].Every.Hours() + moved)
		if rare <= 0 || rare > streams[from].Ceiling.Hours() || often < floor.Hours() {
			return // not within the bounds
		}
		before := waits(streams[from].Seen.PerHour, got[from].Every.Hours()) + waits(streams[to].Seen.PerHour, got[to].Every.Hours())
		after := waits(streams[from].Seen.PerHour, rare) + waits(streams[to].Seen.PerHour, often)
		if after < before*(1-1e-3) {
			t.Fatalf("%v: %f calls from %d to %d bring the waiting from %f to %f", got, moved, from, to, before, after)
		}
	})
}

// TestSeen: the rates are computed by hand.
func TestSeen(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	ago := func(hours int) time.Time { return now.Add(-time.Duration(hours) * time.Hour) }
	for name, test := range map[string]struct {
		runs  []cadence.Run
		since time.Time
		want  cadence.Seen
	}{
		"nothing": {nil, time.Time{}, cadence.Seen{}},
		"one run just now": {
			[]cadence.Run{{now, 6, 1}}, ago(2), cadence.Seen{Runs: 1, Span: 2 * time.Hour, Changes: 6, PerHour: 3, Calls: 1},
		},
		"no change": {
			[]cadence.Run{{ago(1), 0, 1}, {now, 0, 3}}, ago(2),
			cadence.Seen{Runs: 2, Span: 2 * time.Hour, Calls: (math.Exp2(-1.0/24) + 3) / (math.Exp2(-1.0/24) + 1)},
		},
		// The older of two equal spans counts half: (24 × ½ + 6) changes in (24 × ½ + 24) hours.
		"yesterday counts half": {
			[]cadence.Run{{ago(24), 24, 1}, {now, 6, 1}}, ago(48), cadence.Seen{Runs: 2, Span: 48 * time.Hour, Changes: 30, PerHour: 0.5, Calls: 1},
		},
		"a run that failed takes no calls, what it found counts": {
			[]cadence.Run{{now, 4, 0}}, ago(1), cadence.Seen{Runs: 1, Span: time.Hour, Changes: 4, PerHour: 4},
		},
		"runs without a pause": {[]cadence.Run{{now, 9, 2}, {now.Add(time.Second), 9, 2}}, now, cadence.Seen{Calls: 2}},
		"a watermark ahead of our clock": {
			[]cadence.Run{{ago(1), 2, 1}, {now, 3, 1}}, ago(0),
			cadence.Seen{Runs: 2, Span: time.Hour, Changes: 5, PerHour: (3 + 2*math.Exp2(-1.0/24)), Calls: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := (&cadence.History{Runs: test.runs, Since: test.since}).Seen(now, cadence.Alike())
			near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }
			if got.Runs != test.want.Runs || got.Span != test.want.Span || got.Changes != test.want.Changes ||
				!near(got.PerHour, test.want.PerHour) || !near(got.Calls, test.want.Calls) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

// office is the history of a stream with so many changes in each hour from 8 to 18, and one in each
// other hour, over some days. A run ends every hour.
func office(from time.Time, days int, busy int64) cadence.History {
	h := cadence.History{Since: from}
	for hour := range days * 24 {
		changes := int64(1)
		if at := hour % 24; at >= 8 && at < 18 {
			changes = busy
		}
		h.Runs = append(h.Runs, cadence.Run{Start: from.Add(time.Duration(hour+1) * time.Hour), Changes: changes, Calls: 1})
	}
	return h
}

// TestUsualHours: with nine times the changes from 8 to 18, these hours bring 9 × 24/104 of the
// mean. They get three times the calls: 3 × 24/44 of the mean.
func TestUsualHours(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	usual := cadence.UsualHours([]cadence.History{thousandfold(office(midnight, 5, 9))})
	near := func(got, want float64) bool { return math.Abs(got-want) <= 0.05*want }
	for hour, want := range map[int]float64{3: 24.0 / 104, 8: 9 * 24.0 / 104, 17: 9 * 24.0 / 104, 18: 24.0 / 104} {
		if got := usual[hour]; !near(got, want) {
			t.Errorf("hour %d brings %f of the mean, want %f", hour, got, want)
		}
	}
	at := func(hour int) time.Time { return midnight.Add(time.Duration(hour) * time.Hour) }
	if day, night := usual.Part(at(9)), usual.Part(at(22)); !near(day, 3*24.0/44) || !near(night, 24.0/44) {
		t.Errorf("parts %f and %f, want %f and %f", day, night, 3*24.0/44, 24.0/44)
	}
	// The rate is that of a whole day, 104 changes in 24 hours, also if the history ends at noon.
	half := office(midnight, 5, 9)
	half.Runs = half.Runs[:4*24+12]
	if got := half.Seen(half.Runs[len(half.Runs)-1].Start, usual).PerHour; !near(got, 104.0/24) {
		t.Errorf("a history until noon shows %f changes an hour, want %f", got, 104.0/24)
	}
	// A run over two days and the hour from 12 counts each hour twice, and noon once more.
	long := cadence.History{Since: at(12), Runs: []cadence.Run{{Start: at(61), Changes: 480, Calls: 1}}}
	if got, want := long.Seen(at(61), usual).PerHour, 480/(48+usual[12]); math.Abs(got-want) > 1e-9 {
		t.Errorf("two days and an hour show %f changes an hour, want %f", got, want)
	}
	// So does a watermark of long ago, in no time.
	old := cadence.History{Since: time.Time{}, Runs: []cadence.Run{{Start: at(0), Changes: 1}}}
	if got := old.Seen(at(0), usual).PerHour; got <= 0 || got > 1e-4 {
		t.Errorf("a change in two thousand years is %f an hour", got)
	}
}

// thousandfold is the same stream with a thousand times the changes, so that what is assumed says
// little.
func thousandfold(h cadence.History) cadence.History {
	for i := range h.Runs {
		h.Runs[i].Changes *= 1000
	}
	return h
}

// TestFewChangesSayNothingOfTheHours: without histories, without changes and with few, all hours
// are nearly alike.
func TestFewChangesSayNothingOfTheHours(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	few := cadence.History{Since: midnight, Runs: []cadence.Run{{Start: midnight.Add(12 * time.Hour), Changes: 0}, {Start: midnight.Add(13 * time.Hour), Changes: 2}}}
	for name, histories := range map[string][]cadence.History{"none": nil, "no run": {{}}, "two changes": {few}} {
		for hour, usual := range cadence.UsualHours(histories) {
			if math.Abs(usual-1) > 0.25 {
				t.Errorf("%s: hour %d brings %f of the mean", name, hour, usual)
			}
		}
	}
	if part := cadence.Alike().Part(midnight); part != 1 {
		t.Errorf("an hour like all others gets %f of the mean", part)
	}
}

// TestARunOverSeveralHoursIsDivided: runs every eight hours cannot show the hours by themselves,
// and those of another stream do.
func TestARunOverSeveralHoursIsDivided(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	rare := cadence.History{Since: midnight}
	for i := range 15 {
		changes := []int64{8, 72, 24}[i%3] // hours 0 to 7 bring one each, 8 to 15 nine, 16 to 23 two nines and six ones
		rare.Runs = append(rare.Runs, cadence.Run{Start: midnight.Add(time.Duration(i+1) * 8 * time.Hour), Changes: changes, Calls: 1})
	}
	usual := cadence.UsualHours([]cadence.History{thousandfold(office(midnight, 5, 9)), rare})
	if day, night := usual[12], usual[3]; day/night < 8 {
		t.Errorf("noon brings %f and three o'clock %f of the mean: not nine times", day, night)
	}
}

// TestTheCallsOfAnHour: by day a stream gets twice the mean, by night half of it, and the ceiling
// holds.
func TestTheCallsOfAnHour(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		part, perDay float64
		want         cadence.Interval
	}{
		"mean":                         {1, 24, cadence.Interval{Every: time.Hour, Reason: cadence.Shared}},
		"day":                          {2, 24, cadence.Interval{Every: 30 * time.Minute, Reason: cadence.Shared}},
		"night":                        {0.5, 24, cadence.Interval{Every: 2 * time.Hour, Reason: cadence.Shared}},
		"a night that needs its calls": {0.1, 24, cadence.Interval{Every: 4 * time.Hour, Reason: cadence.Ceiling}},
		"too little for any hour":      {2, 3, cadence.Interval{Every: 8 * time.Hour, Reason: cadence.Extended}},
	} {
		got := cadence.Plan([]cadence.Stream{busy(40, 1, 4*time.Hour)}, 5*time.Minute, test.perDay, test.part)
		if len(got) != 1 || got[0].Reason != test.want.Reason || (got[0].Every-test.want.Every).Abs() > time.Second {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
