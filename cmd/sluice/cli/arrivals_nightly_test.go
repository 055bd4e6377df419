//go:build nightly && linux

package cli

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sluice/sandbox"
)

// acknowledged notes when the operating system of upstream acknowledged calls: the handler may
// begin later.
type acknowledged struct {
	next http.Handler
	mu   sync.Mutex
	at   []time.Time
}

type connKey struct{}

// ServeHTTP implements http.Handler. The system says to a few milliseconds when the last bytes
// came.
func (a *acknowledged) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	if raw, err := r.Context().Value(connKey{}).(*net.TCPConn).SyscallConn(); err == nil && !strings.HasPrefix(r.URL.Path, "/oauth/") && !strings.HasPrefix(r.URL.Path, "/maintenanceapi/") {
		_ = raw.Control(func(fd uintptr) {
			if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
				now = now.Add(-time.Duration(info.Last_data_recv) * time.Millisecond)
			}
		})
		a.mu.Lock()
		a.at = append(a.at, now)
		a.mu.Unlock()
	}
	a.next.ServeHTTP(w, r)
}

// TestCallsArriveWithinTheLimits has two processes with more to read than a minute allows. No more
// calls arrive in any minute than are allowed, and nearly as many.
func TestCallsArriveWithinTheLimits(t *testing.T) { //nolint:paralleltest // it measures time
	const allowed = 100 // of the plan free: docs/upstream.md U40
	s := newFixture(t, sandbox.Options{Seed: 31, Records: 40_000, Plan: "free", PageLatency: 50 * time.Millisecond}).narrow()
	upstream := &acknowledged{next: s.arrivals}
	server := httptest.NewUnstartedServer(upstream)
	server.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, conn)
	}
	server.Start()
	t.Cleanup(server.Close)
	s.rewrite(s.upstream.URL, server.URL)
	first, second := s.start("sync", "--json"), s.start("sync", "--json")
	first.worksOff(codeFine)
	second.worksOff(codeFine)
	slices.SortFunc(upstream.at, time.Time.Compare)
	most, from := 0, 0
	for i, at := range upstream.at {
		for at.Sub(upstream.at[from]) >= time.Minute {
			from++
		}
		most = max(most, i-from+1)
	}
	if share := float64(most) / allowed; share > 1 || share < 0.9 || len(upstream.at) <= allowed {
		t.Errorf("%d of %d calls arrived within a minute, %.2f of what is allowed", most, len(upstream.at), share)
	}
}
