package local_test

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-sandbox/local"
)

// serverDir returns a folder below the system's folder for temporary files that any account can
// pass through, which t.TempDir is not.
func serverDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "localpg-test-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o711))
	return dir
}

func start(t *testing.T, opts local.Options) *local.Server {
	t.Helper()
	s, err := local.Start(t.Context(), opts)
	must(t, err)
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *local.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Minute)
	defer cancel()
	must(t, s.Stop(ctx))
}

// ask returns the one value of the query, as text.
func ask(t *testing.T, url, query string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	var answer string
	if err := conn.QueryRow(t.Context(), query).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return answer
}

// mustBeDown fails the test if a server answers.
func mustBeDown(t *testing.T, url string) {
	t.Helper()
	if conn, err := pgx.Connect(t.Context(), url); err == nil {
		_ = conn.Close(t.Context())
		t.Error("a server still answers")
	}
}

func execute(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func TestTemporaryServer(t *testing.T) {
	t.Parallel()
	s := start(t, local.Options{})
	for query, want := range map[string]string{
		"show listen_addresses":                      "",
		"show fsync":                                 "off",
		"show TimeZone":                              "UTC",
		"show server_encoding":                       "UTF8",
		"show max_connections":                       "800",
		"select usesuper::text from pg_user limit 1": "true",
		"select upper('żółć')":                       "ŻÓŁĆ",
	} {
		equal(t, ask(t, s.URL(), query), want, query)
	}
	dir := filepath.Dir(ask(t, s.URL(), "show data_directory"))
	stop(t, s)
	_, err := os.Stat(dir)
	errorIf(t, !errors.Is(err, os.ErrNotExist), "the temporary folder is still there: %v", err)
	mustBeDown(t, s.URL())
}

func TestDurableServerKeepsDataOverRestart(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	opts := local.Options{Dir: filepath.Join(serverDir(t), "a folder"), Durable: true, Log: &log}
	first := start(t, opts)
	equal(t, ask(t, first.URL(), "show fsync"), "on", "fsync")
	execute(t, first.URL(), "create table kept (n int)", "insert into kept values (42)")
	stop(t, first)
	second := start(t, opts)
	equal(t, ask(t, second.URL(), "select n::text from kept"), "42", "after the restart n")
	equal(t, strings.Count(log.String(), "making a Postgres cluster"), 1, log.String())
}

func TestStaleStateFileOfAKilledServer(t *testing.T) {
	t.Parallel()
	dir := serverDir(t)
	first := start(t, local.Options{Dir: dir})
	execute(t, first.URL(), "create table kept (n int)", "checkpoint")
	conn, err := pgx.Connect(t.Context(), first.URL())
	must(t, err)
	must(t, syscall.Kill(postmaster(t, first), syscall.SIGKILL))
	waitDown(t, conn)
	stop(t, first)
	if _, err := os.Stat(filepath.Join(dir, "data", "postmaster.pid")); err != nil {
		t.Fatalf("the killed server left no state file, so this test shows nothing: %v", err)
	}
	second := start(t, local.Options{Dir: dir})
	equal(t, ask(t, second.URL(), "select count(*)::text from kept"), "0", "count")
}

// postmaster returns the number of the server's process.
func postmaster(t *testing.T, s *local.Server) int {
	t.Helper()
	pid, err := strconv.Atoi(ask(t, s.URL(), "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"))
	must(t, err)
	return pid
}

// TestStartOutlastsAKilledServersProcesses suspends a process of a server that is killed: the next
// server cannot start before that process has ended.
func TestStartOutlastsAKilledServersProcesses(t *testing.T) {
	t.Parallel()
	dir := serverDir(t)
	first := start(t, local.Options{Dir: dir})
	killed := postmaster(t, first)
	conn, err := pgx.Connect(t.Context(), first.URL())
	must(t, err)
	orphan := int(conn.PgConn().PID())
	must(t, errors.Join(syscall.Kill(orphan, syscall.SIGSTOP), syscall.Kill(killed, syscall.SIGKILL)))
	for syscall.Kill(killed, 0) == nil { // until it has ended, it takes connections
		must(t, t.Context().Err())
	}
	stop(t, first)
	gone := make(chan error, 1)
	go func() { // as soon as a start was refused, the process may end
		log, err := []byte(nil), error(nil)
		for err == nil && !bytes.Contains(log, []byte("is still in use")) && t.Context().Err() == nil {
			log, err = os.ReadFile(filepath.Join(dir, "server.log"))
		}
		gone <- errors.Join(err, syscall.Kill(orphan, syscall.SIGCONT))
	}()
	second := start(t, local.Options{Dir: dir})
	equal(t, ask(t, second.URL(), "select 'up'"), "up", "the second server answers")
	err = <-gone
	errorIf(t, err != nil, "%v", err)
	_ = conn.Close(t.Context()) // its server is gone
}

// waitDown returns when the server of the connection has ended.
func waitDown(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	_, err := conn.Exec(ctx, "select pg_sleep(600)")
	errorIf(t, err == nil || ctx.Err() != nil, "the server goes on (%v)", err)
	_ = conn.Close(context.WithoutCancel(ctx)) // the server has ended, so an error says nothing
}

func TestLongFolderNameStillGetsAShortSocketPath(t *testing.T) {
	t.Parallel()
	s := start(t, local.Options{Dir: filepath.Join(serverDir(t), strings.Repeat("long", 30))})
	u, err := url.Parse(s.URL())
	must(t, err)
	socketDir := u.Query().Get("host")
	errorIf(t, len(socketDir) > 80, "socket folder %s is too long", socketDir)
	equal(t, ask(t, s.URL(), "select 'here'"), "here")
	want := "-h '" + socketDir + "' -p 5432 -U postgres -d 'books'"
	errorIf(t, !strings.HasSuffix(s.PsqlCommand("books"), want), "psql line %q does not end in %q", s.PsqlCommand("books"), want)
	stop(t, s)
	_, err = os.Stat(socketDir)
	errorIf(t, !errors.Is(err, os.ErrNotExist), "the socket folder is still there: %v", err)
}

func TestStartErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	t.Run("no binaries", func(t *testing.T) {
		t.Parallel()
		_, err := local.Start(t.Context(), local.Options{Bin: t.TempDir()})
		errorIf(t, !errors.Is(err, local.ErrNoBinaries) || !strings.Contains(err.Error(), "apt-get install postgresql"), "error %v", err)
	})
	t.Run("data of another version", func(t *testing.T) {
		t.Parallel()
		dir := serverDir(t)
		must(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "data", "PG_VERSION"), []byte("8\n"), 0o600))
		_, err := local.Start(t.Context(), local.Options{Dir: dir})
		errorIf(t, err == nil || !strings.Contains(err.Error(), "install version 8"), "error %v", err)
	})
	t.Run("damaged data", func(t *testing.T) {
		t.Parallel()
		dir := serverDir(t)
		stop(t, start(t, local.Options{Dir: dir}))
		must(t, os.Remove(filepath.Join(dir, "data", "global", "pg_control")))
		_, err := local.Start(t.Context(), local.Options{Dir: dir})
		errorIf(t, err == nil || !strings.Contains(err.Error(), "could not find the database system"),
			"the error lacks the server's own words: %v", err)
	})
}
