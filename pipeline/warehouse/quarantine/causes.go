package quarantine

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/postgres"
)

// Cause is why records of one list do not fit, with the open entries that it has.
type Cause struct {
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	Code         string `db:"code"            json:"code"`
	// Field is the path without array positions: all lines of an order have one cause.
	Field string `db:"field" json:"field,omitempty"`
	// Entries is the number of open entries, Example the number of the newest of them.
	Entries     int64     `db:"entries"       json:"entries"`
	Example     int64     `db:"example"       json:"example"`
	FirstSeenAt time.Time `db:"first_seen_at" json:"first_seen_at"`
	LastSeenAt  time.Time `db:"last_seen_at"  json:"last_seen_at"`
	// New says that its first entry is not older than a day.
	New bool `db:"new" json:"new,omitempty"`
}

// fieldOf is a path without its array positions.
const fieldOf = `regexp_replace(path, '\[[0-9]+\]', '[]', 'g')`

// The entries are first counted by path, which an index has (quarantine_causes): there are far
// fewer paths than entries, and only of paths the positions are taken away. OFFSET keeps Postgres
// from doing that for each entry.
const sqlCauses = `
SELECT organization_id, service, resource, code, ` + fieldOf + ` AS field, sum(entries)::bigint AS entries, max(example) AS example,
	min(first_seen_at) AS first_seen_at, max(last_seen_at) AS last_seen_at, min(first_seen_at) > clock_timestamp() - interval '1 day' AS new
FROM (
	SELECT organization_id, service, resource, code, path, count(*) AS entries, max(id) AS example,
		min(first_seen_at) AS first_seen_at, max(last_seen_at) AS last_seen_at
	FROM sluice.quarantine
	WHERE state = 'open' AND ($1 = '' OR organization_id = $1) AND ($2 = '' OR service = $2) AND ($3 = '' OR resource = $3)
		AND ($4 = '' OR code = $4) AND ($5::bigint = 0 OR id < $5)
	GROUP BY organization_id, service, resource, code, path
	OFFSET 0
) AS paths
WHERE $6::text IS NULL OR ` + fieldOf + ` = $6
GROUP BY organization_id, service, resource, code, field
ORDER BY new DESC, entries DESC, organization_id, service, resource, code, field
LIMIT $7`

// Causes returns the causes of the open entries: those that are new first, then the largest. Of the
// filter it heeds neither State nor Since.
func (q *Entries) Causes(ctx context.Context, f Filter) ([]Cause, error) {
	return postgres.Read[Cause](ctx, q.pool, "the causes in quarantine", sqlCauses,
		f.Organization, f.Service, f.Resource, f.Code, f.Before, f.Field, postgres.Limit(f.Limit))
}
