package warehouse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams/backfills"
	"sluice/pipeline/warehouse/tombstones"
)

const (
	sqlLockStream = `
SELECT s.fence, coalesce(s.run_id, 0), s.mark, s.scan,
	(SELECT c.reserved_at FROM sluice.calls c WHERE c.id = $4),
	EXISTS (SELECT FROM sluice.quarantine q WHERE q.state = 'open'
		AND (q.organization_id, q.service, q.resource) = ($1, $2, $5)),
	EXISTS (SELECT FROM sluice.tombstones k WHERE (k.organization_id, k.service, k.resource) = ($1, $2, $5)),
	l.mark, s.read_until, l.read_until, s.history
FROM sluice.streams s
LEFT JOIN sluice.streams l ON (l.organization_id, l.service, l.resource) = ($1, $2, $5)
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3) FOR UPDATE OF s`

	sqlOpenRun = `
INSERT INTO sluice.runs (organization_id, service, resource, class, gen, mark_before)
SELECT organization_id, service, resource, $4, wanted_gen, mark FROM sluice.streams
WHERE (organization_id, service, resource) = ($1, $2, $3)
RETURNING id`

	sqlCountChunk = `UPDATE sluice.runs SET chunks = chunks + 1 WHERE id = $1`

	sqlClaim = `
UPDATE sluice.streams SET
	fence = fence + 1, scan = CASE WHEN run_id IS NULL THEN NULL ELSE scan END, run_id = $4,
	state = 'running', reason = '', wait_until = NULL
WHERE (organization_id, service, resource) = ($1, $2, $3)
RETURNING fence`

	sqlSettle = `
UPDATE sluice.streams SET state = $4, reason = $5, wait_until = $6,
	failures = failures + CASE WHEN $4 IN ('retrying', 'failed') THEN 1 ELSE 0 END
WHERE (organization_id, service, resource) = ($1, $2, $3)`

	// A request that came after the run began makes the stream due at once. A denied stream is tried again a day later:
	// an operator upstream may have mended the cause. A run that loads a few records by hand answers no request.
	sqlEndStream = `
UPDATE sluice.streams s SET
	state = $4, reason = $5, wait_until = $6, note = $7, run_id = NULL, scan = NULL, last_run_id = r.id,
	done_gen = CASE WHEN r.class = 'probe' THEN done_gen ELSE greatest(done_gen, r.gen) END,
	last_done_at = CASE WHEN $8 = 'done' THEN clock_timestamp() ELSE last_done_at END,
	failures = CASE WHEN $8 = 'failed' THEN failures + 1 ELSE 0 END,
	next_due_at = CASE WHEN r.class = 'probe' THEN next_due_at
		WHEN wanted_gen > r.gen THEN clock_timestamp()
		WHEN $4 = 'denied' THEN greatest(next_due_at, clock_timestamp() + interval '1 day')
		WHEN $9::interval > interval '0' THEN clock_timestamp() + least(coalesce(planned_every, every), $9)
		ELSE greatest(next_due_at, clock_timestamp() + coalesce(planned_every, every), $6) END
FROM sluice.runs r
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3) AND r.id = s.run_id`

	sqlEndRun = `
UPDATE sluice.runs r SET
	ended_at = clock_timestamp(), outcome = $2, kind = nullif($3, ''), note = $4,
	calls = (SELECT count(*) FROM sluice.calls c WHERE c.run_id = r.id),
	mark_after = (SELECT s.mark FROM sluice.streams s
		WHERE (s.organization_id, s.service, s.resource) = (r.organization_id, r.service, r.resource))
WHERE r.id = $1`
)

// locked is a stream's row, held until the transaction ends.
type locked struct {
	fence, run int64
	position   pipeline.Position
	// called is when the unit's call was reserved; zero if it has none.
	called time.Time
	// suspects says that records of the stream's resource are in quarantine.
	suspects bool
	// evidence says that something is known against records of the resource, which this unit may refute.
	evidence bool
	// listed is the mark of the resource's list, zero if it has none: what was modified before it was read.
	listed time.Time
	// history says that versions of the records are kept.
	history bool
	// listRead is upstream's clock when the last clean run of that list began, zero if nobody knows.
	listRead time.Time
}

func lockStream(ctx context.Context, tx pgx.Tx, of pipeline.Stream, call int64) (locked, error) {
	var (
		key          = of.Key()
		stream       locked
		mark, called *time.Time
		listed       *time.Time
		own, list    *time.Time
		scan         []byte
	)
	err := tx.QueryRow(ctx, sqlLockStream, key.Organization, key.Service, key.Resource, call, of.Resource.Name).
		Scan(&stream.fence, &stream.run, &mark, &scan, &called, &stream.suspects, &stream.evidence, &listed, &own, &list, &stream.history)
	if errors.Is(err, pgx.ErrNoRows) {
		return locked{}, fmt.Errorf("%w: %s: register it first", ErrNoStream, key)
	}
	if err != nil {
		return locked{}, postgres.Fail("locking "+key.String(), err)
	}
	if mark != nil {
		stream.position.Mark = mark.UTC()
	}
	if called != nil {
		stream.called = *called
	}
	if listed != nil {
		stream.listed = listed.UTC()
	}
	if own != nil {
		stream.position.Read = own.UTC()
	}
	if list != nil {
		stream.listRead = list.UTC()
	}
	if scan != nil {
		stream.position.Scan = new(pipeline.Scan)
		if err := json.Unmarshal(scan, stream.position.Scan); err != nil {
			return locked{}, fmt.Errorf("reading the scan of %s: %w", key, err)
		}
	}
	return stream, nil
}

