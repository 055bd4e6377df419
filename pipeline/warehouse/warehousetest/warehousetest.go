// Package warehousetest gives each test a real Postgres database: an empty one, or a copy of one
// that was migrated once.
//
// A test package that uses it calls Run in its TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }
//
// The server starts with the first database that a test asks for, and Run ends it. It is the first
// of these that is available:
//
//  1. the server that SLUICE_TEST_DATABASE_URL names (any on which we may create databases; ours are called sluice_test_…);
//  2. a container, if an engine answers and has the image SLUICE_TEST_POSTGRES_IMAGE (default postgres:15-alpine) or can pull it;
//  3. the Postgres binaries of this machine, by package local.
//
// SLUICE_TEST_POSTGRES=container or =local forces the second or the third. Without a server a test
// is not skipped: it fails, and says how to provide one.
//
// A test binary that is run alone has a server of its own. The Makefile runs all of them inside
// sluice-dev test, which starts one server for all by Share. They use it as the server of
// SLUICE_TEST_DATABASE_URL, and share templates, too (docs/decisions/0021-tests).
//
// Only tests and cmd/sluice-dev import the package. Start reading at New.
package warehousetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// startLimit bounds the start of the server, without the time for pulling an image.
	startLimit = 2 * time.Minute
	// databaseLimit bounds making or dropping one database, on a machine that is busy with other
	// tests.
	databaseLimit = time.Minute
)

// server is the server of the tests' databases.
type server struct {
	admin string                          // connection string of a database from which others are created
	stop  func(ctx context.Context) error // nil if the server is not ours
	// strategy is the clause with which the server copies databases: from Postgres 15 on file by
	// file, which takes a third of the time of copying through its log.
	strategy string
}

// suite is what the tests of one process share.
type suite struct {
	begin func() (server, error) // starts the server once

	mu        sync.Mutex // Postgres does not copy a template that is being used, and making one takes a while
	templates map[string]*template
	started   bool
}

type template struct {
	once sync.Once
	name string
	err  error
}

// current is the suite that Run has begun. Package testing offers no other way to pass it from
// TestMain to a test.
//
//nolint:gochecknoglobals // see above
var current struct {
	sync.Mutex
	suite *suite
}

// Run runs the tests and then stops the server, if they started one. It returns the exit code for
// os.Exit.
func Run(m *testing.M) int {
	s := &suite{templates: map[string]*template{}}
	s.begin = sync.OnceValues(func() (server, error) {
		ctx, cancel := context.WithTimeout(context.Background(), startLimit+pullLimit)
		defer cancel()
		s.mu.Lock()
		s.started = true
		s.mu.Unlock()
		found, err := choose(ctx)
		if err == nil {
			found.strategy, err = strategyOf(ctx, found.admin)
		}
		return found, err
	})
	current.Lock()
	current.suite = s
	current.Unlock()
	code := m.Run()
	if err := s.end(); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "warehousetest: %v\n", err)
		code = max(code, 1)
	}
	return code
}

// New returns the connection string of a new empty database, which is dropped when the test ends.
func New(tb testing.TB) string {
	tb.Helper()
	s, found := ready(tb)
	return s.create(tb, found, "template0")
}

// Connect opens a connection to a database that New or Template gave; it is closed when the test
// ends.
func Connect(tb testing.TB, database string) *pgx.Conn {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), database)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close(context.WithoutCancel(tb.Context())) }) // a test may have broken it
	return conn
}

// Template returns the connection string of a new database with what migrate made. Template calls
// migrate once for each key, on an empty database of its own; every test gets a copy, which takes a
// tenth of the time. migrate must close its connections. Processes inside Share share templates, so
// a key means the same in all packages.
func Template(tb testing.TB, key string, migrate func(ctx context.Context, url string) error) string {
	tb.Helper()
	s, found := ready(tb)
	s.mu.Lock()
	source := s.templates[key]
	if source == nil {
		source = &template{}
		s.templates[key] = source
	}
	s.mu.Unlock()
	source.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), startLimit)
		defer cancel()
		if prefix := os.Getenv(sharedTemplates); prefix != "" {
			source.name, source.err = prefix+key, found.findTemplate(ctx, prefix+key, migrate)
			return
		}
		source.name = newName()
		source.err = found.makeTemplate(ctx, source.name, migrate)
	})
	if source.err != nil {
		tb.Fatalf("template database %q: %v", key, source.err)
	}
	return s.create(tb, found, source.name)
}

// ready returns the suite and its server, or fails the test.
func ready(tb testing.TB) (*suite, server) {
	tb.Helper()
	current.Lock()
	s := current.suite
	current.Unlock()
	if s == nil {
		tb.Fatal("add to this package: func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }")
	}
	found, err := s.begin()
	if err != nil {
		tb.Fatalf("no Postgres for the tests: %v", err)
	}
	return s, found
}

// create makes a copy of a database and drops it when the test ends.
func (s *suite) create(tb testing.TB, in server, source string) string {
	tb.Helper()
	name := newName()
	ctx, cancel := context.WithTimeout(tb.Context(), databaseLimit)
	defer cancel()
	s.mu.Lock()
	err := execute(ctx, in.admin, "create database "+name+" template "+source+in.strategy)
	s.mu.Unlock()
	if err != nil {
		tb.Fatalf("making a database for the test: %v", err)
	}
	atEnd(tb, in.admin, "drop database "+name+" with (force)", "dropping the test's database")
	return withDatabase(in.admin, name)
}

