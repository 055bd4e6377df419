package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"sluice/pipeline"
)

// tickLimit is how many due streams one tick takes.
const tickLimit = 500

// Tick takes due streams from the table of streams and inserts their jobs in one transaction: a
// stream's due time moves on exactly if its job exists. Any number of processes may tick; each
// skips the rows that another has locked. The due time is stored, so a missed tick loses nothing.
func (q *Queue) Tick(ctx context.Context) error {
	return q.take(ctx, "tick", func(ctx context.Context, tx pgx.Tx) ([]pipeline.Key, error) {
		return q.options.Store.TakeDue(ctx, tx, tickLimit)
	})
}

// hintEvery is the time between two looks for hints, and so how late one is read at most.
const hintEvery = 500 * time.Millisecond

// Hint does for streams of which change notifications told what Tick does for those that are due.
func (q *Queue) Hint(ctx context.Context) error { return q.take(ctx, "hint", q.options.Hinted) }

// take inserts the jobs of streams in the transaction that chooses them.
func (q *Queue) take(ctx context.Context, what string, choose func(context.Context, pgx.Tx) ([]pipeline.Key, error)) error {
	err := pgx.BeginFunc(ctx, q.options.Pool, func(tx pgx.Tx) error {
		keys, err := choose(ctx, tx)
		if err != nil || len(keys) == 0 {
			return err
		}
		params := make([]river.InsertManyParams, 0, len(keys))
		for _, key := range keys {
			params = append(params, river.InsertManyParams{Args: argsOf(key)})
		}
		if _, err := q.client.InsertManyTx(ctx, tx, params); err != nil {
			return fmt.Errorf("queue streams: %w", err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// replanEvery is the time between two computations of the learned intervals, and so how soon a busy
// stream is read more often.
const replanEvery = time.Minute

// noticeEvery is the time between two looks for changes in closed periods.
const noticeEvery = time.Minute

// pruneEvery is the time between two prunings, and so how late the call log begins a new day at
// most.
const pruneEvery = 10 * time.Minute
