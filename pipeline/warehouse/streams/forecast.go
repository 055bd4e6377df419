package streams

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// A forecast is made once, and only before the run has loaded something: later it would know the
// outcome.
const sqlStoreForecast = `
INSERT INTO sluice.forecasts (run_id, calls, basis, rows)
SELECT r.id, $4, $5, $6 FROM sluice.streams s JOIN sluice.runs r ON r.id = s.run_id
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3) AND r.pages = 0
ON CONFLICT (run_id) DO NOTHING`

// The backfill's forecast counts as that of its first run, which was expected to do it all.
const sqlForecastOfBackfill = `
INSERT INTO sluice.forecasts (run_id, calls, basis, rows)
SELECT $2, forecast_calls, forecast_basis, 0 FROM sluice.backfills
WHERE id = $1 AND forecast_calls IS NOT NULL AND runs = '{}'`

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
