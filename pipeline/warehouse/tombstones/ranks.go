package tombstones

import (
	"context"
	"fmt"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

const (
	// Rows that a scan missed do not count: they wait for upstream's word or for a sweep, and would
	// be missing in every look until then. %[3]s is the time of creation.
	ranked = `
FROM %[1]s AS t WHERE t.organization_id = $1 AND t._deleted_at IS NULL AND t.%[3]s IS NOT NULL
	AND t.%[2]s NOT IN (SELECT record_id FROM sluice.tombstones
		WHERE (organization_id, service, resource) = ($1, $2, $3) AND state IN ('suspected', 'needs_review'))`

	sqlExtent = `SELECT count(*)` + ranked

	sqlBetween = `
SELECT count(*) FILTER (WHERE t.%[3]s < $4::timestamptz),
	coalesce(array_agg(t.%[2]s) FILTER (WHERE coalesce(t.%[3]s >= $4::timestamptz, true) AND coalesce(t.%[3]s < $5::timestamptz, true)), '{}')` + ranked
)

// Extent returns how many rows stand in the order of creation, and how many of them a look may
// miss.
//
//nolint:nonamedreturns // the names say which is which
func Extent(ctx context.Context, db postgres.Asker, stream pipeline.Stream, rules pipeline.TombstoneRules) (rows, most int, err error) {
	key := stream.ListKey()
	err = db.QueryRow(ctx, namesOf(stream).fillCreated(sqlExtent), key.Organization, key.Service, key.Resource).Scan(&rows)
	return rows, limit(rules, rows), err
}

// Between returns how many rows were created before an instant, and the identifiers of those that
// were created then or later, and before another instant. A zero instant is no bound.
//
//nolint:nonamedreturns // the names say which is which
func Between(ctx context.Context, db postgres.Asker, stream pipeline.Stream, from, to time.Time) (before int, ids []string, err error) {
	key := stream.ListKey()
	err = db.QueryRow(ctx, namesOf(stream).fillCreated(sqlBetween), key.Organization, key.Service, key.Resource,
		postgres.Instant(from), postgres.Instant(to)).Scan(&before, &ids)
	return before, ids, err
}

// fillCreated does what fill does, and fills in the column of the time of creation.
func (n names) fillCreated(sql string) string { return fmt.Sprintf(sql, n.table, n.key, n.created) }
