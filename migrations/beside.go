package migrations

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/postgres"
)

// A session that reads a table waits behind a migration that alters it, and so waits for all that
// the migration waits for. Therefore a statement of a migration ends after it waited for lockWait,
// and its transaction ends once its waits add up to waitSum. Both are tried again after a pause, in
// which readers proceed. So a reader waits for less than a second (docs/decisions/0005-migrations).
const (
	lockWait = 250 * time.Millisecond
	waitSum  = 400 * time.Millisecond
	// lookEvery is the interval at which attempt checks which sessions a migration waits for.
	lookEvery  = 50 * time.Millisecond
	firstPause = 500 * time.Millisecond
	longPause  = 4 * time.Second
	// DefaultPatience bounds the time that Migrate and Execute wait for other sessions in all.
	DefaultPatience = time.Minute
)

// Postgres hides the type of another role's process from a role that is no superuser, and shows it
// without a role. Of the processes without a role only autovacuum locks tables. Autovacuum gives
// way only to a session that waits for about a second. The nudge waits in a mode that conflicts
// with autovacuum alone: readers and writers proceed.
const (
	sqlNudge   = `LOCK TABLE %s IN SHARE UPDATE EXCLUSIVE MODE`
	nudgeWait  = `SET LOCAL lock_timeout = '5s'`
	sqlWaiting = `
SELECT w.pid, coalesce(l.relation::pg_catalog.regclass::text, ''), b.pid, coalesce(b.usename::text, ''), coalesce(b.application_name, ''),
	CASE WHEN b.usesysid IS NULL THEN '` + autovacuum + `' ELSE '' END, b.xact_start
FROM pg_catalog.pg_stat_activity w
CROSS JOIN LATERAL pg_catalog.unnest(pg_catalog.pg_blocking_pids(w.pid)) AS k (pid)
JOIN pg_catalog.pg_stat_activity b ON b.pid = k.pid
LEFT JOIN pg_catalog.pg_locks l ON l.pid = w.pid AND NOT l.granted
WHERE w.datname = pg_catalog.current_database() AND w.application_name = '` + application + `' AND w.usename = session_user
	AND w.pid <> pg_catalog.pg_backend_pid()
ORDER BY 2, 3`
	sqlCancel = `SELECT pg_catalog.pg_cancel_backend($1)`

	application    = "sluice migrate"
	autovacuum     = "autovacuum worker"
	lockNotThere   = "55P03" // lock_not_available
	queryCanceled  = "57014"
	deadlockIsSeen = "40P01"
)

// ErrBlocked says that other sessions held a table for longer than Migrate or Execute waits. What
// is done stays done; the next call continues from there.
var ErrBlocked = errors.New("other sessions hold what has to be changed")

// holder is a session that a migration waits for.
type holder struct {
	table, role, application, backend string
	pid                               int32
	since                             pgtype.Timestamptz
}

func (h holder) String() string {
	text := fmt.Sprintf("pid %d", h.pid)
	if h.backend == autovacuum {
		text += " (autovacuum)"
	} else {
		text += fmt.Sprintf(", role %q, application %q", h.role, h.application)
	}
	if h.since.Valid {
		text += ", in a transaction since " + h.since.Time.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	if h.table != "" {
		text = h.table + ": " + text
	}
	return text
}

// beside runs transactions that give way to other sessions. One goroutine uses it.
type beside struct {
	// conn holds the lock of migrations; it looks at sessions while a transaction runs on another
	// connection.
	conn     *pgx.Conn
	log      *slog.Logger
	patience time.Duration
	// waited is the sum of all waits and pauses so far; said is the text that was logged last.
	waited time.Duration
	said   string
}

// try runs fn, which is one transaction on another connection, until it meets no lock of another
// session or the patience is used up. What names the transaction in logs and errors.
func (b *beside) try(ctx context.Context, what string, fn func(ctx context.Context) error) error {
	var last []holder
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		holders, ended, err := b.attempt(ctx, fn)
		if err == nil || !inTheWay(err, ended) {
			return err
		}
		if len(holders) > 0 {
			last = holders
		}
		if text := names(last); text != b.said { // once for the same sessions
			b.said = text
			b.log.WarnContext(ctx, "the migration waits and lets other sessions proceed", "migration", what, "behind", text)
		}
		if b.waited += lockWait + pause; b.waited > b.patience {
			return fmt.Errorf("%w, for %s in all: %s: %w", ErrBlocked, b.patience, names(last), err)
		}
		b.nudge(ctx, last)
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("waiting for other sessions: %s: %w", names(last), context.Cause(ctx))
		case <-timer.C:
		}
	}
}

// inTheWay says whether an attempt failed because of another session. A canceled attempt counts
// only if attempt canceled it (ended): an operator can cancel it, too.
func inTheWay(err error, ended bool) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (answer.Code == lockNotThere || answer.Code == deadlockIsSeen || answer.Code == queryCanceled && ended)
}

func names(holders []holder) string {
	texts := make([]string, 0, len(holders))
	for _, h := range holders {
		texts = append(texts, h.String())
	}
	if len(texts) == 0 {
		return "sessions that ended before they could be named"
	}
	return strings.Join(slices.Compact(texts), "; ")
}

// attempt runs fn once and returns the sessions that it waited for. It cancels fn when its waits
// add up to waitSum, and then returns true.
func (b *beside) attempt(ctx context.Context, fn func(ctx context.Context) error) ([]holder, bool, error) {
	over, ended := make(chan error, 1), false
	go func() { over <- fn(ctx) }()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	var seen []holder
	var last time.Time
	waits := time.Duration(0)
	for {
		var now time.Time
		select {
		case err := <-over:
			return seen, ended, err
		case now = <-ticker.C:
		}
		since := lookEvery
		if !last.IsZero() {
			since = now.Sub(last) // more on a busy machine, where a look takes longer
		}
		last = now
		waiter, holders, err := b.look(ctx)
		if err != nil {
			return seen, ended, errors.Join(<-over, err)
		}
		if len(holders) == 0 {
			continue
		}
		seen = holders
		if waits += since; waits >= waitSum {
			// A role that was set after connecting may have no right to cancel its own session.
			// Then lock_timeout alone ends each wait.
			_, err := b.conn.Exec(ctx, sqlCancel, waiter)
			ended = ended || err == nil
		}
	}
}

// look returns the session that waits and the sessions that it waits for.
func (b *beside) look(ctx context.Context) (int32, []holder, error) {
	var waiter int32
	var h holder
	var holders []holder
	into := []any{&waiter, &h.table, &h.pid, &h.role, &h.application, &h.backend, &h.since}
	err := postgres.Each(ctx, b.conn, "looking which sessions are in the way", into, func() error {
		holders = append(holders, h)
		return nil
	}, sqlWaiting)
	return waiter, holders, err
}

// nudge makes autovacuum leave the tables. If it stays, the next attempt fails like this one.
func (b *beside) nudge(ctx context.Context, holders []holder) {
	for _, h := range holders {
		if h.backend != autovacuum || h.table == "" {
			continue
		}
		_ = pgx.BeginFunc(ctx, b.conn, func(tx pgx.Tx) error { // the next attempt shows whether it helped
			if _, err := tx.Exec(ctx, nudgeWait); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, fmt.Sprintf(sqlNudge, h.table)) // regclass quotes it
			return err
		})
	}
}
