package warehouse

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/rebuild"
	"sluice/pipeline/warehouse/streams"
)

// ErrAtWork says that somebody is writing to a stream right now.
var ErrAtWork = errors.New("the stream is being written right now: try again when that has ended")

const (
	// The lock belongs to the session, so a rebuild that is killed lets go of it.
	sqlLockRebuild   = `SELECT pg_try_advisory_lock(key), key FROM (SELECT hashtextextended('sluice rebuild ' || $1, 0) AS key OFFSET 0) AS k`
	sqlUnlockRebuild = `SELECT pg_advisory_unlock(hashtextextended('sluice rebuild ' || $1, 0))`

	// What runs under the fence of an open rebuild was that rebuild: it is dead, for we have its lock.
	sqlAtWork = `
SELECT s.state = 'running' AND NOT EXISTS (SELECT FROM sluice.rebuilds r WHERE r.ended_at IS NULL
	AND (r.organization_id, r.service, r.resource, r.fence) = (s.organization_id, s.service, s.resource, s.fence))
FROM sluice.streams s WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3)`

	sqlSupersede = `
UPDATE sluice.rebuilds SET ended_at = clock_timestamp(), outcome = 'superseded'
WHERE (organization_id, service, resource) = ($1, $2, $3) AND ended_at IS NULL AND (scope, declaration) <> ($4, $5)`

	sqlBeginRebuild = `
INSERT INTO sluice.rebuilds AS r (organization_id, service, resource, scope, declaration, run_id, fence) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (organization_id, service, resource) WHERE ended_at IS NULL DO UPDATE SET run_id = excluded.run_id, fence = excluded.fence
RETURNING r.id, r.last_key, r.rows, r.rewritten, r.unfit, r.lost`

	sqlStepRebuild = `
UPDATE sluice.rebuilds SET last_key = $2, rows = rows + $3, rewritten = rewritten + $4, unfit = unfit + $5, lost = lost + $6 WHERE id = $1`

	sqlEndRebuild = `UPDATE sluice.rebuilds SET ended_at = clock_timestamp(), outcome = 'done' WHERE id = $1`

	// All streams that write to the table of a list; in this order wherever more than one is locked.
	sqlLockWriters = `
SELECT FROM sluice.streams WHERE organization_id = $1 AND service = $2 AND (resource = $3 OR starts_with(resource, $3 || '.'))
ORDER BY resource FOR UPDATE`
)

// Rebuild writes the rows of a stream's resource that are not what the raw records beside them make of them: without a call, in
// batches, under a claim. Each row keeps its calls, the instant at which it was first seen and its tombstone; the instant of its last
// change moves where its content hash is another one now. The function normalize is the declaration as it is now, parent
// the one that a record was listed under. Records that do not fit it go to quarantine and their rows stay as they are.
//
// One that was stopped or killed goes on behind the rows that it had written, and the counts are those of the whole. It
// returns ErrAtWork if a run of the stream is under way, or another rebuild, and pipeline.ErrLostClaim if a run took the stream over.
// Progress, if not nil, gets the number of rows that were looked at so far.
func (db *DB) Rebuild(
	ctx context.Context, stream pipeline.Stream, scope rebuild.Scope, normalize rebuild.Normalize, progress func(n int),
) (rebuild.Counts, error) {
	stream.Work = pipeline.WorkList
	unlock, err := db.lockRebuild(ctx, stream)
	if err != nil {
		return rebuild.Counts{}, err
	}
	defer unlock()
	claim, err := db.Claim(ctx, stream, pipeline.ClassSweep)
	if err != nil {
		return rebuild.Counts{}, err
	}
	r := &rebuilding{db: db, claim: claim, rows: rebuild.New(stream, claim.Run, scope, db.loader(stream), normalize)}
	r.rows.ReadAhead(db.pool)
	defer r.rows.Close()
	err = r.begin(ctx, scope)
	for more := true; err == nil && more; {
		if more, err = r.step(ctx); err == nil && more && progress != nil {
			progress(r.counts.Rows)
		}
	}
	return r.counts, errors.Join(err, db.endRebuild(ctx, r, claim.Opened, err))
}

