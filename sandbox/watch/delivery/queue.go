package delivery

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Queue holds callbacks until they are sent. It is safe for concurrent use.
type Queue struct {
	options Options
	wake    chan struct{}

	mu      sync.Mutex // guards everything below
	chaos   Chaos
	random  *rand.Rand // strikes callbacks as they are added
	order   *rand.Rand // reorders them: a sequence of its own, for it depends on the time of sending
	waiting []letter   // in the order of their events
	stats   Stats
}

// letter is a waiting callback; its copies share the message.
type letter struct {
	*message

	due   time.Time
	tries int // sendings that failed
}

type message struct {
	Callback

	rendered         []byte // nil until it is first sent
	reencode, packed bool   // what a proxy does to it on its way
}

// New makes an empty queue.
func New(options Options) (*Queue, error) {
	if options.Now == nil || options.Poster == nil {
		return nil, errors.New("watch: callbacks need a clock (Now) and a sender (Poster)")
	}
	if err := options.Chaos.Check(); err != nil {
		return nil, err
	}
	if options.Timeout <= 0 {
		options.Timeout = defaultTimeout
	}
	const adding, ordering = 1, 2 // two sequences of the same seed
	return &Queue{
		options: options, wake: make(chan struct{}, 1), chaos: options.Chaos,
		random: rand.New(rand.NewPCG(uint64(options.Seed), adding)),
		order:  rand.New(rand.NewPCG(uint64(options.Seed), ordering)),
	}, nil
}

// SetChaos changes the faults of callbacks from now on.
func (q *Queue) SetChaos(chaos Chaos) error {
	if err := chaos.Check(); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.chaos = chaos
	return nil
}

// Stats returns the counts so far.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	stats := q.stats
	stats.Waiting = len(q.waiting)
	return stats
}

// Add queues callbacks. Every rate is drawn for every callback, so that changing one rate leaves
// the choices of the others as they were.
func (q *Queue) Add(callbacks ...Callback) {
	q.mu.Lock()
	now := q.options.Now()
	for _, callback := range callbacks {
		q.stats.Queued++
		lost := strikes(q.random, q.chaos.Lose)
		late := strikes(q.random, q.chaos.Late)
		twice := strikes(q.random, q.chaos.Duplicate)
		reencode := strikes(q.random, q.chaos.Reencode)
		packed := strikes(q.random, q.chaos.Gzip)
		if lost {
			q.stats.Lost++
			continue
		}
		due := now.Add(callback.Delay)
		if late {
			q.stats.Late++
			due = due.Add(q.lateness())
		}
		one := letter{message: &message{Callback: callback, reencode: reencode, packed: packed}, due: due}
		q.put(one)
		if twice {
			q.stats.Duplicated++
			q.put(one)
		}
	}
	q.mu.Unlock()
	q.Wake()
}

func strikes(random *rand.Rand, rate float64) bool { return random.Float64() < rate }

func (q *Queue) lateness() time.Duration {
	if q.chaos.LateBy == 0 {
		return defaultLateBy
	}
	return q.chaos.LateBy
}

func (q *Queue) put(one letter) {
	if len(q.waiting) >= mostWaiting {
		q.stats.Dropped++
		return
	}
	q.waiting = append(q.waiting, one)
}

// Wake makes the worker look again after the clock was moved.
func (q *Queue) Wake() {
	select {
	case q.wake <- struct{}{}:
	default: // it was woken already
	}
}

// Run sends callbacks as they fall due, until the context ends.
func (q *Queue) Run(ctx context.Context) {
	for {
		q.Flush(ctx)
		nap := time.NewTimer(q.nap())
		select {
		case <-ctx.Done():
			nap.Stop()
			return
		case <-q.wake:
			nap.Stop()
		case <-nap.C:
		}
	}
}

// nap returns the time until the next callback falls due, within bounds.
func (q *Queue) nap() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	nap, now := longestNap, q.options.Now()
	for _, one := range q.waiting {
		nap = min(nap, max(one.due.Sub(now), 0))
	}
	return nap
}

// Flush sends every callback that is due by the clock, in order, and returns their number.
func (q *Queue) Flush(ctx context.Context) int {
	count := 0
	for ctx.Err() == nil {
		next, found := q.take()
		if !found {
			break
		}
		q.note(next, next.rendered != nil && q.send(ctx, next))
		count++
	}
	return count
}

// take removes and returns the next callback. A callback that cannot be rendered stays without a
// body.
func (q *Queue) take() (letter, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.options.Now()
	due := make([]int, 0, 2) // the first two suffice
	for n := 0; n < len(q.waiting) && len(due) < cap(due); n++ {
		if !q.waiting[n].due.After(now) {
			due = append(due, n)
		}
	}
	if len(due) == 0 {
		return letter{}, false
	}
	turn := due[0]
	if len(due) > 1 && strikes(q.order, q.chaos.Reorder) {
		q.stats.Reordered++
		turn = due[1]
	}
	one := q.waiting[turn]
	q.waiting = slices.Delete(q.waiting, turn, turn+1)
	if one.rendered == nil {
		if text, err := one.Body(now); err == nil {
			one.rendered = text
		}
	}
	return one, true
}

// send reports whether the receiver accepted the callback with 2xx.
func (q *Queue) send(ctx context.Context, one letter) bool {
	ctx, cancel := context.WithTimeout(ctx, q.options.Timeout)
	defer cancel()
	header, body := one.arriving()
	status, err := q.options.Poster.Post(ctx, one.Address, header, body)
	const first, last = 200, 299
	return err == nil && status >= first && status <= last
}

// note counts a sending, and queues a failed callback anew if it has tries left. One without a body
// has none.
func (q *Queue) note(one letter, taken bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if one.rendered != nil {
		if one.reencode {
			q.stats.Reencoded++
		}
		if one.packed {
			q.stats.Gzipped++
		}
	}
	switch {
	case taken:
		q.stats.Sent++
	case one.rendered != nil && one.tries < one.Retries:
		q.stats.Retried++
		one.tries++
		one.due = q.options.Now().Add(one.Pause)
		q.put(one)
	default:
		q.stats.Failed++
	}
}
