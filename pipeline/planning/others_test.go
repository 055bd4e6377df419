package planning_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
)

// monday is where the synthetic ledgers begin.
var monday = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// ledger is what others spent from monday until now, in full hours that answers cover.
func ledger(now time.Time, spends func(at time.Time) float64) *planning.OthersInput {
	in := &planning.OthersInput{Now: now, Zone: time.UTC, Limit: 10_000, Left: 10_000, Until: now.Truncate(24 * time.Hour).Add(24 * time.Hour)}
	for at := monday; at.Before(now); at = at.Add(time.Hour) {
		in.Hours = append(in.Hours, calls.OthersHour{At: at, Calls: spends(at), Seconds: 3600})
	}
	return in
}

func daysOn(n int) time.Time { return monday.AddDate(0, 0, n) }

// nightly is a program that runs at two with 500 calls.
func nightly(at time.Time) float64 {
	if at.Hour() == 2 {
		return 500
	}
	return 0
}

// habits gives the state every four hours from the day on which all weekdays were seen three times.
func habits(days int, spends func(time.Time) float64) []planning.HabitState {
	var states []planning.HabitState
	for now := daysOn(21); now.Before(daysOn(days)); now = now.Add(4 * time.Hour) {
		o := planning.OthersOf(ledger(now, spends))
		if n := len(states); n == 0 || states[n-1] != o.Habit.State {
			states = append(states, o.Habit.State)
		}
	}
	return states
}

// TestHabitsOfOthers plays programs whose habits are known, every four hours: a change is found,
// once, and what is usual raises no alarm.
func TestHabitsOfOthers(t *testing.T) {
	t.Parallel()
	report := func(at time.Time) float64 {
		if at.Weekday() == time.Monday && at.Hour() == 8 {
			return 2000 + nightly(at)
		}
		return nightly(at)
	}
	from := func(day int, until int, more float64) func(time.Time) float64 {
		return func(at time.Time) float64 {
			if at.Hour() == 14 && !at.Before(daysOn(day)) && at.Before(daysOn(until)) {
				return more
			}
			return nightly(at)
		}
	}
	for name, c := range map[string]struct {
		spends func(time.Time) float64
		want   []planning.HabitState
	}{
		"a program runs nightly":            {nightly, []planning.HabitState{planning.HabitUsual}},
		"and a report each Monday":          {report, []planning.HabitState{planning.HabitUsual}},
		"it starts a second run":            {from(30, 99, 500), []planning.HabitState{planning.HabitUsual, planning.HabitMore, planning.HabitUsual}},
		"one day with more":                 {from(30, 31, 500), []planning.HabitState{planning.HabitUsual, planning.HabitMore, planning.HabitUsual}},
		"the second run has 150 calls":      {from(30, 99, 150), []planning.HabitState{planning.HabitUsual}}, // 200 is a fiftieth of the limit
		"more every third day, for a while": {everyThird, []planning.HabitState{planning.HabitUsual, planning.HabitMore, planning.HabitUsual}},
		"it stops":                          {func(at time.Time) float64 { return until(daysOn(30), at) }, []planning.HabitState{planning.HabitUsual, planning.HabitLess, planning.HabitUsual}},
		"no other program":                  {func(time.Time) float64 { return 0 }, []planning.HabitState{planning.HabitUsual}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, habits(63, c.spends)); diff != "" {
				t.Errorf("the states are others (-want +got):\n%s", diff)
			}
		})
	}
}

func until(end, at time.Time) float64 {
	if at.Before(end) {
		return nightly(at)
	}
	return 0
}

// everyThird has 800 calls more on days 30, 32 and 34: between them is one usual day, which ends no
// alarm.
func everyThird(at time.Time) float64 {
	for _, day := range []int{30, 32, 34} {
		if at.Equal(daysOn(day).Add(9 * time.Hour)) {
			return 800
		}
	}
	return nightly(at)
}