// RebuildPlan says what Rebuild would do, and writes nothing.
func (db *DB) RebuildPlan(
	ctx context.Context, stream pipeline.Stream, scope rebuild.Scope, normalize rebuild.Normalize, progress func(n int),
) (rebuild.Counts, error) {
	stream.Work = pipeline.WorkList
	rows := rebuild.New(stream, 0, scope, db.loader(stream), normalize)
	rows.ReadAhead(db.pool)
	defer rows.Close()
	var counts rebuild.Counts
	op := "looking at the rows of " + stream.String()
	for after, more := "", true; more; {
		err := db.inTx(ctx, op, func(tx pgx.Tx) error {
			done, err := rows.Look(ctx, tx, after)
			counts.Add(done.Counts)
			after, more = done.Last, done.Last != ""
			return postgres.Fail(op, err)
		})
		if err != nil {
			return counts, err
		}
		if progress != nil {
			progress(counts.Rows)
		}
	}
	return counts, nil
}

// lockRebuild makes sure that nobody else writes to the stream, as far as can be known before it is claimed. The lock is on a
// connection of its own.
func (db *DB) lockRebuild(ctx context.Context, stream pipeline.Stream) (func(), error) {
	key := stream.Key()
	op := "locking " + key.String()
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return nil, postgres.Fail(op, err)
	}
	locked, busy := false, false
	var number int64
	if err = conn.QueryRow(ctx, sqlLockRebuild, key.String()).Scan(&locked, &number); err != nil {
		conn.Release()
		return nil, postgres.Fail(op, err)
	}
	unlock := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postgres.SettleLimit)
		defer cancel()
		if locked {
			if _, err := conn.Exec(ctx, sqlUnlockRebuild, key.String()); err != nil {
				_ = conn.Conn().Close(ctx) // which lets go of the lock, too
			}
		}
		conn.Release()
	}
	if locked {
		err = conn.QueryRow(ctx, sqlAtWork, key.Organization, key.Service, key.Resource).Scan(&busy)
		if errors.Is(err, pgx.ErrNoRows) {
			err = fmt.Errorf("%w: %s: register it first", ErrNoStream, key)
		}
	}
	switch {
	case err != nil:
	case !locked:
		var holder string
		if holder, err = postgres.LockHolder(ctx, conn, number); err == nil {
			err = fmt.Errorf("%s: %w (the lock of its rebuilds is held by %s)", key, ErrAtWork, holder)
		}
	case busy:
		err = fmt.Errorf("%s: %w", key, ErrAtWork)
	}
	if err != nil {
		unlock()
		return nil, postgres.Fail(op, err)
	}
	return unlock, nil
}

// rebuilding is a rebuild under way.
type rebuilding struct {
	db     *DB
	claim  pipeline.Claim
	rows   *rebuild.Rows
	id     int64
	zone   int // the list's zone_gen when it began
	after  string
	counts rebuild.Counts
}

// begin finds out where a rebuild that was stopped goes on.
func (r *rebuilding) begin(ctx context.Context, scope rebuild.Scope) error {
	key := r.claim.Stream.Key()
	declaration := rebuild.Declaration(r.claim.Stream)
	op := "beginning a rebuild of " + key.String()
	return r.db.inTx(ctx, op, func(tx pgx.Tx) error {
		if _, err := streams.LockClaimed(ctx, tx, r.claim, 0); err != nil {
			return err
		}
		// A rebuild under the time zone of before is none of this one.
		var err error
		if r.zone, err = streams.ZoneGeneration(ctx, tx, key); err != nil {
			return err
		}
		declaration = fmt.Appendf(declaration, " zone %d", r.zone)
		if _, err := tx.Exec(ctx, sqlSupersede, key.Organization, key.Service, key.Resource, scope, declaration); err != nil {
			return postgres.Fail(op, err)
		}
		c := &r.counts
		err = tx.QueryRow(ctx, sqlBeginRebuild, key.Organization, key.Service, key.Resource, scope, declaration, r.claim.Run, r.claim.Fence).
			Scan(&r.id, &r.after, &c.Rows, &c.Rewritten, &c.Unfit, &c.Lost)
		return postgres.Fail(op, err)
	})
}

