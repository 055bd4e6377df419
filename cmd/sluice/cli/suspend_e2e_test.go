//go:build e2e

package cli

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres/local"
	"sluice/sandbox"
)

// TestSuspendedKilledAndRestarted tries to break invariants 3 and 6. Of a fleet, one process is
// suspended for two minutes with calls under way, another one is killed, and the database is
// crashed and restarted. Then the first one goes on. A minute is fifteen seconds. Upstream judges
// the limits, and the tables show what arrived.
func TestSuspendedKilledAndRestarted(t *testing.T) {
	t.Parallel()
	const (
		minute            = 15 * time.Second
		perMinute, atOnce = 100, 10 // of the plan premium: docs/upstream.md U40 and U41
	)
	// A process waits for upstream half of its time. Then it is soon suspended with a call under
	// way, before the others have read everything.
	s := newFixture(t, sandbox.Options{
		Seed: 47, Records: 75_000, PageLatency: 250 * time.Millisecond, Limits: sandbox.Limits{Minute: minute},
	}).narrow()
	s.environment[withMinute] = minute.String()
	// A suspended process keeps its streams, so each process has one and all have some.
	text, err := os.ReadFile(s.config)
	must(t, err)
	must(t, os.WriteFile(s.config, append([]byte("workers: 1\n"), text...), 0o600))
	postgres := s.ownPostgres()
	serve := func() *process { return s.start("serve", "--listen", "127.0.0.1:0") }

	suspended, killed, last := serve(), serve(), serve()
	s.until("all three are at work", `SELECT count(DISTINCT attempted_by[array_upper(attempted_by, 1)]) = 3
		FROM river.river_job WHERE state = 'running'`)
	// The process that refreshes the token locks it for the others, for up to two minutes if it is
	// suspended. This test is not about that.
	reached := s.arrivals.after(10)
	s.wait("all have the token", reached)
	s.stopAtWork(suspended)
	twoMinutes := time.After(2 * minute)

	reached = s.arrivals.after(60)
	s.wait("the others call while one is suspended", reached)
	killed.kill()
	reached = s.arrivals.after(30)
	s.wait("the last one goes on after the kill", reached)

	began := time.Now()
	postgres.crash()
	reached = s.arrivals.after(30)
	postgres.start()
	s.wait("the fleet goes on after the restart", reached)
	t.Logf("30 calls %s after the database was ended", time.Since(began).Round(time.Millisecond))

	select {
	case <-twoMinutes:
	case <-last.done:
		t.Fatalf("serve ended with %d\n%s", last.code, last.stderr.String())
	}
	if atWork := s.atWork(); atWork == 0 {
		t.Error("all is read before the suspended process goes on: the test proves nothing")
	}
	reached = s.arrivals.after(30)
	must(t, suspended.cmd.Process.Signal(syscall.SIGCONT))
	s.wait("the fleet goes on with the process that was suspended", reached)

	s.allDone(1)
	for _, p := range []*process{suspended, last} {
		p.terminate()
		p.ends(codeFine, stopLimit)
	}
	if gone, undeclared := s.equal(); gone+undeclared != 0 {
		t.Errorf("%d rows without a record upstream, %d with keys that no column takes", gone, undeclared)
	}
	stats := s.world.Stats()
	s.withinLimits(perMinute, atOnce, minute)
	if logged := s.calls(); stats.Calls > logged {
		t.Errorf("upstream counted %d calls, the call log has %d", stats.Calls, logged)
	}
	t.Logf("upstream counted %d calls, at most %d in a minute and %d at once", stats.Calls, stats.Worst60s, stats.WorstConcurrent)
}

func (s *fixture) atWork() int {
	s.t.Helper()
	return one[int](s, `SELECT count(*) FROM sluice.streams WHERE state = 'running'`)
}

// stopAtWork suspends a process while one of its calls is under way, whose end it then does not
// report. The other processes end theirs quickly.
func (s *fixture) stopAtWork(p *process) {
	s.t.Helper()
	const held = `SELECT count(*) > 0 FROM sluice.live_calls l JOIN sluice.calls c USING (id)
		WHERE l.finished_at IS NULL AND c.reserved_at < clock_timestamp() - interval '2 seconds'`
	for range 20 {
		must(s.t, p.cmd.Process.Signal(syscall.SIGSTOP))
		stopped := one[time.Time](s, `SELECT clock_timestamp()`)
		s.until("two seconds have passed", `SELECT clock_timestamp() > $1::timestamptz + interval '2.1 seconds'`, stopped)
		if one[bool](s, held) {
			return
		}
		reached := s.arrivals.after(1)
		must(s.t, p.cmd.Process.Signal(syscall.SIGCONT))
		s.wait("the process calls again", reached)
	}
	s.t.Fatal("the process never had a call under way when it was suspended")
}

// ownPostgres is a server that a test may stop; the other tests share theirs.
type ownPostgres struct {
	s   *fixture
	dir string
}

// ownPostgres gives the fixture its own server and database.
func (s *fixture) ownPostgres() *ownPostgres {
	s.t.Helper()
	// Not t.TempDir: the account that a server of root runs as cannot enter it.
	folder, err := os.MkdirTemp("", "sluice-test-")
	must(s.t, err)
	s.t.Cleanup(func() { _ = os.RemoveAll(folder) })
	must(s.t, os.Chmod(folder, 0o711))
	o := &ownPostgres{s: s, dir: filepath.Join(folder, "pg")}
	o.start()
	must(s.t, migrated(s.t.Context(), s.environment["SLUICE_DATABASE_URL"]))
	return o
}

// start starts the server, or starts it again.
func (o *ownPostgres) start() {
	o.s.t.Helper()
	server, err := local.Start(o.s.t.Context(), local.Options{Dir: o.dir, Durable: true})
	must(o.s.t, err)
	o.s.t.Cleanup(func() { _ = server.Stop(context.WithoutCancel(o.s.t.Context())) })
	o.s.environment["SLUICE_DATABASE_URL"] = server.URL()
	_ = o.s.conn.Close(o.s.t.Context()) // the old one
	conn, err := pgx.Connect(o.s.t.Context(), server.URL())
	must(o.s.t, err)
	o.s.conn = conn
}

// crash stops the server like pg_ctl stop -m immediate: it writes nothing out, and all sessions
// break.
func (o *ownPostgres) crash() {
	o.s.t.Helper()
	state, err := os.ReadFile(filepath.Join(o.dir, "data", "postmaster.pid"))
	must(o.s.t, err)
	first, _, _ := strings.Cut(string(state), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	must(o.s.t, err)
	must(o.s.t, syscall.Kill(pid, syscall.SIGQUIT))
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for syscall.Kill(pid, 0) == nil {
		select {
		case <-ticker.C:
		case <-deadline.C:
			o.s.t.Fatal("the server does not end")
		}
	}
}
