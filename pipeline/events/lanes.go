package events

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// posted is what became of messages.
type posted struct {
	// acknowledged are the ids of those that the receiver has, in the order of the messages. all
	// says that it has all of them.
	acknowledged []string
	all          bool
	// delivered is how many of them it got now.
	delivered int
	// failure is the first one; nil if no post failed.
	failure *failure
}

// laneSeed makes the lanes of this process.
var laneSeed = maphash.MakeSeed() //nolint:gochecknoglobals // a constant of the process

// post posts groups of messages, each in lanes: messages about one record are in one lane, one
// behind the other. After a failure it posts one message alone first, so that a receiver that is
// down gets one post at a time. It ends early if a post fails, if ctx ends or after some time.
func (r *run) post(ctx context.Context, groups [][]message) posted {
	messages := slices.Concat(groups...)
	l := &lanes{run: r, done: make([]atomic.Bool, len(messages)), messages: messages, limit: r.options.Now().Add(partLimit)}
	for i := range messages {
		l.done[i].Store(slices.Contains(r.claim.Acknowledged, messages[i].id))
	}
	if r.claim.Failures > 0 {
		l.probe(ctx)
	}
	from := 0
	for _, group := range groups {
		l.work(ctx, from, from+len(group))
		from += len(group)
	}
	result := posted{all: true, failure: l.failure.Load(), delivered: int(l.delivered.Load())}
	for i := range messages {
		if l.done[i].Load() {
			result.acknowledged = append(result.acknowledged, messages[i].id)
		} else {
			result.all = false
		}
	}
	return result
}

// lanes post messages at once.
type lanes struct {
	*run

	messages []message
	done     []atomic.Bool
	limit    time.Time
	// stop says that no further message is posted.
	stop    atomic.Bool
	failure atomic.Pointer[failure]

	delivered atomic.Int64
}

// probe posts the first message that is not acknowledged.
func (l *lanes) probe(ctx context.Context) {
	for i := range l.messages {
		if !l.done[i].Load() {
			l.one(ctx, i)
			return
		}
	}
}

// work posts some of the messages in lanes. It does nothing if one before them was not delivered.
func (l *lanes) work(ctx context.Context, from, to int) {
	of := make([][]int, l.options.Lanes)
	for i := from; i < to; i++ {
		if !l.done[i].Load() {
			lane := maphash.String(laneSeed, l.messages[i].lane) % uint64(len(of))
			of[lane] = append(of[lane], i)
		}
	}
	var working sync.WaitGroup
	for _, lane := range of {
		if len(lane) > 0 {
			working.Go(func() {
				for _, i := range lane {
					if !l.one(ctx, i) {
						return
					}
				}
			})
		}
	}
	working.Wait()
}

// one posts one message, and reports whether its lane goes on.
func (l *lanes) one(ctx context.Context, i int) bool {
	if ctx.Err() != nil || l.ends() || !l.options.Now().Before(l.limit) {
		l.stop.Store(true)
	}
	if l.stop.Load() {
		return false
	}
	err := l.poster.post(ctx, &l.messages[i])
	if err == nil {
		l.done[i].Store(true)
		l.delivered.Add(1)
		return true
	}
	l.stop.Store(true)
	if why, ok := errors.AsType[*failure](err); ok {
		l.failure.CompareAndSwap(nil, why)
	}
	return false
}
