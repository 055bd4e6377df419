// Package migrations holds the numbered SQL files that make the warehouse, embedded, and applies
// them together with those of the queue.
//
// Each family of tables has a file. Those of services are drafted from declarations and frozen by
// hand: a file that was released is never changed, and testdata/frozen.sum holds their digests.
// Migrating never drops anything. Rows of the warehouse it leaves alone, but for what a new column
// of ours has to say about those that are there.
//
// Start reading at Migrate, then 00001_streams.sql.
package migrations

import "embed"

// FS holds the migrations in goose's format: 00001_streams.sql and on. Each file is one
// transaction.
//
//go:embed *.sql
var FS embed.FS
