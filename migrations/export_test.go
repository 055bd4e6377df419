package migrations

import (
	"context"
	"io/fs"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
)

// First is the number of the first file.
const First = first

// Beside runs one transaction as a migration does; conn observes its waits.
func Beside(ctx context.Context, conn *pgx.Conn, opts Options, fn func(ctx context.Context) error) error {
	return opts.beside(conn).try(ctx, "the test's", fn)
}

// Upgraded returns options with which Migrate applies other files than the embedded ones, and makes
// no views: files of an earlier version have no place for them.
func Upgraded(opts Options, files fs.FS) Options {
	opts.files, opts.views = files, fstest.MapFS{}
	return opts
}

// WithViews returns options with which Migrate makes other views than the embedded ones.
func WithViews(opts Options, views fs.FS) Options {
	opts.views = views
	return opts
}

// Contracts reports whether a file declares that it takes something away.
var Contracts = contracts

// Lock is the lock by which Migrate and Execute wait for each other.
//
//nolint:gochecknoglobals // tests wait for less long
var Lock = lock
