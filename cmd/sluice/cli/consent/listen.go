package consent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
	"time"
)

// mostHeader bounds the head of a request, in bytes: it holds the address with the code.
const mostHeader = 16 << 10

// Answer is what the browser brought: a code, or why there is none.
type Answer struct {
	Code string
	Err  error
}

// Listener waits on this machine for the browser. It accepts one answer.
type Listener struct {
	asked  Request
	server *http.Server
	// answers has room for the one answer; taken says that a request gave it.
	answers chan Answer
	taken   atomic.Bool
	// foreign hears of answers to other consents.
	foreign func()
}

// Loopback gives the host on which the browser of this machine reaches a redirect address; false if
// the address leads elsewhere, or needs HTTPS, which the listener does not speak.
func Loopback(redirect *url.URL) (string, bool) {
	host := redirect.Hostname()
	if redirect.Scheme != "http" {
		return "", false
	}
	if host == "localhost" {
		return "127.0.0.1", true
	}
	ip, err := netip.ParseAddr(host)
	return host, err == nil && ip.IsLoopback()
}

// Open opens a socket on a loopback address.
func Open(ctx context.Context, host, port string) (net.Listener, error) {
	socket, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listen for the browser: %w", err)
	}
	return socket, nil
}

// Listen answers the browser on a socket, which Close closes. Foreign hears of each answer to
// another consent: it may be an old page, or the attempt of another site to slip a consent in.
func Listen(socket net.Listener, asked Request, foreign func()) *Listener {
	l := &Listener{asked: asked, answers: make(chan Answer, 1), foreign: foreign}
	l.server = &http.Server{
		Handler: l, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second,
		IdleTimeout: 5 * time.Second, MaxHeaderBytes: mostHeader,
	}
	go func() {
		if err := l.server.Serve(socket); !errors.Is(err, http.ErrServerClosed) {
			l.give(Answer{Err: fmt.Errorf("listen for the browser: %w", err)})
		}
	}()
	return l
}

// Answers gives the one answer.
func (l *Listener) Answers() <-chan Answer { return l.answers }

// Close ends the listener once the page under way is sent, or after a second.
func (l *Listener) Close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if l.server.Shutdown(ctx) != nil {
		_ = l.server.Close() // what is still open is cut off
	}
}

// ServeHTTP answers the browser with one of a few fixed pages: nothing of a request is shown.
func (l *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := l.asked.Redirect.Path
	if path == "" {
		path = "/"
	}
	if r.URL.Path != path || r.Method != http.MethodGet {
		page(w, http.StatusNotFound, "Nothing is here", "This address only receives the answer to a consent.")
		return
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		page(w, http.StatusBadRequest, "The answer cannot be read", "Open the address that sluice printed once more.")
		return
	}
	code, err := l.asked.read(query)
	switch {
	case errors.Is(err, errForeign):
		l.foreign()
		page(w, http.StatusBadRequest, "This is the answer to another consent",
			"sluice did not take it. Open the address that sluice printed last.")
	case err != nil && !errors.Is(err, ErrDenied):
		page(w, http.StatusBadRequest, "The answer has no code", "Open the address that sluice printed once more.")
	case !l.give(Answer{Code: code, Err: err}):
		page(w, http.StatusConflict, "sluice has its answer already", "This one was not taken. Close this page.")
	case err != nil:
		page(w, http.StatusOK, "The consent was refused", "sluice has changed nothing. Close this page.")
	default:
		page(w, http.StatusOK, "sluice has the answer", "Close this page, and go on in the terminal.")
	}
}

// give takes the first answer; false if there is one already.
func (l *Listener) give(answer Answer) bool {
	first := l.taken.CompareAndSwap(false, true)
	if first {
		l.answers <- answer
	}
	return first
}

// page writes a page that loads nothing and runs nothing, that no cache stores, and that sends its
// address, which holds the code, to no other site. Title and text are constants.
func page(w http.ResponseWriter, status int, title, text string) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Connection", "close")
	w.WriteHeader(status)
	// A browser that left does not need its page.
	_, _ = fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%[1]s</title></head>"+
		"<body><main><h1>%[1]s</h1><p>%[2]s</p></main></body></html>\n", title, text)
}
