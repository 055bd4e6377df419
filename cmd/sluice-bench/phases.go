package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
)

// phases say where the time of a run went, by the call log.
type phases struct {
	// calls is from counting a call to noting its end, its two commits and parsing
	// the page included; loading is from there to the next call; between is the same
	// where the next call was made by the next ticket of the queue.
	calls, loading, between time.Duration
}

const sqlPhases = `
SELECT coalesce(sum(finished_at - reserved_at), '0'),
	coalesce(sum(reserved_at - before) FILTER (WHERE (n - 1) % $2 <> 0), '0'),
	coalesce(sum(reserved_at - before) FILTER (WHERE (n - 1) % $2 = 0), '0')
FROM (
	SELECT reserved_at, finished_at, row_number() OVER (ORDER BY id) AS n, lag(finished_at) OVER (ORDER BY id) AS before
	FROM sluice.calls WHERE run_id = $1
) AS calls`

func (w *warehouse) phases(ctx context.Context, s *synced) (phases, error) {
	var p phases
	err := w.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		row := conn.QueryRow(ctx, sqlPhases, s.runs[0].ID, pipeline.DefaultRules().ChunkPages)
		if err := row.Scan(&p.calls, &p.loading, &p.between); err != nil {
			return fmt.Errorf("read the call log: %w", err)
		}
		return nil
	})
	return p, err
}
