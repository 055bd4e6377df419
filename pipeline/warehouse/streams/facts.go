package streams

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Facts is what runs and tables say about a stream, for forecasts.
type Facts struct {
	Organization string `db:"organization_id"`
	Service      string `db:"service"`
	Resource     string `db:"resource"`
	// Watermark is the instant up to which the stream is complete; SinceSeconds is its age by the
	// clock of the database.
	Watermark    *time.Time `db:"watermark"`
	SinceSeconds float64    `db:"since_seconds"`
	EverySeconds float64    `db:"every_seconds"`
	// Runs counts the last runs that ended without failure; Rows counts the rows that all runs
	// inserted.
	Runs int64 `db:"runs"`
	Rows int64 `db:"rows"`
	// RowsBeside counts the rows that other streams of the same list inserted: its backfills and
	// sweeps.
	RowsBeside int64 `db:"rows_beside"`
	// Changed counts new and changed records of the last runs, two weeks at most, that continued
	// from a watermark. WatchedSeconds is the time from the first of these watermarks to the start
	// of the last of these runs.
	Changed        int64   `db:"changed"`
	WatchedSeconds float64 `db:"watched_seconds"`
	// Singles counts the single records that details of the list received since the first of these
	// runs.
	Singles int64 `db:"singles"`
	// Waiting are rows that wait for their single record; Parents are parents whose lists have to
	// be read.
	Waiting int64 `db:"waiting"`
	Parents int64 `db:"parents"`
}

// sqlFacts reads the last runs of each stream, so that a long history costs no more than a short
// one. The last forecast holds what earlier runs inserted; only a stream without one is summed up
// whole. $4 selects streams whose open run has loaded nothing and has no forecast.
const sqlFacts = `
SELECT s.organization_id, s.service, s.resource, s.watermark,
	coalesce(greatest(extract(epoch FROM clock_timestamp() - s.watermark), 0), 0)::float8 AS since_seconds,
	extract(epoch FROM ` + interval + `)::float8 AS every_seconds, r.runs, r.rows,
	(SELECT coalesce(sum(b.inserted), 0)::bigint FROM sluice.runs b WHERE (b.organization_id, b.service) = (s.organization_id, s.service)
		AND b.resource IN (s.resource || '.backfill', s.resource || '.sweep')) AS rows_beside, r.changed, r.watched_seconds,
	(SELECT coalesce(sum(d.received), 0)::bigint FROM sluice.runs d WHERE d.id > r.first_watched
		AND (d.organization_id, d.service, d.resource) = (s.organization_id, s.service, s.resource || '.details')) AS singles,
	coalesce((SELECT b.pending + b.stale FROM sluice.detail_backlog(s.organization_id, s.service, s.resource) AS b), 0) AS waiting,
	(SELECT count(*) FROM sluice.parents p WHERE p.active
		AND (p.organization_id, p.service, p.resource) = (s.organization_id, s.service, s.resource)) AS parents
FROM sluice.streams s CROSS JOIN LATERAL (
	SELECT count(*) FILTER (WHERE outcome <> 'failed') AS runs,
		CASE WHEN max(base) IS NULL THEN (SELECT coalesce(sum(inserted), 0) FROM sluice.runs
				WHERE (organization_id, service, resource) = (s.organization_id, s.service, s.resource))
			ELSE max(base) FILTER (WHERE id = base_id) + sum(inserted) FILTER (WHERE id >= base_id) END::bigint AS rows,
		coalesce(sum(inserted + updated) FILTER (WHERE watched), 0)::bigint AS changed,
		coalesce(extract(epoch FROM max(started_at) FILTER (WHERE watched) - min(watermark_before) FILTER (WHERE watched)), 0)::float8
			AS watched_seconds, min(id) FILTER (WHERE watched) AS first_watched
	FROM (
		SELECT last.*, rows_before AS base, max(id) FILTER (WHERE rows_before IS NOT NULL) OVER () AS base_id,
			watermark_before IS NOT NULL AND ended_at > clock_timestamp() - interval '14 days' AS watched
		FROM (
			SELECT * FROM sluice.runs WHERE (organization_id, service, resource) = (s.organization_id, s.service, s.resource)
			ORDER BY id DESC LIMIT 400
		) AS last
	) AS own
) AS r
WHERE ($1 = '' OR s.organization_id = $1) AND ($2 = '' OR s.service = $2) AND ($3 = '' OR s.resource = $3)
	AND (NOT $4::boolean OR EXISTS (SELECT FROM sluice.runs o WHERE o.id = s.run_id AND o.pages = 0 AND o.forecast_calls IS NULL))
ORDER BY s.organization_id, s.service, s.resource`

// FactsOfStreams returns the facts of the streams of an organization; "" means all.
func (s *Schedule) FactsOfStreams(ctx context.Context, organization string) ([]Facts, error) {
	return postgres.Read[Facts](ctx, s.pool, "what is known of the streams", sqlFacts, organization, "", "", false)
}

// atStart begins a transaction that a run waits for before its first call. A table that another
// session has locked costs the run a second instead of the usual 20, and a slow count costs five.
// Then the run goes on without facts.
var atStart = pgx.TxOptions{BeginQuery: "BEGIN READ ONLY; SET LOCAL lock_timeout = '1s'; SET LOCAL statement_timeout = '5s'"}

// FactsSoon reads the facts of one stream without a long wait; with started it reads them only if a
// run is open that has read no page and has no forecast.
func (s *Schedule) FactsSoon(ctx context.Context, stream pipeline.Key, started bool) ([]Facts, error) {
	var known []Facts
	err := pgx.BeginTxFunc(ctx, s.pool, atStart, func(tx pgx.Tx) error {
		var err error
		known, err = postgres.Read[Facts](ctx, tx, "what is known of a stream", sqlFacts, stream.Organization, stream.Service, stream.Resource, started)
		return err
	})
	return known, err
}

// A forecast is made once, and only before the run has loaded something: later it would know the
// outcome.
const sqlStoreForecast = `
UPDATE sluice.runs r SET forecast_calls = $4, forecast_basis = $5, rows_before = $6 FROM sluice.streams s
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3) AND r.id = s.run_id AND r.pages = 0 AND r.forecast_calls IS NULL`

// The backfill's forecast counts as that of its first run, which was expected to do it all.
const sqlForecastOfBackfill = `
UPDATE sluice.runs r SET forecast_calls = b.forecast_calls, forecast_basis = b.forecast_basis, rows_before = 0 FROM sluice.backfills b
WHERE b.id = $1 AND r.id = $2 AND b.forecast_calls IS NOT NULL AND b.runs = '{}'`

// Forecast is what a run is expected to cost.
type Forecast struct {
	// Calls is the expected number of calls; Basis is what it rests on: declared, measured or
	// assumed.
	Calls int
	Basis string
	// Rows counts the rows that earlier runs inserted.
	Rows int64
}

// StoreForecast stores the forecast of the open run of a stream. It does nothing if there is no
// open run, or if that has loaded something or has a forecast.
func (s *Schedule) StoreForecast(ctx context.Context, key pipeline.Key, forecast Forecast) error {
	_, err := s.pool.Exec(ctx, sqlStoreForecast, key.Organization, key.Service, key.Resource,
		forecast.Calls, forecast.Basis, forecast.Rows)
	return postgres.Fail("keeping the forecast of "+key.String(), err)
}

// QueueForecastOfBackfill stores the forecast of a backfill as that of its first run.
func QueueForecastOfBackfill(batch *pgx.Batch, backfill, run int64) {
	batch.Queue(sqlForecastOfBackfill, backfill, run)
}
