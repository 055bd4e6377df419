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
	// pollConcurrent is how often a call that waits for a slot asks again: other processes free
	// slots, too.
	pollConcurrent = time.Second
	// minPause prevents a tight loop where the ledger answers "ask again at once".
	minPause = 20 * time.Millisecond
	// maxJitter spreads the calls that wait for the same instant: one in each process.
	maxJitter = 25 * time.Millisecond
)

// laneKey identifies an allowance that services of one organization share.
type laneKey struct {
	organization, shared string
	perMinute            int
}

// lane is the state of one allowance in this process.
type lane struct {
	// limiter paces the calls; nil if there is no limit a minute. It only spares the ledger certain
	// refusals: the ledger decides.
	limiter *rate.Limiter

	// turn holds the one call that asks the ledger. A refusal of one call of the lane applies to
	// all, so the others queue behind it in the order of their arrival.
	turn chan struct{}

	mu   sync.Mutex
	gone chan struct{}
	// refused is the ledger's last refusal.
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

// pace waits until the limiter lets the call pass. If that is after the deadline, it returns
// errTooLong and the wait that would have been necessary.
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

// queue waits until this call is the one that asks the ledger; done lets the next one ask. After
// the time left it returns errTooLong.
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

// note stores the ledger's refusal for the calls that give up before they could ask.
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

// freed returns a channel that is closed when a slot of this lane is freed next.
func (l *lane) freed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone
}

// leave wakes the calls that wait for a slot.
func (l *lane) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.gone)
	l.gone = make(chan struct{})
}

// jitter lengthens a pause a little, so that calls that were refused together do not ask again
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
