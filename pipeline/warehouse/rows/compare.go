package rows

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Drafted says whether the tables are as migrations are drafted: then values can be held against columns.
func (l *Loader) Drafted(ctx context.Context, from interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (bool, error) {
	if l.err != nil {
		return false, l.err
	}
	seen, err := l.look(ctx, from)
	return seen == drafted, err
}
