//go:build e2e

package cli

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sluice/cmd/sluice-dev/harness/proxy"
	"sluice/sandbox"
)

// through connects the fixture's processes to the database through a proxy with a tap.
func (s *fixture) through(tap proxy.Tap) {
	s.t.Helper()
	s.environment["SLUICE_DATABASE_URL"] = lineTo(s.t, s.environment["SLUICE_DATABASE_URL"], tap)
}

// lineTo gives the address of a proxy with a tap before a database.
func lineTo(t *testing.T, database string, tap proxy.Tap) string {
	t.Helper()
	address := sure(url.Parse(database))(t)
	query := address.Query()
	socket := filepath.Join(query.Get("host"), ".s.PGSQL."+query.Get("port"))
	line, err := proxy.Listen(t.Context(), func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}, tap)
	must(t, err)
	t.Cleanup(func() { must(t, line.Close()) })
	return fmt.Sprintf("postgres://%s@%s%s?sslmode=disable", address.User.Username(), line.Address(), address.Path)
}

// TestTheDatabaseIsLostAtTheStart: the database goes away for good after any message of a command.
// The exit code is then that of the environment, so that a service manager starts the command
// again.
func TestTheDatabaseIsLostAtTheStart(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"status"}, {"migrate"}} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			s := newFixture(t, sandbox.Options{Records: 10})
			var said, last atomic.Int64
			s.through(func(_ int, fromClient bool, data []byte) int {
				if fromClient {
					said.Add(1)
				}
				if said.Load() >= last.Load() {
					return 0
				}
				return len(data)
			})
			lost := 0
			for n := int64(1); ; n++ {
				said.Store(0)
				last.Store(n)
				o, served := s.untilServing(t, args)
				if served || o.code == codeFine {
					break
				}
				lost++
				if o.code != codeEnvironment {
					t.Errorf("lost at the client's message %d: exit code %d, want %d\n%s", n, o.code, codeEnvironment, o.stderr)
				}
			}
			if lost < 10 {
				t.Errorf("the database was lost %d times only", lost)
			}
		})
	}
}

// TestServeIsToldToStopWhileItStarts: serve is told to stop at any message that it sends to the
// database, and that is no failure.
func TestServeIsToldToStopWhileItStarts(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10})
	var at atomic.Pointer[string]
	var stop atomic.Pointer[context.CancelFunc]
	s.through(func(_ int, fromClient bool, data []byte) int {
		if fromClient && bytes.Contains(data, []byte(*at.Load())) {
			(*stop.Load())()
		}
		return len(data)
	})
	for _, text := range []string{"user", "pg_backend_pid", "river_migration", "INSERT INTO sluice.streams"} {
		ctx, cancel := context.WithCancel(t.Context())
		at.Store(&text)
		stop.Store(&cancel)
		var stdout, stderr buffer
		code := Main(ctx, []string{"--config", s.config, "serve", "--listen", "127.0.0.1:0"}, s.env(&stdout, &stderr))
		if code != codeFine || ctx.Err() == nil {
			t.Errorf("told to stop at %q: exit code %d, want %d\n%s", text, code, codeFine, stderr.String())
		}
		cancel()
		if strings.Contains(stderr.String(), `"message":"serving"`) {
			t.Errorf("told to stop at %q, it served", text)
		}
	}
}

// untilServing runs a command to its end, or until it serves.
func (s *fixture) untilServing(t *testing.T, args []string) (outcome, bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout, stderr buffer
	ended := make(chan int, 1)
	go func() {
		ended <- Main(ctx, append([]string{"--config", s.config}, args...), s.env(&stdout, &stderr))
	}()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case code := <-ended:
			return outcome{code: code, stdout: stdout.String(), stderr: stderr.String()}, false
		case <-ticker.C:
			if strings.Contains(stderr.String(), `"message":"serving"`) {
				cancel()
				<-ended
				return outcome{}, true
			}
		}
	}
}
