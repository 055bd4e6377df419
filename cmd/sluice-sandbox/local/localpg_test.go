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
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

func start(t *testing.T, opts local.Options) *local.Server {
	t.Helper()
	s, err := local.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *local.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Minute)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
}

// ask returns the one value of the query, as text.
func ask(t *testing.T, url, query string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
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
		if got := ask(t, s.URL(), query); got != want {
			t.Errorf("%s = %q, want %q", query, got, want)
		}
	}
	dir := filepath.Dir(ask(t, s.URL(), "show data_directory"))
	stop(t, s)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary folder is still there: %v", err)
	}
	mustBeDown(t, s.URL())
}

func TestDurableServerKeepsDataOverRestart(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	opts := local.Options{Dir: filepath.Join(serverDir(t), "a folder"), Durable: true, Log: &log}
	first := start(t, opts)
	if got := ask(t, first.URL(), "show fsync"); got != "on" {
		t.Errorf("fsync = %q, want on", got)
	}
	execute(t, first.URL(), "create table kept (n int)", "insert into kept values (42)")
	stop(t, first)
	second := start(t, opts)
	if got := ask(t, second.URL(), "select n::text from kept"); got != "42" {
		t.Errorf("after the restart n = %q, want 42", got)
	}
	if made := strings.Count(log.String(), "making a Postgres cluster"); made != 1 {
		t.Errorf("the cluster was made %d times, want once:\n%s", made, log.String())
	}
}

func TestStaleStateFileOfAKilledServer(t *testing.T) {
	t.Parallel()
	dir := serverDir(t)
	first := start(t, local.Options{Dir: dir})
	execute(t, first.URL(), "create table kept (n int)", "checkpoint")
	conn, err := pgx.Connect(t.Context(), first.URL())
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(postmaster(t, first), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitDown(t, conn)
	stop(t, first)
	if _, err := os.Stat(filepath.Join(dir, "data", "postmaster.pid")); err != nil {
		t.Fatalf("the killed server left no state file, so this test shows nothing: %v", err)
	}
	second := start(t, local.Options{Dir: dir})
	if got := ask(t, second.URL(), "select count(*)::text from kept"); got != "0" {
		t.Errorf("count = %q, want 0", got)
	}
}

// postmaster returns the number of the server's process.
func postmaster(t *testing.T, s *local.Server) int {
	t.Helper()
	pid, err := strconv.Atoi(ask(t, s.URL(), "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"))
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	orphan := int(conn.PgConn().PID())
	if err := errors.Join(syscall.Kill(orphan, syscall.SIGSTOP), syscall.Kill(killed, syscall.SIGKILL)); err != nil {
		t.Fatal(err)
	}
	for syscall.Kill(killed, 0) == nil { // until it has ended, it takes connections
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
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
	if got := ask(t, second.URL(), "select 'up'"); got != "up" {
		t.Errorf("the second server answers %q", got)
	}
	if err := <-gone; err != nil {
		t.Error(err)
	}
	_ = conn.Close(t.Context()) // its server is gone
}

// waitDown returns when the server of the connection has ended.
func waitDown(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if _, err := conn.Exec(ctx, "select pg_sleep(600)"); err == nil || ctx.Err() != nil {
		t.Errorf("the server goes on (%v)", err)
	}
	_ = conn.Close(context.WithoutCancel(ctx)) // the server has ended, so an error says nothing
}

func TestLongFolderNameStillGetsAShortSocketPath(t *testing.T) {
	t.Parallel()
	s := start(t, local.Options{Dir: filepath.Join(serverDir(t), strings.Repeat("long", 30))})
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	socketDir := u.Query().Get("host")
	if len(socketDir) > 80 {
		t.Errorf("socket folder %s is too long", socketDir)
	}
	if got := ask(t, s.URL(), "select 'here'"); got != "here" {
		t.Errorf("got %q", got)
	}
	if want := "-h '" + socketDir + "' -p 5432 -U postgres -d 'books'"; !strings.HasSuffix(s.PsqlCommand("books"), want) {
		t.Errorf("psql line %q does not end in %q", s.PsqlCommand("books"), want)
	}
	stop(t, s)
	if _, err := os.Stat(socketDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket folder is still there: %v", err)
	}
}

func TestStartErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	t.Run("no binaries", func(t *testing.T) {
		t.Parallel()
		_, err := local.Start(t.Context(), local.Options{Bin: t.TempDir()})
		if !errors.Is(err, local.ErrNoBinaries) || !strings.Contains(err.Error(), "apt-get install postgresql") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("data of another version", func(t *testing.T) {
		t.Parallel()
		dir := serverDir(t)
		if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "data", "PG_VERSION"), []byte("8\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := local.Start(t.Context(), local.Options{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), "install version 8") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("damaged data", func(t *testing.T) {
		t.Parallel()
		dir := serverDir(t)
		stop(t, start(t, local.Options{Dir: dir}))
		if err := os.Remove(filepath.Join(dir, "data", "global", "pg_control")); err != nil {
			t.Fatal(err)
		}
		_, err := local.Start(t.Context(), local.Options{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), "could not find the database system") {
			t.Errorf("the error lacks the server's own words: %v", err)
		}
	})
}
