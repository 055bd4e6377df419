// Package backfills stores what the operator asked for besides the schedule: lists to be read
// again, whole or between two days.
//
// A backfill is executed as a stream of its own, which is enabled while a backfill is open. So it
// has its own position, fence and run beside those of the list. The end of a run is recorded here
// in the same transaction, with the scan from which the next run continues.
//
// Start reading at Backfills.OpenBackfill; turn.go has what claims and runs do to a backfill. Every
// transaction locks the stream's row before the backfill's.
package backfills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams"
)

// The errors that callers tell apart.
var (
	// ErrOpen says that the stream has an open backfill already.
	ErrOpen = errors.New("a backfill of it is open already")
	// ErrState says that there is no such backfill, or that its state does not allow the command.
	ErrState = errors.New("no backfill in that state")
)

// Backfills is the table of backfills. It is safe for concurrent use.
type Backfills struct {
	pool     *pgxpool.Pool
	schedule *streams.Schedule
}

// New returns the table over the connections of a warehouse.
func New(pool *pgxpool.Pool, schedule *streams.Schedule) *Backfills {
	return &Backfills{pool: pool, schedule: schedule}
}

// Order is a backfill as the operator asks for it.
type Order struct {
	// Stream is the stream that executes the backfill.
	Stream pipeline.Stream
	// Column names the column that From and To, midnight UTC, bound; zero leaves that end open.
	Column   string
	From, To time.Time
	// Scan is the scan with which the reading begins.
	Scan *pipeline.Scan
	// Calls is the forecast, nil if there is none; Basis is what it rests on.
	Calls *int
	Basis string
}

const (
	sqlAsk = `
INSERT INTO sluice.backfills (organization_id, service, resource, column_name, from_day, to_day, windows, forecast_calls, forecast_basis, scan)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9, ''), $10) RETURNING id`

	sqlFind = `SELECT organization_id, service, resource || '.backfill' FROM sluice.backfills WHERE id = $1`

	sqlPause = `UPDATE sluice.backfills SET state = 'paused' WHERE id = $1 AND state IN ('queued', 'running')`

	sqlResume = `
UPDATE sluice.backfills SET state = CASE state WHEN 'running' THEN state ELSE 'queued' END, ended_at = NULL, note = ''
WHERE id = $1 AND state IN ('queued', 'running', 'paused', 'failed')`

	sqlCancel = `
UPDATE sluice.backfills SET state = 'cancelled', ended_at = clock_timestamp()
WHERE id = $1 AND state IN ('queued', 'running', 'paused', 'failed')`

	sqlOpen = `
SELECT organization_id, service, resource || '.backfill' FROM sluice.backfills WHERE state IN ('queued', 'running') ORDER BY id`
)

// OpenBackfill opens a backfill and returns its number. It returns ErrOpen, and changes nothing, if
// the stream has an open one.
func (b *Backfills) OpenBackfill(ctx context.Context, order Order) (int64, error) {
	key, op := order.Stream.Key(), "asking for a backfill of "+order.Stream.String()
	scan, err := json.Marshal(order.Scan)
	if err != nil {
		return 0, fmt.Errorf("writing the scan of %s: %w", key, err)
	}
	windows := 1
	if order.Scan.Windows != nil {
		windows = order.Scan.Windows.Of
	}
	var id int64
	err = postgres.InTx(ctx, b.pool, op, func(tx pgx.Tx) error {
		if err := b.schedule.RequestBackfill(ctx, tx, key); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, sqlAsk, key.Organization, key.Service, order.Stream.Resource.Name, order.Column,
			postgres.Instant(order.From), postgres.Instant(order.To), windows, order.Calls, order.Basis, scan).Scan(&id)
		return failed(op, err)
	})
	return id, err
}

// failed returns ErrOpen for a violation of uniqueness, which only a second open backfill can
// cause.
func failed(op string, err error) error {
	const uniqueViolation = "23505"
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok && answer.Code == uniqueViolation {
		return fmt.Errorf("%s: %w", op, ErrOpen)
	}
	return postgres.Fail(op, err)
}

// Pause pauses a backfill: the chunk that is under way ends, and no other follows.
func (b *Backfills) Pause(ctx context.Context, id int64) error {
	_, err := b.change(ctx, "pausing", id, sqlPause, streams.Disable)
	return err
}

// Resume makes a backfill continue now from its position, if it is paused or failed, or waits. It
// returns the stream that executes it.
func (b *Backfills) Resume(ctx context.Context, id int64) (pipeline.Key, error) {
	return b.change(ctx, "resuming", id, sqlResume, b.schedule.RequestBackfill, streams.ServeOpenRun)
}

// Cancel ends a backfill now. Its loaded rows stay.
func (b *Backfills) Cancel(ctx context.Context, id int64) error {
	_, err := b.change(ctx, "cancelling", id, sqlCancel, streams.CancelBackfill)
	return err
}

// change moves a backfill to another state, and then changes its stream.
func (b *Backfills) change(
	ctx context.Context, doing string, id int64, sql string, then ...func(context.Context, pgx.Tx, pipeline.Key) error,
) (pipeline.Key, error) {
	op := fmt.Sprintf("%s backfill %d", doing, id)
	var key pipeline.Key
	err := postgres.InTx(ctx, b.pool, op, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, sqlFind, id).Scan(&key.Organization, &key.Service, &key.Resource)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("%s: %w", op, ErrState)
		}
		if err != nil {
			return postgres.Fail(op, err)
		}
		if err := streams.LockKey(ctx, tx, key); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, sql, id)
		if err != nil {
			return failed(op, err)
		}
		if tag.RowsAffected() == 0 {
			return fmt.Errorf("%s: %w", op, ErrState)
		}
		for _, follow := range then {
			if err := follow(ctx, tx, key); err != nil {
				return err
			}
		}
		return nil
	})
	return key, err
}

// OpenStreams returns the streams of backfills that are not paused, the oldest backfill first.
func (b *Backfills) OpenStreams(ctx context.Context) ([]pipeline.Key, error) {
	return postgres.Collect(ctx, b.pool, "looking for open backfills", pgx.RowToStructByPos[pipeline.Key], sqlOpen)
}
