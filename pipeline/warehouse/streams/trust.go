package streams

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/postgres"
)

// Trust says how far the modification time of a resource's records can be trusted.
type Trust struct {
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	// Changes counts records that changed, in the runs that are kept. Silent counts those of them
	// without a new modification time, which only whole lists show.
	Changes int64 `db:"changes" json:"changes"`
	Silent  int64 `db:"silent"  json:"silent"`
	// Rollbacks counts those of Changes whose modification time went back: upstream was set back.
	Rollbacks int64 `db:"rollbacks" json:"rollbacks"`
	// Whole counts runs that read a whole list over existing rows: without one, silent edits are
	// unknown.
	Whole int64 `db:"whole" json:"whole_lists"`
	// WholeAt is when the last of them ended.
	WholeAt *time.Time `db:"whole_at" json:"last_whole_list"`
}

const sqlTrust = `
SELECT organization_id, service, regexp_replace(resource, '\.sweep$', '') AS resource, sum(updated)::bigint AS changes,
	sum(silent)::bigint AS silent, sum(rollbacks)::bigint AS rollbacks, count(*) FILTER (WHERE whole) AS whole,
	max(ended_at) FILTER (WHERE whole) AS whole_at
FROM (
	SELECT *, resource LIKE '%.sweep' OR class = 'sweep' AND watermark_before IS NOT NULL AS whole
	FROM sluice.runs WHERE resource !~ '\.(details|hinted)$' AND outcome IN ('done', 'provisional')
) AS r
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`

// Trust returns how far modification times can be trusted, for each resource that was read.
func (s *Schedule) Trust(ctx context.Context) ([]Trust, error) {
	return postgres.Read[Trust](ctx, s.pool, "the trust in modification times", sqlTrust)
}
