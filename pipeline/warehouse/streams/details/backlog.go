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
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/schema"
)

const (
	// failedRest is the pause before a single record is asked for again that upstream did not know,
	// or that did not fit.
	failedRest = 24 * time.Hour
	// supersededRest is the pause before a single record is asked for again that was older than its
	// row, which upstream's caches can cause. If it stays older, each pause is as long as the row
	// has waited already, at most failedRest: upstream may never send a newer one.
	supersededRest = time.Hour
	// turn is how many places have one for the row that has waited longest.
	turn = 10
)

// errNoDetails is a programming error of the caller.
var errNoDetails = errors.New("the resource declares no details")

const (
	// %[1]s is the table, %[2]s its key, %[3]s the column by which its index of the backlog is
	// sorted, %[4]s the column that says what is open, %[5]s the amount. A row is asked for if it
	// is stale and yet was never tried: package tombstones leaves it so. A waiting row that was
	// asked for since it last changed got an answer older than itself. Such rows and failed ones
	// (later) take turns behind all others, so that none of them delays another for ever.
	sqlPending = `
WITH waiting AS MATERIALIZED (
	SELECT t.%[2]s AS id, t.%[3]s AS newest, coalesce(%[4]s = ANY ($4::text[]), false) AS open,
		%[5]s * CASE WHEN %[4]s = ANY ($4::text[]) THEN 10 ELSE 1 END AS value,
		t._detail_state = 'stale' AND t._detail_at IS NULL AS asked, coalesce(t._detail_at, t._first_seen_at) AS since,
		CASE WHEN t._detail_state = 'failed' OR NOT ` + unasked + ` THEN coalesce(t._detail_at, '-infinity') END AS later
	FROM %[1]s AS t WHERE t.organization_id = $1 AND t._detail_state IN ('pending', 'stale', 'failed') AND t._deleted_at IS NULL
		AND CASE t._detail_state WHEN 'failed' THEN t._detail_at IS NULL OR t._detail_at <= clock_timestamp() - $3::interval
			ELSE ` + unasked + ` OR ` + rested + ` END
)
SELECT ARRAY (SELECT id FROM waiting ORDER BY later NULLS FIRST, asked DESC, value DESC NULLS LAST, open DESC, newest DESC, id LIMIT $5),
	ARRAY (SELECT id FROM waiting ORDER BY since, id LIMIT $5 / 10 + 1), (SELECT count(*) FROM waiting)`

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
// wait in all. Rows that were asked for come first, then those of the largest amounts in the base
// currency, an open row's taken tenfold, then open ones, then the newest; schema.Value names the
// columns. Behind them come rows that failed a day ago or longer, or got an older answer an hour
// ago or longer, the least recently asked first. A row that gets older answers again and again
// pauses for longer each time, a day at most.
//
// Every tenth place belongs to the row that has waited longest, so that none waits for ever. Place
// is that of the first identifier, from 0.
func Pending(ctx context.Context, db Querier, stream pipeline.Stream, place, limit int) ([]string, int, error) {
	sql, err := statement(sqlPending, stream)
	if err != nil {
		return nil, 0, err
	}
	var open []string
	if value := stream.Resource.Details.Value; value != nil && value.Open != nil {
		open = value.Open.Is
	}
	var first, longest []string
	var total int
	err = db.QueryRow(ctx, sql, stream.Organization, supersededRest, failedRest, open, limit).Scan(&first, &longest, &total)
	return inTurn(first, longest, place, limit), total, err
}

// inTurn returns at most limit identifiers of first, which holds that many or all. Every tenth
// place belongs to the next of longest.
func inTurn(first, longest []string, place, limit int) []string {
	var ids []string
	taken := make(map[string]bool, limit)
	for len(first) > 0 && len(ids) < limit {
		from := &first
		if len(longest) > 0 && (place+len(ids))%turn == turn-1 {
			from = &longest
		}
		if id := (*from)[0]; !taken[id] {
			ids, taken[id] = append(ids, id), true
		}
		*from = (*from)[1:]
	}
	return ids
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

// statement fills in the table, its key, its order, and what makes its rows valuable.
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
	open, value := "NULL::text", "NULL::numeric"
	if v := resource.Details.Value; v != nil {
		if v.Open != nil {
			open = "t." + name(v.Open.Column)
		}
		value = amount(v, name)
	}
	table := pgx.Identifier{resource.SchemaName(stream.Service), resource.Name}.Sanitize()
	return fmt.Sprintf(sql, table, name(resource.ID), name(cmp.Or(resource.Modified(), resource.ID)), open, value), nil
}

// amount is the amount of a row in the base currency, null where the row has none or no rate. A
// loss counts as much as a gain.
func amount(v *schema.Value, name func(wire string) string) string {
	parts := []string{"NULL::numeric"}
	for _, wire := range v.Amounts {
		parts = append(parts, "t."+name(wire))
	}
	rate := "1"
	if v.Rate != "" {
		rate = "t." + name(v.Rate)
	}
	return "abs(coalesce(" + strings.Join(parts, ", ") + ") * " + rate + ")"
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