// step is one batch, in one transaction, with the position behind it (promise 6). It says false when there was no row left.
func (r *rebuilding) step(ctx context.Context) (bool, error) {
	var done rebuild.Done
	op := "rebuilding " + r.claim.Stream.String()
	err := r.db.inTx(ctx, op, func(tx pgx.Tx) error {
		row, err := streams.LockClaimed(ctx, tx, r.claim, 0)
		if err != nil {
			return err
		}
		key := r.claim.Stream.Key()
		if _, err := tx.Exec(ctx, sqlLockWriters, key.Organization, key.Service, key.Resource); err != nil {
			return postgres.Fail(op, err)
		}
		if done, err = r.rows.Step(ctx, tx, r.after, row.History); err != nil || done.Last == "" {
			return postgres.Fail(op, err)
		}
		unit := pipeline.Unit{Claim: r.claim, Rejects: done.Rejects, Position: r.claim.Position}
		loaded := pipeline.Loaded{Updated: done.Rewritten, Unchanged: done.Rows - done.Rewritten - done.Unfit, Rejected: len(done.Refused)}
		if err := quarantine.Keep(ctx, tx, unit, done.Refused); err != nil {
			return err
		}
		batch := new(pgx.Batch)
		streams.QueueCount(batch, unit, loaded, 0)
		if err := streams.QueueAdvance(batch, unit); err != nil {
			return err
		}
		batch.Queue(sqlStepRebuild, r.id, done.Last, done.Rows, done.Rewritten, done.Unfit, done.Lost)
		return postgres.Fail(op, tx.SendBatch(ctx, batch).Close())
	})
	if err != nil || done.Last == "" {
		return false, err
	}
	r.counts.Add(done.Counts)
	r.after = done.Last
	return true, nil
}

// endRebuild ends the run that the rebuild began. One that was open before goes on where it stood, with its next job.
func (db *DB) endRebuild(ctx context.Context, r *rebuilding, opened bool, failure error) error {
	if errors.Is(failure, pipeline.ErrLostClaim) {
		return nil // whoever has it now ends it
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postgres.SettleLimit)
	defer cancel()
	claim := r.claim
	if failure != nil && opened {
		return db.Settle(ctx, claim, pipeline.Settlement{
			State: pipeline.StateFailed, Reason: "writing rows anew out of raw records: " + db.scrub.Error(failure), EndRun: true,
		})
	}
	key, op := claim.Stream.Key(), "ending the rebuild of "+claim.Stream.String()
	return db.inTx(ctx, op, func(tx pgx.Tx) error {
		if _, err := streams.LockClaimed(ctx, tx, claim, 0); err != nil {
			return err
		}
		if failure == nil {
			if _, err := tx.Exec(ctx, sqlEndRebuild, r.id); err != nil {
				return postgres.Fail(op, err)
			}
			if err := streams.Rebuilt(ctx, tx, key, r.zone); err != nil {
				return err
			}
		}
		if !opened {
			return streams.Stop(ctx, tx, key, pipeline.StateQueued, "", time.Time{})
		}
		return db.endRun(ctx, tx, claim, streams.Ending{
			State: pipeline.StateIdle, Outcome: pipeline.OutcomeDone, ReadNothing: true,
			Note: "rows were held against raw records, without a call: those that differ are written anew",
		})
	})
}
