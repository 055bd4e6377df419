package tombstones

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/history"
)

// The states of evidence that statements name.
const (
	stateSuspected   = "suspected"
	stateNeedsReview = "needs_review"
	stateDeleted     = "deleted"
)

const (
	// A row that was written since the scan began is alive, whatever the scan says; its lock is
	// waited for. A tombstone is a change of the row, so _changed_at moves when it comes and when
	// it goes.
	sqlBury = `
UPDATE %[1]s AS t SET _deleted_at = $3, _changed_at = now() WHERE t.organization_id = $1 AND t.%[2]s = ANY ($2::text[])
	AND t._deleted_at IS NULL AND t._changed_at < $4
RETURNING t.%[2]s`

	sqlUnbury = `
UPDATE %[1]s AS t SET _deleted_at = NULL, _changed_at = now() WHERE t.organization_id = $1 AND t.%[2]s = ANY ($2::text[])
	AND t._deleted_at IS NOT NULL`

	// Elements follow their record, each time that either was written.
	sqlFollow = `
UPDATE %[3]s AS c SET _deleted_at = t._deleted_at FROM %[1]s AS t
WHERE t.organization_id = $1 AND t.%[2]s = ANY ($2::text[]) AND c.organization_id = $1 AND c._parent_id = t.%[2]s
	AND c._deleted_at IS DISTINCT FROM t._deleted_at`

	sqlForget = `
DELETE FROM sluice.tombstones
WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4::text[]) AND restores = 0`

	// What came back once stays known.
	sqlForgetAgain = `
UPDATE sluice.tombstones SET state = 'restored'
WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4::text[]) AND restores > 0`
)

// names are the tables of a resource, quoted.
type names struct {
	table, key string
	children   []string
}

func namesOf(stream pipeline.Stream) names {
	resource := stream.Resource
	in := resource.SchemaName(stream.Service)
	n := names{table: pgx.Identifier{in, resource.Name}.Sanitize()}
	for _, column := range resource.Columns {
		if column.Wire == resource.ID {
			n.key = pgx.Identifier{column.ColumnName()}.Sanitize()
		}
	}
	tables := resource.Tables()
	for i := range tables[1:] {
		n.children = append(n.children, pgx.Identifier{in, tables[i+1].Name}.Sanitize())
	}
	return n
}

func (n names) fill(sql string) string { return fmt.Sprintf(sql, n.table, n.key) }

// bury puts tombstones on rows and their elements and gives how many rows got one. Evidence of rows
// that were written since began is forgotten: they are alive.
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
	return len(buried), history.Write(ctx, tx, history.ResourceOf(stream), buried)
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

// forget takes evidence back.
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
