package warehouse

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/pg"
	"sluice/pipeline/warehouse/rebuild"
	"sluice/schema/normalize"
)

// Rebuild writes the rows of a stream's resource anew out of the raw records that are kept beside them, after the declaration
// learned columns: without a call, in batches, under a claim. A row is written where its content hash is another one now; it
// keeps its calls and the instant at which it was first seen. The function normalize is the declaration as it is now, parent
// the one that a record was listed under. Records that do not fit it go to quarantine and their rows stay as they are.
// Progress, if not nil, gets the number of rows that were looked at so far. What was written before an error stays.
func (db *DB) Rebuild(
	ctx context.Context, stream pipeline.Stream,
	normalize func(raw []byte, parent string) (normalize.Record, error), progress func(n int),
) (rebuild.Counts, error) {
	var counts rebuild.Counts
	stream.Work = pipeline.WorkList
	claim, opened, err := db.claim(ctx, stream, pipeline.ClassSweep)
	if err != nil {
		return counts, err
	}
	rows := rebuild.New(stream, claim.Run, db.loader(stream), normalize)
	for after := ""; ; {
		done, err := db.rebuildStep(ctx, claim, rows, after)
		if err != nil {
			return counts, errors.Join(err, db.endRebuild(ctx, claim, opened, err))
		}
		counts.Add(done.Counts)
		if done.Last == "" {
			return counts, db.endRebuild(ctx, claim, opened, nil)
		}
		after = done.Last
		if progress != nil {
			progress(counts.Rows)
		}
	}
}

// rebuildStep is one batch, in one transaction.
func (db *DB) rebuildStep(ctx context.Context, claim pipeline.Claim, rows *rebuild.Rows, after string) (rebuild.Done, error) {
	var done rebuild.Done
	op := "rebuilding " + claim.Stream.String()
	err := db.inTx(ctx, op, func(tx pgx.Tx) error {
		row, err := lockClaimed(ctx, tx, claim, 0)
		if err != nil {
			return err
		}
		if done, err = rows.Step(ctx, tx, after, row.history); err != nil {
			return pg.Fail(op, err)
		}
		unit := pipeline.Unit{Claim: claim, Rejects: done.Rejects, Position: claim.Position}
		loaded := pipeline.Loaded{Updated: done.Rewritten, Unchanged: done.Rows - done.Rewritten - done.Unfit, Rejected: len(done.Refused)}
		batch := new(pgx.Batch)
		queueRejects(batch, unit, done.Refused)
		if err := queueProgress(batch, unit, loaded, 0); err != nil {
			return err
		}
		return pg.Fail(op, tx.SendBatch(ctx, batch).Close())
	})
	return done, err
}

// endRebuild ends the run that the rebuild began. One that was open before goes on where it stood, with its next job.
func (db *DB) endRebuild(ctx context.Context, claim pipeline.Claim, opened bool, failure error) error {
	if errors.Is(failure, pipeline.ErrLostClaim) {
		return nil // whoever has it now ends it
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pg.SettleLimit)
	defer cancel()
	switch {
	case !opened:
		return db.Settle(ctx, claim, pipeline.Settlement{State: pipeline.StateQueued})
	case failure != nil:
		return db.Settle(ctx, claim, pipeline.Settlement{
			State: pipeline.StateFailed, Reason: fmt.Sprintf("writing rows anew out of raw records: %v", failure), EndRun: true,
		})
	default:
		return db.inTx(ctx, "ending the rebuild of "+claim.Stream.String(), func(tx pgx.Tx) error {
			if _, err := lockClaimed(ctx, tx, claim, 0); err != nil {
				return err
			}
			return endRun(ctx, tx, claim, ending{
				state: pipeline.StateIdle, outcome: pipeline.OutcomeDone, note: "rows were written anew out of raw records, without a call",
			})
		})
	}
}
