package warehouse

import (
	"context"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/tombstones"
)

// lockEvidence locks the evidence of absence of the batch's records, before any row is locked.
func lockEvidence(ctx context.Context, tx pgx.Tx, batch pipeline.Batch, row streams.Locked) (tombstones.Evidence, error) {
	if !row.Evidence {
		return tombstones.Evidence{}, nil
	}
	evidence, err := tombstones.Lock(ctx, tx, batch)
	return evidence, postgres.Fail("looking at the evidence of "+batch.Claim.Stream.String(), err)
}

// concludeAbsence applies the batch to the evidence. At the end of a clean scan of a whole list it
// also judges the rows that the scan did not see, and at the end of a look those that it missed
// (invariant 7). It runs in the transaction of the batch, so that both commit together.
func (db *DB) concludeAbsence(ctx context.Context, tx pgx.Tx, batch *pipeline.Batch, evidence tombstones.Evidence, row streams.Locked) error {
	stream := batch.Claim.Stream
	if err := evidence.Apply(ctx, tx, *batch, row.RequestedAt); err != nil {
		return postgres.Fail("applying the evidence of "+stream.String(), err)
	}
	if batch.End == nil {
		return nil
	}
	scan := tombstones.Scan{Stream: stream, Run: batch.Claim.Run, Rules: db.absence}
	end := *batch.End
	batch.End = &end
	var verdict tombstones.Verdict
	var err error
	sweep := pipeline.AgainNot
	switch {
	case end.Whole != nil:
		scan.Started = end.Whole.Started
		verdict, err = tombstones.Conclude(ctx, tx, scan)
	case end.Absent != nil:
		scan.Started = end.Absent.Started
		verdict, err = tombstones.ConcludeLook(ctx, tx, scan, *end.Absent, batch.Call)
		end.Sweep = end.Sweep || verdict.Shrunken
		if !end.Sweep && verdict.Suspected > verdict.Requested {
			end.Sweep, sweep = true, pipeline.AgainMissed
		}
	}
	if err != nil {
		return postgres.Fail("concluding the scan of "+stream.String(), err)
	}
	if note := outside.Plain(verdict.Note()); note != "" && end.Note != "" {
		end.Note += "; " + note
	} else if note != "" {
		end.Note = note
	}
	// Where lists are read parent by parent, the next run comes to each in its turn: one more run
	// would cost a call for every parent.
	if end.Whole != nil && end.Again == pipeline.AgainNot && !stream.UnderParents() {
		end.Again = verdict.Again()
	}
	queue := new(pgx.Batch)
	if verdict.Requested > 0 {
		db.QueueDetailsDue(queue, stream)
	}
	if end.Sweep {
		db.QueueSweepDue(queue, stream, sweep)
	}
	if queue.Len() == 0 {
		return nil
	}
	return postgres.Fail("asking for what is still to be read of "+stream.String(), tx.SendBatch(ctx, queue).Close())
}

// DecideTombstones decides about the rows that a run left to the operator's decision, and returns
// their number.
func (db *DB) DecideTombstones(ctx context.Context, stream pipeline.Stream, run int64, decide tombstones.Decision) (int, error) {
	decided := 0
	op := "deciding about tombstones of " + stream.String()
	err := db.inTx(ctx, op, func(tx pgx.Tx) error {
		// This waits for a rebuild that is writing the rows, which would hide them.
		if _, err := streams.Lock(ctx, tx, stream, 0); err != nil {
			return err
		}
		var err error
		decided, err = decide(ctx, tx, stream, run)
		return postgres.Fail(op, err)
	})
	return decided, err
}

// Extent implements sync.Ranks.
//
//nolint:nonamedreturns // the names say which is which
func (db *DB) Extent(ctx context.Context, stream pipeline.Stream) (rows, most int, err error) {
	rows, most, err = tombstones.Extent(ctx, db.pool, stream, db.absence)
	return rows, most, postgres.Fail("counting rows of "+stream.String(), err)
}

// Seen implements sync.Ranks.
func (db *DB) Seen(ctx context.Context, claim pipeline.Claim, count pipeline.Count) (pipeline.Seen, error) {
	seen, err := tombstones.Seen(ctx, db.pool, claim, count)
	return seen, postgres.Fail("counting what a run of "+claim.Stream.String()+" was shown", err)
}

