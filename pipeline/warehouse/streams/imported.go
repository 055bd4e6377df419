package streams

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/postgres"
)

const (
	// The run has ended from the beginning on, so no worker resumes it. After a kill it still says
	// what was loaded, and that it is provisional.
	sqlOpenImport = `
INSERT INTO sluice.runs (organization_id, service, resource, class, gen, watermark_before, watermark_after, ended_at, outcome, note)
SELECT organization_id, service, resource, 'import', requested_gen, watermark AS before, watermark AS after, clock_timestamp(), 'provisional', $4
FROM sluice.streams WHERE (organization_id, service, resource) = ($1, $2, $3)
RETURNING id`

	sqlImporting = `UPDATE sluice.runs SET ended_at = clock_timestamp(), chunks = greatest(chunks, 1) WHERE id = $1`

	sqlEndImport = `UPDATE sluice.runs SET ended_at = clock_timestamp(), outcome = 'done', note = $2 WHERE id = $1`
)

// OpenImport opens the run of an import, which no worker resumes, and returns its number.
func OpenImport(ctx context.Context, tx pgx.Tx, key pipeline.Key, note outside.Text) (int64, error) {
	var run int64
	err := tx.QueryRow(ctx, sqlOpenImport, key.Organization, key.Service, key.Resource, postgres.Clean(note, postgres.MaxReason)).Scan(&run)
	return run, postgres.Fail("opening a run of "+key.String(), err)
}

// QueueImporting notes that the run of an import loaded a batch.
func QueueImporting(queue *pgx.Batch, run int64) { queue.Queue(sqlImporting, run) }

// QueueEndImport ends the run of an import. The position of its stream stays as it is: another
// program's records are no proof that a list is complete (invariant 1).
func QueueEndImport(queue *pgx.Batch, run int64, note outside.Text) {
	queue.Queue(sqlEndImport, run, postgres.Clean(note, postgres.MaxReason))
}
