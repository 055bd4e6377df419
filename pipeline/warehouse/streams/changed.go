package streams

import (
	"context"

	"sluice/pipeline/warehouse/postgres"
)

// Changed is how much of a list changes in a day, by the runs of the last week.
type Changed struct {
	Organization string  `db:"organization_id"`
	Service      string  `db:"service"`
	Resource     string  `db:"resource"`
	PerDay       float64 `db:"per_day"`
	// Days is the time whose changes were read.
	Days float64 `db:"days"`
}

// Only runs that went on from a watermark count: a first run finds everything new. An hour at least
// has to be seen, since less says little about a day.
const sqlChanged = `
SELECT organization_id, service, resource, days::float8, (changes / days)::float8 AS per_day
FROM (
	SELECT organization_id, service, resource, sum(inserted + updated) AS changes,
		extract(epoch FROM max(started_at) - min(watermark_before)) / 86400 AS days
	FROM sluice.runs
	WHERE resource NOT LIKE '%.%' AND ended_at IS NOT NULL AND watermark_before IS NOT NULL AND started_at > clock_timestamp() - interval '7 days'
	GROUP BY organization_id, service, resource
) AS seen
WHERE days >= 1.0 / 24
ORDER BY organization_id, service, resource`

// Changed returns how much of each list changes in a day. It leaves out lists that were read for
// less than an hour.
func (s *Schedule) Changed(ctx context.Context) ([]Changed, error) {
	return postgres.Read[Changed](ctx, s.pool, "what changed", sqlChanged)
}
