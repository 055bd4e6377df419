package cli

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sluice/cmd/sluice-dev/harness"
	"sluice/sandbox"
)

// arrivals counts the calls of services that reach upstream.
type arrivals struct {
	mu      sync.Mutex
	next    http.Handler
	count   int
	waiting map[int]chan struct{}
	// tokens are the access tokens of the calls.
	tokens map[string]bool
}

// ServeHTTP implements http.Handler.
func (a *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	next := a.next
	if !strings.HasPrefix(r.URL.Path, "/oauth/") {
		a.count++
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

// through replaces upstream by what of makes of it.
func (a *arrivals) through(of func(upstream http.Handler) http.Handler) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next = of(a.next)
}

// hold lets so many more calls of services through. Later calls wait until the returned function is
// called.
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

// total is how many calls have arrived.
func (a *arrivals) total() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count
}

// after gives a channel that is closed when n more calls have arrived.
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

// withinLimits checks invariant 3 for the organization of the fixture, and returns the largest
// number of slots of a minute that were held together: see harness.Exceeded.
func (s *fixture) withinLimits(perMinute, atOnce int, minute time.Duration) int {
	s.t.Helper()
	return s.within(s.world.Stats(), perMinute, atOnce, minute)
}

// within is withinLimits for the counts of an organization whose calls the database has.
func (s *fixture) within(stats sandbox.Stats, perMinute, atOnce int, minute time.Duration) int {
	s.t.Helper()
	fullest, exceeded, err := harness.Exceeded(s.t.Context(), s.conn, stats, perMinute, atOnce, minute)
	must(s.t, err)
	if exceeded != "" {
		s.t.Error(exceeded)
	}
	s.t.Logf("at most %d slots of a minute were held; upstream counted %d calls in a minute and %d at once, and refused %v",
		fullest, stats.Worst60s, stats.WorstConcurrent, stats.Refused)
	return fullest
}
