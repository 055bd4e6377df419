package rows

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"sluice/schema/record"
)

// Unchanged is what spares normalizing (package unchanged, which has the figure); without it sort
// looks at every record. It marks those of a list's records whose rows have their fingerprints: the
// same bytes made the row, under the same declaration, so that its content hash is that of the
// record, and normalizing it would tell nothing new. What it saw of the others stays with them
// (Seen). Records need their keys and fingerprints only; those without are left alone. It holds no
// lock: it says what a look in the transaction would have said at that instant.
func (l *Loader) Unchanged(ctx context.Context, conn *pgx.Conn, organization string, records []record.Record) error {
	if l.err != nil {
		return l.err
	}
	asked := make([]*record.Record, 0, len(records))
	for i := range records {
		if records[i].ID != "" && records[i].PayloadHash != 0 {
			asked = append(asked, &records[i])
		}
	}
	if len(asked) == 0 {
		return nil
	}
	if err := l.checkTables(ctx, conn); err != nil {
		return err
	}
	slices.SortFunc(asked, func(a, b *record.Record) int { return cmp.Compare(a.ID, b.ID) })
	rows, err := lookBetween(ctx, conn.PgConn(), &l.sql.List, organization, asked)
	if err != nil {
		return fmt.Errorf("look at fingerprints of %s: %w", l.sql.Name, err)
	}
	for i, record := range asked {
		row := at(rows, i)
		record.Unchanged = row.payloadHash == record.PayloadHash // which is none of 0
		record.Seen.Looked, record.Seen.Row, record.Seen.Hash = true, row.found, row.hash
	}
	return nil
}
