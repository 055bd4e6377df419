package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// InKeyOrder makes the rest of a transaction read tables by the index of their keys when a
// statement asks for the next rows after a key. A table has no statistics right after a first load.
// Then the planner assumes that an organization has half a percent of the rows and that sorting
// them is cheap. For each batch it reads all rows after the key: of 150,000 rows a batch of 2,000
// took 27 ms, and 0.4 ms by the index (docs/decisions/0015-raw-records). Statements
// without an index for their order still sort. The planner then estimates them as so expensive that
// it would compile each of them, so compilation is off, too.
func InKeyOrder(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Conn().PgConn().Exec(ctx, `SET LOCAL enable_sort = off; SET LOCAL jit = off`).ReadAll(); err != nil {
		return fmt.Errorf("preparing to read in the order of keys: %w", err)
	}
	return nil
}
