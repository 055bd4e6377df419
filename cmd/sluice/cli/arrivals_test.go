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
	// at are the instants at which the system acknowledged calls that share the limits of a minute, late is how much later than that one of them was
	// counted at most.
	at   []time.Time
	late time.Duration
}

// ServeHTTP implements http.Handler.
func (a *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now, late := time.Now(), sinceData(r)
	a.mu.Lock()
	next := a.next
	if !strings.HasPrefix(r.URL.Path, "/oauth/") {
		a.count++
		if !strings.HasPrefix(r.URL.Path, "/maintenanceapi/") { // chat has limits of its own
			a.at, a.late = append(a.at, now.Add(-late)), max(a.late, late)
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

// hold lets so many more calls of services through. Those after them wait until the returned function is called.
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

// worst is how many calls the system acknowledged in any minute at most, and by how much later than that one was counted.
func (a *arrivals) worst(minute time.Duration) (int, time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := slices.SortedFunc(slices.Values(a.at), time.Time.Compare)
	most, from := 0, 0
	for i := range at {
		for at[i].Sub(at[from]) >= minute {
			from++
		}
		most = max(most, i-from+1)
	}
	return most, a.late
}

// withinLimits holds what upstream counted against promise 3, and when its system acknowledged the calls: the program relies on the time between the two being
// short (docs/decisions/0012-prefetching-pages), so a failure says how long it was.
func (s *stage) withinLimits(perMinute, atOnce int, minute time.Duration) {
	s.t.Helper()
	stats := s.world.Stats()
	acknowledged, late := s.arrivals.worst(minute)
	s.t.Logf("at most %d calls were counted in a minute and %d acknowledged, at most %d at once; one was counted %s after it was acknowledged",
		stats.Worst60s, acknowledged, stats.WorstConcurrent, late)
	if max(stats.Worst60s, acknowledged) > perMinute || stats.WorstConcurrent > atOnce || len(stats.Refused) > 0 || stats.ByStatus["429"] > 0 {
		s.t.Errorf("upstream counted %d calls in a minute and its system acknowledged %d (%d allowed), %d at once (%d allowed), and refused %v; it was %s late at most",
			stats.Worst60s, acknowledged, perMinute, stats.WorstConcurrent, atOnce, stats.Refused, late)
	}
}

type connKey struct{}

// withConn lets those who serve a call find its connection.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}
