package pipeline

import (
	"context"
	"sync"
)

// Turn is the right to hold a large answer in memory. A process gives it to one answer at a time.
// It is handed on with the records of the answer and ends when they are loaded. A small answer has
// a nil turn.
type Turn struct {
	once sync.Once
	end  func()
}

// NewTurn makes a turn; end lets the next large answer in.
func NewTurn(end func()) *Turn { return &Turn{end: end} }

// End ends the turn; further calls do nothing.
func (t *Turn) End() {
	if t != nil {
		t.once.Do(t.end)
	}
}

type frontKey struct{}

// WithFront gives the calls of a context a channel that is closed when no earlier page is in front
// of theirs any more.
func WithFront(ctx context.Context, front <-chan struct{}) context.Context {
	return context.WithValue(ctx, frontKey{}, front)
}

// Front returns the channel that WithFront was given; nil if there is none.
func Front(ctx context.Context) <-chan struct{} {
	front, _ := ctx.Value(frontKey{}).(<-chan struct{})
	return front
}
