package warehouse

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/streams/backfills"
	"sluice/pipeline/warehouse/tombstones"
)

// Claim gives the right to write to a stream and takes it from the worker that had it. An open run
// goes on, with its class and from its position; otherwise a new run of this class begins. It
// returns ErrNoStream if the stream is not registered. For the stream of a backfill it returns
// pipeline.ErrNotRequested if no backfill is open.
func (db *DB) Claim(ctx context.Context, stream pipeline.Stream, class pipeline.Class) (pipeline.Claim, error) {
	var claim pipeline.Claim
	err := db.inTx(ctx, "claiming "+stream.Key().String(), func(tx pgx.Tx) error {
		var err error
		claim, err = db.claim(ctx, tx, stream, class)
		return err
	})
	if err != nil {
		return pipeline.Claim{}, err
	}
	return claim, nil
}

func (db *DB) claim(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, class pipeline.Class) (pipeline.Claim, error) {
	claim := pipeline.Claim{Stream: stream}
	key := stream.Key()
	row, err := streams.Lock(ctx, tx, stream, 0)
	if err != nil {
		return claim, err
	}
	claim.Run, claim.Position, claim.Failing, claim.Timeline = row.Run, row.Position, row.Failing, row.Timeline
	claim.CountAge = row.CountAge
	order, err := backfills.Look(ctx, tx, stream)
	if err != nil {
		return claim, err
	}
	if claim.Run == 0 {
		claim.Opened = true
		claim.Position.Scan = order.Scan
		if claim.Run, err = streams.OpenRun(ctx, tx, key, class); err != nil {
			return claim, err
		}
	}
	if err := streams.Claim(ctx, tx, key, &claim); err != nil {
		return claim, err
	}
	if err := capabilities.Known(ctx, tx, &claim); err != nil {
		return claim, err
	}
	if stream.Work == pipeline.WorkSweep && claim.Position.Scan == nil {
		if claim.Suspected, err = tombstones.Waits(ctx, tx, stream); err != nil {
			return claim, err
		}
	}
	if claim.Position.Scan == nil {
		if claim.Reread, err = quarantine.Reread(ctx, tx, stream, row, db.RejectedPause()); err != nil {
			return claim, err
		}
	}
	return claim, order.Begin(ctx, tx, claim, claim.Opened)
}

// Settle records why a chunk stopped before its end. It returns pipeline.ErrLostClaim, and writes
// nothing, if another worker claimed the stream.
func (db *DB) Settle(ctx context.Context, claim pipeline.Claim, settlement pipeline.Settlement) error {
	key := claim.Stream.Key()
	return db.inTx(ctx, "settling "+key.String(), func(tx pgx.Tx) error {
		if _, err := streams.LockClaimed(ctx, tx, claim, 0); err != nil {
			return err
		}
		var err error
		if settlement.EndRun {
			kind := ""
			if settlement.Kind != 0 {
				kind = settlement.Kind.String()
			}
			err = db.endRun(ctx, tx, claim, streams.Ending{
				State: settlement.State, Reason: settlement.Reason, Until: settlement.Until,
				Outcome: pipeline.OutcomeFailed, Kind: kind, Note: settlement.Reason,
			})
		} else {
			err = streams.Stop(ctx, tx, key, settlement.State, settlement.Reason, settlement.Until)
		}
		if err != nil || settlement.Complete == nil {
			return err
		}
		return complete(ctx, tx, claim, settlement.Complete)
	})
}

// endRun closes the run of a claim, and what belongs to the run in the tables of backfills,
// quarantine and tombstones. Then it computes when the stream is due. If records in quarantine need
// it, the stream that reads the whole list becomes due, too.
func (db *DB) endRun(ctx context.Context, tx pgx.Tx, claim pipeline.Claim, end streams.Ending) error {
	batch := new(pgx.Batch)
	if err := backfills.QueueEnd(batch, claim, end.Outcome, end.Kind, postgres.Clean(end.Note, postgres.MaxReason)); err != nil {
		return err
	}
	turn := streams.QueueEnd(batch, claim, end)
	changes.QueueFinished(batch, claim)
	backfills.QueueClose(batch, claim)
	quarantine.QueueAsked(batch, claim)
	tombstones.QueueDropSightings(batch, claim.Run)
	op := "ending a run of " + claim.Stream.String()
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return postgres.Fail(op, err)
	}
	var wanted quarantine.Requested
	batch = new(pgx.Batch)
	db.QueueDue(batch, *turn, claim.Stream.Key())
	quarantine.QueueRequested(batch, claim.Stream.ListKey(), db.RejectedPause(), &wanted)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil || wanted.Since.IsZero() {
		return postgres.Fail(op, err)
	}
	batch = new(pgx.Batch)
	db.QueueDue(batch, pipeline.Occasion{Event: pipeline.Rejected, Since: wanted.Since}, wanted.Key)
	return postgres.Fail(op, tx.SendBatch(ctx, batch).Close())
}

// complete settles the job. It comes last in the transaction (invariant 2): if the job cannot be
// settled, nothing was written.
func complete(ctx context.Context, tx pgx.Tx, claim pipeline.Claim, fn func(context.Context, pgx.Tx) error) error {
	return postgres.Fail("settling the job of "+claim.Stream.String(), fn(ctx, tx))
}
