package cli

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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
	// at are the calls that share the limits of a minute.
	at []reached
}

// reached is when upstream's operating system acknowledged a call, and when its handler began. On a
// busy machine the handler may begin seconds later.
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

const (
	// arrivalMargin is the divisor of the minute that gives the margin: how long after its
	// acknowledgement sluice takes a call to be counted (docs/decisions/0012-prefetching-pages).
	arrivalMargin = 120
	// inexact is the error of the operating system's figure.
	inexact = 10 * time.Millisecond
)

// worst is the largest number of calls that arrived in any minute, and how late one of them was
// handled. A call counts at its acknowledgement, and also when it was handled, at most the margin
// later: further delays of upstream are not sluice's to know.
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

// mostWithin is the largest number of instants within any span of that length.
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

// withinLimits checks the arrivals and upstream's own counts against invariant 3. If no minute had
// more arrivals than allowed, an excess in upstream's count means that upstream counted late. Its
// refusals for that are no fault of sluice.
func (s *fixture) withinLimits(perMinute, atOnce int, minute time.Duration) {
	s.t.Helper()
	s.arrivals.within(s.t, s.world.Stats(), perMinute, atOnce, minute)
}

// within is withinLimits for the arrivals and the counts of one organization.
func (a *arrivals) within(t *testing.T, stats sandbox.Stats, perMinute, atOnce int, minute time.Duration) {
	t.Helper()
	arrived, late := a.worst(minute)
	t.Logf("at most %d calls arrived in a minute and %d were counted, at most %d at once; refused %v; one was handled %s after it was acknowledged",
		arrived, stats.Worst60s, stats.WorstConcurrent, stats.Refused, late)
	refused := stats.ByStatus["429"]
	if stats.Worst60s > perMinute {
		refused -= stats.Refused["44"]
	}
	if arrived > perMinute || stats.WorstConcurrent > atOnce || refused > 0 {
		t.Errorf("%d calls arrived in a minute (%d allowed), upstream counted %d at once (%d allowed) and refused %v",
			arrived, perMinute, stats.WorstConcurrent, atOnce, stats.Refused)
	}
}

type connKey struct{}

// withConn gives the handler of a call its connection.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}
