// Package bounded serves pages by HTTP so that neither a client that is slow nor many clients hold
// up the program. Start reading at Server, then Limit.
package bounded

import (
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
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

// Limit bounds the number of open connections of a listener; the next one waits until another is
// closed.
func Limit(listener net.Listener, connections int) net.Listener {
	return netutil.LimitListener(listener, connections)
}
