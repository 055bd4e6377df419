package warehouse

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Query runs SQL that the caller knows to only read. It returns the names of the columns and every
// value as Postgres writes it, "" for null.
func (db *DB) Query(ctx context.Context, sql string) ([]string, [][]string, error) {
	found, err := db.pool.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, nil, fmt.Errorf("querying: %w", err)
	}
	defer found.Close()
	var names []string
	for _, field := range found.FieldDescriptions() {
		names = append(names, field.Name)
	}
	var rows [][]string
	for found.Next() {
		var row []string
		for _, raw := range found.RawValues() {
			row = append(row, string(raw))
		}
		rows = append(rows, row)
	}
	if err := found.Err(); err != nil {
		return nil, nil, fmt.Errorf("querying: %w", err)
	}
	return names, rows, nil
}

// Span is a range of days or instants, both ends inclusive; a zero time means no bound.
type Span struct{ From, To time.Time }

// %[1]s is the table, %[2]s the column and %[3]s its type.
const sqlRowsWithin = `
SELECT count(t.organization_id) FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS w (first, last, place)
LEFT JOIN %[1]s AS t ON t.organization_id = $1 AND (w.first = '' OR %[2]s >= w.first::%[3]s) AND (w.last = '' OR %[2]s <= w.last::%[3]s)
GROUP BY w.place ORDER BY w.place`

// RowsWithin counts, for each span, an organization's rows whose column lies in it. Table is the
// schema and the name of the table. With day, the column holds days, otherwise instants. Without a
// column, every row counts in every span.
func (db *DB) RowsWithin(ctx context.Context, organization string, table [2]string, column string, day bool, spans ...Span) ([]int64, error) {
	value, kind, layout := "t."+pgx.Identifier{column}.Sanitize(), "timestamptz", time.RFC3339
	if day {
		kind, layout = "date", time.DateOnly
	}
	if column == "" {
		value, spans = "NULL::timestamptz", make([]Span, len(spans))
	}
	first, last := make([]string, len(spans)), make([]string, len(spans))
	for i, span := range spans {
		first[i], last[i] = written(span.From, layout), written(span.To, layout)
	}
	rows, _ := db.pool.Query(ctx, fmt.Sprintf(sqlRowsWithin, pgx.Identifier(table[:]).Sanitize(), value, kind), organization, first, last)
	counts, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("counting rows of %s.%s: %w", table[0], table[1], err)
	}
	return counts, nil
}

func written(at time.Time, layout string) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(layout)
}
