// Package history keeps every version of the records of a resource, with their arrays, where the
// configuration asks for it.
//
// Functions of the database read a version's content from the tables, in the transaction that wrote
// them. So a row and its open version always agree, whatever session wrote the row. History makes
// no call upstream, and a row that is not written costs nothing. Why:
// docs/decisions/0016-versions.
//
// It decides neither what a table holds nor when a row is gone. Start reading at Write; switch.go
// turns history on and off.
package history

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
)

const sqlWrite = `SELECT history.write_versions($1, $2, $3, $4)`

// Write brings the versions of records of a list in line with their rows. Call it in the
// transaction that wrote the rows or their tombstones, after all of their arrays are written. The
// rows have to be locked or new. Where no versions are kept, or nothing changed, it writes nothing.
func Write(ctx context.Context, tx pgx.Tx, list pipeline.Key, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, sqlWrite, list.Organization, list.Service, list.Resource, ids); err != nil {
		return fmt.Errorf("keeping versions of %s: %w", list, err)
	}
	return nil
}
