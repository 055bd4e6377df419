// Package children brings the arrays of changed records into the rows that hold them: an element that stays at its place is written
// where anything of it differs, and nowhere else. A bill that was paid keeps its lines as they are: no row of them is written, no index and no
// foreign key is looked at.
//
// It works within a transaction that holds the rows of the records, so that nobody else writes their elements.
//
// Start reading at Match.
package children

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/postgres/ctid"
	"sluice/pipeline/warehouse/rows/arrays"
	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema/record"
)

// errShape says that the database answered in a way that the statements rule out.
var errShape = errors.New("an array's table is not what its declaration says")

// Array is one array of records, held against what is stored of it.
type Array struct {
	child *statements.Child
	conn  *pgconn.PgConn
	// stay are the rows of the records for which there is an element, at these places; gone is where elements stand that no record has.
	stay  []*record.Row
	at    []ctid.TID
	gone  []ctid.TID
	fresh [][]record.Row
	// parts is what Encode prepared and Update sends.
	parts chan part
}

// Fresh are the rows of a record for which there is no element, by its place among the records.
func (a *Array) Fresh(record int) []record.Row { return a.fresh[record] }

// Match finds the elements of records that carry the array.
func Match(
	ctx context.Context, conn *pgconn.PgConn, child *statements.Child, organization string, records []*record.Record,
) (*Array, error) {
	a := &Array{child: child, conn: conn, fresh: make([][]record.Row, len(records)), parts: make(chan part)}
	rest := make([][]record.Row, len(records))
	for i, record := range records {
		rest[i] = record.Tables[child.Index]
	}
	keys := arrays.Texts(len(records), func(i int) string { return records[i].ID })
	reader := conn.ExecParams(ctx, child.Places, [][]byte{[]byte(organization), keys}, []uint32{pgtype.TextOID, pgtype.TextArrayOID},
		[]int16{pgtype.TextFormatCode, pgtype.BinaryFormatCode}, []int16{pgtype.BinaryFormatCode})
	var shape error
	var position []int
	for reader.NextRow() {
		values := reader.Values()
		n := number(values[0]) - 1
		if len(values[1]) != ctid.Size || n < 0 || n >= len(records) {
			shape = errShape
			continue // the answer has to be read to its end before the connection can be used again
		}
		position = position[:0]
		for _, value := range values[2:] {
			position = append(position, number(value))
		}
		rest[n] = a.place(n, rest[n], position, ctid.Read(values[1]))
	}
	if _, err := reader.Close(); err != nil {
		return nil, fmt.Errorf("read places: %w", err)
	}
	for n := range rest {
		a.fresh[n] = append(a.fresh[n], rest[n]...)
	}
	return a, shape
}

// place finds the row of a record that a stored element is, among those that are left of it, and gives what is left then. Both are in the
// order of their positions.
func (a *Array) place(n int, rows []record.Row, position []int, at ctid.TID) []record.Row {
	for i := range rows {
		order := slices.Compare(rows[i].Position, position)
		if order > 0 {
			a.gone = append(a.gone, at)
			return rows[i:]
		}
		if order == 0 {
			a.stay, a.at = append(a.stay, &rows[i]), append(a.at, at)
			return rows[i+1:]
		}
		a.fresh[n] = append(a.fresh[n], rows[i])
	}
	a.gone = append(a.gone, at)
	return nil
}

// number reads an integer or a bigint in the binary format, neither of which is negative here; -1 if it is none.
func number(b []byte) int {
	switch len(b) {
	case 4: //nolint:mnd // bytes
		return int(binary.BigEndian.Uint32(b))
	case 8: //nolint:mnd // bytes
		return int(binary.BigEndian.Uint64(b)) //nolint:gosec // counts what is in memory
	default:
		return -1
	}
}

// Remove deletes the elements that no record has any more.
func (a *Array) Remove(ctx context.Context) error {
	if len(a.gone) == 0 {
		return nil
	}
	result := a.conn.ExecParams(ctx, a.child.RemoveAt, [][]byte{ctid.Array(a.gone)}, []uint32{ctid.ArrayOID}, nil, nil).Read()
	if result.Err == nil && result.CommandTag.RowsAffected() != int64(len(a.gone)) {
		return errShape
	}
	return result.Err
}
