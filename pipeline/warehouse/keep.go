package warehouse

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/postgres"
)

// keepTurns bounds the calls of one prune: a call of prune_raw looks through one resource, or drops
// a thousand archives.
const keepTurns = 20

// PruneRaw deletes raw records that are older than age and that no row, history or open entry of
// the quarantine refers to. It deletes a bounded number at a time; the next call continues. Each
// resource has its turn once a day.
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

// RenewChanges begins the log of changes anew if it does not have every change since it began.
func (db *DB) RenewChanges(ctx context.Context) error {
	_, err := changes.Renew(ctx, db.pool)
	return err
}
