package rows

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"sluice/schema/record"
)

// Unchanged saves normalizing (package unchanged has the figures); without it sort looks up every
// record. It marks the records of a list whose rows have their payload hashes. The same bytes made
// such a row, under the same declaration, so its content hash is that of the record. For the other
// records it stores in Seen what it found. Records need their keys and payload hashes only; those
// without are skipped. It holds no lock: the result is what a look in the transaction would have
// found at that instant.
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
		return fmt.Errorf("look at payload hashes of %s: %w", l.sql.Name, err)
	}
	for i, record := range asked {
		row := at(rows, i)
		record.Unchanged = row.payloadHash == record.PayloadHash // which is none of 0
		record.Seen.Looked, record.Seen.Row, record.Seen.Hash = true, row.found, row.hash
	}
	return nil
}
