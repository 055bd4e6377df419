package wire

import (
	"context"
	"net"
	"net/http/httptrace"
	"sync"
	"time"
)

// arrival is what a connection knows of when the request written to it had reached upstream, for
// whose minute the call holds a slot. The answer proves it, and may come seconds later.
type arrival interface {
	// begin says that bytes are about to be written, and written that the system has them to send.
	begin()
	written(conn net.Conn)
	// at is when all of it had arrived at the latest, zero where only the answer tells.
	at() time.Time
}

// byAnswer is the plain one.
type byAnswer struct{}

func (byAnswer) begin()           {}
func (byAnswer) written(net.Conn) {}
func (byAnswer) at() time.Time    { return time.Time{} }

// traced is the arrival of a context's one request.
type traced struct {
	now  func() time.Time
	conn net.Conn

	mu sync.Mutex
	at time.Time
}

// trace lets the context's one request note its arrival. Nil where it cannot be known: a connection
// through a proxy is the proxy's, and one that is used again is not asked.
func (t Transport) trace(ctx context.Context) (context.Context, *traced) {
	if t.Now == nil || t.KeepAlive || t.Proxy != nil {
		return ctx, nil
	}
	a := &traced{now: t.Now}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(got httptrace.GotConnInfo) { a.conn = got.Conn },
		GotFirstResponseByte: a.answered,
	}), a
}

// answered notes the arrival at the first byte of the answer: what is written from here on says
// good bye.
func (a *traced) answered() {
	at := a.now() // the answer proves it
	conn := a.conn
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	if c, ok := conn.(*guardedConn); ok {
		if sooner := c.arrival.at(); !sooner.IsZero() {
			at = sooner
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = at
}

// before is how long before now the request had arrived, less the margin for the way from the
// machine that acknowledged it to the count; zero if that is not known.
func (a *traced) before(now time.Time, margin time.Duration) time.Duration {
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
