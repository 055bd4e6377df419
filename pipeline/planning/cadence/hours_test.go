package cadence_test

import (
	"math"
	"testing"
	"time"

	"sluice/pipeline/planning/cadence"
)

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