// atEnd executes a statement when the test ends; the test fails if that does.
func atEnd(tb testing.TB, url, statement, doing string) {
	tb.Helper()
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), databaseLimit)
		defer cancel()
		if err := execute(ctx, url, statement); err != nil {
			tb.Errorf("%s: %v", doing, err)
		}
	})
}

// makeTemplate makes and fills a database that then allows no connections.
func (s server) makeTemplate(ctx context.Context, name string, migrate func(ctx context.Context, url string) error) error {
	if err := execute(ctx, s.admin, "create database "+name+" template template0"+s.strategy); err != nil {
		return err
	}
	if err := migrate(ctx, withDatabase(s.admin, name)); err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	return execute(ctx, s.admin,
		// Not even autovacuum may connect from here on: one session would make the next copy fail.
		"alter database "+name+" with allow_connections false",
		"select pg_terminate_backend(pid) from pg_stat_activity where datname = '"+name+"'",
	)
}

// strategyOf returns the clause with which a server copies databases fastest.
func strategyOf(ctx context.Context, admin string) (string, error) {
	const known = 150_000
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return "", fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var version int
	if err := conn.QueryRow(ctx, "select current_setting('server_version_num')::int").Scan(&version); err != nil {
		return "", fmt.Errorf("asking for the server's version: %w", err)
	}
	if version < known {
		return "", nil
	}
	return " strategy file_copy", nil
}

// end drops the templates and stops the server.
func (s *suite) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.started {
		return nil
	}
	server, err := s.begin()
	if err != nil {
		return nil // the tests that needed it have failed with this error
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if server.stop != nil {
		return server.stop(ctx) // with all its databases
	}
	if os.Getenv(sharedTemplates) != "" {
		return nil // other processes use them
	}
	var failures []error
	for _, source := range s.templates {
		if source.name != "" {
			failures = append(failures, execute(ctx, server.admin, "drop database "+source.name+" with (force)"))
		}
	}
	return errors.Join(failures...)
}

// execute runs statements, each in a transaction of its own, on a connection of its own.
func execute(ctx context.Context, url string, statements ...string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// newName returns a name that no other test, process or machine has.
func newName() string {
	return "sluice_test_" + strings.ToLower(rand.Text())
}

// withDatabase returns the connection string of another database of the same server. The URL was
// parsed when it was chosen.
func withDatabase(admin, name string) string {
	u, err := url.Parse(admin)
	if err != nil {
		return admin
	}
	u.Path = "/" + name
	return u.String()
}

// Alone calls do while no other test on the same server, of whatever process, is inside Alone with
// the same name. Roles belong to the server: tests that make the same ones take turns.
func Alone(tb testing.TB, name string, do func()) {
	tb.Helper()
	_, found := ready(tb)
	conn, err := pgx.Connect(tb.Context(), found.admin)
	if err != nil {
		tb.Fatalf("connecting to take turns: %v", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(tb.Context())) }() // closing it releases the lock
	if _, err := conn.Exec(tb.Context(), "select pg_advisory_lock(hashtextextended($1, 0))", name); err != nil {
		tb.Fatalf("waiting for the turn: %v", err)
	}
	do()
}

// shifted moves every stored instant that decides about budgets, turns and waits into the past.
const shifted = `
UPDATE sluice.budgets SET closed_until = closed_until - $1::interval, capped_at = capped_at - $1::interval, cap_until = cap_until - $1::interval;
UPDATE sluice.day_budgets SET exhausted_until = exhausted_until - $1::interval, reset_at = reset_at - $1::interval, seen_at = seen_at - $1::interval;
UPDATE sluice.calls SET reserved_at = reserved_at - $1::interval, lease_until = lease_until - $1::interval,
	finished_at = finished_at - $1::interval, free_at = free_at - $1::interval;
UPDATE sluice.streams SET watermark = watermark - $1::interval, wait_until = wait_until - $1::interval, next_due_at = next_due_at - $1::interval,
	last_done_at = last_done_at - $1::interval, scanned_until = scanned_until - $1::interval;
UPDATE sluice.quarantine SET opened_at = opened_at - $1::interval, asked_at = asked_at - $1::interval;
UPDATE sluice.tokens SET expires_at = expires_at - $1::interval, attempted_at = attempted_at - $1::interval;
UPDATE river.river_job SET scheduled_at = scheduled_at - $1::interval WHERE state IN ('scheduled', 'retryable')`

// Pass lets time pass for a migrated database, whose clock decides about budgets, turns and waits.
func Pass(tb testing.TB, conn *pgx.Conn, d time.Duration) {
	tb.Helper()
	if err := Shift(tb.Context(), conn, d); err != nil {
		tb.Fatal(err)
	}
	if _, err := conn.Exec(tb.Context(), `SELECT sluice.recount_calls()`); err != nil {
		tb.Fatal(err)
	}
}

// Shift does what Pass does, for programs that are no tests.
func Shift(ctx context.Context, conn *pgx.Conn, d time.Duration) error {
	for sql := range strings.SplitSeq(shifted, ";") {
		if _, err := conn.Exec(ctx, sql, d); err != nil {
			return fmt.Errorf("let time pass: %w", err)
		}
	}
	return nil
}
