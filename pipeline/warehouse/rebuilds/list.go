package rebuilds

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// Rebuild is one execution.
type Rebuild struct {
	ID           int64  `db:"id"              json:"id"`
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	Scope        Scope  `db:"scope"           json:"scope"`
	Rows         int64  `db:"rows"            json:"rows"`
	Rewritten    int64  `db:"rewritten"       json:"rewritten"`
	Rejected     int64  `db:"rejected"        json:"rejected"`
	Lost         int64  `db:"lost"            json:"lost"`
	// EndedAt is nil while it goes on, or after it was stopped: then the next one goes on behind
	// its last key. Outcome is done or superseded.
	StartedAt time.Time  `db:"started_at" json:"started_at"`
	EndedAt   *time.Time `db:"ended_at"   json:"ended_at"`
	Outcome   string     `db:"outcome"    json:"outcome,omitempty"`
}

const sqlList = `
SELECT id, organization_id, service, resource, scope, rows, rewritten, rejected, lost, started_at, ended_at, coalesce(outcome, '') AS outcome
FROM sluice.rebuilds ORDER BY id DESC LIMIT $1`

// List returns rebuilds, newest first.
func List(ctx context.Context, pool *pgxpool.Pool, limit int) ([]Rebuild, error) {
	return postgres.Read[Rebuild](ctx, pool, "rebuilds", sqlList, postgres.Limit(limit))
}
