package streams

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// A forecast is made once, and never after the run has loaded something: it would know the outcome.
const sqlStoreForecast = `
INSERT INTO sluice.forecasts (run_id, calls, basis, rows)
SELECT r.id, $4, $5, $6 FROM sluice.streams s JOIN sluice.runs r ON r.id = s.run_id
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3) AND r.pages = 0
ON CONFLICT (run_id) DO NOTHING`

// The figure that was forecast is that of the first run: it was to do it all.
const sqlForecastOfBackfill = `
INSERT INTO sluice.forecasts (run_id, calls, basis, rows)
SELECT $2, forecast_calls, forecast_basis, 0 FROM sluice.backfills
WHERE id = $1 AND forecast_calls IS NOT NULL AND runs = '{}'`

// Forecast is what a run is expected to cost.
type Forecast struct {
	// Calls are those that it makes, Basis what that rests on: declared, measured or assumed.
	Calls int
	Basis string
	// Rows are those that the runs before it inserted.
	Rows int64
}

// StoreForecast notes the forecast of the open run of a stream. It does nothing if there is no open
// run, or if it has loaded something or has its forecast already.
func (s *Schedule) StoreForecast(ctx context.Context, key pipeline.Key, forecast Forecast) error {
	_, err := s.pool.Exec(ctx, sqlStoreForecast, key.Organization, key.Service, key.Resource,
		forecast.Calls, forecast.Basis, forecast.Rows)
	return postgres.Fail("keeping the forecast of "+key.String(), err)
}

// QueueForecastOfBackfill notes the forecast of a backfill as that of its first run.
func QueueForecastOfBackfill(batch *pgx.Batch, backfill, run int64) {
	batch.Queue(sqlForecastOfBackfill, backfill, run)
}
