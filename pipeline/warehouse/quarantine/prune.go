package quarantine

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/postgres"
)

// pruneTurns bounds the calls of one prune, each of which deletes a thousand entries.
const pruneTurns = 20

const sqlPrune = `SELECT sluice.prune_quarantine(nullif($1, interval '0'), nullif($2, interval '0'), nullif($3, interval '0'))`

// Ages say how long entries are kept, by their state, after they were decided and came last; zero
// means for ever.
type Ages struct{ Open, Retried, Resolved time.Duration }

// PruneQuarantine deletes entries that are older than entries of their state are kept, a bounded
// number at a time; the next call continues.
func (q *Entries) PruneQuarantine(ctx context.Context, ages Ages) error {
	if ages == (Ages{}) {
		return nil
	}
	for range pruneTurns {
		var dropped *int
		if err := q.pool.QueryRow(ctx, sqlPrune, ages.Open, ages.Retried, ages.Resolved).Scan(&dropped); err != nil {
			return postgres.Fail("keeping the quarantine", err)
		}
		if dropped == nil || *dropped == 0 {
			return nil
		}
	}
	return nil
}
