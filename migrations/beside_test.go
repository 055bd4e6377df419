package migrations_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/warehousetest"
)

// later returns the files of a later version of the program: the released files, and one that
// alters every table of records in one transaction.
func later(t *testing.T, opts migrations.Options) migrations.Options {
	t.Helper()
	files := fstest.MapFS{}
	for _, folder := range []fs.FS{migrations.FS, os.DirFS("testdata")} {
		names := check.Sure(fs.Glob(folder, "*.sql"))(t)
		for _, name := range names {
			text := check.Sure(fs.ReadFile(folder, name))(t)
			files[name] = &fstest.MapFile{Data: text}
		}
	}
	return migrations.Upgraded(opts, files)
}

// upgraded returns a database that a later version of the program has migrated.
func upgraded(t *testing.T) string {
	t.Helper()
	url := migrated(t)
	check.Must(t, migrations.Migrate(t.Context(), url, later(t, migrations.Options{})))
	return url
}

// session returns a connection of an analyst's program.
func session(t *testing.T, url, application string) *pgx.Conn {
	t.Helper()
	config := check.Sure(pgx.ParseConfig(url))(t)
	config.RuntimeParams["application_name"] = application
	conn := check.Sure(pgx.ConnectConfig(t.Context(), config))(t)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

// holds reads a small table in a transaction, which it leaves open.
func holds(t *testing.T, url, table string) *pgx.Conn {
	t.Helper()
	conn := session(t, url, "till")
	for _, sql := range []string{"BEGIN", "SELECT FROM " + table} {
		check.Must(t, check.Failure(conn.Exec(t.Context(), sql)))
	}
	return conn
}

// said collects the log of a migration, and signals when the migration waits.
type said struct {
	mu    sync.Mutex
	lines strings.Builder
	waits chan struct{}
	once  sync.Once
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Contains(string(p), "waits") {
		s.once.Do(func() { close(s.waits) })
	}
	return s.lines.Write(p)
}

func (s *said) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines.String()
}

// reader queries a table in a loop. A query that waits for a minute fails.
type reader struct {
	turns chan struct{}
	ended chan error
	stop  context.CancelFunc
}

func reads(t *testing.T, url, table string) *reader {
	t.Helper()
	conn := session(t, url, "report")
	check.Must(t, check.Failure(conn.Exec(t.Context(), "SET lock_timeout = '1min'")))
	ctx, cancel := context.WithCancel(t.Context())
	r := &reader{turns: make(chan struct{}), ended: make(chan error, 1), stop: cancel}
	go func() {
		for ctx.Err() == nil {
			if _, err := conn.Exec(ctx, "SELECT count(*) FROM "+table); err != nil && ctx.Err() == nil {
				r.ended <- err
				return
			}
			select {
			case r.turns <- struct{}{}:
			default:
			}
		}
		r.ended <- nil
	}()
	return r
}

// goesOn waits until a query that begins now has its answer.
func (r *reader) goesOn(t *testing.T) {
	t.Helper()
	for range 2 { // the first one may have begun before
		select {
		case <-r.turns:
		case err := <-r.ended:
			t.Fatalf("a reader beside it: %v", err)
		}
	}
}

// ends stops the queries, and waits for their end.
func (r *reader) ends(t *testing.T) {
	t.Helper()
	r.stop()
	err := <-r.ended
	check.ErrorIf(t, err != nil, "a reader beside it: %v", err)
}

