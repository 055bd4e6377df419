package migrations_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
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
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	rows, err := conn.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return lines
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

func TestFourProcessesAtOnceMakeWhatOneMakes(t *testing.T) {
	t.Parallel()
	want := catalogue(t, migrated(t))
	if len(want) < 150 {
		t.Fatalf("the catalogue has %d lines only", len(want))
	}
	url := warehousetest.New(t)
	var group errgroup.Group
	for range 4 {
		group.Go(func() error { return migrations.Migrate(t.Context(), url, migrations.Options{}) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, catalogue(t, url)); diff != "" {
		t.Errorf("catalogue (-one +four):\n%s", diff)
	}
}

func TestPending(t *testing.T) {
	t.Parallel()
	url := warehousetest.New(t)
	pending := func() bool {
		t.Helper()
		pending, err := migrations.Pending(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		return pending
	}
	if !pending() {
		t.Error("nothing pending on an empty database")
	}
	if made := list(t, url, `SELECT nspname::text FROM pg_namespace WHERE nspname IN ('sluice', 'river')`); len(made) != 0 {
		t.Errorf("looking made %v", made)
	}
	if err := migrations.Migrate(t.Context(), url, migrations.Options{}); err != nil {
		t.Fatal(err)
	}
	if pending() {
		t.Error("pending after migrating")
	}
	list(t, url, `DELETE FROM river.river_migration WHERE version = 8 RETURNING line`)
	if !pending() {
		t.Error("a missing migration of the queue is not pending")
	}
}

func TestADatabaseFromTheFutureIsLeftAlone(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	list(t, url, `INSERT INTO sluice.schema_version (version_id, is_applied) VALUES (99999, true) RETURNING 'x'`)
	run(t, url, `SELECT sluice.raise_floor(99999)::text`)
	before := catalogue(t, url)
	if err := migrations.Migrate(t.Context(), url, migrations.Options{}); !errors.Is(err, migrations.ErrNewer) {
		t.Errorf("Migrate = %v, want ErrNewer", err)
	}
	if _, err := migrations.Pending(t.Context(), url); !errors.Is(err, migrations.ErrNewer) {
		t.Errorf("Pending = %v, want ErrNewer", err)
	}
	if diff := cmp.Diff(before, catalogue(t, url)); diff != "" {
		t.Errorf("changed:\n%s", diff)
	}
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
	if len(bare) != 0 {
		t.Errorf("without a comment that ends with a full stop: %v", bare)
	}
}

func TestNoPasswordInErrors(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://u:canary@127.0.0.1:1/d?connect_timeout=1",
		"postgres://u:canary@[::1/d",
		"postgres://u:canary@127.0.0.1/d?sslmode=wrong",
	} {
		err := migrations.Migrate(t.Context(), url, migrations.Options{})
		if err == nil {
			t.Fatalf("no error for %s", url)
		}
		if text := err.Error(); strings.Contains(text, "canary") {
			t.Errorf("the error shows the password: %s", text)
		}
	}
}
