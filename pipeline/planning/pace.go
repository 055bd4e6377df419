package planning

import (
	"math"
	"time"
)

// AssumedLatency is the assumed time of a call where none was measured.
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

// Day is the daily allowance of a service.
type Day struct {
	// Limit is the number of calls in any 24 hours; 0 means no limit.
	Limit int
	// Spent counts the calls of the last 24 hours by their age in hours. A call stops counting when
	// it is 24 hours old.
	Spent [24]int
	// Others is what the schedule takes of each day.
	Others float64
}

// Left returns how many calls can be made now.
func (d Day) Left() int {
	left := d.Limit
	for _, spent := range d.Spent {
		left -= spent
	}
	return max(left, 0)
}

// horizon is how far ahead Done looks: ten years of hours.
const horizon = 10 * 365 * 24

const hoursADay = 24

// Done returns the time until so many calls are made beside Others, or false if the allowance never
// suffices.
func (d Day) Done(calls int, pace Pace) (time.Duration, bool) {
	if d.Limit == 0 || calls <= 0 {
		return pace.Takes(calls, 0), true
	}
	made := make([]int, 0, hoursADay)
	window := 0
	for hour := range horizon {
		if hour >= hoursADay {
			window -= made[hour-hoursADay]
		}
		now := max(min(calls, d.free(hour)-window, pace.perHour()), 0)
		calls -= now
		if calls == 0 {
			return time.Duration(hour)*time.Hour + min(pace.Takes(now, 0), time.Hour), true
		}
		made = append(made, now)
		window += now
	}
	return 0, false
}

// free returns what earlier calls and Others leave of the allowance in a future hour.
func (d Day) free(hour int) int {
	free := float64(d.Limit) - d.Others*float64(min(hour+1, hoursADay))/hoursADay
	for ago, spent := range d.Spent {
		if ago+hour < hoursADay {
			free -= float64(spent)
		}
	}
	return int(math.Floor(free))
}

// perHour returns how many calls an hour allows at most.
func (p Pace) perHour() int {
	most := math.MaxInt
	if p.PerMinute > 0 {
		most = p.PerMinute * int(time.Hour/time.Minute)
	}
	if p.Concurrent > 0 && p.Latency > 0 {
		most = min(most, max(p.Concurrent*int(time.Hour/p.Latency), 1))
	}
	return most
}
