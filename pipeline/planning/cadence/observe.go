package cadence

import (
	"math"
	"time"
)

// Run is one run that went on from a watermark.
type Run struct {
	// Start is when it began; Changes are the records that it found new or changed.
	Start   time.Time
	Changes int64
	// Calls are those that it took; zero if it did not come to its end.
	Calls int64
}

// Seen is what the last runs of a stream showed.
type Seen struct {
	// Runs is how many they were, Span the time that they looked back over.
	Runs int
	Span time.Duration
	// Changes are all that they found; PerHour is how many came in an hour, recent hours counting
	// more.
	Changes int64
	PerHour float64
	// Calls is what a run takes, recent runs counting more; zero if none came to its end.
	Calls float64
}

// halfLife is after how long what was seen counts half: a stream that wakes up or falls asleep is
// followed within a day, and one night does not make it a quiet one.
const halfLife = 24 * time.Hour

// Observe sums up runs, oldest first, of which the first looked back to since. Changes are those of
// the time between two starts: what came while a run read is found by the next one.
func Observe(runs []Run, since, now time.Time) Seen {
	var seen Seen
	var changes, hours, calls, finished float64
	for _, run := range runs {
		weight := math.Exp2(-float64(now.Sub(run.Start)) / float64(halfLife))
		span := max(run.Start.Sub(since), 0)
		changes += weight * float64(run.Changes)
		hours += weight * span.Hours()
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
		// Runs that follow each other without a pause show nothing of a rate.
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

// perNanosecond is the rate of changes. Where none was seen, half a change is assumed in the time
// that was watched: the longer nothing changes, the less is expected to.
func (s Seen) perNanosecond() float64 {
	if s.Changes == 0 {
		const half = 0.5
		return half / math.Max(float64(s.Span), float64(time.Minute))
	}
	return math.Max(s.PerHour, leastPerHour) / float64(time.Hour)
}

// leastPerHour keeps a rate from vanishing: one change in more than a thousand years.
const leastPerHour = 1e-8
