package calls

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
)

// Allowance is a service of an organization, with when its day turns.
type Allowance struct {
	Organization string
	Service      string
	// ResetHour and ResetZone are those of pipeline.Limits.
	ResetHour int
	ResetZone string
}

// The same figures as sqlDaySpent and sqlSeenLeft, for all allowances at once; the clock is read
// once. What an answer of a day that is over said does not count.
const sqlDays = `
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS at), asked AS MATERIALIZED (
	SELECT w.number, w.organization_id, w.service, clock.at,
		CASE w.zone WHEN '' THEN clock.at - interval '24 hours' ELSE sluice.last_reset(clock.at - interval '1 minute', w.hour, w.zone) END AS since,
		CASE w.zone WHEN '' THEN NULL
			ELSE sluice.last_reset(sluice.last_reset(clock.at - interval '1 minute', w.hour, w.zone) + interval '36 hours', w.hour, w.zone) END AS turn
	FROM clock, unnest($1::text[], $2::text[], $3::integer[], $4::text[]) WITH ORDINALITY AS w (organization_id, service, hour, zone, number)
)
SELECT a.at, a.turn, s.calls, s.incremental, s.details, s.sweep, s.backfill, s.probe, s.hinted, l.reserved,
	CASE WHEN d.reset_at > a.at THEN sluice.external_calls(a.organization_id, a.service) END,
	CASE WHEN d.reset_at > a.at THEN greatest(0, d.remaining_seen + coalesce(d.seen_place, 0) - (
		SELECT coalesce(sum(m.reserved), 0) FROM sluice.spent m
		WHERE m.organization_id = a.organization_id AND m.service = a.service AND m.span = 'minute' AND m.began_at >= d.seen_bucket)) END,
	CASE WHEN d.reset_at > a.at THEN d.reset_at END
FROM asked a CROSS JOIN LATERAL (
	SELECT coalesce(sum(p.calls), 0) AS calls, coalesce(sum(p.incremental), 0) AS incremental, coalesce(sum(p.details), 0) AS details,
		coalesce(sum(p.sweep), 0) AS sweep, coalesce(sum(p.backfill), 0) AS backfill, coalesce(sum(p.probe), 0) AS probe,
		coalesce(sum(p.hinted), 0) AS hinted
	FROM sluice.day_spent(a.organization_id, a.service, a.at, a.since, NULL, '24 hours') AS p
) AS s CROSS JOIN LATERAL (
	SELECT coalesce(sum(m.reserved), 0) AS reserved FROM sluice.spent m
	WHERE m.organization_id = a.organization_id AND m.service = a.service AND m.span = 'minute' AND m.began_at > a.at - interval '1 hour'
) AS l LEFT JOIN sluice.day_budgets d ON d.organization_id = a.organization_id AND d.service = a.service
ORDER BY a.number`

// Days returns the days of allowances in their order, without the earlier days of upstream. It
// costs one pass over the counts that reservations keep, and none over the call log.
func (l *Ledger) Days(ctx context.Context, of []Allowance) ([]Day, error) {
	organizations, services := make([]string, len(of)), make([]string, len(of))
	hours, zones := make([]int, len(of)), make([]string, len(of))
	for i := range of {
		organizations[i], services[i], hours[i], zones[i] = of[i].Organization, of[i].Service, of[i].ResetHour, of[i].ResetZone
	}
	rows, err := l.pool.Query(ctx, sqlDays, organizations, services, hours, zones)
	if err != nil {
		return nil, fmt.Errorf("counting the days of all services: %w", err)
	}
	days, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Day, error) {
		day := Day{ByClass: make(map[pipeline.Class]int64)}
		counts := make([]int64, len(pipeline.Classes()))
		into := []any{&day.At, &day.Turn, &day.Spent}
		for i := range counts {
			into = append(into, &counts[i])
		}
		err := row.Scan(append(into, &day.LastHour, &day.External, &day.SeenLeft, &day.SeenUntil)...)
		for i, class := range pipeline.Classes() {
			day.ByClass[class] = counts[i]
		}
		return day, err
	})
	if err != nil {
		return nil, fmt.Errorf("counting the days of all services: %w", err)
	}
	return days, nil
}
