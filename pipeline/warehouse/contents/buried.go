package contents

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	sqlHaveTombstones = `
SELECT w.name FROM unnest($1::text[]) AS w (name)
JOIN pg_attribute a ON a.attrelid = to_regclass(w.name) AND a.attname = '_deleted_at' AND NOT a.attisdropped`

	sqlBuried = `
SELECT DISTINCT f._parent_id FROM unnest($2::text[], $3::timestamptz[]) AS k (id, deleted_at) CROSS JOIN LATERAL
(SELECT c._parent_id, c._deleted_at FROM %s AS c WHERE c.organization_id = $1 AND c._parent_id = k.id OFFSET 0) AS f
WHERE f._deleted_at IS DISTINCT FROM k.deleted_at`
)

// Apart returns the keys of rows that have elements with another tombstone than the row. Tables
// without tombstones are left out.
func (t *Table) Apart(ctx context.Context, view View, rows []Row) (map[string]bool, error) {
	apart := map[string]bool{}
	names := make([]string, len(t.tables)-1)
	for i := range names {
		names[i] = pgx.Identifier{t.stream.Resource.SchemaName(t.stream.Service), t.tables[i+1].Name}.Sanitize()
	}
	keys, deleted := make([]string, len(rows)), make([]*time.Time, len(rows))
	for i := range rows {
		keys[i], deleted[i] = rows[i].Key, rows[i].DeletedAt
	}
	have, err := t.keys(ctx, view, sqlHaveTombstones, names)
	if err != nil {
		return nil, err
	}
	for _, name := range have {
		found, err := t.keys(ctx, view, fmt.Sprintf(sqlBuried, name), t.stream.Organization, keys, deleted)
		if err != nil {
			return nil, err
		}
		for _, key := range found {
			apart[key] = true
		}
	}
	return apart, nil
}
