package migrations

import (
	"context"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

// Beside runs one transaction as a migration does, whose waits are looked at over conn.
func Beside(ctx context.Context, conn *pgx.Conn, opts Options, fn func(ctx context.Context) error) error {
	return opts.beside(conn).try(ctx, "the test's", fn)
}

// Upgraded are options by which Migrate knows other files than those that are embedded.
func Upgraded(opts Options, files fs.FS) Options {
	opts.files = files
	return opts
}
