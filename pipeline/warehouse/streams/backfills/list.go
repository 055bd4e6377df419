package backfills

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"sluice/pipeline/warehouse/postgres"
)

// Backfill is one backfill and its progress.
type Backfill struct {
	ID           int64  `db:"id"              json:"id"`
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	// Column is the column that From and To bound, "" if the whole list is read. Days have the form
	// 2026-01-31; "" is an open end.
	Column string `db:"column_name" json:"column,omitempty"`
	From   string `db:"from_day"    json:"from,omitempty"`
	To     string `db:"to_day"      json:"to,omitempty"`
	// State is queued, running, paused, done, cancelled or failed. StreamState is the present state
	// of its stream, Reason its reason, and Until when the stream goes on.
	State       string     `db:"state"        json:"state"`
	StreamState string     `db:"stream_state" json:"stream_state"`
	Reason      string     `db:"reason"       json:"reason,omitempty"`
	Until       *time.Time `db:"wait_until"   json:"until,omitempty"`
	NextDueAt   time.Time  `db:"next_due_at"  json:"-"`
	// Windows is the number of windows to read, WindowsDone how many of them were read.
	Windows     int64 `db:"windows"      json:"windows"`
	WindowsDone int64 `db:"windows_done" json:"windows_done"`
	// Forecast is how many calls it was expected to take, nil if there is none; Calls is how many
	// it has taken so far.
	Forecast      *int64 `db:"forecast_calls" json:"forecast_calls"`
	ForecastBasis string `db:"forecast_basis" json:"forecast_basis,omitempty"`
	Calls         int64  `db:"calls"          json:"calls"`
	// Received, Inserted, Updated, Unchanged, Superseded and Quarantined are the sums over its
	// runs.
	Received    int64      `db:"received"     json:"received"`
	Inserted    int64      `db:"inserted"     json:"inserted"`
	Updated     int64      `db:"updated"      json:"updated"`
	Unchanged   int64      `db:"unchanged"    json:"unchanged"`
	Superseded  int64      `db:"superseded"   json:"superseded"`
	Quarantined int64      `db:"quarantined"  json:"quarantined"`
	Runs        []int64    `db:"runs"         json:"runs"`
	RequestedAt time.Time  `db:"requested_at" json:"requested_at"`
	RequestedBy string     `db:"requested_by" json:"requested_by"`
	EndedAt     *time.Time `db:"ended_at"     json:"ended_at"`
	Note        string     `db:"note"         json:"note,omitempty"`
}

// Filter selects backfills; zero selects all.
type Filter struct {
	// ID selects one.
	ID int64
	// Open selects backfills that are queued, running or paused.
	Open bool
	// Limit bounds the list; zero means 100.
	Limit int
}

// windowsDone counts the windows of backfill b that are done; s is its stream, and o.open says that
// the backfill is open.
const windowsDone = `CASE WHEN b.state = 'done' THEN b.windows
		ELSE coalesce((coalesce(CASE WHEN o.open THEN s.scan END, b.scan) -> 'windows' ->> 'at')::integer, 0) END`

// The stream belongs to the last backfill of a list, so its columns do not apply to earlier ones.
const sqlBackfills = `
SELECT b.id, b.organization_id, b.service, b.resource, b.column_name, coalesce(b.from_day::text, '') AS from_day,
	coalesce(b.to_day::text, '') AS to_day, b.state, CASE WHEN o.open THEN s.state ELSE '' END AS stream_state,
	CASE WHEN o.open THEN s.reason ELSE '' END AS reason, CASE WHEN o.open THEN s.wait_until END AS wait_until, s.next_due_at,
	b.windows, ` + windowsDone + ` AS windows_done,
	b.forecast_calls, coalesce(b.forecast_basis, '') AS forecast_basis, r.*, b.runs, b.requested_at, b.requested_by, b.ended_at, b.note
FROM sluice.backfills b
JOIN sluice.streams s ON (s.organization_id, s.service, s.resource) = (b.organization_id, b.service, b.resource || '.backfill')
CROSS JOIN LATERAL (SELECT b.state IN ('queued', 'running', 'paused') AS open) AS o
CROSS JOIN LATERAL (
	SELECT coalesce(sum(CASE WHEN ended_at IS NULL THEN (SELECT count(*) FROM sluice.calls c WHERE c.run_id = own.id) ELSE calls END), 0)::bigint
			AS calls,
		coalesce(sum(received), 0)::bigint AS received, coalesce(sum(inserted), 0)::bigint AS inserted,
		coalesce(sum(updated), 0)::bigint AS updated, coalesce(sum(unchanged), 0)::bigint AS unchanged,
		coalesce(sum(superseded), 0)::bigint AS superseded, coalesce(sum(quarantined), 0)::bigint AS quarantined
	FROM sluice.runs own WHERE own.id = ANY (b.runs)
) AS r
WHERE ($1::bigint = 0 OR b.id = $1) AND (NOT $2::boolean OR o.open)
ORDER BY b.id DESC LIMIT $3`

// List returns backfills, newest first.
func (b *Backfills) List(ctx context.Context, f Filter) ([]Backfill, error) {
	return postgres.Read[Backfill](ctx, b.pool, "backfills", sqlBackfills, f.ID, f.Open, postgres.Limit(f.Limit))
}

// Backfill returns one backfill, or postgres.ErrNotFound if there is no such backfill.
func (b *Backfills) Backfill(ctx context.Context, id int64) (Backfill, error) {
	return postgres.ReadOne[Backfill](ctx, b.pool, fmt.Sprintf("backfill %d", id), sqlBackfills, cmp.Or(id, -1), false, 1)
}

// Progress is how far the newest backfill of a list is.
type Progress struct {
	Organization string `db:"organization_id"`
	Service      string `db:"service"`
	// Resource is that of the list.
	Resource string `db:"resource"`
	// Done is the share of its windows that are done, 0 to 1.
	Done float64 `db:"done"`
	// Failed says that it ended as failed.
	Failed bool `db:"failed"`
}

const sqlProgress = `
SELECT DISTINCT ON (b.organization_id, b.service, b.resource) b.organization_id, b.service, b.resource,
	(` + windowsDone + `)::float8 / b.windows AS done, b.state = 'failed' AS failed
FROM sluice.backfills b
JOIN sluice.streams s ON (s.organization_id, s.service, s.resource) = (b.organization_id, b.service, b.resource || '.backfill')
CROSS JOIN LATERAL (SELECT b.state IN ('queued', 'running', 'paused') AS open) AS o
ORDER BY b.organization_id, b.service, b.resource, b.id DESC`

// Progress returns how far the newest backfill of each list is.
func (b *Backfills) Progress(ctx context.Context) ([]Progress, error) {
	return postgres.Read[Progress](ctx, b.pool, "the progress of backfills", sqlProgress)
}
