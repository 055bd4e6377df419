package streams

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// backfillEvery is the time from a failed run to the next run of an open backfill.
const backfillEvery = 15 * time.Minute

const (
	sqlRequestBackfill = `
INSERT INTO sluice.streams AS s (organization_id, service, resource, every, requested_gen, state)
VALUES ($1, $2, $3, $4, 1, 'queued')
ON CONFLICT (organization_id, service, resource) DO UPDATE SET
	every = excluded.every, enabled = true, requested_gen = s.requested_gen + 1,
	state = 'queued', reason = '', wait_until = NULL, failures = 0`

	sqlLockKey = `SELECT FROM sluice.streams WHERE (organization_id, service, resource) = ($1, $2, $3) FOR UPDATE`

	sqlDisableOne = `UPDATE sluice.streams SET enabled = false WHERE (organization_id, service, resource) = ($1, $2, $3)`

	sqlServeOpenRun = `
UPDATE sluice.runs r SET gen = s.requested_gen FROM sluice.streams s
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3) AND r.id = s.run_id`

	sqlCancelRun = `
UPDATE sluice.runs r SET ended_at = clock_timestamp(), outcome = 'provisional', note = 'cancelled: what was loaded stays',
	calls = (SELECT count(*) FROM sluice.calls c WHERE c.run_id = r.id)
FROM sluice.streams s WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3) AND r.id = s.run_id`

	sqlCancelStream = `
UPDATE sluice.streams SET enabled = false, fence = fence + 1, last_run_id = coalesce(run_id, last_run_id), run_id = NULL, scan = NULL,
	served_gen = requested_gen, state = 'idle', reason = '', wait_until = NULL, note = 'cancelled'
WHERE (organization_id, service, resource) = ($1, $2, $3) AND NOT EXISTS (SELECT FROM sluice.backfills b
	WHERE (b.organization_id, b.service, b.resource || '.backfill') = ($1, $2, $3) AND b.state IN ('queued', 'running', 'paused'))`

	sqlScan = `UPDATE sluice.streams SET scan = $4 WHERE (organization_id, service, resource) = ($1, $2, $3)`

	sqlCloseBackfill = `
UPDATE sluice.streams s SET enabled = false, served_gen = requested_gen
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3) AND NOT EXISTS (SELECT FROM sluice.backfills b
	WHERE (b.organization_id, b.service, b.resource || '.backfill') = ($1, $2, $3) AND b.state IN ('queued', 'running'))`
)

// RequestBackfill makes the stream of a backfill due now, and registers it if it is the first
// backfill of its list.
func (s *Schedule) RequestBackfill(ctx context.Context, tx pgx.Tx, key pipeline.Key) error {
	batch := new(pgx.Batch)
	batch.Queue(sqlRequestBackfill, key.Organization, key.Service, key.Resource, backfillEvery)
	s.QueueDue(batch, pipeline.Occasion{Event: pipeline.Requested}, key)
	return postgres.Fail("requesting a run of "+key.String(), tx.SendBatch(ctx, batch).Close())
}

// LockKey locks a stream's row until the transaction ends, or nothing if there is no such stream.
func LockKey(ctx context.Context, tx pgx.Tx, key pipeline.Key) error {
	return change(ctx, tx, "waiting for the turn of ", key, sqlLockKey)
}

// Disable takes a stream out of the schedule. A chunk that is under way runs to its end.
func Disable(ctx context.Context, tx pgx.Tx, key pipeline.Key) error {
	return change(ctx, tx, "disabling ", key, sqlDisableOne)
}

// ServeOpenRun makes the open run, if there is one, serve all requests so far.
func ServeOpenRun(ctx context.Context, tx pgx.Tx, key pipeline.Key) error {
	return change(ctx, tx, "serving requests of ", key, sqlServeOpenRun)
}

// CancelBackfill closes the open run of a backfill's stream and takes the stream out of the
// schedule. A worker that is reading it loses its claim.
func CancelBackfill(ctx context.Context, tx pgx.Tx, key pipeline.Key) error {
	if err := change(ctx, tx, "cancelling the run of ", key, sqlCancelRun); err != nil {
		return err
	}
	return change(ctx, tx, "cancelling ", key, sqlCancelStream)
}

// QueueScan sets the scan, as JSON, with which the open run of a stream begins.
func QueueScan(batch *pgx.Batch, key pipeline.Key, scan []byte) {
	batch.Queue(sqlScan, key.Organization, key.Service, key.Resource, scan)
}

// QueueCloseBackfill takes the stream of a backfill out of the schedule unless another backfill of
// it is queued or running.
func QueueCloseBackfill(batch *pgx.Batch, key pipeline.Key) {
	batch.Queue(sqlCloseBackfill, key.Organization, key.Service, key.Resource)
}

// change executes a statement about one stream.
func change(ctx context.Context, tx pgx.Tx, doing string, key pipeline.Key, sql string) error {
	_, err := tx.Exec(ctx, sql, key.Organization, key.Service, key.Resource)
	return postgres.Fail(doing+key.String(), err)
}
