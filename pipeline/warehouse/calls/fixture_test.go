package calls_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// fixture is a database with ledgers on it, each with connections of its own as processes have
// them.
type fixture struct {
	*testing.T
	url  string
	pool *pgxpool.Pool
}

func open(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	h := &fixture{T: t, url: warehousetest.Template(t, "migrated", func(ctx context.Context, url string) error {
		return migrations.Migrate(ctx, url, migrations.Options{})
	})}
	h.pool = h.connect()
	return h
}

func (h *fixture) connect() *pgxpool.Pool {
	h.Helper()
	pool := sure(pgxpool.New(h.Context(), h.url))(h)
	h.Cleanup(pool.Close)
	return pool
}

// process is a ledger with connections of its own.
func (h *fixture) process(rules calls.Rules) *calls.Ledger {
	h.Helper()
	pool := h.connect()
	return calls.New(pool, pool, rules)
}

func (h *fixture) exec(sql string, args ...any) {
	h.Helper()
	must(h, failure(h.pool.Exec(h.Context(), sql, args...)))
}

// ask reads one value.
func ask[T any](h *fixture, sql string, args ...any) T {
	h.Helper()
	var value T
	must(h, h.pool.QueryRow(h.Context(), sql, args...).Scan(&value))
	return value
}

func aCall(service string, class pipeline.Class) pipeline.Call {
	return pipeline.Call{Organization: "o", Service: service, Resource: "things", Class: class, Method: "GET", Path: "/things"}
}

func (h *fixture) reserve(l *calls.Ledger, class pipeline.Class, limits pipeline.Limits) pipeline.Decision {
	h.Helper()
	decision := sure(l.Reserve(h.Context(), aCall("shop", class), limits))(h)
	errorIf(h, (decision.Call == 0) == (decision.Refused == "") || (decision.Refused != "") != (decision.Wait > 0),
		"contradictory decision %+v", decision)
	return decision
}

func (h *fixture) granted(l *calls.Ledger, class pipeline.Class, limits pipeline.Limits) int64 {
	h.Helper()
	decision := h.reserve(l, class, limits)
	fatalIf(h, decision.Refused != "", "refused: %+v", decision)
	return decision.Call
}

func (h *fixture) refused(
	want pipeline.Refusal, l *calls.Ledger, class pipeline.Class, limits pipeline.Limits, atLeast, atMost time.Duration,
) {
	h.Helper()
	decision := h.reserve(l, class, limits)
	errorIf(h, decision.Refused != want || decision.Wait < atLeast || decision.Wait > atMost,
		"decision %+v, want refused %q with a wait of %s to %s", decision, want, atLeast, atMost)
}

// past writes calls into the log that ended so long ago, and counts anew.
func (h *fixture) past(ago time.Duration, class pipeline.Class, calls int) {
	h.Helper()
	h.exec(`INSERT INTO sluice.calls
		(organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at)
		SELECT 'o', 'shop', 'things', $2, 'suite', 'GET', '/things', at AS a, at AS b, at AS c, at + interval '1 minute'
		FROM (SELECT clock_timestamp() - $1::interval AS at FROM generate_series(1, $3::integer)) AS made`, ago, class, calls)
	h.exec(`SELECT sluice.recount_calls()`)
}

// pause waits for a duration that the database asked for.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// same compares with cmp.Diff.
func same[T any](tb testing.TB, what string, want, got T, options ...cmp.Option) {
	tb.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}

// fatalIf does so, and ends it.
func fatalIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Fatalf(format, args...)
	}
}

// failure returns only the error of a call.
func failure(_ any, err error) error { return err }

// sure returns the value of a call, and ends the test if the call failed.
func sure[T any](value T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		must(tb, err)
		return value
	}
}
