package cli

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// mostConnections is how many connections the status pages have at once: they take file
// descriptors, which calls and the database need, too.
const mostConnections = 64

// boundedServer serves the status pages, or callbacks. It closes connections that send no request,
// do not end one, or do not read their answer.
func boundedServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       10 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// mostSenders is how many connections the receiver of callbacks has at once: those in flight, some
// that wait, and some that upstream leaves open.
const mostSenders = 256

// limited is a listener with a bounded number of open connections: the next one waits until another
// is closed.
type limited struct {
	net.Listener

	room   chan struct{}
	closed chan struct{}
	once   sync.Once
}

func limit(listener net.Listener, connections int) *limited {
	return &limited{Listener: listener, room: make(chan struct{}, connections), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.room <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	connection, err := l.Listener.Accept()
	if err != nil {
		<-l.room
		return nil, err // http.Server distinguishes these errors
	}
	return &heldOpen{Conn: connection, room: l.room}, nil
}

// Close implements net.Listener.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// heldOpen is a connection that frees its slot when it is closed.
type heldOpen struct {
	net.Conn

	room <-chan struct{}
	once sync.Once
}

// Close implements net.Conn.
func (c *heldOpen) Close() error {
	c.once.Do(func() { <-c.room })
	return c.Conn.Close() // http.Server distinguishes these errors
}
