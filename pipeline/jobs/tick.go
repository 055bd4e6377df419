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

// tick picks due streams from our schedule and queues them, in one transaction: a stream's turn
// moves on exactly when its ticket exists. Any number of processes may tick; rows taken by one are
// skipped by the others. Due-ness is state, so a tick that is missed loses nothing.
func (q *Queue) tick(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, q.options.Pool, func(tx pgx.Tx) error {
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

// replanEvery is how soon a stream that comes back to life is read more often again.
const replanEvery = time.Minute

// pruneEvery is how soon the call log turns its day at the latest.
const pruneEvery = 10 * time.Minute
