package tombstones

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema"
)

const (
	// refused are records that Postgres refused: when they were created is not kept.
	refused = `EXISTS (SELECT FROM sluice.quarantine q WHERE (q.organization_id, q.service, q.resource) = ($1, $2, $3)
		AND q.record_id = i.id AND q.state = 'open' AND q.code ~ '^[0-9A-Z]{5}$')`

	sqlSeen = `
WITH i AS (SELECT DISTINCT unnest(s.ids) AS id FROM sluice.sightings s WHERE s.run_id = $4 AND s.call_id > $5)
SELECT count(*) FILTER (WHERE CASE WHEN t.%[2]s IS NULL THEN NOT ` + refused + ` ELSE t.%[3]s < $6 END),
	count(*) FILTER (WHERE CASE WHEN t.%[2]s IS NULL THEN ` + refused + ` ELSE coalesce(t.%[3]s >= $6 AND t.%[3]s < $7, true) END)
FROM i LEFT JOIN %[1]s AS t ON t.organization_id = $1 AND t.%[2]s = i.id`

	// Records in quarantine exist, too. When one was created that came with this very run is
	// unknown, as is whether one exists that a person has set aside. So is whether a row existed that
	// got its tombstone while upstream counted. Sums are those of rows alone, of which none was edited
	// since (%[5]s).
	sqlKnown = `
WITH q AS (
	SELECT DISTINCT ON (q.record_id) q.record_id = '' OR q.state = 'resolved' OR q.first_seen_at >= r.started_at AS unsure
	FROM sluice.quarantine q JOIN sluice.runs r ON r.id = $4
	WHERE (q.organization_id, q.service, q.resource) = ($1, $2, $3) AND q.state <> 'retried'
		AND NOT EXISTS (SELECT FROM %[1]s AS t WHERE t.organization_id = $1 AND t.%[2]s = q.record_id)
	ORDER BY q.record_id, q.state
)
SELECT count(*) FILTER (WHERE t.%[3]s < $5) + (SELECT count(*) FILTER (WHERE NOT unsure) FROM q),
	count(*) FILTER (WHERE coalesce(t.%[3]s >= $5 AND t.%[3]s < $6, true) OR t.%[3]s < $5 AND t._deleted_at < $6)
		+ (SELECT count(*) FILTER (WHERE unsure) FROM q),
	EXISTS (SELECT FROM sluice.tombstones k WHERE (k.organization_id, k.service, k.resource) = ($1, $2, $3) AND k.state = 'needs_review'),
	CASE WHEN NOT EXISTS (SELECT FROM q) AND %[5]s THEN %[4]s END
FROM %[1]s AS t WHERE t.organization_id = $1 AND (t._deleted_at IS NULL OR t._deleted_at >= $5)`
)

// Seen counts the records that a run was shown since a count.
func Seen(ctx context.Context, db postgres.Asker, claim pipeline.Claim, count pipeline.Count) (pipeline.Seen, error) {
	key := claim.Stream.ListKey()
	var seen pipeline.Seen
	err := db.QueryRow(ctx, namesOf(claim.Stream).fillCreated(sqlSeen), key.Organization, key.Service, key.Resource,
		claim.Run, count.Call, count.From, count.To).Scan(&seen.Before, &seen.Between)
	return seen, err
}

// Known counts the records that are known to exist, those in quarantine included, sums up the columns
// of rows that upstream summed up, and says whether deletions among them wait for the operator.
func Known(ctx context.Context, db postgres.Asker, claim pipeline.Claim, count pipeline.Count) (pipeline.Seen, bool, error) {
	key, names := claim.Stream.ListKey(), namesOf(claim.Stream)
	unedited := "true"
	if names.modified != "" {
		unedited = "count(*) FILTER (WHERE t." + names.modified + " >= $5) = 0"
	}
	sql := fmt.Sprintf(sqlKnown, names.table, names.key, names.created, sumsOf(claim.Stream, count.Sums, "t."+names.created+" < $5"), unedited)
	var known pipeline.Seen
	held := false
	err := db.QueryRow(ctx, sql, key.Organization, key.Service, key.Resource,
		claim.Run, count.From, count.To).Scan(&known.Before, &known.Between, &held, &known.Sums)
	if err != nil {
		return known, held, fmt.Errorf("counting the records of %s: %w", key, err)
	}
	return known, held, nil
}

