package cadence

import (
	"math"
	"time"
)

// Hours says how many changes the hours of a day bring, as multiples of the mean. The hours are
// those of UTC.
type Hours [hoursADay]float64

// Alike are hours that all bring the same.
func Alike() *Hours {
	var h Hours
	for i := range h {
		h[i] = 1
	}
	return &h
}

const (
	hoursADay = 24
	// rounds is the number of steps in which hours and rates are estimated from each other.
	rounds = 3
	// alike is how many changes without any difference between the hours are assumed beside those
	// that were found in an hour: a few changes say nothing about the hours.
	alike = 10
)

// UsualHours estimates the hours from the runs of streams that have them in common, such as those
// of one organization. The changes of a run that read several hours are divided among them as they
// are usual so far. So each round makes what was found more likely (A. Dempster, N. Laird and D.
// Rubin, "Maximum likelihood from incomplete data via the EM algorithm", 1977).
func UsualHours(streams []History) *Hours {
	usual := Alike()
	for range rounds {
		var found, expected Hours
		for i := range streams {
			streams[i].spread(usual, &found, &expected)
		}
		sum := 0.0
		for h := range usual {
			usual[h] = (found[h] + alike) / (expected[h] + alike)
			sum += usual[h]
		}
		for h := range usual {
			usual[h] *= float64(len(usual)) / sum
		}
	}
	return usual
}

// spread adds the changes that were found in each hour, and those that the stream's rate alone lets
// expect.
func (s *History) spread(usual, found, expected *Hours) {
	changes, hours := 0.0, 0.0
	since := s.Since
	for _, run := range s.Runs {
		changes, hours = changes+float64(run.Changes), hours+usual.between(since, run.Start)
		since = run.Start
	}
	if hours == 0 {
		return
	}
	since = s.Since
	for _, run := range s.Runs {
		within := usual.between(since, run.Start)
		each(since, run.Start, func(h int, part float64) {
			found[h] += float64(run.Changes) * part * usual[h] / within
			expected[h] += changes / hours * part
		})
		since = run.Start
	}
}

// Part returns the part of a day's calls that an hour gets, as a multiple of the mean: it grows
// with the root of the changes, as the number of runs does in Plan.
func (h *Hours) Part(at time.Time) float64 {
	sum := 0.0
	for _, usual := range h {
		sum += math.Sqrt(usual)
	}
	return math.Sqrt(h[at.UTC().Hour()]) * float64(len(h)) / sum
}

// between returns the hours between two instants, each counted as much as it usually brings.
func (h *Hours) between(from, to time.Time) float64 {
	sum := 0.0
	each(from, to, func(hour int, part float64) { sum += part * h[hour] })
	return sum
}

// each divides the time between two instants by the hours of the day. Whole days count at once.
func each(from, to time.Time, do func(hour int, part float64)) {
	at := from.UTC()
	if whole := int64(to.Sub(at) / day); whole > 0 {
		for hour := range hoursADay {
			do(hour, float64(whole))
		}
		at = at.Add(day * time.Duration(whole))
	}
	for at.Before(to) {
		end := at.Truncate(time.Hour).Add(time.Hour)
		if to.Before(end) {
			end = to
		}
		do(at.Hour(), end.Sub(at).Hours())
		at = end
	}
}
