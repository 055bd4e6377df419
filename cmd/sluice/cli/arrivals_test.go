package cli

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// arrivals counts the calls of services that reach upstream.
type arrivals struct {
	mu      sync.Mutex
	next    http.Handler
	count   int
	waiting map[int]chan struct{}
	// tokens are the access tokens that came with the calls.
	tokens map[string]bool
	// at are the calls that share the limits of a minute.
	at []reached
}

// reached is when upstream's system acknowledged a call, and when its handler began: with every
// goroutine of a busy machine before it, seconds later.
type reached struct{ acknowledged, handled time.Time }

// ServeHTTP implements http.Handler.
func (a *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now, late := time.Now(), sinceData(r)
	a.mu.Lock()
	next := a.next
	if !strings.HasPrefix(r.URL.Path, "/oauth/") {
		a.count++
		if !strings.HasPrefix(r.URL.Path, "/maintenanceapi/") { // chat has limits of its own
			a.at = append(a.at, reached{acknowledged: now.Add(-late), handled: now})
		}
		if _, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok {
			if a.tokens == nil {
				a.tokens = make(map[string]bool)
			}
			a.tokens[token] = true
		}
		if c, ok := a.waiting[a.count]; ok {
			close(c)
		}
	}
	a.mu.Unlock()
	next.ServeHTTP(w, r)
}

// through has every call go through what of makes of upstream.
func (a *arrivals) through(of func(upstream http.Handler) http.Handler) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next = of(a.next)
}

// hold lets so many more calls of services through. Those after them wait until the returned
// function is called.
func (a *arrivals) hold(calls int) func() {
	released := make(chan struct{})
	var passed atomic.Int64
	a.through(func(upstream http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.URL.Path, "/oauth/") && passed.Add(1) > int64(calls) {
				select {
				case <-released:
				case <-r.Context().Done():
					return
				}
			}
			upstream.ServeHTTP(w, r)
		})
	})
	return func() { close(released) }
}

// total is how many have arrived.
func (a *arrivals) total() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count
}

// after gives a channel that is closed when n more have arrived.
func (a *arrivals) after(n int) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting == nil {
		a.waiting = make(map[int]chan struct{})
	}
	at := a.count + n
	if a.waiting[at] == nil {
		a.waiting[at] = make(chan struct{})
	}
	return a.waiting[at]
}

const (
	// arrivalMargin is how long after the acknowledgement of a call the program takes it to be
	// counted (docs/decisions/0012-prefetching-pages), as a part of the minute.
	arrivalMargin = 120
	// inexact is by how much the system errs when it says how long ago that was.
	inexact = 10 * time.Millisecond
)

// worst is how many calls arrived in any minute at most, and how late one of them was handled. A
// call arrived when the system acknowledged it, or when it was handled, but never later than the
// margin after the former: what upstream takes longer for is not the program's to know.
func (a *arrivals) worst(minute time.Duration) (int, time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var late time.Duration
	acknowledged, counted := make([]time.Time, len(a.at)), make([]time.Time, len(a.at))
	for i, call := range a.at {
		took := call.handled.Sub(call.acknowledged)
		late = max(late, took)
		acknowledged[i], counted[i] = call.acknowledged, call.acknowledged.Add(min(took, minute/arrivalMargin-inexact))
	}
	return max(mostWithin(minute, acknowledged), mostWithin(minute, counted)), late
}

// mostWithin is how many of the instants lie in any span of that length at most.
func mostWithin(span time.Duration, instants []time.Time) int {
	slices.SortFunc(instants, time.Time.Compare)
	most, from := 0, 0
	for i, at := range instants {
		for at.Sub(instants[from]) >= span {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}

// withinLimits holds the arrivals against invariant 3, and what upstream counted itself. Where no
// minute had more arrivals than are allowed, upstream counted too many only because it came late to
// count, and its refusals for that are no fault of the program.
func (s *fixture) withinLimits(perMinute, atOnce int, minute time.Duration) {
	s.t.Helper()
	stats := s.world.Stats()
	arrived, late := s.arrivals.worst(minute)
	s.t.Logf("at most %d calls arrived in a minute and %d were counted, at most %d at once; refused %v; one was handled %s after it was acknowledged",
		arrived, stats.Worst60s, stats.WorstConcurrent, stats.Refused, late)
	refused := stats.ByStatus["429"]
	if stats.Worst60s > perMinute {
		refused -= stats.Refused["44"]
	}
	if arrived > perMinute || stats.WorstConcurrent > atOnce || refused > 0 {
		s.t.Errorf("%d calls arrived in a minute (%d allowed), upstream counted %d at once (%d allowed) and refused %v",
			arrived, perMinute, stats.WorstConcurrent, atOnce, stats.Refused)
	}
}

type connKey struct{}

// withConn lets those who serve a call find its connection.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}
