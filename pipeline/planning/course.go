package planning

import (
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
)

// Course is how the day of a service went, and how it is expected to go on.
type Course struct {
	// From and To are the span of time. Of a day that turns they are its turns; of a day that
	// rolls, half a day on both sides of now.
	From, To time.Time
	// Past are the calls that counted at instants up to now, Ahead those expected to count later.
	Past  []Counted
	Ahead []Counted
	// RunsOutAt is when no call will be left: at the pace of the last hour, or else by the
	// schedule; nil if calls return sooner.
	RunsOutAt *time.Time
}

// Counted are the calls that count against the limit at one instant.
type Counted struct {
	At      time.Time
	ByClass map[pipeline.Class]int64
	// Others are those that were made outside of sluice. Upstream tells their number for now only:
	// they are spread evenly over its day.
	Others int64
}

// Total returns all calls.
func (c *Counted) Total() int64 {
	total := c.Others
	for _, n := range c.ByClass {
		total += n
	}
	return total
}

// half is what a rolling day shows on each side of now.
const half = day / 2

// CourseFrom returns the instant from which on CourseOf needs the calls by hours, and where the
// course begins.
func CourseFrom(now *calls.Day) (time.Time, time.Time) {
	if now.Turn != nil {
		begins := now.Turn.Add(-day)
		return begins, begins
	}
	begins := now.At.Add(-half)
	return begins.Add(-day), begins
}

// CourseOf returns the course of a day. used are its calls by the hours since CourseFrom; perDay is
// what the schedule takes of a day.
func CourseOf(left *DayLeft, now *calls.Day, used []calls.Used, perDay float64) Course {
	needs, begins := CourseFrom(now)
	c := Course{From: begins, To: now.At.Add(half), RunsOutAt: left.RunsOutAt}
	if now.Turn != nil {
		c.To = *now.Turn
	}
	for at := begins; ; at = at.Add(time.Hour) {
		if at.After(now.At) {
			at = now.At
		}
		c.Past = append(c.Past, counted(now, used, needs, at))
		if at.Equal(now.At) {
			break
		}
	}
	for at := now.At.Add(time.Hour); ; at = at.Add(time.Hour) {
		if at.After(c.To) {
			at = c.To
		}
		expected := counted(now, used, needs, at)
		expected.ByClass[pipeline.ClassIncremental] += int64(perDay * float64(at.Sub(now.At)) / float64(day))
		if c.RunsOutAt == nil && left.Limit > 0 && expected.Total() >= left.Limit {
			c.RunsOutAt = new(at)
		}
		c.Ahead = append(c.Ahead, expected)
		if !at.Before(c.To) {
			break
		}
	}
	return c
}

// counted returns what counts at an instant of the calls up to now: those since the turn, or those
// of 24 hours.
func counted(now *calls.Day, used []calls.Used, needs, at time.Time) Counted {
	of := Counted{At: at, ByClass: make(map[pipeline.Class]int64)}
	since := needs
	if now.Turn == nil {
		since = at.Add(-day)
	}
	for i := range used {
		if u := &used[i]; !u.At.Before(since) && (u.At.Before(at.Add(-time.Hour+time.Nanosecond)) || !at.Before(now.At)) {
			of.ByClass[u.Class] += u.Calls
		}
	}
	if now.External != nil {
		of.Others = spread(*now.External, now, needs, at)
	}
	return of
}

// spread is the part of the calls of others that fell before an instant.
func spread(others int64, now *calls.Day, begins, at time.Time) int64 {
	if now.SeenUntil != nil {
		begins = now.SeenUntil.Add(-day)
	}
	switch {
	case !at.Before(now.At):
		return others
	case !at.After(begins):
		return 0
	default:
		return int64(float64(others) * float64(at.Sub(begins)) / float64(now.At.Sub(begins)))
	}
}
