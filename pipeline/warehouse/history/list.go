package history

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// History says what is kept of the past of a resource.
type History struct {
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	// Since is the instant from which on the past can be asked for. It is nil while existing rows
	// still get their first version, and where only daily values are kept.
	Since *time.Time `db:"since" json:"since"`
	// Versions says whether versions are kept. Count is their number, at most CountBound; More says
	// that there are more.
	Versions bool  `db:"versions" json:"versions"`
	Count    int64 `db:"count"    json:"count"`
	More     bool  `db:"more"     json:"more"`
	// Daily are the columns and arrays whose values are kept by day.
	Daily []string `db:"daily" json:"daily"`
}

// CountBound bounds how many versions of a resource are counted: counting millions would read them
// all.
const CountBound = 100_000

// An unbroken past can span several periods, each beginning where the one before ended. Pruned
// versions move its beginning.
const sqlHistories = `
WITH kept AS (
	SELECT q.*, began_at IS NOT DISTINCT FROM lag(ended_at) OVER (PARTITION BY service, resource, organization_id ORDER BY asked_at) AS follows
	FROM history.periods q WHERE versions
)
SELECT p.organization_id, p.service, p.resource, p.versions, p.daily, f.since,
	coalesce(least(c.count, $1), 0) AS count, coalesce(c.count > $1, false) AS more
FROM history.periods p
LEFT JOIN LATERAL (
	SELECT greatest(k.began_at, k.dropped_to) AS since FROM kept k
	WHERE (k.organization_id, k.service, k.resource) = (p.organization_id, p.service, p.resource) AND NOT k.follows
	ORDER BY k.asked_at DESC LIMIT 1
) AS f ON p.versions AND p.began_at IS NOT NULL
LEFT JOIN LATERAL (
	SELECT count(*) AS count FROM (
		SELECT FROM history.versions v WHERE (v.service, v.resource, v.organization_id) = (p.service, p.resource, p.organization_id) LIMIT $1 + 1
	) AS counted
) AS c ON true
WHERE p.ended_at IS NULL ORDER BY 1, 2, 3`

// Histories returns the resources whose past is kept.
func Histories(ctx context.Context, pool *pgxpool.Pool) ([]History, error) {
	return postgres.Read[History](ctx, pool, "what is kept of the past", sqlHistories, CountBound)
}
