package wire

import (
	"context"
	"net"
	"net/http/httptrace"
	"sync"
	"time"
)

// arrival tells when a request written to a connection had reached upstream, because the call holds
// a slot for the minute after that. The answer proves the arrival, but may be seconds later.
type arrival interface {
	// begin says that bytes are about to be written; written says that the operating system has
	// accepted them.
	begin()
	written(conn net.Conn)
	// at is the instant by which all bytes had arrived, zero if only the answer shows it.
	at() time.Time
}

// byAnswer knows nothing before the answer.
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

// trace lets the context's one request note its arrival. It gives nil where the arrival cannot be
// known: on a connection through a proxy, which the proxy acknowledges.
func (t Transport) trace(ctx context.Context) (context.Context, *traced) {
	if t.Now == nil || t.Proxy != nil {
		return ctx, nil
	}
	a := &traced{now: t.Now}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(got httptrace.GotConnInfo) { a.conn = got.Conn },
		GotFirstResponseByte: a.answered,
	}), a
}

// answered notes the arrival at the first byte of the answer: later bytes on the connection only
// close it.
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

// before is how long before now the request had arrived; zero if that is not known. It subtracts
// the margin, the time between the machine that acknowledged the request and upstream's counter.
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
