package calls

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/postgres"
)

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
