package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/lineage/audit/values"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/rebuild"
	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema"
)

// Table is the rows of one resource of one organization. Its values are compared by package values.
type Table struct {
	*values.Table

	stream    pipeline.Stream
	normalize rebuild.Normalize

	sqlKeys, sqlCurrent, sqlBehind, sqlRows, sqlCount string
}

// NewTable prepares the statements. The function normalize is the declaration as it is now; it is used by Local alone.
func NewTable(stream pipeline.Stream, normalize rebuild.Normalize) *Table {
	r := stream.Resource
	t := &Table{Table: values.New(stream), stream: stream, normalize: normalize}
	from := pgx.Identifier{r.SchemaName(stream.Service), r.Name}.Sanitize()
	key := quote(r.Columns[0].ColumnName())
	parent, modified, detail, alive := "''", "NULL::timestamptz", "NULL::text, NULL::bytea, NULL::bigint, NULL::integer", "_deleted_at IS NULL"
	current := alive
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
		current = alive + " AND _detail_state = 'current'"
	}
	const keys = `SELECT %[2]s FROM %[1]s WHERE organization_id = $1 AND %[3]s ORDER BY random() LIMIT $2`
	t.sqlKeys = fmt.Sprintf(keys, from, key, "true")
	t.sqlCurrent = fmt.Sprintf(keys, from, key, current)
	t.sqlBehind = fmt.Sprintf(`SELECT %[2]s FROM %[1]s WHERE organization_id = $1 AND %[2]s > $2 ORDER BY %[2]s LIMIT $3`, from, key)
	t.sqlCount = fmt.Sprintf(`SELECT count(*) FROM %s WHERE organization_id = $1 AND %s`, from, alive)
	// Each key is looked up by itself, as the loader's probe does it: the planner would rather read all rows of the organization.
	const rows = `SELECT f.key, f.parent, f.modified, f.hash, f.call, f.place, f.gone, f.state, f.detail_hash, f.detail_call, f.detail_place
FROM unnest($2::text[]) AS k (id) CROSS JOIN LATERAL (
SELECT t.%[2]s, %[3]s, %[4]s, nullif(t._hash, %[6]s), t._call_id, t._raw_position, t._deleted_at IS NOT NULL, %[5]s
FROM %[1]s AS t WHERE t.organization_id = $1 AND t.%[2]s = k.id OFFSET 0
) AS f (key, parent, modified, hash, call, place, gone, state, detail_hash, detail_call, detail_place) ORDER BY f.key`
	t.sqlRows = fmt.Sprintf(rows, from, key, parent, modified, detail, statements.NoHash)
	return t
}

// Row is what a row says about itself.
type Row struct {
	Key, Parent string
	// Modified is upstream's modification time; zero if it has none.
	Modified time.Time
	// Hash, Call and Position are of the list record that was last loaded; Hash is nil if a single record made another version of the row.
	Hash     []byte
	Call     int64
	Position int32
	// Gone says that the row has a tombstone: upstream is not expected to know its record.
	Gone bool
	// DetailState is what is known of the single record, "" where there are none; DetailCall is zero if none was loaded.
	DetailState    string
	DetailHash     []byte
	DetailCall     int64
	DetailPosition int32
}

// LastCall is the later of the calls that wrote the row.
func (r *Row) LastCall() int64 { return max(r.Call, r.DetailCall) }

// Sample gives at most n keys by chance. If current is set, only rows without a tombstone whose single record is loaded and not outdated.
func (t *Table) Sample(ctx context.Context, tx pgx.Tx, n int, current bool) ([]string, error) {
	sql := t.sqlKeys
	if current {
		sql = t.sqlCurrent
	}
	return t.keys(ctx, tx, sql, t.stream.Organization, n)
}

// Behind gives the next n keys behind a key, in their order.
func (t *Table) Behind(ctx context.Context, tx pgx.Tx, key string, n int) ([]string, error) {
	if err := postgres.InKeyOrder(ctx, tx); err != nil {
		return nil, err
	}
	return t.keys(ctx, tx, t.sqlBehind, t.stream.Organization, key, n)
}

func (t *Table) keys(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]string, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("choosing rows of %s: %w", t.stream, err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("choosing rows of %s: %w", t.stream, err)
	}
	return keys, nil
}

// Count is how many rows without a tombstone the organization has.
func (t *Table) Count(ctx context.Context, tx pgx.Tx) (int64, error) {
	var n int64
	if err := tx.QueryRow(ctx, t.sqlCount, t.stream.Organization).Scan(&n); err != nil {
		return 0, fmt.Errorf("counting rows of %s: %w", t.stream, err)
	}
	return n, nil
}

// Rows gives the rows of keys, in the order of keys; those that are not there are left out.
func (t *Table) Rows(ctx context.Context, tx pgx.Tx, keys []string) ([]Row, error) {
	found, err := tx.Query(ctx, t.sqlRows, t.stream.Organization, keys)
	if err != nil {
		return nil, fmt.Errorf("reading rows of %s: %w", t.stream, err)
	}
	rows, err := pgx.CollectRows(found, func(at pgx.CollectableRow) (Row, error) {
		var (
			row      Row
			modified *time.Time
			state    *string
			call     *int64
			position *int32
		)
		err := at.Scan(&row.Key, &row.Parent, &modified, &row.Hash, &row.Call, &row.Position, &row.Gone, &state, &row.DetailHash, &call, &position)
		if modified != nil {
			row.Modified = *modified
		}
		if state != nil {
			row.DetailState = *state
		}
		if call != nil && position != nil {
			row.DetailCall, row.DetailPosition = *call, *position
		}
		return row, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading rows of %s: %w", t.stream, err)
	}
	return rows, nil
}

// finding is one about a record of the table.
func (t *Table) finding(severity Severity, source Source, code, record, detail string) Finding {
	return Finding{
		Severity: severity, Source: source, Code: code, Organization: t.stream.Organization, Service: t.stream.Service.Name,
		Resource: t.stream.Resource.Name, Record: record, Detail: detail,
	}
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
