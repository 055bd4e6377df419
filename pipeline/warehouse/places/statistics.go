package places

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/postgres"
)

// Statistics of partitions are looked at, too. Their values are arrays of any type; those of
// another role's types are left out, as in tables.
const sqlStatistics = `
SELECT s.schemaname::text, s.tablename::text, s.attname::text, s.values FROM (
	SELECT s.schemaname, s.tablename, s.attname,
		concat_ws(chr(31), s.most_common_vals::text, s.histogram_bounds::text, s.most_common_elems::text) AS values
	FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
	JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
	JOIN pg_catalog.pg_type y ON y.oid = a.atttypid AND y.typnamespace = 'pg_catalog'::regnamespace AND y.typname = ANY ($1)
	JOIN pg_catalog.pg_stats s ON s.schemaname = n.nspname AND s.tablename = t.relname AND s.attname = a.attname
	WHERE t.relowner = (SELECT o.role FROM sluice.owner o)
		AND (n.nspname IN ('sluice', 'history', 'as_of', 'analytics', 'notifications', 'river')
			OR n.nspname IN (SELECT v.name FROM sluice.service_schemas v))
) AS s WHERE %s`

// statistics searches what Postgres keeps of the values of columns. It says of no row whose it is.
func (s *search) statistics(ctx context.Context) error {
	const op = "searching the statistics of the planner"
	tx, err := s.conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: sqlBegin})
	if err != nil {
		return postgres.Fail(op, err)
	}
	defer postgres.Rollback(ctx, tx)
	column := Column{Name: "values", Type: "text"}
	rows, err := tx.Query(ctx, fmt.Sprintf(sqlStatistics, Candidates([]Column{column})), pgx.QueryExecModeDescribeExec, Types())
	if err != nil {
		return postgres.Fail(op, err)
	}
	var t table
	var name string
	var values pgtype.DriverBytes
	_, err = pgx.ForEachRow(rows, []any{&t.schema, &t.name, &name, &values}, func() error {
		if column.Holds(s.Needle, values) {
			t.family = Statistics
			s.place(&t, Column{Name: name}, "").Count = 1
		}
		return nil
	})
	return postgres.Fail(op, err)
}
