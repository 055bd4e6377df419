package migrations_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// catalogue lists everything that migrations make, one line each.
func catalogue(t *testing.T, url string) []string {
	t.Helper()
	return list(t, url, `
		SELECT 'column ' || attrelid::regclass || ' ' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull
			|| ' ' || coalesce(pg_get_expr(adbin, adrelid), '') || ' ' || coalesce(col_description(attrelid, attnum), '')
		FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
		LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
		WHERE nspname !~ '^(pg_|information_schema)' AND attnum > 0 AND NOT attisdropped
		UNION ALL SELECT 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(o.oid)
		FROM pg_constraint o JOIN pg_namespace n ON n.oid = connamespace
		WHERE nspname IN ('sluice', 'river') AND conrelid <> 0
		UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname IN ('sluice', 'river')
		UNION ALL SELECT 'function ' || pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
		WHERE nspname IN ('sluice', 'river')
		UNION ALL SELECT 'enum ' || typname || ' ' || enumlabel FROM pg_enum JOIN pg_type t ON t.oid = enumtypid
		UNION ALL SELECT 'version ' || version_id || is_applied FROM sluice.schema_version
		UNION ALL SELECT 'river ' || line || version FROM river.river_migration
		ORDER BY 1`)
}

func list(t *testing.T, url, query string) []string {
	t.Helper()
	conn := check.Sure(pgx.Connect(t.Context(), url))(t)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	rows := check.Sure(conn.Query(t.Context(), query))(t)
	return check.Sure(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
}

// run runs statements on a database, one after the other.
func run(t *testing.T, url string, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		list(t, url, statement)
	}
}

// migrated returns the address of a copy of a migrated database.
func migrated(t *testing.T) string {
	t.Helper()
	return warehousetest.Template(t, "migrated", func(ctx context.Context, url string) error {
		return migrations.Migrate(ctx, url, migrations.Options{})
	})
}

// parallel lets a test run beside others, on a migrated database of its own.
func parallel(t *testing.T) string {
	t.Helper()
	t.Parallel()
	return migrated(t)
}

func TestFourProcessesAtOnceMakeWhatOneMakes(t *testing.T) {
	t.Parallel()
	want := catalogue(t, migrated(t))
	check.FatalIf(t, len(want) < 150, "the catalogue has %d lines only", len(want))
	url := warehousetest.New(t)
	var group errgroup.Group
	for range 4 {
		group.Go(func() error { return migrations.Migrate(t.Context(), url, migrations.Options{}) })
	}
	check.Must(t, group.Wait())
	check.Same(t, "catalogue", want, catalogue(t, url))
}

func TestPending(t *testing.T) {
	t.Parallel()
	url := warehousetest.New(t)
	pending := func() bool {
		t.Helper()
		return check.Sure(migrations.Pending(t.Context(), url))(t)
	}
	check.ErrorIf(t, !pending(), "nothing pending on an empty database")
	check.Empty(t, "looking made", list(t, url, `SELECT nspname::text FROM pg_namespace WHERE nspname IN ('sluice', 'river')`))
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.Options{}))
	check.ErrorIf(t, pending(), "pending after migrating")
	list(t, url, `DELETE FROM river.river_migration WHERE version = 7 RETURNING line`)
	check.ErrorIf(t, !pending(), "a missing migration of the queue, which is not the newest, is not pending")
}

func TestEveryTableAndColumnIsExplained(t *testing.T) {
	t.Parallel()
	bare := list(t, migrated(t), `
		SELECT attrelid::regclass || '.' || attname FROM pg_attribute
		JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
		WHERE nspname = 'sluice' AND relkind = 'r' AND relname <> 'schema_version' AND attnum > 0 AND NOT attisdropped
			AND coalesce(col_description(attrelid, attnum), '') !~ '\.$'
		UNION ALL SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
		WHERE nspname = 'sluice' AND relkind = 'r' AND relname <> 'schema_version'
			AND coalesce(obj_description(c.oid, 'pg_class'), '') !~ '\.$'`)
	check.ErrorIf(t, len(bare) != 0, "without a comment that ends with a full stop: %v", bare)
}

func TestNoPasswordInErrors(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://u:canary@127.0.0.1:1/d?connect_timeout=1",
		"postgres://u:canary@[::1/d",
		"postgres://u:canary@127.0.0.1/d?sslmode=wrong",
	} {
		err := migrations.Migrate(t.Context(), url, migrations.Options{})
		check.FatalIf(t, err == nil, "no error for %s", url)
		text := err.Error()
		check.ErrorIf(t, strings.Contains(text, "canary"), "the error shows the password: %s", text)
	}
}

