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
// (docs/decisions/0012-prefetching-pages).
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
		GotConn:              func(got httptrace.GotConnInfo) { a.conn = got.Conn },
		GotFirstResponseByte: a.answered,
	}), a
}

// answered settles the arrival: what is written from here on says good bye.
func (a *arrival) answered() {
	at := a.now() // the answer proves it
	if c, ok := below(a.conn).(*guardedConn); ok {
		if sooner := c.arrived(); !sooner.IsZero() {
			at = sooner
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = at
}

// begin notes that bytes are about to be written: until they have arrived nothing has.
// net/http tells of a request that was written while it is in a buffer still, so only the
// connection knows.
func (c *guardedConn) begin() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = time.Time{}
	c.writes++
	return c.writes
}

// arrived is when all that was written had arrived, zero if it has not or if that is not known.
func (c *guardedConn) arrived() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// watch asks until everything has arrived, more is written or the connection is closed.
func (c *guardedConn) watch(write int) {
	ticker := time.NewTicker(pollArrival)
	defer ticker.Stop()
	for ; ; <-ticker.C {
		left, known := unacknowledged(c.Conn)
		if !known || c.look(write, left == 0) {
			return
		}
	}
}

// look notes the arrival, and says whether there is nothing more to wait for.
func (c *guardedConn) look(write int, all bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if all && c.writes == write {
		c.at = c.now() // after the question: what is behind it only makes it later
	}
	return all || c.writes != write
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

// below gives the connection under TLS, or the connection itself.
func below(conn net.Conn) net.Conn {
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		return secure.NetConn()
	}
	return conn
}
