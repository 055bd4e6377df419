package wire

import (
	"context"
	"net"
	"net/http/httptrace"
	"sync"
	"time"
)

// pollArrival is how often a connection is asked whether the other side has everything.
const pollArrival = 10 * time.Millisecond

// arrival is when a request had reached upstream, at the latest: when the machine at the
// other end of the connection had acknowledged all of it. The answer proves the same,
// and may come seconds later, for which the call's slot of the minute would be held in vain
// (docs/decisions/0013).
type arrival struct {
	now  func() time.Time
	conn net.Conn

	mu sync.Mutex
	at time.Time
}

// traced lets the context's one request note its arrival. Nil where it cannot be known: a
// connection through a proxy is the proxy's, and one that is used again is not asked.
func (t Transport) traced(ctx context.Context) (context.Context, *arrival) {
	if t.Now == nil || t.KeepAlive || t.Proxy != nil {
		return ctx, nil
	}
	a := &arrival{now: t.Now}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) { a.conn = got.Conn },
		WroteRequest: func(wrote httptrace.WroteRequestInfo) {
			if wrote.Err == nil {
				go a.watch(ctx, a.conn)
			}
		},
	}), a
}

// watch asks until everything has arrived or the call is over.
func (a *arrival) watch(ctx context.Context, conn net.Conn) {
	ticker := time.NewTicker(pollArrival)
	defer ticker.Stop()
	for {
		left, known := unacknowledged(conn)
		if !known {
			return
		}
		if left == 0 {
			a.mu.Lock()
			a.at = a.now() // after the question: what is behind it only makes it later
			a.mu.Unlock()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// before is how long before now the request had arrived, less the margin for the way from
// the machine that acknowledged it to the count; zero if that is not known.
func (a *arrival) before(now time.Time, margin time.Duration) time.Duration {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.at.IsZero() {
		return 0
	}
	return max(now.Sub(a.at)-margin, 0)
}

// socket gives the plain connection below the ones that wrap it.
func socket(conn net.Conn) net.Conn {
	for {
		switch c := conn.(type) {
		case *guardedConn:
			conn = c.Conn
		case interface{ NetConn() net.Conn }: // TLS
			conn = c.NetConn()
		default:
			return conn
		}
	}
}
