package planning

import (
	"fmt"
	"math"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams/backfills"
)

// ClassDay is the share of a class in a service's day, in calls.
type ClassDay struct {
	Class   pipeline.Class `json:"class"`
	Spent   int64          `json:"spent"`
	Floor   int64          `json:"floor"`
	Ceiling int64          `json:"ceiling"`
	// Reserved is the part of the class's floor that it has not spent. Lent is how much of that
	// other classes have at the moment; it returns as their calls leave the day.
	Reserved int64 `json:"reserved"`
	Lent     int64 `json:"lent"`
}

// DayLeft is what a service's day still has, in calls. Limit and Left are zero where no limit is
// known.
type DayLeft struct {
	Limit   int64      `json:"limit"`
	Left    int64      `json:"left"`
	Classes []ClassDay `json:"classes"`
	// RunsOutAt is when no call will be left at the pace of the last hour; nil if calls return
	// sooner.
	RunsOutAt *time.Time `json:"runs_out_at"`
}

// LeftOf compares what was spent with the limits.
func LeftOf(limits pipeline.Limits, day *calls.Day) DayLeft {
	left := DayLeft{Limit: int64(limits.Daily)}
	shares := limits.Shares
	if shares == nil {
		shares = pipeline.DefaultShares()
	}
	left.Left = max(0, left.Limit-day.Spent)
	if day.SeenLeft != nil && (left.Limit == 0 || *day.SeenLeft < left.Left) {
		left.Left = *day.SeenLeft
	}
	var reserved int64
	for _, class := range pipeline.Classes() {
		share := shares[class]
		of := ClassDay{Class: class, Spent: day.ByClass[class], Ceiling: left.Limit, Floor: int64(share.Floor * float64(left.Limit))}
		if share.Ceiling > 0 {
			of.Ceiling = int64(share.Ceiling * float64(left.Limit))
		}
		of.Reserved = max(0, of.Floor-of.Spent)
		reserved += of.Reserved
		left.Classes = append(left.Classes, of)
	}
	// The reserved calls that are not left were lent; each floor lent the same share.
	if lent := reserved - left.Left; lent > 0 {
		for i := range left.Classes {
			left.Classes[i].Lent = left.Classes[i].Reserved * lent / reserved
		}
	}
	left.RunsOutAt = left.runsOut(day)
	return left
}

// ClassLeft returns how many calls of the day a class may still make while the others keep to what
// is kept for them.
func (l *DayLeft) ClassLeft(class pipeline.Class) int64 {
	left := l.Left
	var own int64
	for i := range l.Classes {
		of := &l.Classes[i]
		if of.Class == class {
			own = of.Ceiling - of.Spent
			continue
		}
		left -= of.Reserved - of.Lent
	}
	return max(0, min(left, own))
}

// Ceilings are what the classes may spend of a day that may not spend all of it, and what of that
// is left: the floors of the other classes stay for them.
func (l *DayLeft) Ceilings() map[pipeline.Class]Day {
	days := make(map[pipeline.Class]Day)
	for i := range l.Classes {
		of := &l.Classes[i]
		if of.Ceiling >= l.Limit {
			continue
		}
		free := l.Limit + of.Floor
		for j := range l.Classes {
			free -= l.Classes[j].Floor
		}
		days[of.Class] = Day{Limit: int(min(of.Ceiling, free)), Left: int(l.ClassLeft(of.Class))}
	}
	return days
}

// runsOut returns when a service has no call left at the pace of the last hour, if that is before
// calls return.
func (l *DayLeft) runsOut(day *calls.Day) *time.Time {
	if day.LastHour == 0 || l.Limit == 0 && day.SeenLeft == nil {
		return nil
	}
	at := day.At.Add(time.Duration(float64(l.Left) / float64(day.LastHour) * float64(time.Hour)))
	back := day.At.Add(24 * time.Hour)
	if day.Turn != nil {
		back = *day.Turn
	}
	if !at.Before(back) {
		return nil
	}
	return &at
}

// DayAt returns when a day of a date begins and ends: at the hour at which days turn, or at
// midnight of the organization's zone if the day is the last 24 hours.
func DayAt(limits pipeline.Limits, date time.Time, zone *time.Location) (time.Time, time.Time, error) {
	if limits.ResetZone != "" {
		turns, err := time.LoadLocation(limits.ResetZone)
		if err != nil {
			return time.Time{}, time.Time{}, fmt.Errorf("find the zone in which days turn: %w", err)
		}
		zone = turns
	}
	at := func(day int) time.Time {
		return time.Date(date.Year(), date.Month(), day, limits.ResetHour, 0, 0, 0, zone)
	}
	return at(date.Day()), at(date.Day() + 1), nil
}

// BackfillCallsLeft extrapolates from the windows that are done, where there are several, otherwise
// from the forecast; nil if neither is known.
func BackfillCallsLeft(b *backfills.Backfill) *int {
	const telling = 2 // one window says little
	if b.WindowsDone >= telling {
		each := float64(b.Calls) / float64(b.WindowsDone)
		return new(int(math.Ceil(each * float64(b.Windows-b.WindowsDone))))
	}
	if b.Forecast == nil {
		return nil
	}
	return new(int(max(*b.Forecast-b.Calls, 1)))
}

// Week is the mean and the 90th percentile of the calls of the last days, at most a week of them.
type Week struct {
	Days int     `json:"days"`
	Mean float64 `json:"mean"`
	// P90 is the smallest count that nine tenths of the days did not exceed.
	P90 int64 `json:"p90"`
}

// WeekOf returns the week of these days, one count each; nil if there is none.
func WeekOf(days []int64) *Week {
	if len(days) == 0 {
		return nil
	}
	sum := int64(0)
	for _, calls := range days {
		sum += calls
	}
	const tenths, of = 9, 10
	rank := (len(days)*tenths + of - 1) / of
	return &Week{Days: len(days), Mean: float64(sum) / float64(len(days)), P90: slices.Sorted(slices.Values(days))[rank-1]}
}
