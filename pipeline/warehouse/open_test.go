package warehouse_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse"
	"sluice/schema/record"
)

func TestOpenSaysWhatIsOutOfReachWithoutThePassword(t *testing.T) {
	t.Parallel()
	for url, reachable := range map[string]bool{
		"postgres://u:canary@127.0.0.1:1/books?connect_timeout=2": false,
		"host=/nowhere user=u password=canary dbname=books":       false,
		"postgres://u:canary@[::1/books":                          true,
	} {
		db, err := warehouse.Open(t.Context(), url, warehouse.Options{})
		if err == nil {
			db.Close()
			t.Fatalf("opened %s", url)
		}
		check.ErrorIf(t, errors.Is(err, warehouse.ErrUnreachable) == reachable, "%s: %v", url, err)
		check.ErrorIf(t, !reachable && !strings.Contains(err.Error(), "database books") || strings.Contains(err.Error(), "canary"),
			"the error is: %v", err)
	}
}

func TestACommitThatFailsWritesNothing(t *testing.T) {
	h := open(t)
	claim := h.claim()
	batch := h.unit(claim, h.record(1, "one"))
	before := h.dump()
	batch.Complete = func(ctx context.Context, tx pgx.Tx) error {
		_, err := h.db.Pool().Exec(ctx, `SELECT pg_terminate_backend($1)`, tx.Conn().PgConn().PID())
		return err
	}
	check.FailsWith(t, check.Failure(h.db.Load(t.Context(), batch)), warehouse.ErrUnreachable)
	check.Same(t, "a commit that failed left traces", before, h.dump())
	batch.Complete = nil
	h.load(batch) // and it comes back
}

func TestEveryStatementPrepares(t *testing.T) {
	h := open(t)
	conn := check.Sure(h.db.Pool().Acquire(t.Context()))(h)
	defer conn.Release()
	all := map[string]string{}
	for _, pattern := range []string{"*.go", "*/*.go"} {
		files := check.Sure(filepath.Glob(pattern))(h)
		for _, file := range files {
			for name, sql := range statements(t, file) {
				all[file+": "+name] = sql
			}
		}
	}
	maps.DeleteFunc(all, func(_, sql string) bool {
		return strings.Contains(sql, "%s") || strings.Contains(sql, "%[") // it has verbs for the names of tables, and is prepared where they are known
	})
	names := slices.Sorted(maps.Keys(all))
	// Several commands in one text create what other statements need, such as a temporary table:
	// they are executed, and first. A transaction that one begins ends with it.
	for _, name := range names {
		if strings.Contains(all[name], ";") {
			_, err := conn.Exec(t.Context(), all[name])
			if err == nil && strings.HasPrefix(all[name], "BEGIN") {
				_, err = conn.Exec(t.Context(), `ROLLBACK`)
			}
			check.ErrorIf(t, err != nil, "%s: %v", name, err)
			delete(all, name)
		}
	}
	for name, sql := range all {
		if strings.HasSuffix(name, ": sqlTableCount") {
			sql += "shop.things"
		}
		_, err := conn.Conn().Prepare(t.Context(), name, sql)
		check.ErrorIf(t, err != nil, "%s: %v", name, err)
	}
	check.ErrorIf(t, len(names) < 40, "found %d statements only", len(names))
}

// statements returns the constants of a file whose names begin with sql, none for tests.
func statements(t *testing.T, file string) map[string]string {
	t.Helper()
	if strings.HasSuffix(file, "_test.go") {
		return nil
	}
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	check.Must(t, err)
	found := map[string]string{}
	ast.Inspect(tree, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "sql") || len(spec.Values) != 1 {
			return true
		}
		if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
			if found[spec.Names[0].Name], err = strconv.Unquote(literal.Value); err != nil {
				t.Fatal(err)
			}
		}
		return true
	})
	return found
}

// with opens the database once more, with a parameter in its address.
func (h *fixture) with(parameter string) *warehouse.DB {
	h.Helper()
	separator := "?"
	if strings.Contains(h.url, "?") {
		separator = "&"
	}
	db := check.Sure(warehouse.Open(h.Context(), h.url+separator+parameter, warehouse.Options{}))(h)
	h.Cleanup(db.Close)
	return db
}

// TestASessionThatHangsLosesItsTransaction: the server ends a session that hangs between two
// statements, so that it blocks other sessions only briefly.
func TestASessionThatHangsLosesItsTransaction(t *testing.T) {
	h := open(t)
	settings := ask[string](h, `SELECT concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'),
		current_setting('idle_in_transaction_session_timeout'))`)
	check.Same(t, "the timeouts of sessions", "5min 20s 2min", settings)
	tx := check.Sure(h.another(warehouse.Options{}).Pool().Begin(t.Context()))(h)
	check.Must(h, check.Failure(tx.Exec(t.Context(), `SELECT FROM sluice.streams FOR UPDATE`)))
	_, err := tx.Exec(t.Context(), `SET idle_in_transaction_session_timeout = '100ms'`) // from here on it hangs
	check.Must(h, err)
	h.claim() // waits until the server has ended the session
	check.ErrorIf(t, tx.Commit(t.Context()) == nil, "the transaction of a session that hung was committed")
}

