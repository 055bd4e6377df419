package warehousetest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Alone calls do while no other test on the same server, of whatever process, is inside Alone with
// the same name. Roles belong to the server: tests that make the same ones take turns.
func Alone(tb testing.TB, name string, do func()) {
	tb.Helper()
	_, found := ready(tb)
	conn, err := pgx.Connect(tb.Context(), found.admin)
	if err != nil {
		tb.Fatalf("connecting to take turns: %v", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(tb.Context())) }() // closing it releases the lock
	if _, err := conn.Exec(tb.Context(), "select pg_advisory_lock(hashtextextended($1, 0))", name); err != nil {
		tb.Fatalf("waiting for the turn: %v", err)
	}
	do()
}
