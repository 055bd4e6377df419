package calls_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver that goose speaks through
	"github.com/pressly/goose/v3"

	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/warehousetest"
)

// beforeBudgets is the version of the database whose ledger counted the rows of the log.
const beforeBudgets = 4

// fill writes calls of the last day evenly into the log, and counts them if the database has
// counters.
const fill = `
INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at)
SELECT 'o', 'shop', 'things', 'incremental', 'suite', 'GET', '/things', at, at + '2 minutes', at + '300 milliseconds', at + '61 seconds'
FROM (SELECT clock_timestamp() - interval '24 hours' * (n - 0.5) / $1 AS at FROM generate_series($1::integer, 1, -1) AS n) AS spread`

// BenchmarkDecision measures a reservation and the report of its end, with so many calls in the log
// of the day. It compares the present ledger with the one before it counted by minutes and hours.
// The two alternate, so that they share the machine's other load. "kept" is a reservation that
// needs the floors of other classes (not with an empty log).
func BenchmarkDecision(b *testing.B) {
	for _, count := range []int{0, 10_000, 100_000} {
		if testing.Short() { // make bench QUICK=1: it works, and measures little.
			count /= 10
		}
		b.Run(fmt.Sprintf("calls=%d", count), func(b *testing.B) {
			before, now := filled(b, beforeBudgets, count), filled(b, 0, count)
			spent := calls.New(now, now, calls.Rules{Lease: 2 * time.Minute, Window: 50 * time.Millisecond, Day: 24 * time.Hour})
			limits := pipeline.Limits{Shared: "suite", Concurrent: 10, Daily: 1_000_000}
			tight := limits
			tight.Daily = count*3/2 + 30_000 // so that less is left than all floors
			tight.Shares = pipeline.Shares{pipeline.ClassIncremental: {Floor: 0.6}}
			var times [5][]time.Duration
			measure := func(which int, work func() error) {
				began := time.Now()
				if err := work(); err != nil {
					b.Fatal(err)
				}
				times[which] = append(times[which], time.Since(began))
			}
			var call int64
			for b.Loop() {
				measure(0, func() error { return reserveBefore(b.Context(), before, &call) })
				measure(1, func() error { return finishBefore(b.Context(), before, call) })
				measure(2, func() error { return reserveNow(b.Context(), spent, limits, pipeline.ClassIncremental, &call) })
				measure(3, func() error { return spent.Finish(b.Context(), call, pipeline.CallResult{Status: 200}) })
				measure(4, func() error { return reserveNow(b.Context(), spent, tight, pipeline.ClassBackfill, &call) })
				if err := spent.Finish(b.Context(), call, pipeline.CallResult{Status: 200}); err != nil {
					b.Fatal(err)
				}
			}
			for which, name := range []string{"before-reserve", "before-finish", "reserve", "finish", "kept-reserve"} {
				slices.Sort(times[which])
				b.ReportMetric(micro(times[which], 50), name+"-p50-µs")
				b.ReportMetric(micro(times[which], 99), name+"-p99-µs")
			}
		})
	}
}

func micro(sorted []time.Duration, percent int) float64 {
	return float64(sorted[(len(sorted)-1)*percent/100].Nanoseconds()) / 1000
}

// filled returns a database of a version (0: the newest) with so many calls in the log.
func filled(b *testing.B, version int64, calls int) *pgxpool.Pool {
	b.Helper()
	url := warehousetest.Template(b, fmt.Sprint("version", version), func(ctx context.Context, url string) error {
		if version == 0 {
			return migrations.Migrate(ctx, url, migrations.Options{})
		}
		return upTo(ctx, url, version)
	})
	pool, err := pgxpool.New(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	statements := []string{"VACUUM ANALYZE"}
	if version == 0 {
		statements = []string{"SELECT sluice.recount_calls()", "VACUUM ANALYZE"}
	}
	_, err = pool.Exec(b.Context(), fill, calls)
	for _, statement := range statements {
		_, more := pool.Exec(b.Context(), statement)
		err = errors.Join(err, more)
	}
	if err != nil {
		b.Fatal(err)
	}
	return pool
}

func upTo(ctx context.Context, url string, version int64) (failure error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return err
	}
	defer func() { failure = errors.Join(failure, db.Close()) }()
	if _, err := db.ExecContext(ctx, `CREATE SCHEMA sluice`); err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS,
		goose.WithTableName("sluice.schema_version"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = provider.UpTo(ctx, version)
	return err
}

func reserveBefore(ctx context.Context, pool *pgxpool.Pool, call *int64) error {
	return pool.QueryRow(ctx, `SELECT call_id FROM sluice.reserve_call('o', 'shop', 'things', 'incremental', 0, 'GET', '/things', 1,
		'suite', 0, 10, 1000000, '2 minutes', '50 milliseconds', '24 hours')`).Scan(call)
}

func finishBefore(ctx context.Context, pool *pgxpool.Pool, call int64) error {
	_, err := pool.Exec(ctx, `SELECT sluice.finish_call($1, 200, '', '', '', 0, 0, 0, 0, '0')`, pgx.QueryExecModeCacheStatement, call)
	return err
}

func reserveNow(ctx context.Context, counts *calls.Ledger, limits pipeline.Limits, class pipeline.Class, call *int64) error {
	decision, err := counts.Reserve(ctx, pipeline.Call{
		Organization: "o", Service: "shop", Resource: "things", Class: class, Method: "GET", Path: "/things", Page: 1,
	}, limits)
	if err == nil && decision.Refused != "" {
		return fmt.Errorf("refused: %+v", decision)
	}
	*call = decision.Call
	return err
}
