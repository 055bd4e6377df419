package calls

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Day is what the day of an organization's service has come to, as reservations count it.
type Day struct {
	// At is the database's clock; Turn is when the day turns, nil if it is a rolling one.
	At   time.Time  `json:"at"`
	Turn *time.Time `json:"turn,omitempty"`
	// Spent counts the calls of the day, ByClass those of each class, LastHour those reserved in
	// the last hour.
	Spent    int64                    `json:"spent"`
	ByClass  map[pipeline.Class]int64 `json:"by_class"`
	LastHour int64                    `json:"last_hour"`
	// External counts the calls that were made outside of sluice, by upstream's last answer; nil if
	// that answer had no figure.
	External *int64 `json:"external"`
	// SeenLeft is what upstream's last answer leaves, less what was reserved since. It is valid
	// until that day turns at SeenUntil, and nil if no answer of this day had a figure.
	SeenLeft  *int64     `json:"seen_left"`
	SeenUntil *time.Time `json:"seen_until"`
	// Before are earlier days of upstream, newest first.
	Before []ExternalDay `json:"before"`
}

// ExternalDay is an earlier day of upstream.
type ExternalDay struct {
	EndedAt time.Time `db:"ended_at" json:"ended_at"`
	// Calls were made outside of sluice; Limit is the limit by upstream's answer.
	Calls int64 `db:"calls"      json:"calls"`
	Limit int64 `db:"limit_seen" json:"limit"`
}

const (
	// The day's boundaries are those of reserve_call, in the migrations.
	sqlDaySpent = `
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS at), edge AS MATERIALIZED (
	SELECT at, CASE $4 WHEN '' THEN at - interval '24 hours' ELSE sluice.last_reset(at - interval '1 minute', $3, $4) END AS since,
		CASE $4 WHEN '' THEN NULL
			ELSE sluice.last_reset(sluice.last_reset(at - interval '1 minute', $3, $4) + interval '36 hours', $3, $4) END AS turn
	FROM clock)
SELECT edge.at, edge.turn, coalesce(sum(s.calls), 0), coalesce(sum(s.incremental), 0), coalesce(sum(s.details), 0),
	coalesce(sum(s.sweep), 0), coalesce(sum(s.backfill), 0), coalesce(sum(s.probe), 0), coalesce(sum(s.hinted), 0),
	(SELECT coalesce(sum(m.reserved), 0) FROM sluice.spent m WHERE m.organization_id = $1 AND m.service = $2
		AND m.span = 'minute' AND m.began_at > edge.at - interval '1 hour'),
	sluice.external_calls($1, $2)
FROM edge LEFT JOIN LATERAL sluice.day_spent($1, $2, edge.at, edge.since, NULL, '24 hours') AS s ON true
GROUP BY edge.at, edge.turn, edge.since`

	sqlSeenLeft = `
SELECT greatest(0, d.remaining_seen + coalesce(d.seen_place, 0) - (
		SELECT coalesce(sum(m.reserved), 0) FROM sluice.spent m
		WHERE m.organization_id = $1 AND m.service = $2 AND m.span = 'minute' AND m.began_at >= d.seen_bucket)), d.reset_at
FROM sluice.day_budgets d WHERE d.organization_id = $1 AND d.service = $2 AND d.reset_at > clock_timestamp()`

	sqlExternalDays = `
SELECT ended_at, calls, limit_seen FROM sluice.external_spent WHERE organization_id = $1 AND service = $2
ORDER BY ended_at DESC LIMIT 7`
)

// Day returns the day of a service. The limits say when the day turns; the caller compares their
// figures with it.
func (l *Ledger) Day(ctx context.Context, organization, service string, limits pipeline.Limits) (Day, error) {
	day := Day{ByClass: map[pipeline.Class]int64{}}
	counts := make([]int64, len(pipeline.Classes()))
	into := []any{&day.At, &day.Turn, &day.Spent}
	for i := range counts {
		into = append(into, &counts[i])
	}
	err := l.pool.QueryRow(ctx, sqlDaySpent, organization, service, limits.ResetHour, limits.ResetZone).
		Scan(append(into, &day.LastHour, &day.External)...)
	if err != nil {
		return Day{}, fmt.Errorf("counting the day of %s/%s: %w", organization, service, err)
	}
	for i, class := range pipeline.Classes() {
		day.ByClass[class] = counts[i]
	}
	err = l.pool.QueryRow(ctx, sqlSeenLeft, organization, service).Scan(&day.SeenLeft, &day.SeenUntil)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Day{}, fmt.Errorf("reading what upstream says is left of %s/%s: %w", organization, service, err)
	}
	day.Before, err = postgres.Read[ExternalDay](ctx, l.pool, "what others spent", sqlExternalDays, organization, service)
	return day, err
}

// Hour is what a service spent on one class in one of the last 24 hours.
type Hour struct {
	Service string `db:"service"`
	// Class is the class of those calls.
	Class string `db:"class"`
	// Ago is how many whole hours ago it was: 0 is the last one.
	Ago   int   `db:"ago"`
	Calls int64 `db:"calls"`
	// Answered counts those of Calls whose end was reported; Seconds is their duration in all.
	Answered int64   `db:"answered"`
	Seconds  float64 `db:"seconds"`
}

const sqlHours = `
SELECT service, class, least(floor(extract(epoch FROM clock_timestamp() - reserved_at) / 3600), 23)::int AS ago, count(*) AS calls,
	count(finished_at) AS answered, coalesce(sum(extract(epoch FROM finished_at - reserved_at)), 0)::float8 AS seconds
FROM sluice.calls WHERE organization_id = $1 AND reserved_at > clock_timestamp() - interval '24 hours'
GROUP BY service, class, ago ORDER BY service, class, ago`

// Hours returns the use of an organization's allowances in the last 24 hours, by hour.
func (l *Ledger) Hours(ctx context.Context, organization string) ([]Hour, error) {
	return postgres.Read[Hour](ctx, l.pool, "the call log by hours", sqlHours, organization)
}
