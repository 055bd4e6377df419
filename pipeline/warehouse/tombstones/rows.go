package tombstones

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/history"
)

// The states of evidence that Go code compares or sets.
const (
	stateSuspected   = "suspected"
	stateNeedsReview = "needs_review"
	stateDeleted     = "deleted"
)

const (
	// A row that was written since the scan began is alive, whatever the scan says; the statement
	// waits for its lock. A tombstone changes the row, so _changed_at moves when it is set and when
	// it is removed.
	sqlBury = `
UPDATE %[1]s AS t SET _deleted_at = $3, _changed_at = now() WHERE t.organization_id = $1 AND t.%[2]s = ANY ($2::text[])
	AND t._deleted_at IS NULL AND t._changed_at < $4
RETURNING t.%[2]s`

	sqlUnbury = `
UPDATE %[1]s AS t SET _deleted_at = NULL, _changed_at = now() WHERE t.organization_id = $1 AND t.%[2]s = ANY ($2::text[])
	AND t._deleted_at IS NOT NULL
RETURNING t.%[2]s`

	// Elements get the tombstone of their record, each time that either was written.
	sqlFollow = `
UPDATE %[3]s AS c SET _deleted_at = t._deleted_at FROM %[1]s AS t
WHERE t.organization_id = $1 AND t.%[2]s = ANY ($2::text[]) AND c.organization_id = $1 AND c._parent_id = t.%[2]s
	AND c._deleted_at IS DISTINCT FROM t._deleted_at`

	sqlForget = `
DELETE FROM sluice.tombstones
WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4::text[]) AND restores = 0`

	// Evidence of a record that came back once is kept.
	sqlForgetAgain = `
UPDATE sluice.tombstones SET state = 'restored'
WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4::text[]) AND restores > 0`
)

// names are the tables of a resource, quoted.
type names struct {
	table, key string
	// created is the time of creation by which the list is ordered, modified and day what it can be
	// filtered by, parent the column of the parent under which a record is listed; "" if there is none.
	created  string
	modified string
	day      string
	parent   string
	children []string
}

func namesOf(stream pipeline.Stream) names {
	resource := stream.Resource
	in := resource.SchemaName(stream.Service)
	n := names{table: pgx.Identifier{in, resource.Name}.Sanitize()}
	for _, column := range resource.Columns {
		name := pgx.Identifier{column.ColumnName()}.Sanitize()
		if column.Wire == resource.ID {
			n.key = name
		}
		if column.Wire == resource.Created() {
			n.created = name
		}
		if column.Wire == resource.Modified() {
			n.modified = name
		}
		if w := resource.Window; w != nil && column.Wire == w.Column {
			n.day = name
		}
	}
	if parent := resource.ColumnOfParent(); parent != "" {
		n.parent = pgx.Identifier{parent}.Sanitize()
	}
	tables := resource.Tables()
	for i := range tables[1:] {
		n.children = append(n.children, pgx.Identifier{in, tables[i+1].Name}.Sanitize())
	}
	return n
}

func (n names) fill(sql string) string { return fmt.Sprintf(sql, n.table, n.key) }

func (n names) fillParent(sql string) string { return fmt.Sprintf(sql, n.table, n.key, n.parent) }

// bury sets tombstones on rows and their elements and returns how many rows got one. It drops the
// evidence of rows that were written since began: they are alive.
func bury(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, ids []string, gone, began time.Time) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	buried, err := collect(tx.Query(ctx, namesOf(stream).fill(sqlBury), stream.Organization, ids, gone, began))
	if err != nil {
		return 0, fmt.Errorf("marking rows as gone: %w", err)
	}
	if len(buried) < len(ids) {
		marked := make(map[string]bool, len(buried))
		for _, id := range buried {
			marked[id] = true
		}
		var alive []string
		for _, id := range ids {
			if !marked[id] {
				alive = append(alive, id)
			}
		}
		if err := forget(ctx, tx, stream, alive); err != nil {
			return 0, err
		}
	}
	if err := Follow(ctx, tx, stream, buried); err != nil {
		return 0, err
	}
	if err := logChange(ctx, tx, stream, changes.Deleted, buried); err != nil {
		return 0, err
	}
	return len(buried), history.Write(ctx, tx, stream.ListKey(), buried)
}

func logChange(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, op changes.Op, ids []string) error {
	return changes.Write(ctx, tx, stream.Organization, changes.TableOf(stream), op, ids)
}

// Follow brings the tombstones of elements in line with those of their records.
func Follow(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	n := namesOf(stream)
	for _, child := range n.children {
		if _, err := tx.Exec(ctx, fmt.Sprintf(sqlFollow, n.table, n.key, child), stream.Organization, ids); err != nil {
			return fmt.Errorf("marking elements in %s: %w", child, err)
		}
	}
	return nil
}

// forget drops evidence; records that came back before return to the state restored.
func forget(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	key := stream.ListKey()
	for _, sql := range []string{sqlForget, sqlForgetAgain} {
		if _, err := tx.Exec(ctx, sql, key.Organization, key.Service, key.Resource, ids); err != nil {
			return fmt.Errorf("taking evidence back: %w", err)
		}
	}
	return nil
}
