package scale

import (
	"container/heap"
	"context"
	"time"
)

// epoch returns the virtual time at which simulations begin.
func epoch() time.Time { return time.Date(2026, time.January, 5, 0, 0, 0, 0, time.UTC) }

// instant is a virtual point in time: the time since the beginning, in whole microseconds, as the
// database counts.
type instant = time.Duration

// event is an event at an instant; of two at the same instant, the one planned first happens first.
type event struct {
	at       instant
	sequence int
	do       func(ctx context.Context) error
}

// events are a heap, the next event first.
type events []event

func (e *events) Len() int      { return len(*e) }
func (e *events) Swap(i, j int) { (*e)[i], (*e)[j] = (*e)[j], (*e)[i] }
func (e *events) Less(i, j int) bool {
	one, other := &(*e)[i], &(*e)[j]
	return one.at < other.at || one.at == other.at && one.sequence < other.sequence
}

// Push implements heap.Interface.
func (e *events) Push(x any) { *e = append(*e, x.(event)) } //nolint:forcetypeassert,errcheck // nothing else is pushed

// Pop implements heap.Interface.
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// agenda holds the planned events.
type agenda struct {
	events   events
	sequence int
}

// plan plans an event at an instant.
func (a *agenda) plan(at instant, do func(ctx context.Context) error) {
	a.sequence++
	heap.Push(&a.events, event{at.Truncate(time.Microsecond), a.sequence, do})
}

// next takes the next event, and reports whether there was one.
func (a *agenda) next() (event, bool) {
	if len(a.events) == 0 {
		return event{}, false
	}
	return heap.Pop(&a.events).(event), true //nolint:forcetypeassert,errcheck // nothing else is pushed
}
