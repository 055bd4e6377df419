package streams

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

const (
	// A process that ticks at the same instant notes it, too: none waits for the other's row.
	sqlTicked = `
UPDATE sluice.housekeeping SET at = clock_timestamp()
WHERE work IN (SELECT h.work FROM sluice.housekeeping h WHERE h.work = 'tick' FOR UPDATE SKIP LOCKED)`

	sqlLastTick = `SELECT at FROM sluice.housekeeping WHERE work = 'tick'`
)

// ticked notes that this process looks for due streams now.
func ticked(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, sqlTicked)
	return postgres.Fail("noting the tick", err)
}

// LastTick returns when a process last looked for due streams; nil if none ever did.
func (s *Schedule) LastTick(ctx context.Context) (*time.Time, error) {
	var at *time.Time
	err := s.pool.QueryRow(ctx, sqlLastTick).Scan(&at)
	return at, postgres.Fail("reading when the last tick was", err)
}
