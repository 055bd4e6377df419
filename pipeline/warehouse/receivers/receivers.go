// Package receivers stores how far each receiver of events was told what changed.
//
// It is the only writer of sluice.event_receivers. It never reads the log of changes, and it never
// posts anything: package events does. A receiver is claimed before it is told anything. A later
// claim, and a move by the operator, end the claim, so that two processes never move one position.
//
// Start reading at Claim, then Advance.
package receivers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/postgres"
)

// State is a closed set: what a receiver is.
type State string

// The states.
const (
	// OK got everything, or is being told.
	OK State = "ok"
	// Failing has an instant of its next attempt.
	Failing State = "failing"
	// Disabled asked for no more messages.
	Disabled State = "disabled"
)

// Position is where a receiver is in the log of changes.
type Position struct {
	// Cursor is behind the last row of the log that is delivered whole.
	Cursor string
	// Acknowledged are the ids of messages behind it that are delivered, too.
	Acknowledged []string
}

// Claimed is a claim to a receiver.
type Claimed struct {
	Position

	Number int64
	// History names the history of the database to which the log belongs.
	History string
	// Failures is how many attempts failed since a message was acknowledged.
	Failures int
}

// Failure is an attempt that failed: why, and what becomes of the receiver.
type Failure struct {
	Why outside.Text
	// Failures counts this one; Wait is the time until the next attempt.
	Failures int
	Wait     time.Duration
	// Disable disables the receiver.
	Disable bool
}

// Receiver is the row of a receiver.
type Receiver struct {
	Name    string    `db:"name"     json:"name"`
	State   State     `db:"state"    json:"state"`
	Cursor  string    `db:"cursor"   json:"cursor,omitempty"`
	MovedAt time.Time `db:"moved_at" json:"-"`
	// Failures is how many attempts failed since it last acknowledged a message.
	Failures     int        `db:"failures"      json:"failures"`
	NextAttempt  *time.Time `db:"next_attempt"  json:"next_attempt,omitempty"`
	LastError    *string    `db:"last_error"    json:"last_error,omitempty"`
	FailedAt     *time.Time `db:"failed_at"     json:"failed_at,omitempty"`
	Delivered    int64      `db:"delivered"     json:"delivered"`
	Failed       int64      `db:"failed"        json:"failed"`
	DeliveredAt  *time.Time `db:"delivered_at"  json:"delivered_at,omitempty"`
	ConfiguredAt time.Time  `db:"configured_at" json:"-"`
	// Ready says that it may be told something now.
	Ready bool `db:"ready" json:"-"`
	// Fresh says that a process had it in its configuration in the last ten minutes.
	Fresh bool `db:"fresh" json:"-"`
	// Idle says that its cursor was stored more than an hour ago.
	Idle bool `db:"idle" json:"-"`
}

// ErrLost says that a claim ended: another process has the receiver, or the operator moved it.
var ErrLost = errors.New("the claim to the receiver ended")

// Kept is how long the row of a receiver stays that no configuration has.
const Kept = 30 * 24 * time.Hour

const (
	// A process that has the receiver says so again now and then, so that others see it.
	sqlRegister = `
INSERT INTO sluice.event_receivers AS r (name, cursor)
SELECT n.name, $2 FROM unnest($1::text[]) AS n (name) ORDER BY n.name
ON CONFLICT (name) DO UPDATE SET configured_at = clock_timestamp() WHERE r.configured_at < clock_timestamp() - interval '1 minute'`

	sqlList = `
SELECT name, state, cursor, moved_at, failures, next_attempt, last_error, failed_at, delivered, failed, delivered_at, configured_at,
	state <> 'disabled' AND coalesce(next_attempt <= clock_timestamp(), true) AS ready, moved_at < clock_timestamp() - interval '1 hour' AS idle,
	configured_at > clock_timestamp() - interval '10 minutes' AS fresh
FROM sluice.event_receivers ORDER BY name`

	sqlClaim = `
UPDATE sluice.event_receivers SET claim = claim + 1
WHERE name = $1 AND state <> 'disabled' AND coalesce(next_attempt <= clock_timestamp(), true)
RETURNING claim, cursor, acknowledged, failures, (SELECT l.timeline FROM sluice.change_log l)`

	// What is acknowledged ends a row of failures, even if the next message fails.
	sqlAdvance = `
UPDATE sluice.event_receivers SET cursor = $3, acknowledged = $4, moved_at = CASE WHEN cursor = $3 THEN moved_at ELSE clock_timestamp() END,
	delivered = delivered + $5, delivered_at = CASE WHEN $5::bigint > 0 THEN clock_timestamp() ELSE delivered_at END,
	state = CASE WHEN $5::bigint > 0 THEN 'ok' ELSE state END, failures = CASE WHEN $5::bigint > 0 THEN 0 ELSE failures END,
	next_attempt = CASE WHEN $5::bigint > 0 THEN NULL ELSE next_attempt END
WHERE name = $1 AND claim = $2`

	sqlFail = `
UPDATE sluice.event_receivers SET cursor = $3, acknowledged = $4, moved_at = CASE WHEN cursor = $3 THEN moved_at ELSE clock_timestamp() END,
	delivered = delivered + $5, delivered_at = CASE WHEN $5::bigint > 0 THEN clock_timestamp() ELSE delivered_at END,
	state = CASE WHEN $8::boolean THEN 'disabled' ELSE 'failing' END, failures = $6,
	next_attempt = CASE WHEN NOT $8::boolean THEN clock_timestamp() + $7::interval END,
	last_error = $9, failed_at = clock_timestamp(), failed = failed + 1
WHERE name = $1 AND claim = $2`

	sqlRefresh = `
UPDATE sluice.event_receivers SET cursor = $3, moved_at = clock_timestamp(), claim = claim + 1
WHERE name = $1 AND cursor = $2 AND acknowledged = '{}'`

	sqlEnable = `UPDATE sluice.event_receivers SET state = 'ok', failures = 0, next_attempt = NULL WHERE name = $1`

	sqlMove = `
UPDATE sluice.event_receivers SET cursor = $2, acknowledged = '{}', moved_at = clock_timestamp(), claim = claim + 1,
	state = CASE state WHEN 'failing' THEN 'ok' ELSE state END, failures = CASE state WHEN 'failing' THEN 0 ELSE failures END, next_attempt = NULL
WHERE name = $1`

	sqlForget = `DELETE FROM sluice.event_receivers WHERE configured_at < clock_timestamp() - $1::interval`
)

