package tombstones

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
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

// Decision is Accept or Reject.
type Decision func(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, run int64) (int, error)

// Accept gives their tombstones to the rows that a run's scan left to the operator, and returns
// their number. It leaves out rows that were seen or written since.
func Accept(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, run int64) (int, error) {
	key := stream.ListKey()
	rows, _ := tx.Query(ctx, sqlNeedsReviewOf, key.Organization, key.Service, key.Resource, run)
	var ids []string
	var id string
	var gone, proven time.Time
	if _, err := pgx.ForEachRow(rows, []any{&id, &gone, &proven}, func() error { ids = append(ids, id); return nil }); err != nil {
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
	return int(tag.RowsAffected()), postgres.Fail("rejecting what is held", err)
}

// sqlPrune logs what it deletes (docs/decisions/0029-personal-data).
const sqlPrune = `SELECT sluice.prune_gone($1)`

// PruneGone deletes rows whose tombstone is older than age, with their arrays, and notes in the
// evidence that it did. It deletes a bounded number at a time; the next call continues. Lists that
// are being written are left to it, too.
func (t *Table) PruneGone(ctx context.Context, age time.Duration) error {
	return postgres.Prune(ctx, t.pool, "deleting rows that are gone upstream", sqlPrune, age)
}
