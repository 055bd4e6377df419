package budget

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"sluice/pipeline"
)

const (
	// pollConcurrent is how often a call that waits for a slot asks again: slots are freed in other
	// processes, too.
	pollConcurrent = time.Second
	// minPause keeps a ledger that answers "ask again at once" from being asked in a tight loop.
	minPause = 20 * time.Millisecond
	// maxJitter spreads those who wait for the same instant: one of each process.
	maxJitter = 25 * time.Millisecond
)

// laneKey is an allowance: what one organization's services share.
type laneKey struct {
	organization, shared string
	perMinute            int
}

// lane is what this process does within one allowance.
type lane struct {
	// limiter paces; nil if there is no limit a minute. It decides nothing, it only spares the
	// ledger refusals that are certain.
	limiter *rate.Limiter

	// turn holds one: the call that asks the ledger. What refuses one of the lane refuses all, so
	// the others wait behind it, in the order in which they came.
	turn chan struct{}

	mu   sync.Mutex
	gone chan struct{}
	// refused is what the ledger said last.
	refused pipeline.Refusal
}

func (g *Gate) lane(organization string, limits pipeline.Limits) *lane {
	key := laneKey{organization: organization, shared: limits.Shared, perMinute: limits.PerMinute}
	g.mu.Lock()
	defer g.mu.Unlock()
	known, ok := g.lanes[key]
	if !ok {
		known = &lane{gone: make(chan struct{}), turn: make(chan struct{}, 1), refused: pipeline.RefusedConcurrent}
		if limits.PerMinute > 0 {
			known.limiter = rate.NewLimiter(rate.Limit(float64(limits.PerMinute)/g.minute.Seconds()), limits.PerMinute)
		}
		g.lanes[key] = known
	}
	return known
}

// pace waits for this process's turn. If that lies beyond the deadline, it gives errTooLong and the
// wait it would have taken.
func (l *lane) pace(ctx context.Context, now func() time.Time, deadline time.Time) (time.Duration, error) {
	if l.limiter == nil {
		return 0, nil
	}
	at := now()
	turn := l.limiter.ReserveN(at, 1)
	wait := turn.DelayFrom(at)
	if at.Add(wait).After(deadline) {
		turn.CancelAt(at)
		return wait, errTooLong
	}
	if wait <= 0 {
		return 0, nil
	}
	if err := sleep(ctx, wait, nil); err != nil {
		turn.CancelAt(now())
		return wait, err
	}
	return wait, nil
}

// queue waits until this call is the one that asks the ledger; done lets the next one ask. Beyond
// the deadline it gives errTooLong.
func (l *lane) queue(ctx context.Context, left time.Duration) error {
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-timer.C:
		return errTooLong
	case <-ctx.Done():
		return fmt.Errorf("stopped waiting: %w", ctx.Err())
	}
}

func (l *lane) done() { <-l.turn }

// note keeps what the ledger said, for those who did not get to ask.
func (l *lane) note(refused pipeline.Refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused = refused
}

func (l *lane) last() pipeline.Refusal {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused
}

// freed gives a channel that is closed when the next call of this lane leaves.
func (l *lane) freed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone
}

// leave wakes those who wait for a slot.
func (l *lane) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.gone)
	l.gone = make(chan struct{})
}

// jitter lengthens a pause a little, so that those who were refused together do not come back
// together.
func jitter(pause time.Duration) time.Duration {
	pause = max(pause, minPause)
	spread := min(pause/4, maxJitter)
	return pause + rand.N(spread)
}

// sleep waits for the pause, for woken (nil: never) or for the end of ctx.
func sleep(ctx context.Context, pause time.Duration, woken <-chan struct{}) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-woken:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stopped waiting: %w", ctx.Err())
	}
}
