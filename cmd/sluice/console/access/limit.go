package access

import (
	"sync"
	"time"
)

// limiter gives each key a number of turns at once, and then one turn after each interval. It
// remembers a bounded number of keys.
type limiter struct {
	now      func() time.Time
	most     int
	interval time.Duration

	mu sync.Mutex
	// free is the instant at which a key has all its turns again.
	free map[string]time.Time
}

func newLimiter(now func() time.Time, most int, interval time.Duration) *limiter {
	return &limiter{now: now, most: most, interval: interval, free: make(map[string]time.Time)}
}

// take takes a turn, and reports whether there was one.
func (l *limiter) take(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	at, known := l.free[key]
	if !known && len(l.free) >= mostKnown {
		l.forget(now)
	}
	if at.Before(now) {
		at = now
	}
	if at = at.Add(l.interval); at.Sub(now) > time.Duration(l.most)*l.interval {
		return false
	}
	l.free[key] = at
	return true
}

// give returns a turn that was taken.
func (l *limiter) give(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, known := l.free[key]; known {
		l.free[key] = at.Add(-l.interval)
	}
}

// forget drops the keys that have all their turns, or any one if there is none.
func (l *limiter) forget(now time.Time) {
	for key, at := range l.free {
		if !at.After(now) {
			delete(l.free, key)
		}
	}
	for key := range l.free {
		if len(l.free) < mostKnown {
			return
		}
		delete(l.free, key)
	}
}
