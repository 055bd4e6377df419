package tombstones

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/postgres"
)

// pruneTurns bounds the calls of one prune, each of which deletes about a thousand rows.
const pruneTurns = 20

// sqlPrune logs what it deletes (docs/decisions/0029-personal-data).
const sqlPrune = `SELECT sluice.prune_gone($1)`

// PruneGone deletes rows whose tombstone is older than age, with their arrays, and notes in the
// evidence that it did. It deletes a bounded number at a time; the next call continues. Lists that
// are being written are left to it, too.
func (t *Table) PruneGone(ctx context.Context, age time.Duration) error {
	for range pruneTurns {
		var dropped *int
		if err := t.pool.QueryRow(ctx, sqlPrune, age).Scan(&dropped); err != nil {
			return postgres.Fail("deleting rows that are gone upstream", err)
		}
		if dropped == nil || *dropped == 0 {
			return nil
		}
	}
	return nil
}
