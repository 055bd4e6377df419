package planning

import (
	"math"
	"time"
)

// AssumedLatency is the assumed time of a call.
const AssumedLatency = 500 * time.Millisecond

// Pace is how fast calls may leave: the limits of the shared allowance, and how long a call takes.
type Pace struct {
	// PerMinute and Concurrent are limits; 0 means no limit.
	PerMinute, Concurrent int
	// Latency is how long one call takes.
	Latency time.Duration
}

// Takes returns how long so many calls take. Chain of them follow one after the other. The time
// depends on their latency, on the limit of calls at once, and on the minutes that they fill.
func (p Pace) Takes(calls, chain int) time.Duration {
	if calls <= 0 {
		return 0
	}
	side := time.Duration(chain) * p.Latency
	if p.Concurrent > 0 {
		side = max(side, time.Duration(float64(calls)/float64(p.Concurrent)*float64(p.Latency)))
	}
	if p.PerMinute <= 0 {
		return side
	}
	// The calls of a full minute leave as fast as they can. The next ones leave when the slots are
	// free again, a minute after the answers.
	full := (calls - 1) / p.PerMinute
	rest := float64(calls-full*p.PerMinute) / float64(calls)
	return max(side, time.Duration(full)*(time.Minute+p.Latency)+time.Duration(rest*float64(side)))
}

// Day is what a service, or a class of its work, may spend of a day, and what is left of the
// present one. Limit 0 means no limit.
type Day struct{ Limit, Left int }

// longest is how far ahead Done looks, in days.
const longest = 10 * 365

// Done returns the time until so many calls are made, if so many others a day are made beside them:
// those that are left now, and the rest in the days behind this one. It returns false if the
// allowance never suffices.
func (d Day) Done(calls int, others float64, pace Pace) (time.Duration, bool) {
	takes := pace.Takes(calls, 0)
	if d.Limit == 0 || calls <= d.Left {
		return takes, true
	}
	days := math.Ceil(float64(calls-d.Left) / max(float64(d.Limit)-others, 0))
	if days > longest {
		return 0, false
	}
	return max(takes, time.Duration(days)*day), true
}
