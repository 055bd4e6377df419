package streams

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/postgres"
)

// PruneRuns deletes runs, verifications and processes that are older than age, a bounded number at
// a time. It leaves what the program still needs: see sluice.prune_runs.
func (s *Schedule) PruneRuns(ctx context.Context, age time.Duration) error {
	_, err := s.pool.Exec(ctx, `SELECT sluice.prune_runs($1)`, age)
	return postgres.Fail("keeping the runs", err)
}
