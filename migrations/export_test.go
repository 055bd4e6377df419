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

// Need is a lock that a statement is said to take, and its work.
type Need struct{ Table, Level, Work string }

// NeedsOf returns the locks that a statement is said to take.
func NeedsOf(statement string) []Need {
	var needs []Need
	for _, n := range needsOf(statement) {
		needs = append(needs, Need{n.table, n.level, n.work})
	}
	return needs
}

// What tests look at of the way files are read.
var (
	Statements = statements
	PlainOf    = plain
	ModeOf     = modeOf
	Conflicts  = conflicts
	Levels     = levels
	Contracts  = contracts
)

// PartsOf returns the names and the texts of the steps of a file.
func PartsOf(text string) ([]string, []string) {
	var names, texts []string
	for _, p := range partsOf(text) {
		names, texts = append(names, p.name), append(texts, p.sql)
	}
	return names, texts
}

// Lock is the lock by which Migrate and Execute wait for each other.
//
//nolint:gochecknoglobals // tests wait for less long
var Lock = lock
