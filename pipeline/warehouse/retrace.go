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

// RebuildHistory makes the versions of a stream's resource anew from the raw records and the
// versions that are kept: see package retrace. It makes no call. If it is stopped or killed, each
// record has either all of its new versions or none; another call begins anew. It returns ErrAtWork
// if a run of the stream is under way, and retrace.ErrNoHistory if no versions are kept. Progress,
// if not nil, gets the number of raw records read so far.
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
	pooled, err := db.sessions.Acquire(ctx)
	if err != nil {
		return counts, postgres.Fail(op, err)
	}
	conn := pooled.Hijack() // closing it drops its temporary tables
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postgres.SettleLimit)
		defer cancel()
		_ = conn.Close(ctx) // it holds nothing that is still needed
	}()
	if err := retrace.Requested(ctx, conn, stream); err != nil {
		return counts, postgres.Fail(op, err)
	}
	past := retrace.New(stream, normalize)
	if err := past.Replay(ctx, conn, progress); err != nil {
		return counts, postgres.Fail(op, err)
	}
	// Every writer of the resource first locks one of these streams.
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

// PruneHistory deletes versions that ended more than age ago, and daily values that were replaced
// before then. It deletes a bounded number at a time; the next call continues.
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
