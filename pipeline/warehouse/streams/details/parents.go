package details

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema"
)

// errNoParents is a programming error of the caller: only resources under a PerParent cursor have
// parents.
var errNoParents = errors.New("the resource has no list under each parent")

const (
	// The parent that was tried longest ago comes first, not the one read longest ago: parents
	// whose lists fail would otherwise come before all others for ever. A run tries each parent
	// once.
	sqlNextParent = `
SELECT coalesce((
	SELECT p.parent_id FROM sluice.parents p
	WHERE (p.organization_id, p.service, p.resource) = ($1, $2, $3) AND p.active AND p.run_id IS DISTINCT FROM $4
	ORDER BY p.tried_at NULLS FIRST, p.parent_id LIMIT 1), ''),
	count(*) FILTER (WHERE active AND run_id IS DISTINCT FROM $4), count(*) FILTER (WHERE run_id = $4) > 0
FROM sluice.parents WHERE (organization_id, service, resource) = ($1, $2, $3)`

	// %s finds parents in the warehouse. Rows are written in the order of their keys, so that
	// another writer waits instead of deadlocking.
	sqlFindParents = `
WITH found AS MATERIALIZED (%s),
gone AS (
	UPDATE sluice.parents p SET active = false
	WHERE (p.organization_id, p.service, p.resource) = ($1, $2, $3) AND p.active AND NOT p.listed
		AND NOT EXISTS (SELECT FROM found f WHERE f.id = p.parent_id)
)
INSERT INTO sluice.parents AS p (organization_id, service, resource, parent_id)
SELECT $1, $2, $3, id FROM found ORDER BY id
ON CONFLICT (organization_id, service, resource, parent_id) DO UPDATE SET active = true WHERE NOT p.active`

	sqlUnlistParents = `
UPDATE sluice.parents SET listed = false, active = active AND $5::boolean
WHERE (organization_id, service, resource) = ($1, $2, $3) AND listed AND parent_id <> ALL ($4::text[])`

	sqlListParents = `
INSERT INTO sluice.parents AS p (organization_id, service, resource, parent_id, listed)
SELECT DISTINCT $1, $2, $3, id, true FROM unnest($4::text[]) AS w (id) WHERE id <> '' ORDER BY id
ON CONFLICT (organization_id, service, resource, parent_id) DO UPDATE SET listed = true, active = true
WHERE NOT p.listed OR NOT p.active`

	sqlParentRead = `
UPDATE sluice.parents SET tried_at = clock_timestamp(), run_id = $5::bigint, note = $6,
	read_at = CASE WHEN $6 = '' THEN clock_timestamp() ELSE read_at END,
	failures = CASE WHEN $6 = '' THEN 0 ELSE failures + 1 END, whole_run_id = CASE WHEN $7::boolean THEN $5::bigint END
WHERE (organization_id, service, resource, parent_id) = ($1, $2, $3, $4)`

	// A run that continues a failed one does not try its parents again.
	sqlGoOn = `
UPDATE sluice.parents p SET run_id = $2 FROM sluice.backfills b
WHERE b.id = $1 AND (p.organization_id, p.service, p.resource) = (b.organization_id, b.service, b.resource || '.backfill')
	AND p.run_id = b.runs[array_upper(b.runs, 1)]`
)

// Querier is a pool of connections or a transaction.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// NextParent returns the parent that was tried longest ago, of those that the claim's run has not
// tried, and the number of those; "" if there is none. Before the run tries its first parent, the
// parents are updated. New ones are found in the columns that the declaration names. A parent is no
// longer read if no row refers to it and the configuration does not name it.
func NextParent(ctx context.Context, db Querier, claim pipeline.Claim) (string, int, error) {
	now, err := askParents(ctx, db, claim)
	if err != nil || now.begun {
		return now.parent, now.left, err
	}
	cursor, ok := claim.Stream.Resource.Cursor.(schema.PerParent)
	if !ok {
		return "", 0, errNoParents
	}
	key := claim.Stream.Key()
	find := fmt.Sprintf(sqlFindParents, parentsOf(cursor))
	if _, err := db.Exec(ctx, find, key.Organization, key.Service, key.Resource); err != nil {
		return "", 0, fmt.Errorf("looking for parents in the warehouse: %w", err)
	}
	now, err = askParents(ctx, db, claim)
	return now.parent, now.left, err
}

// round is a run's progress over its parents: the next one, how many are left, and whether it has
// tried any.
type round struct {
	parent string
	left   int
	begun  bool
}

func askParents(ctx context.Context, db Querier, claim pipeline.Claim) (round, error) {
	var now round
	key := claim.Stream.Key()
	err := db.QueryRow(ctx, sqlNextParent, key.Organization, key.Service, key.Resource, claim.Run).Scan(&now.parent, &now.left, &now.begun)
	return now, err
}

// parentsOf returns the query that finds identifiers of parents in the warehouse.
func parentsOf(cursor schema.PerParent) string {
	if len(cursor.From) == 0 {
		return "SELECT ''::text AS id WHERE false"
	}
	parts := make([]string, len(cursor.From))
	for i, from := range cursor.From {
		column := pgx.Identifier{from.Column}.Sanitize()
		parts[i] = fmt.Sprintf("SELECT DISTINCT t.%[1]s AS id FROM %[2]s AS t WHERE t.organization_id = $1 AND t.%[1]s <> ''",
			column, pgx.Identifier{from.Schema, from.Table}.Sanitize())
	}
	return strings.Join(parts, " UNION ")
}

// ListParents makes ids the parents that the configuration names for the stream. Parents that it
// named before are read on only if a row of the warehouse refers to them.
func ListParents(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, ids []string) error {
	cursor, ok := stream.Resource.Cursor.(schema.PerParent)
	if !ok {
		return errNoParents
	}
	if ids == nil {
		ids = []string{} // a nil slice would be a null, and every comparison with it is null
	}
	key := stream.Key()
	if _, err := tx.Exec(ctx, sqlUnlistParents, key.Organization, key.Service, key.Resource, ids, len(cursor.From) > 0); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, sqlListParents, key.Organization, key.Service, key.Resource, ids)
	return err
}

// QueueParentRead records that a run read the list of a parent, or why it failed.
func QueueParentRead(batch *pgx.Batch, claim pipeline.Claim, read pipeline.ParentRead) {
	key := claim.Stream.Key()
	failed := postgres.Clean(read.Failed, postgres.MaxReason)
	batch.Queue(sqlParentRead, key.Organization, key.Service, key.Resource, read.ID, claim.Run, failed, read.Whole)
}

// QueueGoOn makes a new run of a backfill continue with the parents that the previous run has not
// tried.
func QueueGoOn(batch *pgx.Batch, backfill, run int64) { batch.Queue(sqlGoOn, backfill, run) }
