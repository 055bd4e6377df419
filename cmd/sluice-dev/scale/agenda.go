package scale

import (
	"context"
	"slices"
	"time"
)

// epoch returns the virtual time at which simulations begin.
func epoch() time.Time { return time.Date(2026, time.January, 5, 0, 0, 0, 0, time.UTC) }

// instant is a virtual point in time: the time since the beginning, in whole microseconds, as the
// database counts.
type instant = time.Duration

// event is an event at an instant.
type event struct {
	at instant
	do func(ctx context.Context) error
}

// agenda holds the planned events in order; of two at the same instant, the one planned first
// happens first.
type agenda struct{ events []event }

// plan plans an event at an instant.
func (a *agenda) plan(at instant, do func(ctx context.Context) error) {
	at = at.Truncate(time.Microsecond)
	place, _ := slices.BinarySearchFunc(a.events, at, func(e event, at instant) int {
		if e.at <= at {
			return -1
		}
		return 1
	})
	a.events = slices.Insert(a.events, place, event{at, do})
}

// next takes the next event, and reports whether there was one.
func (a *agenda) next() (event, bool) {
	if len(a.events) == 0 {
		return event{}, false
	}
	first := a.events[0]
	a.events = a.events[1:]
	return first, true
}
