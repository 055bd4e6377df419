package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/postgres"
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
		_, err = q.client.InsertManyTx(ctx, tx, params)
		return postgres.Fail("queue streams", err)
	})
	return postgres.Fail(what, err)
}

// noticeEvery is the time between two looks for changes in closed periods.
const noticeEvery = time.Minute

// pruneEvery is the time between two prunings, and so how late the call log begins a new day at
// most.
const pruneEvery = 10 * time.Minute

// A snoozed job counts from the instant at which it may run, even if River has not made it
// available yet.
const sqlOldest = `
SELECT min(scheduled_at) FROM river.river_job
WHERE queue = $1 AND (state = 'available' OR state IN ('scheduled', 'retryable') AND scheduled_at <= clock_timestamp())`

// Oldest returns since when the job that waits longest could run; nil if none waits.
func Oldest(ctx context.Context, pool *pgxpool.Pool) (*time.Time, error) {
	var since *time.Time
	if err := pool.QueryRow(ctx, sqlOldest, queueStreams).Scan(&since); err != nil {
		return nil, fmt.Errorf("look for the oldest job: %w", err)
	}
	return since, nil
}

// cleaner is the first middleware of every job. Postgres refuses a NUL in json, so one NUL in the
// error text of a job stops River's completer for good, and error texts quote upstream. The cleaner
// also turns panics into errors, because their values reach the same column.
type cleaner struct {
	river.MiddlewareDefaults

	logger *slog.Logger
	scrub  *outside.Scrubber
}

var _ rivertype.WorkerMiddleware = (*cleaner)(nil)

// Work implements rivertype.WorkerMiddleware.
func (c *cleaner) Work(ctx context.Context, job *rivertype.JobRow, inner func(context.Context) error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			text := c.scrub.Textf("%v", value)
			c.logger.ErrorContext(ctx, "a job panicked", "job", job.ID, "panic", string(text), "stack", string(debug.Stack()))
			err = &cleanError{text: "panic: " + text}
		}
	}()
	if err = inner(ctx); err == nil {
		return nil
	}
	return &cleanError{text: c.scrub.Error(err), cause: err}
}

// cleanError has a cleaned text and wraps its cause, so that River still recognizes snoozes and
// cancels.
type cleanError struct {
	text  outside.Text
	cause error
}

// Error implements error.
func (e *cleanError) Error() string { return string(e.text) }

// Unwrap returns the cause.
func (e *cleanError) Unwrap() error { return e.cause }
