package calls

import (
	"context"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Used is what a service's calls of one hour were spent on, by the call log.
type Used struct {
	// At is the beginning of the hour. Hours are counted from the beginning of the time asked for.
	At       time.Time      `db:"at"       json:"at"`
	Resource string         `db:"resource" json:"resource"`
	Class    pipeline.Class `db:"class"    json:"class"`
	Calls    int64          `db:"calls"    json:"calls"`
	// Failed counts those of Calls that ended in an error or whose end was never reported.
	Failed  int64 `db:"failed"  json:"failed"`
	Records int64 `db:"records" json:"records"`
}

const (
	sqlUsed = `
SELECT date_bin('1 hour', reserved_at, $3) AS at, resource, class, count(*) AS calls,
	count(*) FILTER (WHERE kind IS NOT NULL OR (finished_at IS NULL AND lease_until < clock_timestamp())) AS failed,
	coalesce(sum(records), 0)::bigint AS records
FROM sluice.calls WHERE organization_id = $1 AND service = $2 AND reserved_at >= $3 AND reserved_at < $4
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`

	// A day counts if the call log reaches to the beginning of its span.
	sqlSameSpan = `
SELECT d.ago, (SELECT count(*) FROM sluice.calls WHERE organization_id = $1 AND service = $2
	AND reserved_at >= $3::timestamptz - d.ago * interval '24 hours' AND reserved_at < $4::timestamptz - d.ago * interval '24 hours') AS calls
FROM generate_series(1, $5::int) AS d(ago)
WHERE EXISTS (SELECT FROM sluice.calls WHERE organization_id = $1 AND service = $2 AND reserved_at < $3::timestamptz - d.ago * interval '24 hours')
ORDER BY d.ago`

	// A rolling day of upstream belongs to the day that has the middle of it.
	sqlOthersIn = `
SELECT ended_at, calls, limit_seen FROM sluice.external_spent
WHERE organization_id = $1 AND service = $2 AND ended_at - interval '12 hours' >= $3 AND ended_at - interval '12 hours' < $4
ORDER BY ended_at`

	// Of calls that begin and end at one instant, the ends count first.
	sqlMinutes = `
WITH recent AS MATERIALIZED (
	SELECT reserved_at, least(coalesce(finished_at, lease_until), clock_timestamp()) AS ended_at FROM sluice.calls
	WHERE organization_id = $1 AND service = ANY($2) AND reserved_at >= $3
), steps AS (
	SELECT at, step, sum(step) OVER (ORDER BY at, step) AS at_once
	FROM (SELECT reserved_at AS at, 1 AS step FROM recent UNION ALL SELECT ended_at, -1 FROM recent) AS events
)
SELECT date_bin('1 minute', at, 'epoch') AS at, count(*) FILTER (WHERE step = 1) AS calls, max(at_once)::bigint AS at_once,
	((array_agg(at_once ORDER BY at DESC, step DESC))[1])::bigint AS goes_on
FROM steps GROUP BY 1 ORDER BY 1`

	sqlSpentOut = `
SELECT organization_id, service, exhausted_until FROM sluice.day_budgets WHERE exhausted_until > clock_timestamp()
ORDER BY organization_id, service`
)

// Used returns what a service's calls were spent on between two instants, by hours.
func (l *Ledger) Used(ctx context.Context, organization, service string, from, to time.Time) ([]Used, error) {
	return postgres.Read[Used](ctx, l.pool, "the call log by hours", sqlUsed, organization, service, from, to)
}

// Span is how many calls a service made in the same span of time, some days ago.
type Span struct {
	Ago   int   `db:"ago"`
	Calls int64 `db:"calls"`
}

// SameSpan returns how many calls a service made in a span of time on each of the days before, of
// which it leaves out those that the call log does not reach.
func (l *Ledger) SameSpan(ctx context.Context, organization, service string, from, to time.Time, days int) ([]Span, error) {
	return postgres.Read[Span](ctx, l.pool, "the call log of earlier days", sqlSameSpan, organization, service, from, to, days)
}

// OthersIn returns the days of upstream that have their middle between two instants, and what was
// spent in them outside of sluice.
func (l *Ledger) OthersIn(ctx context.Context, organization, service string, from, to time.Time) ([]ExternalDay, error) {
	return postgres.Read[ExternalDay](ctx, l.pool, "what others spent", sqlOthersIn, organization, service, from, to)
}

// Minute is one minute of an allowance: the calls that were reserved in it, and how many were under
// way at once at most.
type Minute struct {
	At     time.Time `db:"at"`
	Calls  int64     `db:"calls"`
	AtOnce int64     `db:"at_once"`
	// GoesOn is how many calls were under way at its end.
	GoesOn int64 `db:"goes_on"`
}

// Minutes returns the minutes since an instant in which a call of some services of an organization
// began or ended.
func (l *Ledger) Minutes(ctx context.Context, organization string, services []string, since time.Time) ([]Minute, error) {
	return postgres.Read[Minute](ctx, l.pool, "the call log by minutes", sqlMinutes, organization, services, since)
}

// SpentOut is a service whose day is spent by upstream's word.
type SpentOut struct {
	Organization string    `db:"organization_id"`
	Service      string    `db:"service"`
	Until        time.Time `db:"exhausted_until"`
}

// SpentOut returns the services whose day upstream has called spent.
func (l *Ledger) SpentOut(ctx context.Context) ([]SpentOut, error) {
	return postgres.Read[SpentOut](ctx, l.pool, "the days that are spent", sqlSpentOut)
}

// Logged is a call as the call log has it.
type Logged struct {
	ID int64     `db:"id"          json:"id"`
	At time.Time `db:"reserved_at" json:"at"`
	// Seconds is how long it took; nil if its end was not reported.
	Seconds  *float64 `db:"seconds"  json:"seconds"`
	Resource string   `db:"resource" json:"resource"`
	Class    string   `db:"class"    json:"class"`
	Method   string   `db:"method"   json:"method"`
	Path     string   `db:"path"     json:"path"`
	Page     *int     `db:"page"     json:"page,omitempty"`
	Status   *int     `db:"status"   json:"status,omitempty"`
	// Code, Kind and Detail say what went wrong; empty if nothing did.
	Code    string `db:"code"    json:"code,omitempty"`
	Kind    string `db:"kind"    json:"kind,omitempty"`
	Detail  string `db:"detail"  json:"detail,omitempty"`
	Bytes   int64  `db:"bytes"   json:"bytes"`
	Records int64  `db:"records" json:"records"`
}

// Wait is a time in which a run made no call. To is nil if it goes on.
type Wait struct {
	Run  int64      `db:"run_id"`
	From time.Time  `db:"ended_at"`
	To   *time.Time `db:"goes_on_at"`
	// Kind is the kind of error of the call before; empty if that went well.
	Kind string `db:"kind"`
}

const (
	sqlOfRun = `
SELECT id, reserved_at, extract(epoch FROM finished_at - reserved_at)::float8 AS seconds, resource, class, method, path, page, status,
	coalesce(code, '') AS code, coalesce(kind, '') AS kind, coalesce(detail, '') AS detail, coalesce(bytes, 0) AS bytes,
	coalesce(records, 0)::bigint AS records
FROM sluice.calls WHERE run_id = $1 AND id > $2 ORDER BY id LIMIT $3`

	sqlWaits = `
SELECT run_id, ended_at, goes_on_at, kind FROM (
	SELECT run_id, least(coalesce(finished_at, lease_until), clock_timestamp()) AS ended_at, lead(reserved_at) OVER w AS goes_on_at,
		coalesce(kind, '') AS kind
	FROM sluice.calls WHERE run_id = ANY($1) WINDOW w AS (PARTITION BY run_id ORDER BY reserved_at, id)
) AS c WHERE coalesce(goes_on_at, clock_timestamp()) - ended_at >= $2::interval ORDER BY run_id, ended_at`
)

// CallsOfRun returns the calls of a run behind a call, the oldest first; 0 is before all.
func (l *Ledger) CallsOfRun(ctx context.Context, run, after int64, limit int) ([]Logged, error) {
	return postgres.Read[Logged](ctx, l.pool, "the calls of a run", sqlOfRun, run, after, postgres.Limit(limit))
}

// Waits returns the times of at least so long in which runs made no call, between two calls or
// since the last one. Of a run that has ended, the one without an end means nothing.
func (l *Ledger) Waits(ctx context.Context, runs []int64, least time.Duration) ([]Wait, error) {
	return postgres.Read[Wait](ctx, l.pool, "the waits of runs", sqlWaits, runs, least)
}