// TestTheHolderOfTheLockIsNamed: any role that may connect can take the lock of migrations. A
// migration waits for it for a bounded time, and names its holder.
func TestTheHolderOfTheLockIsNamed(t *testing.T) {
	t.Parallel()
	url := warehousetest.New(t)
	holder := warehousetest.Connect(t, url)
	var pid string
	err := holder.QueryRow(t.Context(), `SELECT pg_backend_pid()::text FROM (SELECT set_config('application_name', 'a dashboard', false),
		pg_advisory_lock(126909663503205)) AS held`).Scan(&pid) // "sluice" in ASCII
	check.Must(t, err)
	err = migrations.Lock(t.Context(), warehousetest.Connect(t, url), 300*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "pid "+pid+", role ") || !strings.Contains(err.Error(), `application "a dashboard"`) ||
		!strings.Contains(err.Error(), "pg_terminate_backend") {
		t.Fatalf("the error is: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- migrations.Migrate(ctx, url, migrations.Options{}) }()
	asksAgain(t, warehousetest.Connect(t, url), ended)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "pid "+pid) {
		t.Errorf("stopped while it waits: %v", err)
	}
	check.Must(t, holder.Close(t.Context()))
	if err := migrations.Migrate(t.Context(), url, migrations.Options{}); err != nil {
		t.Errorf("after the holder went: %v", err)
	}
}

// asksAgain returns when a migration has asked which session holds the lock, has its answer, and
// has asked again. The first question is seen three times: it is parsed, bound and executed.
func asksAgain(t *testing.T, conn *pgx.Conn, ended <-chan error) {
	t.Helper()
	asked := map[time.Time]bool{}
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for len(asked) <= 3 {
		select {
		case err := <-ended:
			t.Fatalf("it ended before: %v", err)
		case <-ticker.C:
		}
		var at *time.Time
		check.Must(t, conn.QueryRow(t.Context(), `SELECT max(query_start) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'sluice migrate' AND query LIKE '%pg_locks%'`).Scan(&at))
		if at != nil {
			asked[*at] = true
		}
	}
}

// sqlWritten lists all objects outside of Postgres' own schemas and all rows of the two tables, each
// with the transaction that wrote it last.
const sqlWritten = `
SELECT concat_ws(' ', 'schema', nspname, xmin) FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)'
UNION ALL SELECT concat_ws(' ', relkind, c.oid::regclass, c.xmin) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname !~ '^(pg_|information_schema$)'
UNION ALL SELECT concat_ws(' ', 'function', p.oid::regprocedure, p.xmin) FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname !~ '^(pg_|information_schema$)'
UNION ALL SELECT concat_ws(' ', 'row', h, h.xmin) FROM sluice.housekeeping h
UNION ALL SELECT concat_ws(' ', 'row', v, v.xmin) FROM sluice.schema_version v
ORDER BY 1`

// TestADatabaseOfADevelopmentVersionIsLeftAlone: no file brings such a database to the present
// tables. It is refused in one sentence that says what to do, and nothing in it is written.
func TestADatabaseOfADevelopmentVersionIsLeftAlone(t *testing.T) {
	t.Parallel()
	dump := check.Sure(os.ReadFile("testdata/development/dump.sql"))(t)
	url := warehousetest.New(t)
	script(t, url, string(dump))
	before := list(t, url, sqlWritten)
	check.FatalIf(t, len(before) < 60, "the dump has %d objects and rows", len(before))
	_, pending := migrations.Pending(t.Context(), url)
	_, views := migrations.PendingViews(t.Context(), url, migrations.History{})
	_, declare := migrations.Declare(t.Context(), url, []schema.Service{})
	_, outlook := migrations.Foresee(t.Context(), url, migrations.Options{})
	for call, err := range map[string]error{
		"Migrate": migrations.Migrate(t.Context(), url, migrations.Options{}), "Pending": pending, "PendingViews": views, "Declare": declare, "Foresee": outlook,
	} {
		if !errors.Is(err, migrations.ErrDevelopment) || !strings.Contains(err.Error(), "into a new database") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s = %v, want ErrDevelopment", call, err)
		}
	}
	check.Same(t, "written", before, list(t, url, sqlWritten))
}