// TestAMigrationBesideReaders: an open transaction on a small table delays the upgrade, and readers
// of another table of the same upgrade go on meanwhile. When the transaction ends, the upgrade
// finishes by itself.
func TestAMigrationBesideReaders(t *testing.T) {
	url := parallel(t)
	holder := holds(t, url, "invoicing.currencies")
	reader := reads(t, url, "accounting.chart_of_accounts") // altered before currencies in the same file
	log := &said{waits: make(chan struct{})}
	ended := make(chan error, 1)
	opts := later(t, migrations.Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	go func() { ended <- migrations.Migrate(t.Context(), url, opts) }()
	select {
	case <-log.waits:
	case err := <-ended:
		t.Fatalf("the migration did not wait: %v", err)
	}
	reader.goesOn(t)
	check.Must(t, check.Failure(holder.Exec(t.Context(), "COMMIT")))
	check.Must(t, <-ended)
	reader.ends(t)
	if want := fmt.Sprintf("invoicing.currencies: pid %d, role", holder.PgConn().PID()); !strings.Contains(log.text(), want) || !strings.Contains(log.text(), "till") {
		t.Errorf("it does not name the session in the way (%s):\n%s", want, log.text())
	}
	check.Same(t, "catalogue", catalogue(t, upgraded(t)), catalogue(t, url))
}

// TestAReaderThatNeverLetsGo: the upgrade ends in bounded time and names the session, and the next
// upgrade continues.
func TestAReaderThatNeverLetsGo(t *testing.T) {
	url := parallel(t)
	holder := holds(t, url, "invoicing.currencies")
	reader := reads(t, url, "accounting.chart_of_accounts")
	err := migrations.Migrate(t.Context(), url, later(t, migrations.Options{Patience: 3 * time.Second}))
	check.FatalIf(t, !errors.Is(err, migrations.ErrBlocked), "Migrate = %v, want ErrBlocked", err)
	for _, want := range []string{
		"invoicing.currencies", fmt.Sprintf("pid %d", holder.PgConn().PID()), `application "till"`, "in a transaction since", "90001_every_table.sql", "run it again",
	} {
		check.ErrorIf(t, !strings.Contains(err.Error(), want), "the error lacks %s: %v", want, err)
	}
	reader.ends(t)
	check.Empty(t, "tables were altered", list(t, url, `SELECT name FROM sluice.table_columns WHERE column_name = 'later'`))
	check.Must(t, check.Failure(holder.Exec(t.Context(), "COMMIT")))
	check.Must(t, migrations.Migrate(t.Context(), url, later(t, migrations.Options{})))
	check.Same(t, "catalogue", catalogue(t, upgraded(t)), catalogue(t, url))
}

// TestManyShortWaits: a transaction waits for one table after the other, never long. It is ended
// before its waits add up to a second, for a reader of the first table waits for all of them.
func TestManyShortWaits(t *testing.T) {
	t.Parallel()
	const tables = 6
	url := warehousetest.New(t)
	worker, watcher := session(t, url, "sluice migrate"), session(t, url, "sluice migrate")
	for n := range tables {
		run(t, url, fmt.Sprintf("CREATE TABLE t%d ()", n))
	}
	if _, err := worker.Exec(t.Context(), "SET lock_timeout = '10min'"); err != nil { // no single wait ends the transaction
		t.Fatal(err)
	}
	holds(t, url, "t1")
	err := migrations.Beside(t.Context(), watcher, migrations.Options{Patience: time.Nanosecond}, func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, worker, func(tx pgx.Tx) error {
			for n := range tables {
				if _, err := tx.Exec(ctx, fmt.Sprintf("LOCK TABLE t%d", n)); err != nil {
					return err
				}
			}
			return nil
		})
	})
	answer, ok := errors.AsType[*pgconn.PgError](err)
	check.ErrorIf(t, !errors.Is(err, migrations.ErrBlocked) || !ok || answer.Code != "57014",
		"the transaction ended with %v, want it canceled", err)
}

// TestASessionThatCallsItselfAMigration: any session can choose our application name. A session of
// another role that waits under this name is not ended.
func TestASessionThatCallsItselfAMigration(t *testing.T) {
	t.Parallel()
	url := warehousetest.New(t)
	_, strange := warehousetest.Worker(t, url)
	worker, watcher, stranger := session(t, url, "sluice migrate"), session(t, url, "sluice migrate"), session(t, strange, "sluice migrate")
	holder := session(t, url, "till")
	check.Must(t, check.Failure(holder.Exec(t.Context(), "SELECT pg_advisory_lock(7)")))
	waited := make(chan error, 1)
	go func() {
		_, err := stranger.Exec(t.Context(), "SELECT pg_advisory_lock(7)")
		waited <- err
	}()
	// Three times as long as a migration's own waits may last, and the other role's session waits
	// all the time.
	check.Must(t, migrations.Beside(t.Context(), watcher, migrations.Options{}, func(ctx context.Context) error {
		_, err := worker.Exec(ctx, "SELECT pg_sleep(1.2)")
		return err
	}))
	check.Must(t, holder.Close(t.Context()))
	err := <-waited
	check.ErrorIf(t, err != nil, "the session of another role: %v", err)
}
