package wire

import (
	"context"
	"errors"
	"net"
	"time"
)

// errStale says that a call did not leave. Its process was suspended after the budget had granted
// it, and other calls may have its slot by now (invariant 3).
var errStale = errors.New("the process was suspended before the call left, so it was not made")

type grantedKey struct{}

// granted tells connections when the call of a context was granted.
func granted(ctx context.Context, at time.Time) context.Context {
	return context.WithValue(ctx, grantedKey{}, at)
}

// fresh gives errStale for a call that was granted too long ago.
func (t Transport) fresh(ctx context.Context) error {
	at, ok := ctx.Value(grantedKey{}).(time.Time)
	if t.Now == nil || !ok || at.IsZero() || t.Now().Sub(at) <= t.Fresh {
		return nil
	}
	return errStale
}

// guarded makes connections that check the clock again before each write: name lookup and handshake
// are when a process is most likely to be suspended.
func (t Transport) guarded(
	dial func(context.Context, string, string) (net.Conn, error),
) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err // Cause rewrites it
		}
		return &guardedConn{Conn: conn, fresh: func() error { return t.fresh(ctx) }}, nil
	}
}

// guardedConn is the connection of one call.
type guardedConn struct {
	net.Conn

	fresh func() error
}

// Write implements net.Conn.
func (c *guardedConn) Write(p []byte) (int, error) {
	if err := c.fresh(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
