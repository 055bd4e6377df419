package quarantine

import (
	"context"

	"sluice/pipeline/warehouse/postgres"
)

const sqlOfRun = entryColumns + `, NULL::bytea AS raw FROM sluice.quarantine WHERE run_id = $1 ORDER BY id LIMIT $2`

// QuarantineOfRun returns the entries that a run met last, without their bytes, the oldest first.
func (q *Entries) QuarantineOfRun(ctx context.Context, run int64, limit int) ([]Entry, error) {
	return postgres.Read[Entry](ctx, q.pool, "the quarantine of a run", sqlOfRun, run, postgres.Limit(limit))
}
