package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// InKeyOrder has the rest of a transaction walk through tables by the order of their keys, where a
// statement asks for the next rows behind a key. As long as a table has no statistics, which it has
// not right after a first load, the planner believes that an organization has half a percent of the
// rows and that few of them are left to sort: it reads all that are behind the key, for each batch.
// Of 150,000 rows a batch of 2,000 took 27 ms so, and 0.4 by the index
// (docs/decisions/0019-rebuild-from-raw-records). Statements that have no index for their order
// sort as ever, which the planner then believes to be so dear that it would compile each of them:
// it must not.
func InKeyOrder(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Conn().PgConn().Exec(ctx, `SET LOCAL enable_sort = off; SET LOCAL jit = off`).ReadAll(); err != nil {
		return fmt.Errorf("preparing to read in the order of keys: %w", err)
	}
	return nil
}