// lockClaimed locks the stream and makes sure that the claim still holds: neither a worker that lost it nor one whose run was
// closed may write (promise 6).
func lockClaimed(ctx context.Context, tx pgx.Tx, claim pipeline.Claim, call int64) (locked, error) {
	stream, err := lockStream(ctx, tx, claim.Stream, call)
	if err != nil {
		return locked{}, err
	}
	if stream.fence != claim.Fence || stream.run != claim.Run {
		return locked{}, fmt.Errorf("%s: %w", claim.Stream, pipeline.ErrLostClaim)
	}
	return stream, nil
}

// Claim gives the right to write to a stream and takes it from whoever had it. The open run goes on, with its class and from
// its position; if there is none, a new one of this class begins. It returns ErrNoStream if the stream is not registered, and
// pipeline.ErrNotAsked if it is that of a backfill and none is open.
func (db *DB) Claim(ctx context.Context, stream pipeline.Stream, class pipeline.Class) (pipeline.Claim, error) {
	claim := pipeline.Claim{Stream: stream}
	key := stream.Key()
	err := db.inTx(ctx, "claiming "+key.String(), func(tx pgx.Tx) error {
		row, err := lockStream(ctx, tx, stream, 0)
		if err != nil {
			return err
		}
		claim.Run, claim.Position = row.run, row.position
		order, err := backfills.Look(ctx, tx, stream)
		if err != nil {
			return err
		}
		if claim.Run == 0 {
			claim.Opened = true
			claim.Position.Scan = order.Scan
			err := tx.QueryRow(ctx, sqlOpenRun, key.Organization, key.Service, key.Resource, class).Scan(&claim.Run)
			if err != nil {
				return postgres.Fail("opening a run of "+key.String(), err)
			}
		}
		if _, err := tx.Exec(ctx, sqlCountChunk, claim.Run); err != nil {
			return postgres.Fail("counting a chunk of "+key.String(), err)
		}
		err = tx.QueryRow(ctx, sqlClaim, key.Organization, key.Service, key.Resource, claim.Run).Scan(&claim.Fence)
		if err != nil {
			return postgres.Fail("claiming "+key.String(), err)
		}
		if err := capabilities.Known(ctx, tx, &claim); err != nil {
			return err
		}
		if stream.Work == pipeline.WorkSweep && claim.Position.Scan == nil {
			if claim.Missed, err = tombstones.Waits(ctx, tx, stream); err != nil {
				return err
			}
		}
		if claim.Position.Scan == nil {
			if claim.Reread, err = reread(ctx, tx, stream, row); err != nil {
				return err
			}
		}
		return order.Begin(ctx, tx, claim, claim.Opened)
	})
	if err != nil {
		return pipeline.Claim{}, err
	}
	return claim, nil
}

// Settle records why a chunk stopped before its end. It returns pipeline.ErrLostClaim, and writes nothing, if somebody else
// claimed the stream.
func (db *DB) Settle(ctx context.Context, claim pipeline.Claim, settlement pipeline.Settlement) error {
	key := claim.Stream.Key()
	return db.inTx(ctx, "settling "+key.String(), func(tx pgx.Tx) error {
		if _, err := lockClaimed(ctx, tx, claim, 0); err != nil {
			return err
		}
		var err error
		if settlement.EndRun {
			kind := ""
			if settlement.Kind != 0 {
				kind = settlement.Kind.String()
			}
			err = endRun(ctx, tx, claim, ending{
				state: settlement.State, reason: settlement.Reason, until: settlement.Until,
				outcome: pipeline.OutcomeFailed, kind: kind, note: settlement.Reason,
			})
		} else {
			_, err = tx.Exec(ctx, sqlSettle, key.Organization, key.Service, key.Resource,
				settlement.State, postgres.Clean(settlement.Reason, postgres.MaxReason), postgres.Instant(settlement.Until))
			err = postgres.Fail("settling "+key.String(), err)
		}
		if err != nil || settlement.Complete == nil {
			return err
		}
		return complete(ctx, tx, claim, settlement.Complete)
	})
}

// ending is how a run ends and what becomes of its stream.
type ending struct {
	state        pipeline.State
	outcome      pipeline.Outcome
	reason, note outside.Text
	kind         string
	until        time.Time
	// again is when the stream is due again, if not after its interval.
	again time.Duration
}

// endRun closes the run. The stream's row comes first: the run keeps the mark that it arrived at.
func endRun(ctx context.Context, tx pgx.Tx, claim pipeline.Claim, end ending) error {
	key, note := claim.Stream.Key(), postgres.Clean(end.note, postgres.MaxReason)
	batch := new(pgx.Batch)
	if err := backfills.QueueEnd(batch, claim, end.outcome, end.kind, note); err != nil {
		return err
	}
	batch.Queue(sqlEndStream, key.Organization, key.Service, key.Resource,
		end.state, postgres.Clean(end.reason, postgres.MaxReason), postgres.Instant(end.until), note, end.outcome, end.again)
	batch.Queue(sqlEndRun, claim.Run, end.outcome, end.kind, note)
	backfills.QueueClose(batch, claim)
	queueAskAgain(batch, claim)
	tombstones.QueueDropSightings(batch, claim.Run)
	return postgres.Fail("ending a run of "+key.String(), tx.SendBatch(ctx, batch).Close())
}

// complete settles the job, last in the transaction (promise 2): if it cannot be settled, nothing was written.
func complete(ctx context.Context, tx pgx.Tx, claim pipeline.Claim, fn func(context.Context, pgx.Tx) error) error {
	if err := fn(ctx, tx); err != nil {
		return fmt.Errorf("settling the job of %s: %w", claim.Stream, err)
	}
	return nil
}
