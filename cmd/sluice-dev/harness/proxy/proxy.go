// Package proxy forwards bytes between two programs and breaks their connections. It resets them,
// cuts an answer in its middle, holds all bytes back, or drops them, like a peer that vanished.
//
// It copies bytes and understands none. A caller that needs to see them gives a Tap. Start reading
// at Listen.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
)

// Tap sees bytes before they are forwarded, in the order of their direction. It returns how many of
// them may pass; if not all, the connection is reset after them.
type Tap func(connection int, fromClient bool, data []byte) int

// Proxy listens on an address of this machine and forwards connections. It is safe for concurrent
// use.
type Proxy struct {
	listener net.Listener
	dial     func(ctx context.Context) (net.Conn, error)
	tap      Tap
	ctx      context.Context //nolint:containedctx // connections end with the proxy
	cancel   context.CancelFunc
	serving  sync.WaitGroup

	mu    sync.Mutex
	links map[*link]struct{}
	made  int
	fault fault
	// over is closed when the fault ends.
	over chan struct{}
}

// fault is the current effect on bytes.
type fault struct {
	hold, swallow bool
	// cut is the number of bytes from the server until all connections are reset; negative for no
	// cut.
	cut int
}

// Listen starts to listen; dial connects to the server behind it. The tap may be nil. Close ends
// it.
func Listen(ctx context.Context, dial func(context.Context) (net.Conn, error), tap Tap) (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the proxy: %w", err)
	}
	p := &Proxy{listener: listener, dial: dial, tap: tap, links: make(map[*link]struct{}), fault: fault{cut: -1}, over: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	p.serving.Go(p.accept)
	return p, nil
}

// Address returns the address of the proxy, as host:port.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Close ends the proxy and resets open connections.
func (p *Proxy) Close() error {
	p.cancel()
	err := p.listener.Close()
	p.Heal()
	p.Reset()
	p.serving.Wait()
	return err
}

// Reset breaks all connections, without a word to either side, and returns their number.
func (p *Proxy) Reset() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reset()
	return len(p.links)
}

// reset is Reset for a caller that holds the mutex.
func (p *Proxy) reset() {
	for l := range p.links {
		l.reset()
	}
}

// Hold delays all bytes until Heal; none is lost.
func (p *Proxy) Hold() { p.set(fault{hold: true, cut: -1}) }

// Swallow loses all bytes until Heal or the next fault, and then every connection with them: no
// side is told before.
func (p *Proxy) Swallow() { p.set(fault{swallow: true, cut: -1}) }

// Cut lets a number of bytes from the server pass, over all connections, and then resets them all.
func (p *Proxy) Cut(after int) { p.set(fault{cut: max(after, 0)}) }

// Heal ends the fault.
func (p *Proxy) Heal() { p.set(fault{cut: -1}) }

// set replaces the fault. If the old one swallowed bytes, all connections are reset at once: none
// may continue with a gap.
func (p *Proxy) set(f fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault.swallow {
		p.reset()
	}
	close(p.over)
	p.fault, p.over = f, make(chan struct{})
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // the client left before the connection was made
		}
		p.serving.Go(func() { p.serve(client) })
	}
}

func (p *Proxy) serve(client net.Conn) {
	server, err := p.dial(p.ctx)
	if err != nil {
		abort(client)
		return
	}
	l := &link{client: client, server: server}
	p.mu.Lock()
	p.made++
	number := p.made
	p.links[l] = struct{}{}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.links, l)
		p.mu.Unlock()
	}()
	var both sync.WaitGroup
	both.Go(func() { p.copy(l, number, true) })
	both.Go(func() { p.copy(l, number, false) })
	both.Wait()
	_ = client.Close() // either side has closed it
	_ = server.Close()
}

// copy forwards the bytes of one side until it ends; it forwards a clean end, too.
func (p *Proxy) copy(l *link, number int, fromClient bool) {
	from, to := l.client, l.server
	if !fromClient {
		from, to = l.server, l.client
	}
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !p.pass(l, number, to, fromClient, buffer[:n]) {
			return
		}
		if err != nil {
			if half, ok := to.(interface{ CloseWrite() error }); ok {
				_ = half.CloseWrite() // the other side may have ended first
			}
			return
		}
	}
}

// pass forwards bytes, or applies the fault to them; it reports whether the connection continues.
func (p *Proxy) pass(l *link, number int, to net.Conn, fromClient bool, data []byte) bool {
	if p.tap != nil {
		if n := p.tap(number, fromClient, data); n < len(data) {
			_, _ = to.Write(data[:n])
			_ = to.Close() // the peer still gets what was written
			l.reset()
			return false
		}
	}
	for {
		p.mu.Lock()
		f, over := p.fault, p.over
		if f.cut >= 0 && !fromClient {
			data = data[:min(len(data), f.cut)]
			p.fault.cut -= len(data)
		}
		spent := f.cut >= 0 && p.fault.cut <= 0
		p.mu.Unlock()
		switch {
		case f.hold:
			<-over
			continue
		case f.swallow:
			return true
		}
		_, err := to.Write(data)
		if spent && !fromClient {
			p.Heal()
			p.Reset()
			return false
		}
		return err == nil
	}
}

// link is one connection.
type link struct{ client, server net.Conn }

// reset ends both sides at once.
func (l *link) reset() {
	abort(l.client)
	abort(l.server)
}

// abort closes a connection; over TCP the peer sees a reset at once.
func abort(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it may be closed already
	}
	_ = conn.Close()
}
