package calls_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/check"
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
	h := &fixture{T: t, url: warehousetest.Migrated(t)}
	h.pool = h.connect()
	return h
}

func (h *fixture) connect() *pgxpool.Pool {
	h.Helper()
	return warehousetest.Pool(h, h.url)
}

// process is a ledger with connections of its own.
func (h *fixture) process(rules calls.Rules) *calls.Ledger {
	h.Helper()
	pool := h.connect()
	return calls.New(pool, pool, rules)
}

func (h *fixture) exec(sql string, args ...any) {
	h.Helper()
	check.Must(h, check.Failure(h.pool.Exec(h.Context(), sql, args...)))
}

// ask reads one value.
func ask[T any](h *fixture, sql string, args ...any) T {
	h.Helper()
	var value T
	check.Must(h, h.pool.QueryRow(h.Context(), sql, args...).Scan(&value))
	return value
}

func aCall(service string, class pipeline.Class) pipeline.Call {
	return pipeline.Call{Organization: "o", Service: service, Resource: "things", Class: class, Method: "GET", Path: "/things"}
}

func (h *fixture) reserve(l *calls.Ledger, class pipeline.Class, limits pipeline.Limits) pipeline.Decision {
	h.Helper()
	decision := check.Sure(l.Reserve(h.Context(), aCall("shop", class), limits))(h)
	check.ErrorIf(h, (decision.Call == 0) == (decision.Refused == "") || (decision.Refused != "") != (decision.Wait > 0),
		"contradictory decision %+v", decision)
	return decision
}

func (h *fixture) granted(l *calls.Ledger, class pipeline.Class, limits pipeline.Limits) int64 {
	h.Helper()
	decision := h.reserve(l, class, limits)
	check.FatalIf(h, decision.Refused != "", "refused: %+v", decision)
	return decision.Call
}

func (h *fixture) refused(
	want pipeline.Refusal, l *calls.Ledger, class pipeline.Class, limits pipeline.Limits, atLeast, atMost time.Duration,
) {
	h.Helper()
	decision := h.reserve(l, class, limits)
	check.ErrorIf(h, decision.Refused != want || decision.Wait < atLeast || decision.Wait > atMost,
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
