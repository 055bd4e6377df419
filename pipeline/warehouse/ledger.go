package warehouse

import (
	"context"
	"fmt"
	"time"

	"sluice/pipeline"
)

const (
	// maxDetail bounds the text about a failed call, in bytes.
	maxDetail = 1000
	// How long a refusal by upstream holds calls back unless the caller knows better: a spent minute is over after a minute,
	// too many at once means fewer for a while, and a spent day is asked about once an hour. Source: upstream facts,
	// "Limits, errors, tokens".
	throttledFor = time.Minute
	crowdedFor   = 5 * time.Minute
	exhaustedFor = time.Hour
	// maxPenalty bounds what upstream can make us wait: a day and an hour, for days on which clocks change.
	maxPenalty = 25 * time.Hour
)

const (
	sqlReserve = `SELECT call_id, refused, wait_ms FROM sluice.reserve_call(
	$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`

	// An export is one call that may take longer than any lease: each unit of it shows that it is still under way. If its
	// process dies, its slot is held no longer than that of any other call.
	sqlStillUnderWay = `
UPDATE sluice.calls AS c SET lease_until = later.lease_until, free_at = later.lease_until + (c.free_at - c.lease_until)
FROM (SELECT clock_timestamp() + $2::interval AS lease_until) AS later
WHERE c.id = $1 AND c.finished_at IS NULL`

	sqlFinish = `SELECT sluice.finish_call($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

	sqlThrottled = `
INSERT INTO sluice.budgets AS b (organization_id, shared, closed_until) VALUES ($1, $2, clock_timestamp() + $3::interval)
ON CONFLICT (organization_id, shared) DO UPDATE SET closed_until = greatest(b.closed_until, excluded.closed_until)`

	// Calls that were under way together are refused together: for ten seconds that is one piece of evidence, not many.
	sqlCrowded = `
INSERT INTO sluice.budgets AS b (organization_id, shared, concurrent_cap, capped_at, cap_until)
VALUES ($1, $2, 1, clock_timestamp(), clock_timestamp() + $3::interval)
ON CONFLICT (organization_id, shared) DO UPDATE SET
	concurrent_cap = greatest(1, coalesce(CASE WHEN b.cap_until > clock_timestamp()
		THEN least(b.concurrent_cap, b.concurrent_limit) ELSE b.concurrent_limit END, 1) / 2),
	capped_at = excluded.capped_at, cap_until = excluded.cap_until
WHERE b.capped_at IS NULL OR b.capped_at < clock_timestamp() - interval '10 seconds'`

	sqlExhausted = `
INSERT INTO sluice.day_budgets AS d (organization_id, service, exhausted_until)
VALUES ($1, $2, clock_timestamp() + $3::interval)
ON CONFLICT (organization_id, service) DO UPDATE SET exhausted_until = greatest(d.exhausted_until, excluded.exhausted_until)`
)

// ledgerRules are the spans by which calls are counted. Source: documents 1 to 3, "Limits"; fault catalogue, "Budget".
type ledgerRules struct {
	// lease is how long a call may be under way: the deadline of the HTTP client, 90 s, and a margin.
	lease time.Duration
	// window and day are the spans of the limits a minute and a day. The day rolls: that fits every idea of when it turns.
	window, day time.Duration
}

func defaultRules() ledgerRules {
	return ledgerRules{lease: 120 * time.Second, window: time.Minute, day: 24 * time.Hour}
}

// Reserve counts a call before it leaves, or says which limit refuses it and when to ask again (promise 3). Any number of
// processes may ask: the database decides, one after the other, by its clock. What was reserved is never given back: a
// process that dies may have called.
func (db *DB) Reserve(ctx context.Context, call pipeline.Call, limits pipeline.Limits) (pipeline.Decision, error) {
	var (
		decision pipeline.Decision
		wait     int64
	)
	err := db.pool.QueryRow(ctx, sqlReserve,
		call.Organization, call.Service, call.Resource, call.Class, call.Run, call.Method, clean(call.Path, maxDetail), call.Page,
		limits.Shared, limits.PerMinute, limits.Concurrent, limits.Daily,
		db.rules.lease, db.rules.window, db.rules.day).Scan(&decision.Call, &decision.Refused, &wait)
	if err != nil {
		return pipeline.Decision{}, fail("reserving a call of "+call.Organization+"/"+call.Service, err)
	}
	decision.Wait = time.Duration(wait) * time.Millisecond
	return decision, nil
}

// Finish records how a reserved call ended; from now on its slot frees itself. Daily rate headers of the answer correct the
// count, since others spend from the same allowance. A second report about the same call changes nothing.
func (db *DB) Finish(ctx context.Context, call int64, result pipeline.CallResult) error {
	kind := ""
	if result.Kind != 0 {
		kind = result.Kind.String()
	}
	_, err := db.pool.Exec(ctx, sqlFinish, call, result.Status, clean(result.Code, maxPath), kind,
		clean(result.Detail, maxDetail), result.Bytes, result.Records,
		result.DayLimit, result.DayRemaining, min(max(result.DayReset, 0), maxPenalty+time.Second))
	return fail("finishing a call", err)
}

// Penalize holds calls back for d because upstream refused one; d of zero means the usual span. Throttled closes the shared
// allowance for all, Crowded halves the calls at once, Exhausted ends the day of the service.
func (db *DB) Penalize(ctx context.Context, organization, service, shared string, kind pipeline.Kind, d time.Duration) error {
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
	_, err := db.pool.Exec(ctx, sql, organization, scope, min(d, maxPenalty))
	return fail("penalizing "+organization+"/"+service, err)
}
