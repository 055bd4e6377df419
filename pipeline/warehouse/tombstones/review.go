package tombstones

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
)

const (
	sqlNeedsReviewOf = `
SELECT record_id, deleted_at, proof_at FROM sluice.tombstones
WHERE (organization_id, service, resource) = ($1, $2, $3) AND state = 'needs_review' AND proof_run_id = $4
ORDER BY record_id FOR UPDATE`

	sqlAccept = `
UPDATE sluice.tombstones SET state = 'deleted', decided_by = 'person', decided_at = clock_timestamp()
WHERE (organization_id, service, resource) = ($1, $2, $3) AND state = 'needs_review' AND proof_run_id = $4`

	sqlRefuse = `
DELETE FROM sluice.tombstones
WHERE (organization_id, service, resource) = ($1, $2, $3) AND state = 'needs_review' AND proof_run_id = $4`
)

// Accept gives their tombstones to the rows that a run's scan left to the operator, and returns
// their number. It leaves out rows that were seen or written since.
func Accept(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, run int64) (int, error) {
	key := stream.ListKey()
	rows, err := tx.Query(ctx, sqlNeedsReviewOf, key.Organization, key.Service, key.Resource, run)
	if err != nil {
		return 0, fmt.Errorf("reading what is held: %w", err)
	}
	var ids []string
	var id string
	var gone, proven time.Time
	if _, err = pgx.ForEachRow(rows, []any{&id, &gone, &proven}, func() error { ids = append(ids, id); return nil }); err != nil {
		return 0, fmt.Errorf("reading what is held: %w", err)
	}
	if _, err := tx.Exec(ctx, sqlAccept, key.Organization, key.Service, key.Resource, run); err != nil {
		return 0, fmt.Errorf("accepting what is held: %w", err)
	}
	return bury(ctx, tx, stream, ids, gone, proven)
}

// Reject deletes the evidence that a run's scan left to the operator: two new scans have to find it
// again. It returns the number of records.
func Reject(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, run int64) (int, error) {
	key := stream.ListKey()
	tag, err := tx.Exec(ctx, sqlRefuse, key.Organization, key.Service, key.Resource, run)
	if err != nil {
		return 0, fmt.Errorf("rejecting what is held: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
