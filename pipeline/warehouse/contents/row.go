package contents

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/raw"
	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema"
)

// Row holds the key, the parent and the bookkeeping columns of a row.
type Row struct {
	Key, Parent string
	// Modified is upstream's modification time, zero if it has none; ChangedAt is when the row was
	// last written.
	Modified, ChangedAt time.Time
	// Hash and Call belong to the list record that was last loaded; Position is its position among
	// the records of the call. Hash is nil if a single record made another version of the row.
	Hash     []byte
	Call     int64
	Position int32
	// PayloadHash is the payload hash of that record, zero if it is not known.
	PayloadHash uint64
	// DeletedAt is the row's tombstone, nil if it has none.
	DeletedAt *time.Time
	// DetailState is the detail state, "" for resources without details; DetailCall is zero if no
	// single record was loaded.
	DetailState    string
	DetailHash     []byte
	DetailCall     int64
	DetailPosition int32
}

// Deleted says that the row has a tombstone: its record is gone upstream.
func (r *Row) Deleted() bool { return r.DeletedAt != nil }

// LastCall is the later of the calls that wrote the row.
func (r *Row) LastCall() int64 { return max(r.Call, r.DetailCall) }

// List is the position of the list's raw record.
func (r *Row) List() raw.Ref { return raw.Ref{Call: r.Call, Position: r.Position} }

// Detail is the position of the single record's raw record; its call is zero if there is none.
func (r *Row) Detail() raw.Ref { return raw.Ref{Call: r.DetailCall, Position: r.DetailPosition} }

// rowStatements builds the statements that read rows: by keys, and in the order of keys.
func (t *Table) rowStatements(from, key string) {
	r := t.stream.Resource
	parent, modified, detail := "''", "NULL::timestamptz", "NULL::text, NULL::bytea, NULL::bigint, NULL::integer"
	if name := r.ColumnOfParent(); name != "" {
		parent = "coalesce(t." + quote(name) + "::text, '')"
	}
	for _, c := range r.Columns {
		if c.Wire == r.Modified() && c.Kind == schema.KindTime {
			modified = "t." + quote(c.ColumnName())
		}
	}
	if r.Details != nil {
		detail = "t._detail_state, t._detail_hash, t._detail_call_id, t._detail_raw_position"
	}
	row := fmt.Sprintf(`SELECT t.%[2]s, %[3]s, %[4]s, t._changed_at, nullif(t._content_hash, %[6]s), t._call_id, t._raw_position, t._payload_hash,
	t._deleted_at, %[5]s
FROM %[1]s AS t WHERE t.organization_id = $1 AND `, from, key, parent, modified, detail, statements.NoHash)
	// Each key is looked up separately, as in the loader: otherwise the planner would read all rows
	// of the organization.
	//nolint:unqueryvet // the columns are those of row
	t.sqlRows = `SELECT f.* FROM unnest($2::text[]) AS k (id) CROSS JOIN LATERAL (` + row + `t.` + key + ` = k.id OFFSET 0) AS f ORDER BY 1`
	t.sqlNext = row + `t.` + key + ` > $2 ORDER BY t.` + key + ` LIMIT $3`
}

// Rows returns the rows of keys, in the order of keys; keys without a row are left out.
func (t *Table) Rows(ctx context.Context, view View, keys []string) ([]Row, error) {
	return t.read(ctx, view, t.sqlRows, t.stream.Organization, keys)
}

// Next gives the next n rows after a key, in the order of keys.
func (t *Table) Next(ctx context.Context, view View, key string, n int) ([]Row, error) {
	if err := postgres.InKeyOrder(ctx, view.tx); err != nil {
		return nil, err
	}
	return t.read(ctx, view, t.sqlNext, t.stream.Organization, key, n)
}

func (t *Table) read(ctx context.Context, view View, sql string, args ...any) ([]Row, error) {
	found, _ := view.tx.Query(ctx, sql, args...)
	rows, err := pgx.CollectRows(found, func(at pgx.CollectableRow) (Row, error) {
		var (
			row           Row
			modified      *time.Time
			state         *string
			call, payload *int64
			position      *int32
		)
		err := at.Scan(&row.Key, &row.Parent, &modified, &row.ChangedAt, &row.Hash, &row.Call, &row.Position, &payload, &row.DeletedAt,
			&state, &row.DetailHash, &call, &position)
		if modified != nil {
			row.Modified = *modified
		}
		if payload != nil {
			row.PayloadHash = uint64(*payload) //nolint:gosec // the bits of an unsigned number
		}
		if state != nil {
			row.DetailState = *state
		}
		if call != nil && position != nil {
			row.DetailCall, row.DetailPosition = *call, *position
		}
		return row, err
	})
	return rows, postgres.Fail("reading rows of "+t.stream.String(), err)
}
