package limits

import "time"

// Window counts instants in a sliding, half-open span of time.
type Window struct{ times []time.Time }

// Add notes an instant and returns the number of instants in the span that ends with it. Two
// instants exactly one span apart are never in the same window.
func (w *Window) Add(at time.Time, span time.Duration) int {
	w.prune(at, span)
	w.times = append(w.times, at)
	return len(w.times)
}

func (w *Window) prune(at time.Time, span time.Duration) {
	first := 0
	for first < len(w.times) && at.Sub(w.times[first]) >= span {
		first++
	}
	w.times = w.times[first:]
}