// Known implements sync.Ranks.
func (db *DB) Known(ctx context.Context, claim pipeline.Claim, count pipeline.Count) (pipeline.Seen, error) {
	known, _, err := tombstones.Known(ctx, db.pool, claim, count)
	return known, postgres.Fail("counting what is known of "+claim.Stream.String(), err)
}

// Halve implements sync.Ranks.
func (db *DB) Halve(ctx context.Context, stream pipeline.Stream, axis pipeline.Axis, part pipeline.Part) (time.Time, pipeline.Tally, error) {
	cut, rows, err := tombstones.Halve(ctx, db.pool, stream, axis, part)
	return cut, rows, postgres.Fail("halving rows of "+stream.String(), err)
}

// Months gives the tally of each month of a list that is filtered by day.
func (db *DB) Months(ctx context.Context, stream pipeline.Stream, sums pipeline.Sums, since time.Time) ([]tombstones.Month, error) {
	return tombstones.Months(ctx, db.pool, stream, sums, since)
}

// concludeCount compares the rows with upstream's count from before the run, and sums of their columns
// with upstream's. Where they differ, a look finds what is gone, was hidden from runs or was edited
// unseen; where they differ again at the next count, a sweep. Nothing follows where the number of
// records that are known to exist is unknown itself.
func (db *DB) concludeCount(ctx context.Context, tx pgx.Tx, batch pipeline.Batch, erased bool) error {
	count, stream := batch.Count, batch.Claim.Stream
	if count == nil || batch.End == nil || batch.End.Outcome != pipeline.OutcomeDone {
		return nil
	}
	known, held, err := tombstones.Known(ctx, tx, batch.Claim, *count)
	if err != nil {
		return err
	}
	queue, sure := new(pgx.Batch), known.Between == 0 && !erased
	agrees, differed, err := compareCount(ctx, tx, queue, batch, known, sure)
	switch {
	case err != nil:
		return err
	case !sure:
	case agrees:
		if stream.Work == pipeline.WorkBackfill { // one pass, which proves nothing by itself
			batch.End.Proof = pipeline.ProofCount
		}
		db.QueueLookDue(queue, stream, pipeline.CountAgrees)
	case batch.End.Whole != nil, held: // it draws its own conclusions; what is held waits for the operator
	case !differed && stream.Resource.Looked():
		db.QueueLookDue(queue, stream, pipeline.SweepWanted)
	default:
		db.QueueSweepDue(queue, stream, pipeline.AgainNot)
	}
	if queue.Len() == 0 {
		return nil
	}
	return postgres.Fail("asking for what the count of "+stream.String()+" misses", tx.SendBatch(ctx, queue).Close())
}

// compareCount notes what upstream counts beside what is known. It reports whether both agree, and
// whether they differed at the count before. A reading that the count proved decides which sums count
// from now on.
func compareCount(ctx context.Context, tx pgx.Tx, queue *pgx.Batch, batch pipeline.Batch, known pipeline.Seen, sure bool) (bool, bool, error) {
	count, stream, capable := batch.Count, batch.Claim.Stream, pipeline.Capabilities{}
	maps.Copy(capable, batch.Claim.Capabilities)
	equal := known.Before == count.Records
	if !sure || !equal {
		known.Sums = nil
	}
	if batch.End.Proof == pipeline.ProofCount {
		capabilities.QueueSummed(queue, stream, count.Sums.Less(known.Sums), capable)
	}
	sums := capable.Sums(count.Sums)
	agrees := equal && len(sums.Less(known.Sums).Columns(false)) == 0
	differed, err := streams.Counted(ctx, tx, stream.ListKey(), pipeline.Tally{Records: count.Records, Sums: sums},
		pipeline.Tally{Records: known.Before, Sums: known.Sums}, sure, agrees)
	return agrees, differed, err
}

// Between implements sync.Ranks.
//
//nolint:nonamedreturns // the names say which is which
func (db *DB) Between(ctx context.Context, stream pipeline.Stream, from, to time.Time) (before int, ids []string, err error) {
	before, ids, err = tombstones.Between(ctx, db.pool, stream, from, to)
	return before, ids, postgres.Fail("ranking rows of "+stream.String(), err)
}
