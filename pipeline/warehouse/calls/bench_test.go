package calls_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/warehousetest"
)

// fill writes calls of the last day evenly into the log.
const fill = `
INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at)
SELECT 'o', 'shop', 'things', 'incremental', 'suite', 'GET', '/things', at, at + '2 minutes', at + '300 milliseconds', at + '61 seconds'
FROM (SELECT clock_timestamp() - interval '24 hours' * (n - 0.5) / $1 AS at FROM generate_series($1::integer, 1, -1) AS n) AS spread`

// BenchmarkDecision measures a reservation and the report of its end, with so many calls in the log
// of the day. "kept" is a reservation that needs the floors of other classes (not with an empty
// log).
func BenchmarkDecision(b *testing.B) {
	for _, count := range []int{0, 10_000, 100_000} {
		if testing.Short() { // make bench QUICK=1: it works, and measures little.
			count /= 10
		}
		b.Run(fmt.Sprintf("calls=%d", count), func(b *testing.B) {
			now := filled(b, count)
			spent := calls.New(now, now, calls.Rules{Lease: 2 * time.Minute, Window: 50 * time.Millisecond, Day: 24 * time.Hour})
			limits := pipeline.Limits{Shared: "suite", Concurrent: 10, Daily: 1_000_000}
			tight := limits
			tight.Daily = count*3/2 + 30_000 // so that less is left than all floors
			tight.Shares = pipeline.Shares{pipeline.ClassIncremental: {Floor: 0.6}}
			var times [3][]time.Duration
			measure := func(which int, work func() error) {
				began := time.Now()
				must(b, work())
				times[which] = append(times[which], time.Since(began))
			}
			var call int64
			for b.Loop() {
				measure(0, func() error { return reserveNow(b.Context(), spent, limits, pipeline.ClassIncremental, &call) })
				measure(1, func() error { return spent.Finish(b.Context(), call, pipeline.CallResult{Status: 200}) })
				measure(2, func() error { return reserveNow(b.Context(), spent, tight, pipeline.ClassBackfill, &call) })
				must(b, spent.Finish(b.Context(), call, pipeline.CallResult{Status: 200}))
			}
			for which, name := range []string{"reserve", "finish", "kept-reserve"} {
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

// filled returns a database with so many calls in the log.
func filled(b *testing.B, calls int) *pgxpool.Pool {
	b.Helper()
	url := warehousetest.Template(b, "migrated", func(ctx context.Context, url string) error {
		return migrations.Migrate(ctx, url, migrations.Options{})
	})
	pool, err := pgxpool.New(b.Context(), url)
	must(b, err)
	b.Cleanup(pool.Close)
	_, err = pool.Exec(b.Context(), fill, calls)
	for _, statement := range []string{"SELECT sluice.recount_calls()", "VACUUM ANALYZE"} {
		_, more := pool.Exec(b.Context(), statement)
		err = errors.Join(err, more)
	}
	must(b, err)
	return pool
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
