//go:build e2e

package cli

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-sandbox/local"
)

func (s *fixture) atWork() int {
	s.t.Helper()
	return one[int](s, `SELECT count(*) FROM sluice.streams WHERE state = 'running'`)
}

// ownPostgres is a server that a test may stop; the other tests share theirs.
type ownPostgres struct {
	s   *fixture
	dir string
	// server is the one that was started last.
	server *local.Server
}

// ownPostgres gives the fixture its own server and database.
func (s *fixture) ownPostgres() *ownPostgres {
	s.t.Helper()
	// Not t.TempDir: the account that a server of root runs as cannot enter it.
	folder := sure(os.MkdirTemp("", "sluice-test-"))(s.t)
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
	if o.server != nil {
		must(o.s.t, o.server.Stop(o.s.t.Context()))
	}
	server := sure(local.Start(o.s.t.Context(), local.Options{Dir: o.dir, Durable: true}))(o.s.t)
	o.server = server
	o.s.t.Cleanup(func() { _ = server.Stop(context.WithoutCancel(o.s.t.Context())) })
	o.s.environment["SLUICE_DATABASE_URL"] = server.URL()
	_ = o.s.conn.Close(o.s.t.Context()) // the old one
	conn := sure(pgx.Connect(o.s.t.Context(), server.URL()))(o.s.t)
	o.s.conn = conn
}

// crash stops the server like pg_ctl stop -m immediate: it writes nothing out, and all sessions
// break.
func (o *ownPostgres) crash() {
	o.s.t.Helper()
	state := sure(os.ReadFile(filepath.Join(o.dir, "data", "postmaster.pid")))(o.s.t)
	first, _, _ := strings.Cut(string(state), "\n")
	pid := sure(strconv.Atoi(strings.TrimSpace(first)))(o.s.t)
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
