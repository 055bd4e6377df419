package tombstones

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Rows that were loaded or otherwise written after the look began existed then.
const sqlStillLive = `
SELECT t.%[2]s FROM %[1]s AS t
WHERE t.organization_id = $1 AND t.%[2]s = ANY ($2::text[]) AND t._deleted_at IS NULL
	AND t._first_seen_at < least($3, $4::timestamptz) AND t._changed_at < $3
ORDER BY t.%[2]s`

// ConcludeLook makes the rows that a look missed suspected, in the transaction that ends its run,
// and asks for their single records. Upstream's word confirms a look, or a clean scan of the whole
// list; another look does not. Last is the last call of the look.
func ConcludeLook(ctx context.Context, tx pgx.Tx, look Scan, missed pipeline.Absent, last int64) (Verdict, error) {
	var verdict Verdict
	b := bounds{first: missed.First, last: last}
	var none int64
	err := tx.QueryRow(ctx, sqlBounds, look.Run).Scan(&b.began, &none, &none, &none, &b.active)
	if err != nil {
		return verdict, fmt.Errorf("reading when the look began: %w", err)
	}
	if !b.active {
		verdict.Doubt = doubtInactive
		return verdict, nil
	}
	names := namesOf(look.Stream)
	absent, err := collect(tx.Query(ctx, names.fill(sqlStillLive), look.Stream.Organization, missed.IDs, b.began, look.Started))
	if err != nil {
		return verdict, fmt.Errorf("looking at rows that the look missed: %w", err)
	}
	if err := tx.QueryRow(ctx, names.fill(sqlLive), look.Stream.Organization).Scan(&verdict.Live); err != nil {
		return verdict, fmt.Errorf("counting live rows: %w", err)
	}
	verdict.Absent = len(absent)
	if verdict.Shrunken = len(absent) > limit(look.Rules, verdict.Live); verdict.Shrunken {
		return verdict, nil
	}
	ids, err := look.miss(ctx, tx, absent, b, false)
	if err != nil {
		return verdict, err
	}
	verdict.Suspected = len(ids)
	verdict.Requested, err = ask(ctx, tx, look.Stream, ids)
	return verdict, err
}

// A row that was asked for in vain has failed, so the next control is another one.
const sqlControl = `
SELECT t.%[2]s FROM %[1]s AS t
WHERE t.organization_id = $1 AND t._deleted_at IS NULL AND t._detail_state = 'current' AND t.%[2]s <> ALL ($4::text[])
	AND t.%[2]s NOT IN (SELECT record_id FROM sluice.tombstones
		WHERE (organization_id, service, resource) = ($1, $2, $3) AND state IN ('suspected', 'needs_review'))
	AND EXISTS (SELECT FROM sluice.tombstones
		WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4::text[]) AND state = 'suspected' AND NOT shrunken)
ORDER BY t._call_id DESC, t.%[2]s LIMIT 1`

// Control returns a row that upstream should know, not one of ids, if some of ids are suspected; ""
// if none is, or if there is no such row.
func Control(ctx context.Context, db postgres.Asker, stream pipeline.Stream, ids []string) (string, error) {
	key, control := stream.ListKey(), ""
	err := db.QueryRow(ctx, namesOf(stream).fill(sqlControl), key.Organization, key.Service, key.Resource, ids).Scan(&control)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return control, err
}

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