// TestASessionWithoutAClientLetsGo: a process is killed while its session waits for a lock. The
// server then ends the session, which releases its own locks: the process that takes over needs
// them.
func TestASessionWithoutAClientLetsGo(t *testing.T) {
	h := open(t)
	db := h.with("lock_timeout=0")
	other := check.Sure(db.Pool().Begin(t.Context()))(h)
	check.Must(h, check.Failure(other.Exec(t.Context(), `SELECT pg_advisory_xact_lock(1)`)))
	// A killed process sends nothing more, while the library would send a cancel request over
	// another connection.
	config, dialed := db.Pool().Config().ConnConfig, atomic.Bool{}
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dialed.Swap(true) {
			return nil, errors.New("the process was killed")
		}
		return dial(ctx, network, address)
	}
	killed := check.Sure(pgx.ConnectConfig(t.Context(), config))(h)
	check.Must(h, check.Failure(killed.Exec(t.Context(), `BEGIN; SELECT pg_advisory_xact_lock(2)`)))
	waited := make(chan error)
	go func() {
		_, err := killed.Exec(context.WithoutCancel(t.Context()), `SELECT pg_advisory_xact_lock(1)`)
		waited <- err
	}()
	for !ask[bool](h, `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 1 AND NOT granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`) {
		pause(t.Context(), time.Millisecond) // until it waits
	}
	check.Must(h, killed.PgConn().Conn().Close())
	check.ErrorIf(t, <-waited == nil, "the statement of a process without a connection ended well")
	waiting, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	_, err := db.Pool().Exec(waiting, `SELECT pg_advisory_xact_lock(2)`)
	check.ErrorIf(t, err != nil, "the lock of a process that is gone is still held: %v", err)
	check.Must(h, other.Rollback(t.Context()))
}

// jump makes the database's clock jump: all instants of calls and gates move the other way.
func (h *fixture) jump(by time.Duration) {
	h.Helper()
	for _, sql := range []string{
		`UPDATE sluice.calls SET reserved_at = reserved_at - $1::interval, lease_until = lease_until - $1::interval,
			finished_at = finished_at - $1::interval, free_at = free_at - $1::interval`,
		`UPDATE sluice.budgets SET closed_until = closed_until - $1::interval, capped_at = capped_at - $1::interval, cap_until = cap_until - $1::interval`,
	} {
		h.exec(sql, by)
	}
	h.exec(`SELECT sluice.recount_calls()`)
}

// TestTheDatabasesClockJumps: the ledger has no other clock. After a jump back, waits last longer
// by the jump, and no limit is exceeded. After a jump ahead, one minute's allowance is granted
// twice, once: upstream refuses the excess, which closes the gate.
func TestTheDatabasesClockJumps(t *testing.T) {
	h := open(t)
	limits := pipeline.Limits{Shared: "suite", PerMinute: 3, Concurrent: 3}
	spend := func() {
		for range limits.PerMinute {
			check.Must(h, h.db.Finish(t.Context(), h.granted("shop", limits), pipeline.CallResult{Status: 200}))
		}
	}
	spend()
	h.refused(pipeline.RefusedMinute, "shop", limits, 1, time.Minute)
	h.jump(-time.Hour)
	h.refused(pipeline.RefusedMinute, "shop", limits, 1, time.Minute) // and so on for an hour
	h.jump(time.Hour)                                                 // the clock was corrected
	h.refused(pipeline.RefusedMinute, "shop", limits, 1, time.Minute)
	h.jump(time.Hour)
	spend()
	h.refused(pipeline.RefusedMinute, "shop", limits, 1, time.Minute)

	underWay := h.granted("store", pipeline.Limits{Shared: "other", PerMinute: 9, Concurrent: 1})
	h.jump(-time.Hour)
	h.refused(pipeline.RefusedConcurrent, "store", pipeline.Limits{Shared: "other", PerMinute: 9, Concurrent: 1}, 1, 2*time.Hour)
	check.Must(h, h.db.Finish(t.Context(), underWay, pipeline.CallResult{Status: 200})) // its answer has arrived, whatever the clock says
	h.granted("store", pipeline.Limits{Shared: "other", PerMinute: 9, Concurrent: 1})
}

// page returns a page of things, with or without the key amount.
func (h *fixture) page(name string, things int, amount bool) []record.Record {
	h.Helper()
	records := make([]record.Record, things)
	for i := range records {
		raw := fmt.Sprintf(`{"thing_id":"%d","name":%q,"modified":"2026-01-17T15:27:23+0530"`, i, name)
		if amount {
			raw += `,"amount":null`
		}
		records[i] = check.Sure(h.normalizer.Record([]byte(raw + "}")))(h)
	}
	return records
}

// One step is a run of a list: its pages, each with or without the key. A missing key is reported
// once. A run with pages of both kinds proves nothing.
func TestAKeyThatIsGoneIsNoticed(t *testing.T) {
	h := open(t)
	const with, without = true, false
	for n, step := range []struct {
		pages   []bool
		news    []string
		lacking int64 // in the view; 0 if the key is not gone
	}{
		{[]bool{without}, nil, 0}, // the key has never come
		{[]bool{with, with}, nil, 0},
		{[]bool{without, without}, []string{"amount"}, 24},
		{[]bool{without}, nil, 36},
		{[]bool{with}, nil, 0},
		{[]bool{with, without, with}, nil, 0},
		{[]bool{without}, nil, 0}, // so the key comes now and then
		{[]bool{without}, []string{"amount"}, 36},
		{[]bool{with}, nil, 0},
		{[]bool{without, with}, []string{"amount"}, 0}, // reported too early
		{[]bool{without, with}, nil, 0},                // and learned
	} {
		claim := h.claim()
		var news []string
		for at, amount := range step.pages {
			batch := h.unit(claim, h.page(fmt.Sprint("run ", n, " page ", at), 12, amount)...)
			batch.Listed = true
			if at == len(step.pages)-1 {
				batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
			}
			news = append(news, h.load(batch).MissingKeys...)
		}
		if got := ask[int64](h, `SELECT coalesce(sum(lacking), 0) FROM sluice.missing_keys`); got != step.lacking || !slices.Equal(news, step.news) {
			t.Fatalf("run %d: gone in %d records, news %q; want %d, %q", n, got, news, step.lacking, step.news)
		}
	}
}
