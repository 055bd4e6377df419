package watch

import "time"

// outages are the times in which the database gave no answer: nobody can go on without one.
type outages struct {
	// since is when the one that lasts began, zero while there is none.
	since time.Time
	past  []outage
}

type outage struct{ from, to time.Time }

// looked notes whether the database answered a look that began and ended at these instants.
func (o *outages) looked(began, ended time.Time, answered bool) {
	switch {
	case !answered && o.since.IsZero():
		o.since = began
	case answered && !o.since.IsZero():
		o.past, o.since = append(o.past, outage{o.since, ended}), time.Time{}
	}
}

// between is how much of the time between two instants outages took.
func (o *outages) between(from, to time.Time) time.Duration {
	var sum time.Duration
	for _, one := range o.past {
		begin, end := one.from, one.to
		if begin.Before(from) {
			begin = from
		}
		if end.After(to) {
			end = to
		}
		sum += max(end.Sub(begin), 0)
	}
	return sum
}
