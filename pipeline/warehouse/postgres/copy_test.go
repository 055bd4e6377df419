package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// TestNobodyReadsBehindCopyFrom: when CopyFrom returns, the goroutine that reads the rows has ended
// its last read, also if the copying was cancelled.
func TestNobodyReadsBehindCopyFrom(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	returned, ended := make(chan struct{}), make(chan struct{})
	source := readerFunc(func([]byte) (int, error) {
		defer close(ended)
		cancel()
		select { // CopyFrom must not return until the read that is under way ends
		case <-returned:
			t.Error("it returned while its rows were being read")
		case <-time.After(300 * time.Millisecond):
		}
		return 0, io.EOF
	})
	_, err := postgres.CopyFrom(ctx, conn.PgConn(), source, "COPY numbers FROM STDIN")
	close(returned)
	<-ended
	check.ErrorIf(t, !errors.Is(err, context.Canceled), "copying was cancelled and says %v", err)
}

func TestCopyFromBringsRows(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	left := []string{"1\n", "2\n3\n"}
	source := readerFunc(func(p []byte) (int, error) {
		if len(left) == 0 {
			return 0, io.EOF
		}
		n := copy(p, left[0])
		left = left[1:]
		return n, nil
	})
	tag, err := postgres.CopyFrom(t.Context(), conn.PgConn(), source, "COPY numbers FROM STDIN")
	check.ErrorIf(t, err != nil || tag.RowsAffected() != 3, "%s, %v", tag, err)
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn := warehousetest.Connect(t, warehousetest.New(t))
	check.Must(t, check.Failure(conn.Exec(t.Context(), "CREATE TABLE numbers (n bigint)")))
	return conn
}

// TestInKeyOrder: the next rows after a key are read by the index although the table has no
// statistics. Rows without an index for their order are sorted, and the statement is not compiled.
func TestInKeyOrder(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	tx := check.Sure(conn.Begin(t.Context()))(t)
	for _, sql := range []string{
		`CREATE TABLE things (owner text, id text COLLATE "C", note text, PRIMARY KEY (owner, id)) WITH (autovacuum_enabled = off)`,
		`INSERT INTO things SELECT 'a', n::text, repeat('x', 100) FROM generate_series(1, 20000) AS n`,
	} {
		check.Must(t, check.Failure(tx.Exec(t.Context(), sql)))
	}
	const behind = `SELECT note FROM things WHERE owner = 'a' AND id > '1' ORDER BY id LIMIT 2000`
	plan := explain(t, tx, behind)
	check.ErrorIf(t, !strings.Contains(plan, "Sort"), "without it nothing is sorted: this shows nothing\n%s", plan)
	check.Must(t, postgres.InKeyOrder(t.Context(), tx))
	if plan := explain(t, tx, behind); strings.Contains(plan, "Sort") || !strings.Contains(plan, "Index") {
		t.Errorf("the rows behind a key:\n%s", plan)
	}
	if plan := explain(t, tx, `SELECT note FROM things ORDER BY note`); !strings.Contains(plan, "Sort") || strings.Contains(plan, "JIT") {
		t.Errorf("in an order that no index has:\n%s", plan)
	}
}

func explain(t *testing.T, tx pgx.Tx, sql string) string {
	t.Helper()
	rows := check.Sure(tx.Query(t.Context(), "EXPLAIN "+sql))(t)
	lines := check.Sure(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
	return strings.Join(lines, "\n")
}

// Codes of PostgreSQL's appendix A, and whether they say that the server is away, or that it cannot
// do the work now.
func TestWhatTheServerSays(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]struct{ unreachable, busy bool }{
		"08006": {unreachable: true},                 // connection_failure
		"57P01": {unreachable: true},                 // admin_shutdown
		"57P03": {unreachable: true},                 // cannot_connect_now
		"53300": {unreachable: true, busy: true},     // too_many_connections
		"28P01": {unreachable: true},                 // invalid_password: it may be replaced at this moment
		"53100": {busy: true}, "53200": {busy: true}, // disk_full, out_of_memory
		"58030": {busy: true},                        // io_error
		"55P03": {busy: true}, "57014": {busy: true}, // lock_not_available, query_canceled
		"40001": {busy: true}, "40P01": {busy: true}, // serialization_failure, deadlock_detected
		"55000": {}, "42P01": {}, "23505": {}, "22P02": {}, // our own mistakes, or a matter for the operator
	} {
		err := fmt.Errorf("registering: %w", &pgconn.PgError{Code: code})
		check.ErrorIf(t, postgres.Unreachable(err) != want.unreachable || postgres.Busy(err) != want.busy,
			"%s: unreachable %v, busy %v, want %+v", code, postgres.Unreachable(err), postgres.Busy(err), want)
		check.ErrorIf(t, postgres.Refused(err) == want.unreachable || postgres.Deadlocked(err) != (code == "40P01"),
			"%s: refused %v, deadlocked %v", code, postgres.Refused(err), postgres.Deadlocked(err))
	}
	for _, err := range []error{nil, errors.New("something else"), context.Canceled, errors.Join(context.Canceled, &pgconn.PgError{Code: "57014"})} {
		check.ErrorIf(t, postgres.Unreachable(err) || postgres.Busy(err) || postgres.Deadlocked(err),
			"%v: unreachable %v, busy %v, deadlocked %v", err, postgres.Unreachable(err), postgres.Busy(err), postgres.Deadlocked(err))
	}
}
