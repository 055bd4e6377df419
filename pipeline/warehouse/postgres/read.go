package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Querier is a pool, or one transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Read collects rows whose columns have the names in the struct's tags. What names the rows in
// errors.
func Read[T any](ctx context.Context, q Querier, what, sql string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, Fail("reading "+what, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	if err != nil {
		return nil, Fail("reading "+what, err)
	}
	return found, nil
}

// sqlInterpreted has the statements of a transaction interpreted: compiling one takes half a
// second, which is more than it may take in all.
const sqlInterpreted = `SET LOCAL jit = off`

// ReadAll collects rows of all streams or organizations at once, for figures that are asked for
// again and again.
func ReadAll[T any](ctx context.Context, pool Beginner, what string, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	var found []T
	err := InTx(ctx, pool, "reading "+what, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlInterpreted); err != nil {
			return Fail("reading "+what, err)
		}
		rows, err := tx.Query(ctx, sql, args...)
		if err == nil {
			found, err = pgx.CollectRows(rows, scan)
		}
		return Fail("reading "+what, err)
	})
	return found, err
}

// Limit returns the wanted number of rows, or a hundred if none is given.
func Limit(wanted int) int {
	const usual = 100
	if wanted <= 0 {
		return usual
	}
	return wanted
}