// TestASecondRunIsFoundAtOnce: it begins at two in the afternoon of day 30.
func TestASecondRunIsFoundAtOnce(t *testing.T) {
	t.Parallel()
	spends := func(at time.Time) float64 {
		if at.Equal(daysOn(30).Add(14 * time.Hour)) {
			return 500
		}
		return nightly(at)
	}
	before := planning.OthersOf(ledger(daysOn(30).Add(14*time.Hour), spends)).Habit
	// The usual is 500 on every day; the band is a fiftieth of 10,000 wide.
	want := planning.Habit{State: planning.HabitUsual, Usual: new(500.0), Low: new(300.0), High: new(700.0), Days: 4, DaysNeeded: 3}
	if diff := cmp.Diff(want, before); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	after := planning.OthersOf(ledger(daysOn(30).Add(15*time.Hour), spends)).Habit
	want.State, want.Since = planning.HabitMore, new(daysOn(30))
	if diff := cmp.Diff(want, after); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
}

// TestNoiseIsNoHabit: calls that come at random around the same sum raise no alarm in 40 programs
// of five weeks each.
func TestNoiseIsNoHabit(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 44))
		made := make(map[time.Time]float64)
		for at := monday; at.Before(daysOn(56)); at = at.Add(time.Hour) {
			made[at] = float64(random.IntN(90)) // 45 in the mean, with a standard deviation of 26: 127 a day
		}
		for day := 22; day <= 56; day++ {
			o := planning.OthersOf(ledger(daysOn(day).Add(-time.Minute), func(at time.Time) float64 { return made[at] }))
			if o.Habit.State != planning.HabitUsual {
				t.Fatalf("seed %d, day %d: %+v", seed, day, o.Habit)
			}
		}
	}
}

// TestTooFewDays: a weekday that was seen twice says nothing, and days that answers do not cover do
// not count.
func TestTooFewDays(t *testing.T) {
	t.Parallel()
	for days, want := range map[int]int{7: 1, 14: 2, 20: 2, 21: 3} {
		in := ledger(daysOn(days), nightly)
		got := planning.OthersOf(in)
		if (got.Habit.State == planning.HabitLearning) != (want < 3) || got.Habit.Days != want || got.DaysSeen != days || (got.Habit.Usual == nil) != (want < 3) {
			t.Errorf("after %d days: %+v, want %d of the weekday", days, got.Habit, want)
		}
	}
	in := ledger(daysOn(28), nightly)
	for i := range in.Hours {
		if at := in.Hours[i].At; at.Weekday() == time.Monday {
			in.Hours[i].Seconds = 2900 // 19 hours and 20 minutes of 24
		}
	}
	if got := planning.OthersOf(in); got.Habit.State != planning.HabitLearning || got.DaysSeen != 24 {
		t.Errorf("with Mondays that are not covered: %+v of %d days", got.Habit, got.DaysSeen)
	}
}

