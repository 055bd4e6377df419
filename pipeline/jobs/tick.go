package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
)

// tickLimit is how many due streams one tick takes.
const tickLimit = 500

// tick takes due streams from the table of streams and inserts their jobs in one transaction: a
// stream's due time moves on exactly if its job exists. Any number of processes may tick; each
// skips the rows that another has locked. The due time is stored, so a missed tick loses nothing.
// Hints come first, so that their streams are taken by the same tick.
func (q *Queue) tick(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, q.options.Pool, func(tx pgx.Tx) error {
		if q.options.Hinted != nil {
			if err := q.options.Hinted(ctx, tx); err != nil {
				return err
			}
		}
		keys, err := q.options.Store.TakeDue(ctx, tx, tickLimit)
		if err != nil || len(keys) == 0 {
			return err
		}
		params := make([]river.InsertManyParams, 0, len(keys))
		for _, key := range keys {
			params = append(params, river.InsertManyParams{Args: argsOf(key)})
		}
		if _, err := q.client.InsertManyTx(ctx, tx, params); err != nil {
			return fmt.Errorf("queue due streams: %w", err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("tick: %w", err)
	}
	return nil
}

// replanEvery is the time between two computations of the learned intervals, and so how soon a busy
// stream is read more often.
const replanEvery = time.Minute

// pruneEvery is the time between two prunings, and so how late the call log begins a new day at
// most.
const pruneEvery = 10 * time.Minute
