package cli

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

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

// TestServeSurvivesAClosedLog: the reader of standard error ends, and the work goes on.
func TestServeSurvivesAClosedLog(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 63, Records: 20, Limits: sandbox.Limits{Off: true}}).narrow()
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

// TestServeBoundsItsConnections: serve itself closes a connection that is idle after a request, and
// accepts no more connections than its bound.
func TestServeBoundsItsConnections(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 64, Records: 20, Limits: sandbox.Limits{Off: true}}).narrow()
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
