// Package migrations holds the numbered SQL files that create the warehouse, embedded, and applies
// them together with those of the queue.
//
// Each family of tables has a file, up to 00122; later files change them. The files of services are
// drafted from declarations and frozen by hand: a released file is never changed, and
// testdata/frozen.sum holds the digests. Migrating
// never drops anything. It leaves rows of the warehouse as they are, except that a new column of
// ours gets its value for existing rows.
//
// Start reading at Migrate, then 00101_streams.sql.
package migrations

import "embed"

// first is the number of the first file. Lower ones are those of development versions, whose tables
// no file brings to the present ones.
const first = 101

// FS holds the migrations in goose's format: 00101_streams.sql and on. Each file is one
// transaction.
//
//go:embed *.sql
var FS embed.FS
