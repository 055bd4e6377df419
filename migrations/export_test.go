package migrations

import (
	"context"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

// Beside runs one transaction as a migration does; conn observes its waits.
func Beside(ctx context.Context, conn *pgx.Conn, opts Options, fn func(ctx context.Context) error) error {
	return opts.beside(conn).try(ctx, "the test's", fn)
}

// Upgraded returns options with which Migrate applies other files than the embedded ones.
func Upgraded(opts Options, files fs.FS) Options {
	opts.files = files
	return opts
}
