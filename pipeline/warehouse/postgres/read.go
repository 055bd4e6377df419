package postgres

import (
	"context"
	"fmt"

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
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	return found, nil
}

// Limit returns the wanted number of rows, or a hundred if none is given.
func Limit(wanted int) int {
	const usual = 100
	if wanted <= 0 {
		return usual
	}
	return wanted
}
