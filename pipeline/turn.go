package pipeline

import (
	"context"
	"sync"
)

// Turn is the right to have a large answer in memory, which one has at a time in a process. It goes
// from hand to hand with what was made of the answer, and ends when that is loaded. Nil is the turn
// of an answer that is not large.
type Turn struct {
	once sync.Once
	end  func()
}

// NewTurn makes a turn; end lets the next one in.
func NewTurn(end func()) *Turn { return &Turn{end: end} }

// End ends the turn; more than once does no harm.
func (t *Turn) End() {
	if t != nil {
		t.once.Do(t.end)
	}
}

type frontKey struct{}

// WithFront marks the calls of a context as made ahead of others: front is closed when there is
// none left in front of them.
func WithFront(ctx context.Context, front <-chan struct{}) context.Context {
	return context.WithValue(ctx, frontKey{}, front)
}

// Front gives what WithFront was given; nil if the calls are not made ahead of others.
func Front(ctx context.Context) <-chan struct{} {
	front, _ := ctx.Value(frontKey{}).(<-chan struct{})
	return front
}
