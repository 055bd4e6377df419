// Package virtual is time under the control of the simulation: its instants, an agenda of planned
// events, and a Postgres with that clock.
//
// The deciding parts in that Postgres are real: the functions of the call log and the statements of
// the schedule. Start reading at Database.
package virtual

import (
	"context"
	"time"
)

// Began returns the virtual instant at which simulations begin.
func Began() time.Time { return time.Date(2026, time.January, 5, 0, 0, 0, 0, time.UTC) }

// Instant is a virtual point in time: the time since the beginning, in whole microseconds, as the
// database counts.
type Instant = time.Duration

// Event is an event at an instant; of two at the same instant, the one planned first happens first.
type Event struct {
	At Instant
	Do func(ctx context.Context) error

	sequence int64
}

func (e *Event) before(other *Event) bool {
	return e.At < other.At || e.At == other.At && e.sequence < other.sequence
}

// Agenda holds the planned events: a binary heap, the next event first.
type Agenda struct {
	events   []Event
	sequence int64
}

// Plan plans an event at an instant.
func (a *Agenda) Plan(at Instant, do func(ctx context.Context) error) {
	a.sequence++
	a.events = append(a.events, Event{At: at.Truncate(time.Microsecond), Do: do, sequence: a.sequence})
	for i := len(a.events) - 1; i > 0; {
		parent := (i - 1) / 2
		if !a.events[i].before(&a.events[parent]) {
			return
		}
		a.events[i], a.events[parent] = a.events[parent], a.events[i]
		i = parent
	}
}

// Next takes the next event, and reports whether there was one.
func (a *Agenda) Next() (Event, bool) {
	if len(a.events) == 0 {
		return Event{}, false
	}
	first, last := a.events[0], len(a.events)-1
	a.events[0] = a.events[last]
	a.events[last] = Event{}
	a.events = a.events[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if a.events[child].before(&a.events[least]) {
				least = child
			}
		}
		if least == i {
			return first, true
		}
		a.events[i], a.events[least] = a.events[least], a.events[i]
		i = least
	}
}
