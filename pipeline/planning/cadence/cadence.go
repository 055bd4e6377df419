// Package cadence learns how often streams should run: often where much changes and a run costs
// little, rarely elsewhere. All of them together keep within their calls of a day.
//
// It is pure: observations go in, intervals and their reasons come out. It reads no clock, no table
// and no configuration.
//
// Start reading at Plan, then History.Seen and UsualHours. The reasons are in
// docs/decisions/0013-schedules.
package cadence

import (
	"math"
	"time"
)

// Stream is one stream whose interval is learned.
type Stream struct {
	// Seen sums up its last runs.
	Seen Seen
	// Every is its interval before any run was observed.
	Every time.Duration
	// Ceiling is the longest interval that keeps the promised freshness.
	Ceiling time.Duration
	// First says that the stream was loaded and that no run has gone on from its watermark: the
	// next one shows what changes, so it begins after the floor.
	First bool
}

// Interval is what was learned for one stream.
type Interval struct {
	// Every is the interval, in whole seconds.
	Every time.Duration
	// Reason says what decided about the interval.
	Reason Reason
}

// Reason is a closed set: what decided about an interval.
type Reason string

// The reasons.
const (
	// Unseen: no run that went on from a watermark was observed; the interval is the declared one,
	// or the floor once after the first load.
	Unseen Reason = "unseen"
	// Floor: the changes would justify more runs than the floor allows.
	Floor Reason = "floor"
	// Worth: more runs would find too little for their calls.
	Worth Reason = "worth"
	// Quiet: nothing changed in the observed time, and the interval grows with that time.
	Quiet Reason = "quiet"
	// Shared: the calls of the day are divided among the streams, and this is the stream's part.
	Shared Reason = "shared"
	// Ceiling: the interval is the longest that the stream's target allows.
	Ceiling Reason = "ceiling"
	// Extended: the calls of the day do not suffice for all targets, so all ceilings are longer by
	// the same factor.
	Extended Reason = "extended"
)

const (
	// worth is how many changed records a call is expected to bring at least: a run that finds
	// nothing 32 times in 33 is not worth its call.
	worth = 0.03
	// quietWorth is the same for a stream in which nothing changed so far: with half a change
	// assumed in the observed time, its interval is a fifth of that time.
	quietWorth = 0.1
	// longest bounds an extended interval: a stream without any calls left is still read once a
	// week.
	longest = 7 * 24 * time.Hour
	// halvings is the number of bisection steps for the price of a call: enough for every bit of
	// it.
	halvings = 200
)

// Plan returns the interval of each stream: never below floor, never above its ceiling, and with at
// most perDay calls a day in all (infinite means no limit). Only if the ceilings themselves take
// more calls than that, all ceilings are extended by one factor. Part is the part of the calls that
// the present hour gets, as a multiple of the mean of all hours; the ceilings hold in every hour.
//
// Within these bounds the intervals T minimize the total age of changes, the sum of rate × T / 2.
// The calls are the sum of cost / T. So at the optimum T is proportional to the square root of cost
// / rate, cut off at the bounds. The factor is the one that spends exactly the calls. Sources: J.
// Cho and H. Garcia-Molina, "Effective page refresh policies for Web crawlers", ACM TODS 28(4),
// 2003; and for the sum under bounds the usual water filling (S. Boyd and L. Vandenberghe, "Convex
// Optimization", 2004, example 5.2).
func Plan(streams []Stream, floor time.Duration, perDay, part float64) []Interval {
	budget := perDay / float64(day) // calls a nanosecond
	all := make([]bounds, len(streams))
	least, most := 0.0, 0.0
	for i := range streams {
		all[i] = boundsOf(&streams[i], floor)
		if !all[i].once {
			least += all[i].cost / all[i].hi
			most += all[i].cost / all[i].lo
		}
	}
	if least <= budget {
		budget = math.Max(budget*part, least)
	}
	switch {
	case least > budget:
		return extended(all, least/math.Max(budget, 0))
	case most <= budget:
		return intervals(all, 0)
	}
	// Intervals grow with the price of a call, so the loop looks for the lowest price at which the
	// calls suffice.
	low, high := 0.0, 1.0
	for spent(all, high) > budget && !math.IsInf(high, 1) {
		low, high = high, high*2 //nolint:mnd // the next power
	}
	for range halvings {
		if middle := low + (high-low)/2; spent(all, middle) > budget { //nolint:mnd // the half
			low = middle
		} else {
			high = middle
		}
	}
	return intervals(all, high)
}

// day is the length of a day of allowances.
const day = 24 * time.Hour

// bounds are the shortest and the longest interval of one stream, in nanoseconds, with the reason
// for the shortest.
type bounds struct {
	lo, hi float64
	atLo   Reason
	// cost is the number of calls a run; pull is the number of changes a nanosecond, which a longer
	// interval delays.
	cost, pull float64
	// once says that the shortest interval counts for one run, which is not divided.
	once bool
}

func boundsOf(s *Stream, floor time.Duration) bounds {
	b := bounds{
		hi: float64(max(s.Ceiling, floor)), cost: math.Max(s.Seen.Calls, 1), pull: s.Seen.perNanosecond(),
	}
	b.lo, b.atLo = float64(floor), Floor
	switch {
	case s.First:
		b.atLo, b.once = Unseen, true
	case s.Seen.Runs == 0:
		b.lo, b.atLo = math.Max(b.lo, math.Min(float64(s.Every), b.hi)), Unseen
		b.pull = 1 / (2 * b.lo) //nolint:mnd // a change in every second run, until it is known better
	case s.Seen.Changes == 0:
		b.lo, b.atLo = math.Max(b.lo, b.cost/b.pull*quietWorth), Quiet
	case b.cost/b.pull*worth > b.lo:
		b.lo, b.atLo = b.cost/b.pull*worth, Worth
	}
	if b.lo >= b.hi {
		b.lo, b.atLo = b.hi, Ceiling
	}
	return b
}

// at returns the interval for a price of a call.
func (b *bounds) at(price float64) (float64, Reason) {
	switch t := math.Sqrt(price * b.cost / b.pull); {
	case b.once || t <= b.lo:
		return b.lo, b.atLo
	case t >= b.hi:
		return b.hi, Ceiling
	default:
		return t, Shared
	}
}

func spent(all []bounds, price float64) float64 {
	sum := 0.0
	for i := range all {
		if t, _ := all[i].at(price); !all[i].once {
			sum += all[i].cost / t
		}
	}
	return sum
}

func intervals(all []bounds, price float64) []Interval {
	learned := make([]Interval, len(all))
	for i := range all {
		t, because := all[i].at(price)
		learned[i] = Interval{Every: whole(t), Reason: because}
	}
	return learned
}

func extended(all []bounds, factor float64) []Interval {
	learned := make([]Interval, len(all))
	for i := range all {
		bound := math.Max(float64(longest), all[i].hi)
		learned[i] = Interval{Every: whole(math.Min(all[i].hi*factor, bound)), Reason: Extended}
	}
	return learned
}

// whole rounds up to whole seconds, because a slightly longer interval never takes more calls. An
// excess of less than a millionth of a second is dropped.
func whole(nanoseconds float64) time.Duration {
	return time.Duration(math.Ceil(nanoseconds/float64(time.Second)-roundOff)) * time.Second
}

const roundOff = 1e-6
