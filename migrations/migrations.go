// Package migrations holds the numbered SQL files that make the warehouse, embedded, and applies them together with
// those of the queue.
//
// Files are drafted from declarations and frozen by hand: one that was released is never changed. It never drops
// anything. Rows of the warehouse it leaves alone, but for what a new column of ours has to say about those that are there.
//
// Start reading at Migrate, then 00001_control.sql.
package migrations

import "embed"

// FS holds the migrations in goose's format: 00001_control.sql and on. Each file is one transaction.
//
//go:embed *.sql
var FS embed.FS
