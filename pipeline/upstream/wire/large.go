package wire

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"sluice/pipeline"
)

const (
	// large is from how many bytes on a body is large: a process holds one large body at a time.
	// Pages have some hundred thousand bytes.
	large = 1 << 20
	// huge is the size, in bytes, above which the memory of a body is returned to the system before
	// the next one is read.
	huge = 8 << 20
	// patience is how long a prefetched page waits until it is in front: meanwhile it occupies one
	// of the calls that may be under way.
	patience = 10 * time.Second
)

var errNotInFront = errors.New("a large page that was asked for ahead waited too long for those in front of it")

// lane lets one large body through at a time.
//
// It cannot deadlock. The holder of a turn needs no other turn until it ends its own. It still
// needs the rest of its body, an entry in the call log and one transaction, which runs beside the
// reading of further pages. A prefetched page takes no turn before it is in front of its list, so
// the page in front of it never waits for it. It occupies one of the calls under way, which that
// page may need, so its wait is bounded. All other waits end with their call.
type lane chan struct{}

// enter waits until no other large body has the turn.
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

// held is a turn, with the size in bytes of the body that has it.
type held struct {
	*pipeline.Turn

	bytes int
}
