package warehouse

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/postgres"
)

// keepTurns bounds how many times PruneRaw looks: each looks through one resource, or drops a
// thousand archives.
const keepTurns = 20

// PruneRaw drops raw records that are older than this and that no row, no history and no open entry
// of the quarantine leads to, a bounded number at a time; each resource has its turn once a day.
// What it leaves, the next call goes on with.
func (db *DB) PruneRaw(ctx context.Context, age time.Duration) error {
	for range keepTurns {
		var dropped *int
		if err := db.pool.QueryRow(ctx, `SELECT sluice.prune_raw($1)`, age).Scan(&dropped); err != nil {
			return postgres.Fail("keeping raw records", err)
		}
		if dropped == nil {
			return nil
		}
	}
	return nil
}
