// Package details says what is left to be read for streams that do not read a list of their own:
// rows that need their single record, and parents whose lists have not been read for long.
//
// It never calls upstream and never decides how much of the backlog a run reads. It works on
// connections or in transactions of its caller.
//
// Start reading at Pending; parents.go is about parents.
package details

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
)

const (
	// failedRest is the pause before a single record is asked for again that upstream did not know,
	// or that did not fit.
	failedRest = 24 * time.Hour
	// supersededRest is the pause before a single record is asked for again that was older than its
	// row, which upstream's caches can cause. If it stays older, each pause is as long as the row
	// has waited already, at most failedRest: upstream may never send a newer one.
	supersededRest = time.Hour
)

// errNoDetails is a programming error of the caller.
var errNoDetails = errors.New("the resource declares no details")

const (
	// %[1]s is the table, %[2]s its key, %[3]s the column by which its index of the backlog is
	// sorted. The first half is read in the order of that index. A waiting row that was asked for
	// since it last changed got an answer older than itself. Such rows and failed ones take turns,
	// so that none of them delays another for ever.
	sqlPending = `
(SELECT t.%[2]s FROM %[1]s AS t WHERE t.organization_id = $1 AND t._detail_state IN ('pending', 'stale') AND t._deleted_at IS NULL AND ` + unasked + `
ORDER BY t.%[3]s DESC LIMIT $4)
UNION ALL
(SELECT t.%[2]s FROM %[1]s AS t WHERE t.organization_id = $1 AND t._deleted_at IS NULL AND
	(t._detail_state IN ('pending', 'stale') AND NOT ` + unasked + ` AND ` + rested + `
		OR t._detail_state = 'failed' AND (t._detail_at IS NULL OR t._detail_at <= clock_timestamp() - $3::interval))
ORDER BY t._detail_at NULLS FIRST, t.%[2]s LIMIT $4)
LIMIT $4`

	sqlPendingCount = `
SELECT count(*) FROM %[1]s AS t WHERE t.organization_id = $1 AND t._detail_state IN ('pending', 'stale', 'failed') AND t._deleted_at IS NULL
	AND CASE t._detail_state WHEN 'failed' THEN t._detail_at IS NULL OR t._detail_at <= clock_timestamp() - $3::interval
		ELSE ` + unasked + ` OR ` + rested + ` END`

	unasked = `(t._detail_at IS NULL OR t._detail_at <= t._changed_at)`
	rested  = `t._detail_at <= clock_timestamp() - greatest($2::interval, least(t._detail_at - t._changed_at, $3::interval))`

	// Each row is looked up separately, as in package rows and for the same reason: on a table
	// without statistics the planner would read all rows of the organization.
	lookUp = `unnest($2::text[]) AS k (id) CROSS JOIN LATERAL
(SELECT t.ctid AS place FROM %[1]s AS t WHERE t.organization_id = $1 AND t.%[2]s = k.id OFFSET 0`

	sqlHold = `SELECT FROM ` + lookUp + ` FOR NO KEY UPDATE OF t) AS f`

	sqlFail = `
UPDATE %[1]s AS t SET _detail_state = 'failed', _detail_at = clock_timestamp()
WHERE t.ctid = ANY (ARRAY (SELECT f.place FROM ` + lookUp + `) AS f))`
)

// Pending returns at most limit identifiers of rows that wait for their single record, and how many
// wait in all. Rows that were never asked for and rows whose list record changed since come first,
// newest modification first. Then come rows that failed a day ago or longer, or got an older answer
// an hour ago or longer, the least recently asked first. A row that gets older answers again and
// again pauses for longer each time, a day at most.
func Pending(ctx context.Context, db Querier, stream pipeline.Stream, limit int) ([]string, int, error) {
	var total int
	pending, err := statement(sqlPending, stream)
	if err != nil {
		return nil, 0, err
	}
	count, err := statement(sqlPendingCount, stream)
	if err != nil {
		return nil, 0, err
	}
	rows, err := db.Query(ctx, pending, stream.Organization, supersededRest, failedRest, limit)
	if err != nil {
		return nil, 0, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(ids) < limit {
		return ids, len(ids), err
	}
	err = db.QueryRow(ctx, count, stream.Organization, supersededRest, failedRest).Scan(&total)
	return ids, total, err
}

// Hold locks the rows of these identifiers in the order in which all transactions lock them. The
// caller then locks some of them by loading records and others by QueueFail.
func Hold(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, ids []string) error {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	sql, err := statement(sqlHold, stream)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, sql, stream.Organization, ids)
	return err
}

// QueueFail records that the single records of these identifiers could not be read.
func QueueFail(batch *pgx.Batch, stream pipeline.Stream, ids []string) error {
	sql, err := statement(sqlFail, stream)
	if err != nil {
		return err
	}
	batch.Queue(sql, stream.Organization, ids)
	return nil
}

// statement fills in the table, its key and its order.
func statement(sql string, stream pipeline.Stream) (string, error) {
	resource := stream.Resource
	if resource.Details == nil {
		return "", fmt.Errorf("%s: %w", stream, errNoDetails)
	}
	name := func(wire string) string {
		for _, column := range resource.Columns {
			if column.Wire == wire {
				return pgx.Identifier{column.ColumnName()}.Sanitize()
			}
		}
		return pgx.Identifier{wire}.Sanitize()
	}
	table := pgx.Identifier{resource.SchemaName(stream.Service), resource.Name}.Sanitize()
	return fmt.Sprintf(sql, table, name(resource.ID), name(cmp.Or(resource.Modified(), resource.ID))), nil
}

// Unsettled returns the identifiers that a batch of details asked for in vain: unknown upstream, or
// rejected.
func Unsettled(batch pipeline.Batch) []string {
	ids := slices.Clone(batch.Missing)
	for i := range batch.Rejected {
		if batch.Rejected[i].ID != "" {
			ids = append(ids, batch.Rejected[i].ID)
		}
	}
	return ids
}
