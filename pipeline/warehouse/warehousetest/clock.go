package warehousetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// shifted moves every stored instant that decides about budgets, turns and waits into the past.
const shifted = `
UPDATE sluice.budgets SET closed_until = closed_until - $1::interval, capped_at = capped_at - $1::interval, cap_until = cap_until - $1::interval;
UPDATE sluice.day_budgets SET exhausted_until = exhausted_until - $1::interval, reset_at = reset_at - $1::interval, seen_at = seen_at - $1::interval;
UPDATE sluice.calls SET reserved_at = reserved_at - $1::interval, lease_until = lease_until - $1::interval,
	finished_at = finished_at - $1::interval, free_at = free_at - $1::interval;
UPDATE sluice.streams SET watermark = watermark - $1::interval, wait_until = wait_until - $1::interval, next_due_at = next_due_at - $1::interval,
	last_done_at = last_done_at - $1::interval;
UPDATE sluice.quarantine SET opened_at = opened_at - $1::interval, asked_at = asked_at - $1::interval;
UPDATE sluice.tokens SET expires_at = expires_at - $1::interval, attempted_at = attempted_at - $1::interval;
UPDATE river.river_job SET scheduled_at = scheduled_at - $1::interval WHERE state IN ('scheduled', 'retryable')`

// Pass lets time pass for a migrated database, whose clock decides about budgets, turns and waits.
func Pass(tb testing.TB, conn *pgx.Conn, d time.Duration) {
	tb.Helper()
	if err := Shift(tb.Context(), conn, d); err != nil {
		tb.Fatal(err)
	}
	if _, err := conn.Exec(tb.Context(), `SELECT sluice.recount_calls()`); err != nil {
		tb.Fatal(err)
	}
}

// Shift does what Pass does, for programs that are no tests.
func Shift(ctx context.Context, conn *pgx.Conn, d time.Duration) error {
	for sql := range strings.SplitSeq(shifted, ";") {
		if _, err := conn.Exec(ctx, sql, d); err != nil {
			return fmt.Errorf("let time pass: %w", err)
		}
	}
	return nil
}
