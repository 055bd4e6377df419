package cli

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/bounded"
	"sluice/sandbox"
)

// statusOf serves a page as serve does, with at most so many connections, which are closed after an
// idle time, and gives its address.
func statusOf(t *testing.T, connections int, idle func(time.Duration) time.Duration) (string, *http.Server, *buffer) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	said := new(buffer)
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
	address, server, said := statusOf(t, mostConnections, func(chosen time.Duration) time.Duration { return chosen })
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

// TestServeSurvivesAClosedLog: the reader of standard error ends, and the work goes on.
func TestServeSurvivesAClosedLog(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 63, Records: 100, Limits: sandbox.Limits{Off: true}})
	reader, writer, err := os.Pipe()
	must(t, err)
	p := s.startOn(writer, "serve", "--listen", "127.0.0.1:0")
	must(t, writer.Close())
	// The first line says that it serves; from then on its standard error has no reader.
	lines, heard := bufio.NewReader(reader), ""
	for !strings.Contains(heard, `"serving"`) {
		if heard, err = lines.ReadString('\n'); err != nil {
			t.Fatalf("the log ended: %v", err)
		}
	}
	must(t, reader.Close())
	s.until("runs ended of which the log has a line", `SELECT count(*) >= 3 FROM sluice.runs WHERE ended_at > clock_timestamp() - interval '1 minute'`)
	select {
	case <-p.done:
		t.Fatalf("serve ended with %d", p.code)
	default:
	}
	p.terminate()
	p.ends(codeFine, stopLimit)
	if strings.Contains(p.stdout.String(), "panic") {
		t.Error(p.stdout.String())
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

// TestServeBoundsItsConnections: serve itself closes a connection that is idle after a request, and
// accepts no more connections than its bound.
func TestServeBoundsItsConnections(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 64, Records: 20, Limits: sandbox.Limits{Off: true}})
	p := s.start("serve", "--listen", "127.0.0.1:0")
	address := p.said("serving", "listen")
	connection := dial(t, address, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	must(t, connection.SetReadDeadline(time.Now().Add(patience)))
	_, err := io.Copy(io.Discard, connection)
	must(t, err)
	silent := make([]net.Conn, mostConnections) // they end after five seconds
	for i := range silent {
		silent[i] = dial(t, address, "")
	}
	last := dial(t, address, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	must(t, last.SetReadDeadline(time.Now().Add(patience)))
	answer, err := http.ReadResponse(bufio.NewReader(last), nil)
	must(t, err)
	must(t, answer.Body.Close())
	if !slices.ContainsFunc(silent, func(connection net.Conn) bool { // one was closed
		must(t, connection.SetReadDeadline(time.Now().Add(time.Second)))
		_, err := connection.Read(make([]byte, 1))
		return errors.Is(err, io.EOF)
	}) {
		t.Errorf("one more than %d connections was served", mostConnections)
	}
	p.terminate()
	p.ends(codeFine, stopLimit)
}
