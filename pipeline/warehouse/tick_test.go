package warehouse_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestTickIsNoted: the transaction that takes due streams notes its instant, also where none is
// due, and waits for no other that does the same.
func TestTickIsNoted(t *testing.T) {
	t.Parallel()
	h := open(t)
	pool := h.db.Pool()
	if at, err := h.db.LastTick(t.Context()); at != nil || err != nil {
		t.Fatalf("the last tick was at %v (error %v) before the first", at, err)
	}
	before := time.Time{}
	h.must(pool.QueryRow(t.Context(), `SELECT clock_timestamp()`).Scan(&before))
	_, err := pool.Exec(t.Context(), `UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`)
	h.must(err)
	h.must(pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		if _, err := h.db.TakeDue(t.Context(), tx, 10); err != nil {
			return err
		}
		return pgx.BeginFunc(t.Context(), pool, func(other pgx.Tx) error { // a wait would end with the timeout of locks
			_, err := h.db.TakeDue(t.Context(), other, 10)
			return err
		})
	}))
	if at, err := h.db.LastTick(t.Context()); err != nil || at == nil || at.Before(before) {
		t.Errorf("the last tick was at %v (error %v), want after %v", at, err, before)
	}
}
