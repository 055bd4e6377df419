package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Querier is a pool, or one transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Read collects rows whose columns have the names in the struct's tags. What names the rows in
// errors.
func Read[T any](ctx context.Context, q Querier, what, sql string, args ...any) ([]T, error) {
	return Collect(ctx, q, "reading "+what, pgx.RowToStructByName[T], sql, args...)
}

// ReadOne reads the row that the arguments name, and returns ErrNotFound if there is none.
func ReadOne[T any](ctx context.Context, q Querier, what, sql string, args ...any) (T, error) {
	var one T
	found, err := Read[T](ctx, q, what, sql, args...)
	switch {
	case err != nil:
		return one, err
	case len(found) != 1:
		return one, fmt.Errorf("%s: %w", what, ErrNotFound)
	default:
		return found[0], nil
	}
}

// Collect reads rows by scan. An error of the query is one of its rows, too.
func Collect[T any](ctx context.Context, q Querier, op string, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	rows, _ := q.Query(ctx, sql, args...)
	found, err := pgx.CollectRows(rows, scan)
	return found, Fail(op, err)
}

// Each calls fn for each row, whose values are in into then.
func Each(ctx context.Context, q Querier, op string, into []any, fn func() error, sql string, args ...any) error {
	rows, _ := q.Query(ctx, sql, args...)
	_, err := pgx.ForEachRow(rows, into, fn)
	return Fail(op, err)
}

// pruneTurns bounds the calls of one prune.
const pruneTurns = 20

// Prune calls a function of the database that deletes a bounded number of rows until it deletes
// none; the next prune goes on.
func Prune(ctx context.Context, pool Asker, op, sql string, args ...any) error {
	for range pruneTurns {
		var dropped *int
		if err := pool.QueryRow(ctx, sql, args...).Scan(&dropped); err != nil {
			return Fail(op, err)
		}
		if dropped == nil || *dropped == 0 {
			break
		}
	}
	return nil
}

// sqlInterpreted has the statements of a transaction interpreted: compiling one takes half a
// second, which is more than it may take in all.
const sqlInterpreted = `SET LOCAL jit = off`

// ReadAll collects rows of all streams or organizations at once, for figures that are asked for
// again and again.
func ReadAll[T any](ctx context.Context, pool Beginner, what string, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	var found []T
	err := InTx(ctx, pool, "reading "+what, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlInterpreted); err != nil {
			return Fail("reading "+what, err)
		}
		var err error
		found, err = Collect(ctx, tx, "reading "+what, scan, sql, args...)
		return err
	})
	return found, err
}

// Limit returns the wanted number of rows, or a hundred if none is given.
func Limit(wanted int) int {
	const usual = 100
	if wanted <= 0 {
		return usual
	}
	return wanted
}

// CopyFrom copies what source gives, as pgconn does. When it returns, no goroutine reads source any
// more: the caller may ask it how it ended, and reuse its input. pgconn itself leaves its reading
// goroutine running when the connection fails or ctx ends (pgx 5.12, PgConn.CopyFrom: it returns an
// error of receiving before it waits).
func CopyFrom(ctx context.Context, conn *pgconn.PgConn, source io.Reader, sql string) (pgconn.CommandTag, error) {
	lent := &lent{source: source}
	defer lent.takeBack()
	return conn.CopyFrom(ctx, lent, sql)
}

// lent is a reader that its owner can take back.
type lent struct {
	mu     sync.Mutex
	source io.Reader
}

func (l *lent) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.source == nil {
		return 0, io.ErrClosedPipe
	}
	return l.source.Read(p) // a reader's own errors, io.EOF among them
}

// takeBack waits for the read that is under way, and refuses further ones.
func (l *lent) takeBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.source = nil
}

// InKeyOrder makes the rest of a transaction read tables by the index of their keys when a
// statement asks for the next rows after a key. A table has no statistics right after a first load.
// Then the planner assumes that an organization has half a percent of the rows and that sorting
// them is cheap. For each batch it reads all rows after the key: of 150,000 rows a batch of 2,000
// took 27 ms, and 0.4 ms by the index (docs/decisions/0015-raw-records). Statements
// without an index for their order still sort. The planner then estimates them as so expensive that
// it would compile each of them, so compilation is off, too.
func InKeyOrder(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Conn().PgConn().Exec(ctx, `SET LOCAL enable_sort = off; SET LOCAL jit = off`).ReadAll()
	return Fail("preparing to read in the order of keys", err)
}

// Asker asks for one row.
type Asker interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// pg_locks shows a key of 64 bits as two halves.
const sqlHolder = `
SELECT a.pid, coalesce(a.usename::text, ''), coalesce(a.application_name, '')
FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND (l.classid::bigint << 32) | l.objid::bigint = $1::bigint
	AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
LIMIT 1`

// LockHolder describes the session that holds an advisory lock. Any role that may connect can take
// one. So the text names the role and the process of the server, which an administrator can end.
func LockHolder(ctx context.Context, conn Asker, key int64) (string, error) {
	var pid int32
	var role, application string
	switch err := conn.QueryRow(ctx, sqlHolder, key).Scan(&pid, &role, &application); {
	case errors.Is(err, pgx.ErrNoRows):
		return "a session that has released it meanwhile", nil
	case err != nil:
		return "", Fail("looking which session holds a lock", err)
	}
	if application == "" {
		return fmt.Sprintf("pid %d, role %q", pid, role), nil
	}
	return fmt.Sprintf("pid %d, role %q, application %q", pid, role, application), nil
}
