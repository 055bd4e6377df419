package wire

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"sluice/pipeline"
)

const (
	// large is how many bytes make a body one of which a process holds one at a time: pages have
	// some hundred thousand.
	large = 1 << 20
	// huge is from how many bytes on a body leaves so much behind that it is given back before the
	// next one comes.
	huge = 8 << 20
	// patience is how long a page that was asked for ahead waits until it is in front: it occupies
	// one of the calls that may be under way.
	patience = 10 * time.Second
)

var errNotInFront = errors.New("a large page that was asked for ahead waited too long for those in front of it")

// lane lets one large body through at a time.
//
// It cannot get stuck. The holder of the turn needs no other turn until it ends it: the rest of its
// body, a place in the call log and one transaction are all that comes between, and the transaction
// is loaded beside the reading of further pages. A page that was asked for ahead takes no turn
// before it is in front of its list, so that the page in front of it never waits for it; and as it
// holds one of the calls under way, which that page may need, its wait is bounded. All other waits
// end with their call.
type lane chan struct{}

// enter waits until no other large body is held.
func (l lane) enter(ctx context.Context) (*held, error) {
	if front := pipeline.Front(ctx); front != nil {
		tooLong := time.NewTimer(patience)
		defer tooLong.Stop()
		select {
		case <-front:
		case <-tooLong.C:
			return nil, errNotInFront
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	select {
	case l <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	h := new(held)
	h.Turn = pipeline.NewTurn(func() {
		if h.bytes > huge {
			debug.FreeOSMemory()
		}
		<-l
	})
	return h, nil
}

// held is a turn, with the size of the body that has it.
type held struct {
	*pipeline.Turn

	bytes int
}
