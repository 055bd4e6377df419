package bounded_test

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/bounded"
)

// patience is how long an answer may take on a busy machine.
const patience = 2 * time.Minute

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// logged is what a server logged.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns what was logged so far.
func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// statusOf serves a page as serve does, with at most so many connections, which are closed after an
// idle time, and gives its address.
func statusOf(t *testing.T, connections int, idle func(time.Duration) time.Duration) (string, *http.Server, *logged) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	said := new(logged)
	server := bounded.Server(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic("on purpose")
		}
		_, _ = io.WriteString(w, "ok\n")
	}), slog.New(slog.NewJSONHandler(said, nil)))
	server.IdleTimeout = idle(server.IdleTimeout)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(bounded.Limit(listener, connections)) }()
	t.Cleanup(func() {
		must(t, server.Close())
		<-ended
	})
	return listener.Addr().String(), server, said
}

// dial opens a connection and sends a first text.
func dial(t *testing.T, address, first string) net.Conn {
	t.Helper()
	connection, err := (&net.Dialer{Timeout: patience}).DialContext(t.Context(), "tcp", address)
	must(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	_, err = io.WriteString(connection, first)
	must(t, err)
	return connection
}

// TestStatusConnectionsAreBounded: a connection above the bound waits, and is served when another
// one is closed.
func TestStatusConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	const ask = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	address, _, _ := statusOf(t, 2, func(time.Duration) time.Duration { return time.Hour }) // they stay open; 0 would mean the read timeout
	first, second := dial(t, address, ask), dial(t, address, ask)
	for _, connection := range []net.Conn{first, second} {
		answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
		must(t, err)
		must(t, answer.Body.Close())
	}
	third := dial(t, address, ask)
	must(t, third.SetReadDeadline(time.Now().Add(200*time.Millisecond)))
	if n, err := third.Read(make([]byte, 1)); n > 0 || !os.IsTimeout(err) {
		t.Errorf("a third connection was served beside two others: %v", err)
	}
	must(t, first.Close())
	must(t, third.SetReadDeadline(time.Now().Add(patience)))
	answer, err := http.ReadResponse(bufio.NewReader(third), nil)
	must(t, err)
	must(t, answer.Body.Close())
}

// TestStatusConnectionsEnd: a connection that sends no request is closed.
func TestStatusConnectionsEnd(t *testing.T) {
	t.Parallel()
	address, server, said := statusOf(t, 8, func(chosen time.Duration) time.Duration { return chosen })
	for name, limit := range map[string]time.Duration{
		"the head": server.ReadHeaderTimeout, "the question": server.ReadTimeout, "the answer": server.WriteTimeout, "the next question": server.IdleTimeout,
	} {
		if limit <= 0 || limit > 30*time.Second {
			t.Errorf("%s may take %s", name, limit)
		}
	}
	head := dial(t, address, "GET / HTTP/1.1\r\nHost: x\r\nA: "+strings.Repeat("a", 32<<10)+"\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(head), nil)
	must(t, err)
	must(t, answer.Body.Close())
	if answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a head of 32 KB is answered with %s", answer.Status)
	}
	_, _ = io.Copy(io.Discard, dial(t, address, "GET /panic HTTP/1.1\r\nHost: x\r\n\r\n")) // returns when the server has written the reason
	if text := said.String(); !strings.HasPrefix(text, "{") || !strings.Contains(text, "on purpose") {
		t.Errorf("the log has %q", text)
	}
}

// TestNoStatusConnectionStays: a connection is closed if it is idle after a request, if its request
// does not end, or if it does not read.
func TestNoStatusConnectionStays(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	failed := make(chan error, 1)
	server := bounded.Server(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/long" {
			_, _ = io.WriteString(w, "ok\n")
			return
		}
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				failed <- err
				return
			}
		}
	}), slog.New(slog.DiscardHandler))
	const short = time.Second
	server.ReadHeaderTimeout, server.ReadTimeout, server.WriteTimeout, server.IdleTimeout = short, short, short, short
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(bounded.Limit(listener, 3)) }()
	t.Cleanup(func() {
		must(t, server.Close())
		<-ended
	})
	for range 2 { // the slots of the first three are free again
		for _, first := range []string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHo"} {
			connection := dial(t, listener.Addr().String(), first)
			must(t, connection.SetReadDeadline(time.Now().Add(patience)))
			if _, err := io.Copy(io.Discard, connection); os.IsTimeout(err) {
				t.Fatal("a connection stays")
			}
		}
		dial(t, listener.Addr().String(), "GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
		select {
		case <-failed:
		case <-time.After(patience):
			t.Fatal("a connection that does not read its answer stays")
		}
	}
}
