// Package prefetch asks for pages of a list before the ones in front of them are there, and gives
// them back one after the other.
//
// It never decides whether a list may be read so (package scan does), and keeps no more pages than
// it was told to ask for. Start reading at Pages.Take.
package prefetch

import (
	"context"
	"errors"

	"sluice/pipeline"
)

// Source is where pages come from. It is asked for several at once.
type Source interface {
	Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error)
}

// WriteBehind is what was read and is not loaded yet. It takes the room of pages under way: Room
// gives how much of it is left, and Changed is closed when that may be more.
type WriteBehind interface {
	Room(most int) int
	Changed() <-chan struct{}
}

// Pages are the pages of one list that are under way. The zero value, with a Source and a Behind,
// has none. It is used by one goroutine, and has to be dropped in the end.
type Pages struct {
	Source Source
	Behind WriteBehind

	// pending are those not taken yet, in the order of their numbers.
	pending []*pendingPage
	wasted  int
}

// pending is a page that was asked for; page and err are there when done is closed.
type pendingPage struct {
	ask    pipeline.Request
	cancel context.CancelFunc
	// front is closed when no other page is in front of this one any more: before, it must not take
	// what that one may wait for.
	front chan struct{}
	done  chan struct{}
	page  pipeline.Page
	err   error
	// panicked is what the source panicked with, for the caller that takes the page.
	panicked any
}

// Take gives the page that ask asks for, and says whether it had been asked for before. Meanwhile
// as many as more of the pages behind it are asked for, less what is not loaded yet (invariant 6).
// Pages that were asked for in another way than ask goes on are dropped.
func (p *Pages) Take(ctx context.Context, request pipeline.Request, more int) (pipeline.Page, bool, error) {
	before := p.Holds(request)
	if !before {
		p.Drop()
		if more <= 0 { // nothing else is under way: no one has to wait
			page, err := p.Source.Page(ctx, request)
			return page, false, err
		}
		p.request(ctx, request)
	}
	head := p.pending[0]
	close(head.front)
	for waits := true; waits; {
		changed := p.Behind.Changed()
		p.fill(ctx, p.Behind.Room(more))
		select {
		case <-head.done:
			waits = false
		case <-changed:
		}
	}
	p.pending[0] = nil // what it holds may be large, and the array stays
	p.pending = p.pending[1:]
	head.cancel()
	if head.panicked != nil {
		panic(head.panicked)
	}
	return head.page, before, head.err
}

// fill asks for pages until as many as more are under way behind the first.
func (p *Pages) fill(ctx context.Context, more int) {
	for len(p.pending) <= more {
		next := p.pending[len(p.pending)-1].ask
		next.Page++
		p.request(ctx, next)
	}
}

func (p *Pages) request(ctx context.Context, request pipeline.Request) {
	ctx, cancel := context.WithCancel(ctx)
	a := &pendingPage{ask: request, cancel: cancel, front: make(chan struct{}), done: make(chan struct{})}
	p.pending = append(p.pending, a)
	go func() {
		defer close(a.done)
		defer func() { a.panicked = recover() }() // it must not end the process, but the chunk
		a.page, a.err = p.Source.Page(pipeline.WithFront(ctx, a.front), request)
	}()
}

// Holds says whether the page that ask asks for is under way.
func (p *Pages) Holds(request pipeline.Request) bool {
	return len(p.pending) > 0 && p.pending[0].ask == request
}

// Drop gives up what was asked for and not taken, and waits until nothing is under way.
func (p *Pages) Drop() {
	for _, a := range p.pending {
		a.cancel()
	}
	for _, a := range p.pending {
		<-a.done
		a.page.Turn.End()
		if made(a.err) {
			p.wasted++
		}
	}
	p.pending = nil
}

// Wasted gives how many calls were made for pages that were dropped, and counts anew.
func (p *Pages) Wasted() int {
	n := p.wasted
	p.wasted = 0
	return n
}

// made says whether a call with this end was made: a call that the budget held back was not.
func made(err error) bool {
	failure, ok := errors.AsType[*pipeline.Error](err)
	if !ok {
		return err == nil
	}
	switch failure.Kind {
	case pipeline.Throttled, pipeline.Crowded, pipeline.Exhausted:
		return failure.Status != 0
	case pipeline.Expired, pipeline.Denied, pipeline.Unavailable, pipeline.Unexpected:
		return !errors.Is(err, pipeline.ErrNotMade)
	default:
		return true
	}
}
