package warehouse

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/contents"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/rebuilds"
	"sluice/pipeline/warehouse/streams"
)

// ErrAtWork says that another worker or rebuild is writing to the stream.
var ErrAtWork = errors.New("the stream is being written right now: try again when that has ended")

const (
	// The lock belongs to the session: the server releases it when a rebuild is killed.
	sqlLockRebuild   = `SELECT pg_try_advisory_lock(key), key FROM (SELECT hashtextextended('sluice rebuild ' || $1, 0) AS key OFFSET 0) AS k`
	sqlUnlockRebuild = `SELECT pg_advisory_unlock(hashtextextended('sluice rebuild ' || $1, 0))`

	// A stream that runs with the fence of an open rebuild belongs to a dead rebuild, for this
	// session has the rebuild's lock.
	sqlAtWork = `
SELECT s.state = 'running' AND NOT EXISTS (SELECT FROM sluice.rebuilds r WHERE r.ended_at IS NULL
	AND (r.organization_id, r.service, r.resource, r.fence) = (s.organization_id, s.service, s.resource, s.fence))
FROM sluice.streams s WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3)`

	// All streams that write to the table of a list. Every transaction that locks more than one of
	// them locks them in this order.
	sqlLockWriters = `
SELECT FROM sluice.streams WHERE organization_id = $1 AND service = $2 AND (resource = $3 OR starts_with(resource, $3 || '.'))
ORDER BY resource FOR UPDATE`
)

// Rebuild is a rebuild in progress: it has the claim of its stream's list, and a lock that belongs
// to its session.
type Rebuild struct {
	db       *DB
	claim    pipeline.Claim
	unlock   func()
	zone     int // the list's zone_gen when it began
	position rebuilds.Position
}

// BeginRebuild claims a stream's list for a rebuild; End gives the claim back. It returns ErrAtWork
// if a run or another rebuild of the stream is under way.
func (db *DB) BeginRebuild(ctx context.Context, stream pipeline.Stream, scope rebuilds.Scope) (*Rebuild, error) {
	stream.Work = pipeline.WorkList
	unlock, err := db.lockRebuild(ctx, stream)
	if err != nil {
		return nil, err
	}
	r := &Rebuild{db: db, unlock: unlock}
	if err := r.begin(ctx, stream, scope); err != nil {
		unlock()
		return nil, err
	}
	return r, nil
}

// Counts returns the counts of the whole rebuild so far.
func (r *Rebuild) Counts() rebuilds.Counts { return r.position.Counts }

// lockRebuild makes sure that no other process writes to the stream, as far as that can be checked
// before the claim. A connection of its own holds the lock, which the returned function releases.
func (db *DB) lockRebuild(ctx context.Context, stream pipeline.Stream) (func(), error) {
	key := stream.Key()
	op := "locking " + key.String()
	conn, err := db.sessions.Acquire(ctx)
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

// begin claims the list and finds the position from which a stopped rebuild goes on, in one
// transaction: a claim of a rebuild that was killed is always known as one. A rebuild that began
// under an earlier time zone is not continued.
func (r *Rebuild) begin(ctx context.Context, stream pipeline.Stream, scope rebuilds.Scope) error {
	op := "beginning a rebuild of " + stream.Key().String()
	return r.db.inTx(ctx, op, func(tx pgx.Tx) error {
		var err error
		if r.claim, err = r.db.claim(ctx, tx, stream, pipeline.ClassSweep); err != nil {
			return err
		}
		if r.zone, err = streams.ZoneGeneration(ctx, tx, stream.Key()); err == nil {
			r.position, err = rebuilds.Begin(ctx, tx, r.claim, scope, r.zone)
		}
		return postgres.Fail(op, err)
	})
}

// Step writes one batch and the position behind it in one transaction (invariant 6): look decides
// which of the next rows are written. The transaction locks all streams that write to the table.
// Step returns false when no row is left.
func (r *Rebuild) Step(
	ctx context.Context, look func(ctx context.Context, view contents.View, after string) (rebuilds.Batch, error),
) (bool, error) {
	var done rebuilds.Batch
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
		// The commit does not wait for the disk. If the server crashes, it may lose the batch
		// together with its position, and the batch is written again.
		if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = off`); err != nil {
			return postgres.Fail(op, err)
		}
		if done, err = look(ctx, contents.Within(tx), r.position.After); err != nil || done.Last == "" {
			return postgres.Fail(op, err)
		}
		return r.write(ctx, tx, &done, row.History)
	})
	if err != nil || done.Last == "" {
		return false, err
	}
	r.position.Add(done.Counts)
	r.position.After = done.Last
	return true, nil
}

// write writes the rows of a batch, its rejected records and the position.
func (r *Rebuild) write(ctx context.Context, tx pgx.Tx, done *rebuilds.Batch, versions bool) error {
	op := "rebuilding " + r.claim.Stream.String()
	refused, stay, err := rebuilds.Write(ctx, tx, r.db.loader(r.claim.Stream), r.claim.Stream, r.claim.Run, done.Write, versions)
	if err != nil {
		return postgres.Fail(op, err)
	}
	done.Rewritten, done.Rejected = len(done.Write)-stay, done.Rejected+stay
	batch := pipeline.Batch{Claim: r.claim, Rejected: done.RejectedRecords, Position: r.claim.Position}
	loaded := pipeline.Loaded{Updated: done.Rewritten, Unchanged: done.Rows - done.Rewritten - done.Rejected, Rejected: len(refused)}
	if err := quarantine.Store(ctx, tx, batch, refused); err != nil {
		return err
	}
	queue := new(pgx.Batch)
	streams.QueueCount(queue, batch, loaded, 0)
	if err := streams.QueueAdvance(queue, batch); err != nil {
		return err
	}
	rebuilds.QueueStep(queue, r.position.ID, done.Last, done.Counts)
	return postgres.Fail(op, tx.SendBatch(ctx, queue).Close())
}

// End ends the run that the rebuild began. A run that was open before goes on from its position,
// with its next job. Failure is the reason why the rebuild stopped early; nil if it is complete.
func (r *Rebuild) End(ctx context.Context, failure error) error {
	defer r.unlock()
	if errors.Is(failure, pipeline.ErrLostClaim) {
		return nil // the worker that has it now ends it
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postgres.SettleLimit)
	defer cancel()
	db, claim := r.db, r.claim
	if failure != nil && claim.Opened {
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
			if err := rebuilds.End(ctx, tx, r.position.ID); err != nil {
				return postgres.Fail(op, err)
			}
			if err := streams.Rebuilt(ctx, tx, key, r.zone); err != nil {
				return err
			}
		}
		if !claim.Opened {
			return streams.Stop(ctx, tx, key, pipeline.StateQueued, "", time.Time{})
		}
		return db.endRun(ctx, tx, claim, streams.Ending{ // it read nothing, so the stream is due when it was
			State: pipeline.StateIdle, Outcome: pipeline.OutcomeDone, ReadNothing: true,
			Note: "rows were held against raw records, without a call: those that differ are written anew",
		})
	})
}
