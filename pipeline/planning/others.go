package planning

import (
	"math"
	"time"

	"sluice/pipeline/warehouse/calls"
)

// What counts as usual (docs/decisions/0034-calls-of-others).
const (
	// usualDays is how many of the last days of a weekday say what is usual on it, leastDays the
	// fewest that do.
	usualDays, leastDays = 5, 3
	// usualWindow is how far back days are compared.
	usualWindow = usualDays * 7 * day
	// wholeDay is how much of a day answers of upstream have to cover, so that its sum counts.
	wholeDay = 20 * time.Hour
	// A day is unusual if it is farther from the usual than wideness times the spread of the days,
	// a fifth of the usual, a fiftieth of the limit, and a few calls.
	wideness              = 5 * 1.4826 // the factor makes a standard deviation of a median deviation
	ofUsual, ofLimit, few = 0.2, 0.02, 10.0
	// calmDays is how many usual days in a row end an alarm; narrow is the part of the band that
	// they have to be in.
	calmDays, narrow = 2, 0.5
)

// OthersInput is what is known of the calls of others for one service.
type OthersInput struct {
	Hours []calls.OthersHour
	Now   time.Time
	// Zone and ResetHour say when the day turns.
	Zone      *time.Location
	ResetHour int
	// Limit is the daily limit; zero if none is known. Left are the calls that are left until
	// Until, OursPerDay what the schedule takes of a day.
	Limit, Left int64
	Until       time.Time
	OursPerDay  float64
	// SpentUntil is given if upstream says that the day is spent.
	SpentUntil *time.Time
}

// Others is what other programs spend of a service's daily allowance.
type Others struct {
	// DaysSeen counts the days that answers of upstream cover. HoursExact is the part of the hours
	// whose calls were not spread over a longer time.
	DaysSeen   int     `json:"days_seen"`
	HoursExact float64 `json:"hours_exact"`
	// Today are their calls of this day so far.
	Today   float64      `json:"today"`
	Habit   Habit        `json:"habit"`
	Outlook Outlook      `json:"outlook"`
	Profile []OthersHour `json:"profile"`
	// Week is what is expected of each hour of a week, Sunday first; zero while nothing is known.
	Week [7][hoursADay]float64 `json:"-"`
}

// OthersHour is what others usually spend in an hour of a weekday.
type OthersHour struct {
	Weekday string `json:"weekday"`
	Hour    int    `json:"hour"`
	// Median and Spread (the median distance from it) are calls, of so many weeks.
	Median float64 `json:"median"`
	Spread float64 `json:"spread"`
	Weeks  int     `json:"weeks"`
}

// HabitState is a closed set: how the calls of others compare with those of the weeks before.
type HabitState string

// The states.
const (
	// HabitLearning: there are too few days to compare with.
	HabitLearning HabitState = "learning"
	HabitUsual    HabitState = "usual"
	HabitMore     HabitState = "more"
	HabitLess     HabitState = "less"
)

// Habit says whether other programs have changed their habits.
type Habit struct {
	State HabitState `json:"state"`
	// Since is the first unusual day; nil while the state is usual or learning.
	Since *time.Time `json:"since,omitempty"`
	// Usual is what is usual on this weekday, Low and High the ends of its band. They are nil while
	// fewer than DaysNeeded days of this weekday were seen; Days is how many were.
	Usual      *float64 `json:"usual,omitempty"`
	Low        *float64 `json:"low,omitempty"`
	High       *float64 `json:"high,omitempty"`
	Days       int      `json:"days"`
	DaysNeeded int      `json:"days_needed"`
}

// Changed reports whether the habits have changed.
func (h *Habit) Changed() bool { return h.State == HabitMore || h.State == HabitLess }

// OutlookState is a closed set: whether code 45 is expected.
type OutlookState string

// The states.
const (
	OutlookUnknown  OutlookState = "unknown"
	OutlookNone     OutlookState = "none"
	OutlookExpected OutlookState = "expected"
	OutlookSpent    OutlookState = "spent"
)

// Outlook says when the day's allowance will be gone.
type Outlook struct {
	State OutlookState `json:"state"`
	// At is when code 45 is expected. Earliest and Latest are the same if others spend as much more
	// or less as the forecast was usually wrong by; nil if it is then not expected.
	At       *time.Time `json:"at,omitempty"`
	Earliest *time.Time `json:"earliest,omitempty"`
	Latest   *time.Time `json:"latest,omitempty"`
	Until    time.Time  `json:"until"`
	// Ours and Theirs are the calls expected until then. Basis says what theirs rest on.
	Ours   float64     `json:"ours"`
	Theirs float64     `json:"theirs"`
	Basis  OthersBasis `json:"basis"`
	// Error is by how many calls a day the forecast was wrong in the median of ErrorDays past days;
	// nil without one.
	Error     *float64 `json:"error,omitempty"`
	ErrorDays int      `json:"error_days"`
}

// OthersBasis is a closed set: what a forecast of the calls of others rests on.
type OthersBasis string

// The bases, the strongest first.
const (
	OfWeekday OthersBasis = "weekday"
	OfAllDays OthersBasis = "all days"
	OfToday   OthersBasis = "today"
	OfNothing OthersBasis = "nothing"
)

// OthersOf says what others spend, whether that is usual, and when it ends the day.
func OthersOf(in *OthersInput) Others {
	b := newOthersBook(in)
	o := Others{Today: b.today.calls, Habit: b.habit(), Profile: b.profile()}
	exact := 0
	for i := range in.Hours {
		if !in.Hours[i].Spread {
			exact++
		}
	}
	o.HoursExact = float64(exact) / math.Max(float64(len(in.Hours)), 1)
	o.DaysSeen = len(b.days)
	o.Outlook = b.outlook()
	for i := range o.Week {
		date := b.today.date.AddDate(0, 0, i)
		o.Week[date.Weekday()] = b.expected(date).hours
	}
	return o
}
