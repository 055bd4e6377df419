package warehouse

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/pg"
)

// KeepRuns drops runs, verifications and processes that are older than this, a bounded number at a time. What the program still
// needs stays: see sluice.keep_runs.
func (db *DB) KeepRuns(ctx context.Context, age time.Duration) error {
	_, err := db.pool.Exec(ctx, `SELECT sluice.keep_runs($1)`, age)
	return pg.Fail("keeping the runs", err)
}
