// Package contents reads what the tables of one resource hold: rows with their bookkeeping columns,
// and the values of rows that differ from those of records.
//
// It only reads, within a transaction of its caller. No text of a record leaves it, since records
// carry personal data. Package compare of lineage says what a difference means.
//
// Start reading at Table, then Table.Differences.
package contents

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema"
)

// View is what one transaction sees of the warehouse.
type View struct{ tx pgx.Tx }

// Within returns what a transaction sees.
func Within(tx pgx.Tx) View { return View{tx: tx} }

// Look runs fn on one snapshot of the warehouse: later loads are not seen, so rows, their arrays
// and their raw records fit together.
func Look(ctx context.Context, pool *pgxpool.Pool, fn func(View) error) error {
	const op = "looking at the warehouse"
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return postgres.Fail(op, err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // nothing was written
	return fn(View{tx: tx})
}

// Query implements postgres.Querier.
func (v View) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return v.tx.Query(ctx, sql, args...)
}

// Table is the rows of one resource of one organization.
type Table struct {
	stream pipeline.Stream
	tables []schema.Table

	sqlSample, sqlCurrent, sqlAfter, sqlCount, sqlRows, sqlNext string
	// sqlDiffer are the statements that compare records, and then each array, with what is stored.
	sqlDiffer []string
}

// New prepares the statements of a resource.
func New(stream pipeline.Stream) *Table {
	r := stream.Resource
	t := &Table{stream: stream, tables: r.Tables()}
	in := r.SchemaName(stream.Service)
	from, key := pgx.Identifier{in, r.Name}.Sanitize(), quote(r.Columns[0].ColumnName())
	const alive = "_deleted_at IS NULL"
	current := alive
	if r.Details != nil {
		current += " AND _detail_state = 'current'"
	}
	const sample = `SELECT %[2]s FROM %[1]s WHERE organization_id = $1 AND %[3]s ORDER BY random() LIMIT $2`
	t.sqlSample = fmt.Sprintf(sample, from, key, "true")
	t.sqlCurrent = fmt.Sprintf(sample, from, key, current)
	t.sqlAfter = fmt.Sprintf(`SELECT %[2]s FROM %[1]s WHERE organization_id = $1 AND %[2]s > $2 ORDER BY %[2]s LIMIT $3`, from, key)
	t.sqlCount = fmt.Sprintf(`SELECT count(*) FROM %s WHERE organization_id = $1 AND %s`, from, alive)
	t.rowStatements(from, key)
	for i := range t.tables {
		t.sqlDiffer = append(t.sqlDiffer, statement(in, t.tables, i))
	}
	return t
}

// Sample returns at most n random keys. With current, it chooses only from rows without a tombstone
// whose single record is loaded and not outdated.
func (t *Table) Sample(ctx context.Context, view View, n int, current bool) ([]string, error) {
	sql := t.sqlSample
	if current {
		sql = t.sqlCurrent
	}
	return t.keys(ctx, view, sql, t.stream.Organization, n)
}

// After gives the next n keys after a key, in their order.
func (t *Table) After(ctx context.Context, view View, key string, n int) ([]string, error) {
	if err := postgres.InKeyOrder(ctx, view.tx); err != nil {
		return nil, err
	}
	return t.keys(ctx, view, t.sqlAfter, t.stream.Organization, key, n)
}

func (t *Table) keys(ctx context.Context, view View, sql string, args ...any) ([]string, error) {
	return postgres.Collect(ctx, view.tx, "choosing rows of "+t.stream.String(), pgx.RowTo[string], sql, args...)
}

// Count is how many rows without a tombstone the organization has.
func (t *Table) Count(ctx context.Context, view View) (int64, error) {
	var n int64
	if err := view.tx.QueryRow(ctx, t.sqlCount, t.stream.Organization).Scan(&n); err != nil {
		return 0, fmt.Errorf("counting rows of %s: %w", t.stream, err)
	}
	return n, nil
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// Tables returns the tables of the resource, that of its rows first.
func (t *Table) Tables() []schema.Table { return t.tables }
