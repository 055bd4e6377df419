package streams

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// Figures are what the metrics show of a stream: a part of its Status that costs one pass over the
// control tables for all streams together.
type Figures struct {
	Organization string     `db:"organization_id"`
	Service      string     `db:"service"`
	Resource     string     `db:"resource"`
	Enabled      bool       `db:"enabled"`
	EverySeconds float64    `db:"every_seconds"`
	State        string     `db:"state"`
	Failures     int        `db:"failures"`
	LastDoneAt   *time.Time `db:"last_done_at"`
	// Watermark is nil where Status has none, or one that proves nothing.
	Watermark *time.Time `db:"watermark"`
	// Quarantined, Withheld and QuarantinedShare are those of Status.
	Quarantined      int64   `db:"quarantined"`
	Withheld         int64   `db:"withheld"`
	QuarantinedShare float64 `db:"quarantined_share"`
	// Waiting counts the hints that were not read yet; nil if nothing tells of the stream.
	Waiting *int64 `db:"waiting"`
}

// Only the last run that ended has the share; a stream keeps its number.
const sqlFigures = `
SELECT s.organization_id, s.service, s.resource, s.enabled, extract(epoch FROM ` + interval + `)::float8 AS every_seconds,
	s.state, s.failures, s.last_done_at,
	CASE WHEN s.watermark <= coalesce(s.scanned_until, clock_timestamp() + interval '1 day') THEN s.watermark END AS watermark,
	coalesce(q.quarantined, 0) AS quarantined, coalesce(q.withheld, 0) AS withheld,
	coalesce(r.quarantined::float8 / nullif(r.received, 0), 0) AS quarantined_share,
	CASE WHEN h.waiting IS NOT NULL OR s.hinted_every IS NOT NULL OR EXISTS (
		SELECT FROM sluice.hints n WHERE (n.organization_id, n.service, n.resource) = (s.organization_id, s.service, s.resource)
	) THEN coalesce(h.waiting, 0) END AS waiting
FROM sluice.streams s
LEFT JOIN sluice.runs r ON r.id = s.last_run_id
LEFT JOIN (
	SELECT organization_id, service, resource, count(*) AS quarantined, count(*) FILTER (WHERE weighed = 'withheld') AS withheld
	FROM sluice.quarantine WHERE state = 'open' GROUP BY organization_id, service, resource
) AS q ON (q.organization_id, q.service, q.resource) = (s.organization_id, s.service, s.resource)
LEFT JOIN (
	SELECT organization_id, service, resource, count(*) AS waiting
	FROM sluice.hints WHERE read_at IS NULL GROUP BY organization_id, service, resource
) AS h ON (h.organization_id, h.service, h.resource) = (s.organization_id, s.service, s.resource)
ORDER BY s.organization_id, s.service, s.resource`

// Figures returns the figures of all streams.
func (s *Schedule) Figures(ctx context.Context) ([]Figures, error) {
	return postgres.ReadAll(ctx, s.pool, "the figures of the streams", pgx.RowToStructByName[Figures], sqlFigures)
}
