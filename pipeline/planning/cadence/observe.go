package cadence

import (
	"math"
	"time"
)

// Run is one run that went on from a watermark.
type Run struct {
	// Start is when it began; Changes is the number of new and changed records that it found.
	Start   time.Time
	Changes int64
	// Calls is the number of its calls; zero if it did not reach its end.
	Calls int64
}

// Seen sums up the last runs of a stream.
type Seen struct {
	// Runs is the number of runs, Span the time whose changes they read.
	Runs int
	Span time.Duration
	// Changes is the number of changes that they found; PerHour is the number an hour, with more
	// weight on recent runs.
	Changes int64
	PerHour float64
	// Calls is the number of calls a run, with more weight on recent runs; zero if no run reached
	// its end.
	Calls float64
}

// halfLife is the age at which an observation counts half. So the intervals follow a change of pace
// within a day, and one night without changes does not make a stream quiet.
const halfLife = 24 * time.Hour

// History is what runs of a stream found, oldest first; the first one read the changes from Since
// on.
type History struct {
	Runs  []Run
	Since time.Time
}

// Seen sums up the runs. A run's changes are counted for the time between two starts: the next run
// finds what changed while a run reads. An hour of the day counts as much as it usually brings.
func (h *History) Seen(now time.Time, usual *Hours) Seen {
	var seen Seen
	since := h.Since
	var changes, hours, calls, finished float64
	for _, run := range h.Runs {
		weight := math.Exp2(-float64(now.Sub(run.Start)) / float64(halfLife))
		span := max(run.Start.Sub(since), 0)
		changes += weight * float64(run.Changes)
		hours += weight * usual.between(since, run.Start)
		if run.Calls > 0 {
			calls += weight * float64(run.Calls)
			finished += weight
		}
		seen.Runs++
		seen.Changes += run.Changes
		seen.Span += span
		since = run.Start
	}
	if seen.Span < time.Minute || hours == 0 {
		// Less than a minute of observation is too short for a rate.
		return Seen{Calls: ratio(calls, finished)}
	}
	seen.PerHour, seen.Calls = changes/hours, ratio(calls, finished)
	return seen
}

func ratio(sum, of float64) float64 {
	if of == 0 {
		return 0
	}
	return sum / of
}

// perNanosecond returns the rate of changes. Where none was observed, half a change is assumed in
// the observed time: the longer nothing changes, the fewer changes are expected.
func (s Seen) perNanosecond() float64 {
	if s.Changes == 0 {
		const half = 0.5
		return half / math.Max(float64(s.Span), float64(time.Minute))
	}
	return math.Max(s.PerHour, leastPerHour) / float64(time.Hour)
}

// leastPerHour keeps the rate above zero: one change in more than a thousand years.
const leastPerHour = 1e-8
