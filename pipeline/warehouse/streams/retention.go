package streams

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/postgres"
)

// PruneRuns drops runs, verifications and processes that are older than this, a bounded number at a
// time. What the program still needs stays: see sluice.prune_runs.
func (s *Schedule) PruneRuns(ctx context.Context, age time.Duration) error {
	_, err := s.pool.Exec(ctx, `SELECT sluice.prune_runs($1)`, age)
	return postgres.Fail("keeping the runs", err)
}
