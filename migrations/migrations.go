// Package migrations holds the numbered SQL files that make the warehouse, embedded, and applies them together with
// those of the queue.
//
// Files are drafted from declarations and frozen by hand: one that was released is never changed. It never drops
// anything, and never reads or writes a row of the warehouse.
//
// Start reading at Migrate, then 00001_control.sql.
package migrations

import "embed"

// FS holds the migrations in goose's format: 00001_control.sql and on. Each file is one transaction.
//
//go:embed *.sql
var FS embed.FS