// TestProfileOfOthers: by weekday and hour, in the zone in which the day turns at six.
func TestProfileOfOthers(t *testing.T) {
	t.Parallel()
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	in := &planning.OthersInput{Zone: kolkata, ResetHour: 6, Now: time.Date(2026, 1, 26, 12, 0, 0, 0, kolkata)}
	for week, n := range []float64{10, 40, 30} {
		at := time.Date(2026, 1, 6+7*week, 3, 0, 0, 0, kolkata) // three in the night of Tuesday is of the day of Monday
		for hour := range 24 {
			in.Hours = append(in.Hours, calls.OthersHour{At: at.Add(time.Duration(hour-21) * time.Hour), Seconds: 3600, Calls: map[bool]float64{true: n}[hour == 21]})
		}
	}
	got := planning.OthersOf(in)
	for _, h := range got.Profile {
		want := planning.OthersHour{Weekday: "Monday", Hour: h.Hour, Weeks: 3}
		if h.Hour == 3 {
			want.Median, want.Spread = 30, 10 // of 10, 30, 40; 20, 0, 10 apart
		}
		if diff := cmp.Diff(want, h); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if len(got.Profile) != 24 || got.HoursExact != 1 || got.DaysSeen != 3 {
		t.Errorf("%d hours, %.2f of them exact, of %d days", len(got.Profile), got.HoursExact, got.DaysSeen)
	}
}

// TestOutlook: when the day is gone, by hand.
func TestOutlook(t *testing.T) {
	t.Parallel()
	now := daysOn(35).Add(12 * time.Hour) // a Monday
	hourly := func(time.Time) float64 { return 20 }
	evening := func(at time.Time) float64 {
		if at.Hour() == 18 {
			return 600
		}
		return 0
	}
	noisy := func(at time.Time) float64 { // 480 or 720 a day, by turns of weeks: wrong by 120 or less
		if int(at.Sub(monday).Hours())/(24*7)%2 == 1 {
			return 30
		}
		return 20
	}
	at := func(hour, minute int) *time.Time {
		return new(daysOn(35).Add(time.Duration(hour*60+minute) * time.Minute))
	}
	for name, c := range map[string]struct {
		spends func(time.Time) float64
		left   int64
		ours   float64
		days   int
		want   planning.Outlook
	}{
		// 30 an hour: 300 are gone in ten hours.
		"even": {hourly, 300, 240, 35, planning.Outlook{State: planning.OutlookExpected, At: at(22, 0), Earliest: at(22, 0), Latest: at(22, 0),
			Ours: 120, Theirs: 240, Basis: planning.OfWeekday, Error: new(0.0), ErrorDays: 14}},
		"enough": {hourly, 361, 240, 35, planning.Outlook{State: planning.OutlookNone, Ours: 120, Theirs: 240, Basis: planning.OfWeekday, Error: new(0.0), ErrorDays: 14}},
		// Ours are 10 an hour, 60 until six; of the 610 of that hour 305 are spent at half past.
		"in the evening": {evening, 365, 240, 35, planning.Outlook{State: planning.OutlookExpected, At: at(18, 30), Earliest: at(18, 30), Latest: at(18, 30),
			Ours: 120, Theirs: 600, Basis: planning.OfWeekday, Error: new(0.0), ErrorDays: 14}},
		// The usual of three weeks is 480, then of four 600: off by 240 for a week (720), then 120.
		// 480, 480, 480, 720, 720 are the last five Mondays: 480 a day, 240 wrong by in the median
		// of 7 days with 240 and 7 with 120 - so 180. 20 an hour grow to 27.5, or fall to 12.5.
		"wrong before": {noisy, 220, 0, 35, planning.Outlook{State: planning.OutlookExpected, At: at(23, 0), Earliest: at(20, 0), Latest: nil,
			Theirs: 240, Basis: planning.OfWeekday, Error: new(180.0), ErrorDays: 14}},
		"few days": {hourly, 120, 0, 7, planning.Outlook{State: planning.OutlookExpected, At: new(daysOn(7).Add(18 * time.Hour)), Theirs: 240, Basis: planning.OfAllDays}},
		"one day":  {hourly, 120, 0, 0, planning.Outlook{State: planning.OutlookExpected, At: new(daysOn(0).Add(18 * time.Hour)), Theirs: 240, Basis: planning.OfToday}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := ledger(daysOn(c.days).Add(now.Sub(daysOn(35))), c.spends)
			in.Left, in.OursPerDay = c.left, c.ours
			c.want.Until = in.Until
			if diff := cmp.Diff(c.want, planning.OthersOf(in).Outlook); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	spent := ledger(now, hourly)
	spent.SpentUntil = new(now.Add(time.Hour))
	if got := planning.OthersOf(spent).Outlook; got.State != planning.OutlookSpent || !got.Until.Equal(now.Add(time.Hour)) {
		t.Errorf("a day that is spent: %+v", got)
	}
	unlimited := ledger(now, hourly)
	unlimited.Limit = 0
	if got := planning.OthersOf(unlimited).Outlook; got.State != planning.OutlookUnknown {
		t.Errorf("without a limit: %+v", got)
	}
}
