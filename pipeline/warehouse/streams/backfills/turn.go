package backfills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/streams/details"
)

const (
	sqlLook = `
SELECT id, scan FROM sluice.backfills
WHERE (organization_id, service, resource) = ($1, $2, $3) AND state IN ('queued', 'running') FOR UPDATE`

	sqlRunning = `UPDATE sluice.backfills SET state = 'running', note = '' WHERE id = $1`

	sqlRun = `UPDATE sluice.backfills SET runs = runs || $2::bigint WHERE id = $1`

	// The schedule repeats a failed run, unless the operator has to act first. If a batch ended the
	// run, the stream has no scan any more: then the next run begins with the scan of the claim.
	sqlEnd = `
UPDATE sluice.backfills b SET
	state = CASE WHEN n.ended <> '' THEN n.ended WHEN b.state = 'paused' THEN 'paused' ELSE 'queued' END,
	ended_at = CASE WHEN n.ended <> '' THEN clock_timestamp() END, note = $6, scan = coalesce(s.scan, $7::jsonb, b.scan)
FROM sluice.streams s, (SELECT CASE
	WHEN $4 = 'done' THEN 'done' WHEN $4 = 'provisional' OR $5 = 'denied' THEN 'failed' ELSE '' END AS ended) AS n
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3 || '.backfill')
	AND (b.organization_id, b.service, b.resource) = ($1, $2, $3) AND b.state IN ('queued', 'running', 'paused')`
)

// Open is the open backfill of a claim; zero for streams of other work.
type Open struct {
	// ID is its number, Scan the scan with which its next run begins.
	ID   int64
	Scan *pipeline.Scan
}

// Look finds the open backfill of a stream whose row the caller has locked. It returns
// pipeline.ErrNotRequested if there is none, or if it is paused. For streams of other work it
// returns zero.
func Look(ctx context.Context, tx pgx.Tx, stream pipeline.Stream) (Open, error) {
	var open Open
	if stream.Work != pipeline.WorkBackfill {
		return open, nil
	}
	var scan []byte
	err := tx.QueryRow(ctx, sqlLook, stream.Organization, stream.Service.Name, stream.Resource.Name).Scan(&open.ID, &scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return open, fmt.Errorf("%s: %w", stream, pipeline.ErrNotRequested)
	}
	if err != nil {
		return open, postgres.Fail("looking for the backfill of "+stream.String(), err)
	}
	open.Scan = new(pipeline.Scan)
	if err := json.Unmarshal(scan, open.Scan); err != nil {
		return open, fmt.Errorf("reading the scan of %s: %w", stream, err)
	}
	return open, nil
}

// Begin records that the backfill runs under a claim. If the claim opened a new run, that run
// begins with the backfill's scan and forecast.
func (o Open) Begin(ctx context.Context, tx pgx.Tx, claim pipeline.Claim, opened bool) error {
	if o.ID == 0 {
		return nil
	}
	batch := new(pgx.Batch)
	batch.Queue(sqlRunning, o.ID)
	if opened {
		scan, err := json.Marshal(o.Scan)
		if err != nil {
			return fmt.Errorf("writing the scan of %s: %w", claim.Stream, err)
		}
		streams.QueueForecastOfBackfill(batch, o.ID, claim.Run)
		details.QueueGoOn(batch, o.ID, claim.Run)
		batch.Queue(sqlRun, o.ID, claim.Run)
		streams.QueueScan(batch, claim.Stream.Key(), scan)
	}
	return postgres.Fail("beginning the backfill of "+claim.Stream.String(), tx.SendBatch(ctx, batch).Close())
}

// QueueEnd records how a run of a backfill ended and stores the scan for the next one. It has to
// precede the statement that drops the stream's scan. For streams of other work it does nothing.
func QueueEnd(batch *pgx.Batch, claim pipeline.Claim, outcome pipeline.Outcome, kind, note string) error {
	if claim.Stream.Work != pipeline.WorkBackfill {
		return nil
	}
	var scan []byte
	if claim.Position.Scan != nil {
		var err error
		if scan, err = json.Marshal(claim.Position.Scan); err != nil {
			return fmt.Errorf("writing the scan of %s: %w", claim.Stream, err)
		}
	}
	batch.Queue(sqlEnd, claim.Stream.Organization, claim.Stream.Service.Name, claim.Stream.Resource.Name, outcome, kind, note, scan)
	return nil
}

// QueueClose takes the stream of a backfill that has ended out of the schedule. It has to follow
// the statement that closes the stream's run.
func QueueClose(batch *pgx.Batch, claim pipeline.Claim) {
	if claim.Stream.Work == pipeline.WorkBackfill {
		streams.QueueCloseBackfill(batch, claim.Stream.Key())
	}
}

// TakeTurn makes the batches of all streams that read one list load one after the other, by locking
// the row of the list's own stream. Two batches that bring the same new records, or count the same
// drift, would otherwise wait for each other in the middle of their writes. Single records complete
// existing rows and need no turn.
func TakeTurn(ctx context.Context, tx pgx.Tx, batch pipeline.Batch) error {
	stream := batch.Claim.Stream
	if stream.Work == pipeline.WorkList || batch.Details || len(batch.Records) == 0 {
		return nil
	}
	return streams.LockKey(ctx, tx, stream.ListKey())
}
