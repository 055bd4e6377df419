package warehousetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/migrations"
)

// Migrated returns the connection string of a new database that has all migrations.
func Migrated(tb testing.TB) string {
	tb.Helper()
	return MigratedWith(tb, "migrated", "")
}

// MigratedWith is Migrated with what statements made of it; the key is as in Template.
func MigratedWith(tb testing.TB, key, statements string) string {
	tb.Helper()
	return Template(tb, key, func(ctx context.Context, url string) error {
		if err := migrations.Migrate(ctx, url, migrations.Options{}); err != nil {
			return fmt.Errorf("migrating: %w", err)
		}
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return fmt.Errorf("connecting: %w", err)
		}
		_, err = conn.Exec(ctx, statements)
		return errors.Join(err, conn.Close(ctx))
	})
}

// Pool opens connections to a database that New or Template gave; they are closed when the test
// ends.
func Pool(tb testing.TB, database string) *pgxpool.Pool {
	tb.Helper()
	pool, err := pgxpool.New(tb.Context(), database)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(pool.Close)
	return pool
}
