package rows

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/schema/record"
)

// Known marks those of a list's records whose rows have their fingerprints: the same bytes made the row, under the same declaration, so
// that its content hash is that of the record, and normalizing it would tell nothing new. Records need their keys and fingerprints only; those
// without are left alone. It holds no lock: it says what a probe would have said at that instant.
func (l *Loader) Known(ctx context.Context, conn *pgx.Conn, organization string, records []record.Record) error {
	if l.err != nil {
		return l.err
	}
	asked := make([]*record.Record, 0, len(records))
	for i := range records {
		if records[i].ID != "" && records[i].Fingerprint != 0 {
			asked = append(asked, &records[i])
		}
	}
	if len(asked) == 0 {
		return nil
	}
	seen, err := l.look(ctx, conn)
	if err != nil {
		return err
	}
	slices.SortFunc(asked, func(a, b *record.Record) int { return cmp.Compare(a.ID, b.ID) })
	through := 0
	if seen == drafted && len(asked) >= leastRange && l.density.dense() {
		through, err = between(ctx, conn.PgConn(), l.sql.List.RangeMarks, organization, asked, func(at int, mark []byte) error {
			return know(asked[at], mark)
		})
		if err != nil {
			return fmt.Errorf("look at fingerprints of %s: %w", l.sql.Name, err)
		}
		l.density.note(through, len(asked))
	}
	if err := l.lookAtMarks(ctx, conn.PgConn(), organization, asked[through:]); err != nil {
		return fmt.Errorf("look at fingerprints of %s: %w", l.sql.Name, err)
	}
	return nil
}

// lookAtMarks looks each key up.
func (l *Loader) lookAtMarks(ctx context.Context, conn *pgconn.PgConn, organization string, asked []*record.Record) error {
	if len(asked) == 0 {
		return nil
	}
	reader := conn.ExecParams(ctx, l.sql.List.Marks, [][]byte{[]byte(organization), keyArray(asked)},
		[]uint32{pgtype.TextOID, pgtype.TextArrayOID}, []int16{formatText, formatBinary}, []int16{formatBinary})
	var shape error
	for reader.NextRow() {
		at := binary.BigEndian.Uint64(reader.Values()[0]) - 1
		if at >= uint64(len(asked)) {
			shape = errShape
			continue // the answer has to be read to its end before the connection can be used again
		}
		shape = errors.Join(shape, know(asked[at], reader.Values()[1]))
	}
	_, err := reader.Close()
	return cmp.Or(err, shape)
}

// know compares a record's fingerprint with that of its row, nil if that has none.
func know(record *record.Record, mark []byte) error {
	if mark != nil && len(mark) != 8 {
		return fmt.Errorf("_fingerprint has another type than bigint: %w", errShape)
	}
	record.Known = mark != nil && binary.BigEndian.Uint64(mark) == record.Fingerprint
	return nil
}
