package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// A snoozed job counts from the instant at which it may run, even if River has not made it
// available yet.
const sqlOldest = `
SELECT min(scheduled_at) FROM river.river_job
WHERE queue = $1 AND (state = 'available' OR state IN ('scheduled', 'retryable') AND scheduled_at <= clock_timestamp())`

// Oldest returns since when the job that waits longest could run; nil if none waits.
func Oldest(ctx context.Context, pool *pgxpool.Pool) (*time.Time, error) {
	var since *time.Time
	if err := pool.QueryRow(ctx, sqlOldest, queueStreams).Scan(&since); err != nil {
		return nil, fmt.Errorf("look for the oldest job: %w", err)
	}
	return since, nil
}
