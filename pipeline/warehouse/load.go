package warehouse

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/rows"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/streams/backfills"
	"sluice/pipeline/warehouse/tombstones"
	"sluice/schema/record"
)

// Load implements sync.Store: records, what did not fit, drift, counts, the position, the end of the run and the job's fate
// are one transaction (promise 2), of all units or, if the server refuses it, of each by itself: those before the one that
// it refuses stay loaded. It returns pipeline.ErrLostClaim, and writes nothing, if the claim does not hold any more
// (promise 6). After an error of which it is unknown whether it came before or after the commit, claim the stream again: the
// claim says where it stands.
func (db *DB) Load(ctx context.Context, units ...pipeline.Unit) (pipeline.Loaded, error) {
	loaded, err := db.loadTogether(ctx, units)
	// A unit locks its rows in order, several in one transaction do not: single records that are loaded meanwhile can wait for one of its
	// rows, and it for one of theirs.
	if !postgres.Refused(err) || len(units) == 1 && !postgres.Deadlocked(err) {
		return loaded, err
	}
	var sum pipeline.Loaded
	for i := range units {
		loaded, err := db.loadTogether(ctx, units[i:i+1])
		if err != nil {
			return sum, err
		}
		sum.Add(loaded)
	}
	return sum, nil
}

// loadTogether loads units in one transaction.
func (db *DB) loadTogether(ctx context.Context, units []pipeline.Unit) (pipeline.Loaded, error) {
	var sum pipeline.Loaded
	err := db.inTx(ctx, "loading "+units[0].Claim.Stream.String(), func(tx pgx.Tx) error {
		for i := range units {
			loaded, err := db.loadUnit(ctx, tx, units[i])
			if err != nil {
				return err
			}
			sum.Add(loaded)
		}
		return nil
	})
	if err != nil {
		return pipeline.Loaded{}, err
	}
	return sum, nil
}

func (db *DB) loadUnit(ctx context.Context, tx pgx.Tx, unit pipeline.Unit) (pipeline.Loaded, error) {
	var loaded pipeline.Loaded
	stream := unit.Claim.Stream
	if err := backfills.TakeTurn(ctx, tx, unit); err != nil {
		return loaded, err
	}
	row, err := streams.LockClaimed(ctx, tx, unit.Claim, unit.Call)
	if err != nil {
		return loaded, err
	}
	evidence, err := lockEvidence(ctx, tx, unit, row)
	if err != nil {
		return loaded, err
	}
	result, refused, err := db.write(ctx, tx, unit, row)
	if err != nil {
		return loaded, postgres.Fail("loading records of "+stream.String(), err)
	}
	loaded = pipeline.Loaded{
		Inserted: result.Inserted, Updated: result.Updated, Unchanged: result.Unchanged, Superseded: result.Superseded,
		Rejected: len(refused), Silent: result.Silent, Rollbacks: result.Rollbacks,
	}
	batch := new(pgx.Batch)
	if row.Suspects && len(unit.Records) > 0 { // also those without a call: an entry of a rebuild that is retried has none
		quarantine.QueueRelease(batch, unit)
	}
	if scan := unit.Position.Scan; scan != nil && scan.Mode == pipeline.ModeExport && unit.Call != 0 {
		db.QueueUnderWay(batch, unit.Call)
	}
	tombstones.QueueSighting(batch, unit)
	capabilities.QueueObserved(batch, unit)
	capabilities.QueueLate(batch, stream, result.Late)
	quarantine.Queue(batch, &unit, &loaded.Gone)
	if err := db.queueBacklog(batch, unit, result, refused); err != nil {
		return loaded, err
	}
	streams.QueueCount(batch, unit, loaded, quarantine.QueueDrift(batch, unit))
	if unit.End == nil {
		if err := streams.QueueAdvance(batch, unit); err != nil {
			return loaded, err
		}
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return loaded, postgres.Fail("recording progress of "+stream.String(), err)
	}
	if err := quarantine.Keep(ctx, tx, unit, refused); err != nil {
		return loaded, err
	}
	if unit.End != nil {
		if err := db.arrive(ctx, tx, &unit, row); err != nil {
			return loaded, err
		}
	}
	if err := db.concludeAbsence(ctx, tx, &unit, evidence, row); err != nil {
		return loaded, err
	}
	return loaded, db.finish(ctx, tx, unit)
}

// Refusals implements sync.Store.
func (db *DB) Refusals(ctx context.Context, claim pipeline.Claim) (pipeline.Refusals, error) {
	return streams.Refused(ctx, db.pool, claim)
}

// Known implements sync.Known: it looks at the rows as they are at this instant, without a lock. Whoever writes one meanwhile has a
// version that came later than the one that was looked at; the next read of the list meets it.
func (db *DB) Known(ctx context.Context, stream pipeline.Stream, records []record.Record) error {
	op := "looking at rows of " + stream.String()
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return postgres.Fail(op, err)
	}
	defer conn.Release()
	return postgres.Fail(op, db.loader(stream).Known(ctx, conn.Conn(), stream.Organization, records))
}

// write brings the unit's records into their tables.
func (db *DB) write(ctx context.Context, tx pgx.Tx, unit pipeline.Unit, row streams.Locked) (rows.Result, []rows.Refused, error) {
	if err := holdRows(ctx, tx, unit); err != nil || len(unit.Records) == 0 {
		return rows.Result{}, nil, err
	}
	var read time.Time
	if unit.Listed && unit.Claim.Stream.Resource.Swept() {
		read = row.ListRead
	}
	return db.loader(unit.Claim.Stream).LoadBisect(ctx, tx, rows.Batch{
		Organization: unit.Claim.Stream.Organization, Run: unit.Claim.Run, Call: unit.Call, CallStarted: row.Called, Settled: row.Listed,
		Read: read, Details: unit.Details, History: row.History, Records: unit.Records,
	})
}

// arrive writes the position at the end of a run, which depends on all that the run met.
func (db *DB) arrive(ctx context.Context, tx pgx.Tx, unit *pipeline.Unit, row streams.Locked) error {
	if err := quarantine.Judge(ctx, tx, unit, row, db.rules); err != nil {
		return err
	}
	batch := new(pgx.Batch)
	if err := streams.QueueAdvance(batch, *unit); err != nil {
		return err
	}
	return postgres.Fail("recording the end of a run of "+unit.Claim.Stream.String(), tx.SendBatch(ctx, batch).Close())
}

// finish ends the run if the unit does, and settles the job.
func (db *DB) finish(ctx context.Context, tx pgx.Tx, unit pipeline.Unit) error {
	if unit.End != nil {
		end := streams.Ending{State: pipeline.StateIdle, Outcome: unit.End.Outcome, Note: unit.End.Note, Again: unit.End.Again}
		if unit.End.Outcome == pipeline.OutcomeFailed {
			end.State, end.Reason = pipeline.StateFailed, unit.End.Note
		}
		if err := db.endRun(ctx, tx, unit.Claim, end); err != nil {
			return err
		}
	}
	if unit.Complete == nil {
		return nil
	}
	return complete(ctx, tx, unit.Claim, unit.Complete)
}
