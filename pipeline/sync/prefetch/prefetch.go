// Package prefetch requests pages of a list before the pages in front of them have arrived, and
// gives them back in order.
//
// It never decides whether a list may be read so (package scan does), and keeps no more pages than
// it was told to request. Start reading at Pages.Take.
package prefetch

import (
	"context"
	"errors"

	"sluice/pipeline"
)

// Source is where pages are requested, several at once.
type Source interface {
	Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error)
}

// WriteBehind holds the pages that were read and are not loaded yet. They count against the pages
// under way: Room gives how many more may be under way, and Changed is closed when that may have
// grown.
type WriteBehind interface {
	Room(most int) int
	Changed() <-chan struct{}
}

// Pages are the pages of one list that are under way. The zero value, with a Source and a Behind,
// has none. One goroutine uses it, and has to call Drop in the end.
type Pages struct {
	Source Source
	Behind WriteBehind

	// pending are the pages not taken yet, in the order of their numbers.
	pending []*pendingPage
	wasted  int
}

// pendingPage is a page that was requested; page and err are set when done is closed.
type pendingPage struct {
	ask    pipeline.Request
	cancel context.CancelFunc
	// front is closed when no other page is in front of this one any more. Until then this page
	// must not take what a page in front of it may need.
	front chan struct{}
	done  chan struct{}
	page  pipeline.Page
	err   error
	// panicked is the value that the source panicked with; Take panics with it again.
	panicked any
}

// Take gives the page of request, and says whether it had been requested before. Meanwhile it
// requests up to more of the pages behind it, less what is not loaded yet (invariant 6); following
// gives the request behind a request. Pages that were requested in another way are dropped.
func (p *Pages) Take(
	ctx context.Context, request pipeline.Request, more int, following func(pipeline.Request) pipeline.Request,
) (pipeline.Page, bool, error) {
	before := p.Holds(request)
	if !before {
		p.Drop()
		if more <= 0 { // nothing is to be under way beside it
			page, err := p.Source.Page(ctx, request)
			return page, false, err
		}
		p.request(ctx, request)
	}
	head := p.pending[0]
	close(head.front)
	for waits := true; waits; {
		changed := p.Behind.Changed()
		p.fill(ctx, p.Behind.Room(more), following)
		select {
		case <-head.done:
			waits = false
		case <-changed:
		}
	}
	p.pending[0] = nil // the page may be large, and the array keeps it alive
	p.pending = p.pending[1:]
	head.cancel()
	if head.panicked != nil {
		panic(head.panicked)
	}
	return head.page, before, head.err
}

// fill requests pages until more of them are under way behind the first.
func (p *Pages) fill(ctx context.Context, more int, following func(pipeline.Request) pipeline.Request) {
	for len(p.pending) <= more {
		p.request(ctx, following(p.pending[len(p.pending)-1].ask))
	}
}

func (p *Pages) request(ctx context.Context, request pipeline.Request) {
	ctx, cancel := context.WithCancel(ctx)
	a := &pendingPage{ask: request, cancel: cancel, front: make(chan struct{}), done: make(chan struct{})}
	p.pending = append(p.pending, a)
	go func() {
		defer close(a.done)
		defer func() { a.panicked = recover() }() // a panic ends the chunk, not the process
		a.page, a.err = p.Source.Page(pipeline.WithFront(ctx, a.front), request)
	}()
}

// Holds says whether the page of request is the first one under way.
func (p *Pages) Holds(request pipeline.Request) bool {
	return len(p.pending) > 0 && p.pending[0].ask == request
}

// Drop cancels the pages not taken, and waits until no call is under way.
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

// Wasted gives how many calls were made for pages that were dropped, and resets the count.
func (p *Pages) Wasted() int {
	n := p.wasted
	p.wasted = 0
	return n
}

// made says whether a call with this error was made: a call that the budget held back was not.
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
