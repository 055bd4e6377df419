package streams

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/postgres"
)

const (
	// The run has ended from its first batch on: no worker goes on with it. A kill leaves what it
	// did so far, and a watermark that did not move, which is what provisional says.
	sqlOpenAdoption = `
INSERT INTO sluice.runs (organization_id, service, resource, class, gen, watermark_before, watermark_after, ended_at, outcome, note)
SELECT s.organization_id, s.service, s.resource, 'adopt', s.requested_gen, s.watermark, w.now, clock_timestamp(), 'provisional', $4
FROM sluice.streams s CROSS JOIN LATERAL (SELECT s.watermark AS now) AS w WHERE (organization_id, service, resource) = ($1, $2, $3)
RETURNING id`

	sqlGoOn = `UPDATE sluice.runs SET ended_at = clock_timestamp(), chunks = greatest(chunks, 1) WHERE id = $1`

	// The other program has read the list, so that is when it was read last. No request is served
	// and the due time stays: what changed since is still to be read.
	sqlAdopted = `
UPDATE sluice.streams SET watermark = greatest(watermark, $4), last_done_at = greatest(last_done_at, $5, $4), last_run_id = $6, note = $7
WHERE (organization_id, service, resource) = ($1, $2, $3)
RETURNING watermark`

	sqlEndAdoption = `
UPDATE sluice.runs SET ended_at = clock_timestamp(), outcome = $2, note = $3, watermark_after = $4 WHERE id = $1`
)

// OpenAdoption opens the run of an adoption, which no worker goes on with, and returns its number.
func OpenAdoption(ctx context.Context, tx pgx.Tx, key pipeline.Key, note outside.Text) (int64, error) {
	var run int64
	err := tx.QueryRow(ctx, sqlOpenAdoption, key.Organization, key.Service, key.Resource, postgres.Clean(note, postgres.MaxReason)).Scan(&run)
	return run, postgres.Fail("opening a run of "+key.String(), err)
}

// QueueAdopting notes that the run of an adoption loaded a batch.
func QueueAdopting(queue *pgx.Batch, run int64) { queue.Queue(sqlGoOn, run) }

// EndAdoption ends the run of an adoption. A clean one gives the stream its watermark and the
// instant at which the other program read the list last; zero gives none. A watermark never moves
// back (invariant 1).
func EndAdoption(
	ctx context.Context, tx pgx.Tx, key pipeline.Key, run int64, outcome pipeline.Outcome, note outside.Text, watermark, read time.Time,
) error {
	op, text := "ending the adoption of "+key.String(), postgres.Clean(note, postgres.MaxReason)
	var after *time.Time
	if outcome != pipeline.OutcomeDone {
		watermark, read = time.Time{}, time.Time{}
	}
	if err := tx.QueryRow(ctx, sqlAdopted, key.Organization, key.Service, key.Resource, postgres.Instant(watermark), postgres.Instant(read),
		run, text).Scan(&after); err != nil {
		return postgres.Fail(op, err)
	}
	_, err := tx.Exec(ctx, sqlEndAdoption, run, outcome, text, after)
	return postgres.Fail(op, err)
}