// sumsOf is the expression, in JSON, of the sums of those columns that upstream sums up, over the rows
// t of a condition; null for one that a row has no value of.
func sumsOf(stream pipeline.Stream, sums pipeline.Sums, where string) string {
	var members []string
	for _, column := range stream.Resource.Columns {
		if _, summed := sums[column.Wire]; summed && column.Kind == schema.KindDecimal {
			name := pgx.Identifier{column.ColumnName()}.Sanitize()
			members = append(members, fmt.Sprintf("'%[1]s', CASE WHEN count(*) FILTER (WHERE %[3]s) = count(t.%[2]s) FILTER (WHERE %[3]s) "+
				"THEN coalesce(sum(t.%[2]s) FILTER (WHERE %[3]s), 0)::text END", strings.ReplaceAll(column.Wire, "'", "''"), name, where))
		}
	}
	return "json_strip_nulls(json_build_object(" + strings.Join(members, ", ") + "))"
}

// The cut is the middle value, or the one after the first where the middle is the first.
const sqlHalve = `
WITH part AS (
	SELECT %[2]s AS at, t.* FROM %[1]s AS t
	WHERE t.organization_id = $1 AND t._deleted_at IS NULL AND ($2::timestamptz IS NULL OR %[2]s >= $2)
		AND ($3::timestamptz IS NULL OR %[2]s IS NULL OR %[2]s < $3)
), cut AS (
	SELECT CASE WHEN m.middle > m.first THEN m.middle ELSE (SELECT min(at) FROM part WHERE at > m.first) END AS at
	FROM (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY at) AS middle, min(at) AS first FROM part) AS m
)
SELECT cut.at, count(*), %[3]s FROM cut JOIN part AS t ON t.at >= cut.at GROUP BY cut.at`

// Halve gives the instant, or the midnight UTC of the day, that cuts the rows of a part in two, and
// their tally from that on. The instant is zero if all rows have the same.
func Halve(ctx context.Context, db postgres.Asker, stream pipeline.Stream, axis pipeline.Axis,
	part pipeline.Part,
) (time.Time, pipeline.Tally, error) {
	names := namesOf(stream)
	at := "date_trunc('second', t." + names.modified + ")"
	if axis == pipeline.AxisDay {
		at = "(t." + names.day + "::timestamp AT TIME ZONE 'UTC')"
	}
	var cut time.Time
	var rows pipeline.Tally
	err := db.QueryRow(ctx, fmt.Sprintf(sqlHalve, names.table, at, sumsOf(stream, part.Listed.Sums, "true")), stream.Organization,
		postgres.Instant(part.From), postgres.Instant(part.To)).Scan(&cut, &rows.Records, &rows.Sums)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, rows, nil
	}
	return cut.UTC(), rows, err
}

// Month is what a list has of a month, by the day that it can be filtered by.
type Month struct {
	First time.Time     `db:"first"`
	Rows  int           `db:"rows"`
	Sums  pipeline.Sums `db:"sums"`
	// Moved says that a row of it was created or edited since an instant.
	Moved bool `db:"moved"`
}

const sqlMonths = `
SELECT date_trunc('month', t.%[2]s::timestamp) AT TIME ZONE 'UTC' AS first, count(*) AS rows, %[3]s AS sums,
	bool_or(coalesce(t.%[4]s >= $2, true)%[5]s) AS moved
FROM %[1]s AS t WHERE t.organization_id = $1 AND t._deleted_at IS NULL AND t.%[2]s IS NOT NULL GROUP BY 1 ORDER BY 1`

// Months gives the tally of each month, the earliest first; of columns that upstream sums up, their
// sums.
func Months(ctx context.Context, pool *pgxpool.Pool, stream pipeline.Stream, sums pipeline.Sums, since time.Time) ([]Month, error) {
	names, edited := namesOf(stream), ""
	if names.modified != "" {
		edited = " OR t." + names.modified + " >= $2"
	}
	sql := fmt.Sprintf(sqlMonths, names.table, names.day, sumsOf(stream, sums, "true"), names.created, edited)
	return postgres.Read[Month](ctx, pool, "the months of "+stream.String(), sql, stream.Organization, since)
}
