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

// Read collects rows whose columns are named as the struct's tags say. What says in words what is
// read.
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

// Limit bounds lists whose filter does not: at a hundred.
func Limit(wanted int) int {
	const usual = 100
	if wanted <= 0 {
		return usual
	}
	return wanted
}
