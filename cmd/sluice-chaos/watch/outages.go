package watch

import "time"

// outages are the times in which the database gave no answer: what explains a stream that was long in going on, and excuses none.
type outages struct {
	// since is when the one that lasts began, zero while there is none.
	since   time.Time
	longest time.Duration
}

// looked notes whether the database answered a look that began and ended at these instants.
func (o *outages) looked(began, ended time.Time, answered bool) {
	switch {
	case !answered && o.since.IsZero():
		o.since = began
	case answered && !o.since.IsZero():
		o.longest, o.since = max(o.longest, ended.Sub(o.since)), time.Time{}
	}
}
