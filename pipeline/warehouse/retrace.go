package warehouse

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/retrace"
)

// RebuildHistory makes the versions of a stream's resource anew out of the raw records that are
// kept, and of the versions that are there: see package retrace. It makes no call. Records have all
// of their new versions or none of them when it is stopped or killed, and doing it again begins
// anew. It returns ErrAtWork if a run of the stream is under way, and retrace.ErrNoHistory if no
// versions are kept. Progress, if not nil, gets the number of raw records that were read so far.
func (db *DB) RebuildHistory(
	ctx context.Context, stream pipeline.Stream, normalize retrace.Normalize, progress func(n int),
) (retrace.Counts, error) {
	var counts retrace.Counts
	stream.Work = pipeline.WorkList
	unlock, err := db.lockRebuild(ctx, stream)
	if err != nil {
		return counts, err
	}
	defer unlock()
	op := "retracing versions of " + stream.String()
	pooled, err := db.pool.Acquire(ctx)
	if err != nil {
		return counts, postgres.Fail(op, err)
	}
	conn := pooled.Hijack() // its temporary tables go with it
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postgres.SettleLimit)
		defer cancel()
		_ = conn.Close(ctx) // nothing is lost with it
	}()
	if err := retrace.Requested(ctx, conn, stream); err != nil {
		return counts, postgres.Fail(op, err)
	}
	past := retrace.New(stream, normalize)
	if err := past.Replay(ctx, conn, progress); err != nil {
		return counts, postgres.Fail(op, err)
	}
	// A writer of the resource locks one of its streams first.
	alone := func(fn func(tx pgx.Tx) error) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			key := stream.Key()
			if _, err := tx.Exec(ctx, sqlLockWriters, key.Organization, key.Service, key.Resource); err != nil {
				return fmt.Errorf("locking the streams: %w", err)
			}
			return fn(tx)
		})
	}
	for after, more := "", true; more && err == nil; {
		err = alone(func(tx pgx.Tx) error {
			after, err = past.Weave(ctx, tx, after)
			more = after != ""
			return err
		})
	}
	if err == nil {
		err = alone(func(tx pgx.Tx) error {
			counts, err = past.Cover(ctx, tx)
			return err
		})
	}
	return counts, postgres.Fail(op, err)
}

// PruneHistory drops versions that ended longer ago than this, and values by day that others
// replaced before, a bounded number at a time. What it leaves, the next call goes on with.
func (db *DB) PruneHistory(ctx context.Context, age time.Duration) error {
	for range keepTurns {
		var dropped *int
		if err := db.pool.QueryRow(ctx, `SELECT sluice.prune_history($1)`, age).Scan(&dropped); err != nil {
			return postgres.Fail("keeping versions", err)
		}
		if dropped == nil || *dropped == 0 {
			return nil
		}
	}
	return nil
}
