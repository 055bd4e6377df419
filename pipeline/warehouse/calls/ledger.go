// Package calls counts what is scarce upstream, in the database and by its clock, for any number of
// processes: calls, and the access tokens that the processes share.
//
// It never calls upstream and never waits: it says whether a call may leave now, and when to ask
// again.
//
// Start reading at Ledger.Reserve; the decision itself is a function of the database, in the
// migrations.
package calls

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

const (
	// maxDetail bounds the text about a failed call, in bytes.
	maxDetail = 1000
	// The time for which a refusal by upstream holds calls back, unless the caller gives another. A
	// spent minute is over after a minute. Too many calls at once mean fewer for a while. A spent
	// day is asked about once an hour. Source: docs/upstream.md U51.
	throttledFor = time.Minute
	crowdedFor   = 5 * time.Minute
	exhaustedFor = time.Hour
	// maxPenalty bounds what upstream can demand as a wait: a day, and an hour for days on which
	// clocks change.
	maxPenalty = 25 * time.Hour
)

const (
	// An export is one call that may take longer than any lease: each batch of it renews the lease.
	// If its process dies, its slot is free as soon as that of any other call.
	sqlStillUnderWay = `SELECT sluice.renew_call($1, $2, $3)`

	sqlPrune = `SELECT sluice.prune_calls($1)`

	sqlFinish = `SELECT sluice.finish_call($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

	// After a wait of more than five minutes one call goes first, as a probe: see reserve_call.
	sqlThrottled = `
INSERT INTO sluice.budgets AS b (organization_id, shared, closed_until, probe_call)
VALUES ($1, $2, clock_timestamp() + $3::interval, CASE WHEN $3::interval > interval '5 minutes' THEN 0 END)
ON CONFLICT (organization_id, shared) DO UPDATE SET
	closed_until = greatest(b.closed_until, excluded.closed_until), probe_call = coalesce(excluded.probe_call, b.probe_call)`

	// The cap is half of what is allowed now; it rises evenly to the limit. Calls that were under
	// way together are refused together, so refusals within ten seconds count once.
	sqlCrowded = `
INSERT INTO sluice.budgets AS b (organization_id, shared, concurrent_cap, capped_at, cap_until)
VALUES ($1, $2, 1, clock_timestamp(), clock_timestamp() + $3::interval)
ON CONFLICT (organization_id, shared) DO UPDATE SET
	concurrent_cap = greatest(1, coalesce(sluice.concurrent_now(b, b.concurrent_limit, excluded.capped_at), 1) / 2),
	capped_at = excluded.capped_at, cap_until = excluded.cap_until
WHERE b.capped_at IS NULL OR b.capped_at < clock_timestamp() - interval '10 seconds'`

	sqlExhausted = `
INSERT INTO sluice.day_budgets AS d (organization_id, service, exhausted_until)
VALUES ($1, $2, clock_timestamp() + $3::interval)
ON CONFLICT (organization_id, service) DO UPDATE SET
	exhausted_until = greatest(d.exhausted_until, excluded.exhausted_until), probe_call = NULL`
)

// Rules are the spans by which calls are counted. Source: docs/upstream.md U40 to U52;
// docs/faults.md, Q.
type Rules struct {
	// Lease is how long a call may be under way: the deadline of the HTTP client, 90 s, and a
	// margin.
	Lease time.Duration
	// Window and Day are the spans of the limits a minute and a day.
	Window, Day time.Duration
}

// DefaultRules are the spans of the documents.
func DefaultRules() Rules {
	return Rules{Lease: 120 * time.Second, Window: time.Minute, Day: 24 * time.Hour}
}

// RulesOf returns the rules for a minute of another length, as tests and benchmarks have it.
func RulesOf(minute time.Duration) Rules {
	rules := DefaultRules()
	if minute > 0 {
		rules.Lease, rules.Window = 2*minute, minute
	}
	return rules
}

// Ledger counts calls and keeps tokens. It is safe for concurrent use.
type Ledger struct {
	pool *pgxpool.Pool
	// tokens is a pool of its own: processes that wait for a token must not use up the connections
	// that the refresh needs.
	tokens *pgxpool.Pool
	rules  Rules
}

// New makes a ledger over the connections of a warehouse. Waits for a token use the second pool.
func New(pool, tokens *pgxpool.Pool, rules Rules) *Ledger {
	return &Ledger{pool: pool, tokens: tokens, rules: rules}
}

// QueueUnderWay queues, for the caller's transaction, that a call is still under way, which renews
// its lease.
func (l *Ledger) QueueUnderWay(batch *pgx.Batch, call int64) {
	batch.Queue(sqlStillUnderWay, call, l.rules.Lease, l.rules.Day)
}

// The arguments have the order and the line breaks of those in Reserve.
const sqlReserve = `
SELECT call_id, refused, wait_ms FROM sluice.reserve_call(
	p_organization => $1, p_service => $2, p_resource => $3, p_class => $4, p_run => $5,
	p_method => $6, p_path => $7, p_page => $8,
	p_shared => $9, p_per_minute => $10, p_concurrent => $11, p_daily => $12,
	p_lease => $13, p_window => $14, p_day => $15,
	p_floors => $16, p_ceilings => $17, p_reset_hour => $18, p_zone => $19)`

// Reserve counts a call before it leaves, or says which limit refuses it and when to ask again
// (invariant 3). Any number of processes may ask: the database decides one request after the other,
// by its clock. A reservation is never given back: a process that died may have made the call. For
// a lease after a standby was promoted or a backup restored, all are refused: calls may be
// forgotten.
func (l *Ledger) Reserve(ctx context.Context, call pipeline.Call, limits pipeline.Limits) (pipeline.Decision, error) {
	var (
		decision pipeline.Decision
		wait     int64
	)
	floors, ceilings := shares(limits)
	err := l.pool.QueryRow(ctx, sqlReserve,
		call.Organization, call.Service, call.Resource, call.Class, call.Run,
		call.Method, postgres.Clean(call.Path, maxDetail), call.Page,
		limits.Shared, limits.PerMinute, limits.Concurrent, limits.Daily,
		l.rules.Lease, l.rules.Window, l.rules.Day,
		floors, ceilings, limits.ResetHour, limits.ResetZone,
	).Scan(&decision.Call, &decision.Refused, &wait)
	if err != nil {
		return pipeline.Decision{}, postgres.Fail("reserving a call of "+call.Organization+"/"+call.Service, err)
	}
	decision.Wait = time.Duration(wait) * time.Millisecond
	return decision, nil
}

// shares gives floors and ceilings in the order in which the database counts classes.
func shares(limits pipeline.Limits) ([]float64, []float64) {
	given := limits.Shares
	if given == nil {
		given = pipeline.DefaultShares()
	}
	var floors, ceilings []float64
	for _, class := range pipeline.Classes() {
		floors, ceilings = append(floors, given[class].Floor), append(ceilings, cmp.Or(given[class].Ceiling, 1))
	}
	return floors, ceilings
}

// PruneCalls maintains the call log: it begins the block of the day and drops blocks whose last
// call is older than the given days, at least 2. Any number of processes may call it, a few times a
// day. It waits for no lock and returns the number of dropped blocks.
func (l *Ledger) PruneCalls(ctx context.Context, days int) (int, error) {
	var dropped int
	err := l.pool.QueryRow(ctx, sqlPrune, days).Scan(&dropped)
	return dropped, postgres.Fail("keeping the call log", err)
}

// Finish records how a reserved call ended; its slot then becomes free by itself. Daily rate
// headers of the answer correct the count, since other programs use the same allowance. A second
// report about the same call changes nothing.
func (l *Ledger) Finish(ctx context.Context, call int64, result pipeline.CallResult) error {
	kind := ""
	if result.Kind != 0 {
		kind = result.Kind.String()
	}
	_, err := l.pool.Exec(ctx, sqlFinish,
		call, result.Status, postgres.Clean(result.Code, postgres.MaxName), kind, postgres.Clean(result.Detail, maxDetail), result.Bytes, result.Records,
		min(result.DayLimit, math.MaxInt32), min(result.DayRemaining, math.MaxInt32), min(max(result.DayReset, 0), maxPenalty+time.Second), l.rules.Day)
	return postgres.Fail("finishing a call", err)
}

// Penalize holds calls back for d because upstream refused one; a d of zero means the usual span.
// Throttled closes the shared allowance for all calls. Crowded halves the calls at once, which rise
// to the limit again over d. Exhausted ends the day of the service.
func (l *Ledger) Penalize(ctx context.Context, organization, service, shared string, kind pipeline.Kind, d time.Duration) error {
	var (
		sql, scope string
		usual      time.Duration
	)
	switch kind {
	case pipeline.Throttled:
		sql, scope, usual = sqlThrottled, shared, throttledFor
	case pipeline.Crowded:
		sql, scope, usual = sqlCrowded, shared, crowdedFor
	case pipeline.Exhausted:
		sql, scope, usual = sqlExhausted, service, exhaustedFor
	case pipeline.Expired, pipeline.Denied, pipeline.Unavailable, pipeline.Unexpected:
		return fmt.Errorf("penalizing %s/%s: %s is no matter of the budget", organization, service, kind)
	default:
		return fmt.Errorf("penalizing %s/%s: unknown %s", organization, service, kind)
	}
	if d <= 0 {
		d = usual
	}
	_, err := l.pool.Exec(ctx, sql, organization, scope, min(d, maxPenalty))
	return postgres.Fail("penalizing "+organization+"/"+service, err)
}
