package watch

import "time"

// outages are the times without an answer of the database: they explain a stream that continued
// late, but excuse none.
type outages struct {
	// since is the beginning of the present outage; zero without one.
	since   time.Time
	longest time.Duration
}

// looked notes whether the database answered a query that began and ended at these instants.
func (o *outages) looked(began, ended time.Time, answered bool) {
	switch {
	case !answered && o.since.IsZero():
		o.since = began
	case answered && !o.since.IsZero():
		o.longest, o.since = max(o.longest, ended.Sub(o.since)), time.Time{}
	}
}
