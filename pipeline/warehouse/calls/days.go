package calls

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Allowance is a service of an organization, with when its day turns.
type Allowance struct {
	Organization string
	Service      string
	// ResetHour and ResetZone are those of pipeline.Limits.
	ResetHour int
	ResetZone string
}

// The days of all allowances at once; the clock is read once. Their boundaries are those of
// reserve_call, in the migrations. What an answer of a day that is over said does not count.
//
// An hour that is over has a row of its own from the next reservation on. Up to the newest of them,
// spans are summed up by whole hours, and by minutes at both ends.
const sqlDays = `
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS at), asked AS MATERIALIZED (
	SELECT w.number, w.organization_id, w.service, clock.at, coalesce(h.newest, '-infinity') AS newest,
		CASE w.zone WHEN '' THEN clock.at - interval '24 hours' ELSE sluice.last_reset(clock.at - interval '1 minute', w.hour, w.zone) END AS since,
		CASE w.zone WHEN '' THEN NULL
			ELSE sluice.last_reset(sluice.last_reset(clock.at - interval '1 minute', w.hour, w.zone) + interval '36 hours', w.hour, w.zone) END AS turn
	FROM clock, unnest($1::text[], $2::text[], $3::integer[], $4::text[]) WITH ORDINALITY AS w (organization_id, service, hour, zone, number)
	CROSS JOIN LATERAL (
		SELECT max(n.began_at) AS newest FROM sluice.spent n WHERE n.organization_id = w.organization_id AND n.service = w.service AND n.span = 'hour'
	) AS h
), spans AS MATERIALIZED (
	SELECT a.number, v.what, a.organization_id, a.service, v.low, v.high, v.whole,
		greatest(v.whole, least(a.newest, date_bin('1 hour', v.high, 'epoch'))) AS part
	FROM asked a LEFT JOIN sluice.day_budgets d ON d.organization_id = a.organization_id AND d.service = a.service AND d.reset_at > a.at
	CROSS JOIN LATERAL (VALUES
		('day', a.since - interval '1 minute' + interval '1 microsecond', 'infinity',
			date_bin('1 hour', a.since - interval '1 minute', 'epoch') + interval '1 hour'),
		('hour', a.at - interval '1 hour' + interval '1 microsecond', 'infinity', 'infinity'),
		('seen', date_bin('1 minute', d.reset_at - interval '24 hours', 'epoch'), d.seen_bucket,
			date_bin('1 hour', d.reset_at - interval '24 hours', 'epoch') + interval '1 hour'),
		('since', d.seen_bucket, 'infinity', 'infinity')) AS v (what, low, high, whole)
	WHERE v.low IS NOT NULL AND v.high IS NOT NULL
), sums AS (
	SELECT p.number, p.what, sum(s.reserved) AS reserved, sum(s.calls) AS calls, sum(s.incremental) AS incremental, sum(s.details) AS details,
		sum(s.sweep) AS sweep, sum(s.backfill) AS backfill, sum(s.probe) AS probe, sum(s.hinted) AS hinted
	FROM spans p CROSS JOIN LATERAL (
		SELECT m.reserved, m.calls, m.incremental, m.details, m.sweep, m.backfill, m.probe, m.hinted
		FROM sluice.spent m WHERE m.organization_id = p.organization_id AND m.service = p.service AND m.span = 'minute'
			AND m.began_at >= p.low AND m.began_at < least(p.whole, p.high)
		UNION ALL
		SELECT m.reserved, m.calls, m.incremental, m.details, m.sweep, m.backfill, m.probe, m.hinted
		FROM sluice.spent m WHERE m.organization_id = p.organization_id AND m.service = p.service AND m.span = 'hour'
			AND m.began_at >= p.whole AND m.began_at < p.part
		UNION ALL
		SELECT m.reserved, m.calls, m.incremental, m.details, m.sweep, m.backfill, m.probe, m.hinted
		FROM sluice.spent m WHERE m.organization_id = p.organization_id AND m.service = p.service AND m.span = 'minute'
			AND m.began_at >= p.part AND m.began_at < p.high
	) AS s GROUP BY p.number, p.what
)
SELECT a.at, a.turn, coalesce(s.calls, 0), coalesce(s.incremental, 0), coalesce(s.details, 0), coalesce(s.sweep, 0), coalesce(s.backfill, 0),
	coalesce(s.probe, 0), coalesce(s.hinted, 0), coalesce(h.reserved, 0),
	CASE WHEN d.limit_seen > 0 THEN greatest(0, d.limit_seen - d.remaining_seen - coalesce(d.seen_place, 0) - coalesce(e.reserved, 0)) END,
	CASE WHEN d.remaining_seen IS NOT NULL THEN greatest(0, d.remaining_seen + coalesce(d.seen_place, 0) - coalesce(l.reserved, 0)) END, d.reset_at
FROM asked a LEFT JOIN sums s ON s.number = a.number AND s.what = 'day' LEFT JOIN sums h ON h.number = a.number AND h.what = 'hour'
LEFT JOIN sums e ON e.number = a.number AND e.what = 'seen' LEFT JOIN sums l ON l.number = a.number AND l.what = 'since'
LEFT JOIN sluice.day_budgets d ON d.organization_id = a.organization_id AND d.service = a.service AND d.reset_at > a.at
ORDER BY a.number`

// Days returns the days of allowances in their order, without the earlier days of upstream. It
// costs one pass over the counts that reservations keep, and none over the call log.
func (l *Ledger) Days(ctx context.Context, of []Allowance) ([]Day, error) {
	organizations, services := make([]string, len(of)), make([]string, len(of))
	hours, zones := make([]int, len(of)), make([]string, len(of))
	for i := range of {
		organizations[i], services[i], hours[i], zones[i] = of[i].Organization, of[i].Service, of[i].ResetHour, of[i].ResetZone
	}
	return postgres.ReadAll(ctx, l.pool, "the days of all services", func(row pgx.CollectableRow) (Day, error) {
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
	}, sqlDays, organizations, services, hours, zones)
}