// Execer is a pool of connections, a connection or a transaction.
type Execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// Register notes that a process has these receivers in its configuration. Those that have no row
// begin at a cursor.
func Register(ctx context.Context, db Execer, names []string, cursor string) error {
	_, err := db.Exec(ctx, sqlRegister, names, cursor)
	return postgres.Fail("registering the receivers of events", err)
}

// List returns all receivers by name, also those that the configuration no longer has.
func List(ctx context.Context, db postgres.Querier) ([]Receiver, error) {
	return postgres.Read[Receiver](ctx, db, "receivers of events", sqlList)
}

// Claim claims a receiver; nil if there is nothing to do now: it waits for its next attempt, is
// disabled, or has no row.
func Claim(ctx context.Context, db postgres.Asker, name string) (*Claimed, error) {
	var c Claimed
	err := db.QueryRow(ctx, sqlClaim, name).Scan(&c.Number, &c.Cursor, &c.Acknowledged, &c.Failures, &c.History)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // no claim is no error
	}
	if err != nil {
		return nil, postgres.Fail("claiming receiver "+name, err)
	}
	return &c, nil
}

// Advance stores the position of a claimed receiver, and that so many messages were delivered since
// the last one stored. With a failure it stores that, too. The error is ErrLost if the claim ended.
func Advance(ctx context.Context, db Execer, name string, claim int64, to Position, delivered int, failed *Failure) error {
	acknowledged := to.Acknowledged
	if acknowledged == nil {
		acknowledged = []string{}
	}
	sql, args := sqlAdvance, []any{name, claim, to.Cursor, acknowledged, delivered}
	if failed != nil {
		sql = sqlFail
		args = append(args, failed.Failures, failed.Wait, failed.Disable, postgres.Clean(failed.Why, postgres.MaxReason))
	}
	return stored(ctx, db, "storing how far receiver "+name+" is", ErrLost, sql, args...)
}

// Refresh moves the cursor of a receiver that has nothing to be told, so that it does not become
// older than the log. It does nothing if the receiver was moved meanwhile.
func Refresh(ctx context.Context, db Execer, name, from, to string) error {
	return stored(ctx, db, "refreshing the position of receiver "+name, nil, sqlRefresh, name, from, to)
}

// Enable lets a receiver go on at once where it stopped. The error is postgres.ErrNotFound if it
// has no row.
func Enable(ctx context.Context, db Execer, name string) error {
	return stored(ctx, db, "enabling receiver "+name, postgres.ErrNotFound, sqlEnable, name)
}

// Move moves a receiver to a cursor, and ends the claim to it. A disabled one stays disabled. The
// error is postgres.ErrNotFound if it has no row.
func Move(ctx context.Context, db Execer, name, cursor string) error {
	return stored(ctx, db, "moving receiver "+name, postgres.ErrNotFound, sqlMove, name, cursor)
}

// Forget deletes the rows of receivers that no process had in its configuration for a time.
func Forget(ctx context.Context, db Execer, unseen time.Duration) error {
	return stored(ctx, db, "forgetting receivers of events", nil, sqlForget, unseen)
}

// stored executes a statement. None is the error if it changed no row.
func stored(ctx context.Context, db Execer, op string, none error, sql string, args ...any) error {
	tag, err := db.Exec(ctx, sql, args...)
	if err != nil {
		return postgres.Fail(op, err)
	}
	if tag.RowsAffected() == 0 && none != nil {
		return fmt.Errorf("%s: %w", op, none)
	}
	return nil
}
