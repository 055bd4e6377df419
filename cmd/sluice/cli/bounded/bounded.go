// Package bounded serves pages by HTTP so that neither a client that is slow nor many clients hold
// up the program. Start reading at Server, then Limit.
package bounded

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server closes connections that send no request, do not end one, or do not read their answer.
func Server(handler http.Handler, log *slog.Logger) *http.Server {
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

// limited is a listener with a bounded number of open connections: the next one waits until another
// is closed.
type limited struct {
	net.Listener

	room   chan struct{}
	closed chan struct{}
	once   sync.Once
}

// Limit bounds the number of open connections of a listener; the next one waits.
func Limit(listener net.Listener, connections int) net.Listener {
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
