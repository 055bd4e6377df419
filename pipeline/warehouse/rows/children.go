package rows

import (
	"context"
	"encoding/binary"
	"slices"

	"sluice/pipeline/warehouse/postgres/ctid"
	"sluice/pipeline/warehouse/rows/copybinary"
	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema/record"
)

// elementsAtOnce is how many elements one statement updates, which bounds the memory for its
// parameters.
const elementsAtOnce = 5000

// array is one array of all records that are written, compared with its stored elements. An element
// that keeps its position is written only if its values differ: the lines of a bill that was paid
// stay as they are, without a write to rows, indexes and foreign keys.
type array struct {
	child *statements.Child
	// stay are the elements of changed records that have a stored row, at is where that row is;
	// deleted is where the rows are of elements that no record has any more.
	stay    []*record.Row
	at      []ctid.TID
	deleted []ctid.TID
	// fresh are the elements without a stored row.
	fresh []element
}

// element is a row of an array, and the key of its record.
type element struct {
	parent string
	*record.Row
}

// children writes the arrays of all written records. Elements are deleted after the elements nested
// in them, and inserted before them.
func (w *work) children(ctx context.Context) error {
	arrays := make([]array, len(w.sql.Children))
	for i := range slices.Backward(arrays) {
		a := &arrays[i]
		a.child = &w.sql.Children[i]
		if err := w.match(ctx, a); err != nil {
			return err
		}
		if len(a.deleted) == 0 {
			continue
		}
		if err := w.exec(ctx, a.child.RemoveAt, len(a.deleted), [][]byte{ctid.Array(a.deleted)}, []uint32{ctid.ArrayOID}, nil); err != nil {
			return err
		}
	}
	for i := range arrays {
		if err := w.updateElements(ctx, &arrays[i]); err != nil {
			return err
		}
		if err := w.insertElements(ctx, &arrays[i]); err != nil {
			return err
		}
	}
	return nil
}

// match finds the stored elements of an array for changed records. It leaves out records that do
// not carry the array, whose stored elements stay. The locked rows of the records keep other
// sessions from writing elements.
func (w *work) match(ctx context.Context, a *array) error {
	for _, k := range w.fresh {
		a.insert(k.ID, k.Tables[a.child.Index])
	}
	var carriers []*record.Record
	for _, k := range w.changed {
		if k.Carries[a.child.Index] {
			carriers = append(carriers, k.Record)
		}
	}
	if len(carriers) == 0 {
		return nil
	}
	rest := make([][]record.Row, len(carriers))
	for i, record := range carriers {
		rest[i] = record.Tables[a.child.Index]
	}
	keys := [][]byte{[]byte(w.batch.Organization), keyArray(carriers)}
	reader := w.conn.ExecParams(ctx, a.child.Places, keys, keyTypes, keyFormats, []int16{formatBinary})
	var shape error
	var position []int
	for reader.NextRow() { // the answer has to be read to its end before the connection can be used again
		values := reader.Values()
		n := number(values[0]) - 1
		if len(values[1]) != ctid.Size || n < 0 || n >= len(carriers) {
			shape = errShape
			continue
		}
		at := ctid.Read(values[1])
		if w.batch.Rewrite { // whatever is stored
			a.deleted = append(a.deleted, at)
			continue
		}
		position = position[:0]
		for _, value := range values[2:] {
			position = append(position, number(value))
		}
		rest[n] = a.place(carriers[n].ID, rest[n], position, at)
	}
	if _, err := reader.Close(); err != nil {
		return w.fail("find elements of", err)
	}
	for n, record := range carriers {
		a.insert(record.ID, rest[n])
	}
	return w.fail("find elements of", shape)
}

// place finds the row of a record that corresponds to a stored element, and returns the rows that
// are left. Both are in the order of their positions.
func (a *array) place(parent string, rows []record.Row, position []int, at ctid.TID) []record.Row {
	for i := range rows {
		order := slices.Compare(rows[i].Position, position)
		if order > 0 {
			a.deleted = append(a.deleted, at)
			return rows[i:]
		}
		if order == 0 {
			a.stay, a.at = append(a.stay, &rows[i]), append(a.at, at)
			return rows[i+1:]
		}
		a.insert(parent, rows[i:i+1])
	}
	a.deleted = append(a.deleted, at)
	return nil
}

func (a *array) insert(parent string, rows []record.Row) {
	for i := range rows {
		a.fresh = append(a.fresh, element{parent, &rows[i]})
	}
}

// number reads an integer or a bigint in the binary format, neither of which is negative here; -1
// if b is neither.
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

// updateElements writes the elements whose values differ. Elements without columns of their own,
// which only hold arrays, are never written.
func (w *work) updateElements(ctx context.Context, a *array) error {
	child := a.child
	for from := 0; from < len(a.stay) && len(child.Kinds) > 0; from += elementsAtOnce {
		stay, at := a.stay[from:min(from+elementsAtOnce, len(a.stay))], a.at[from:min(from+elementsAtOnce, len(a.stay))]
		values, types, formats := [][]byte{ctid.Array(at)}, []uint32{ctid.ArrayOID}, []int16{formatText}
		for column, kind := range child.Kinds {
			of, array := statements.TypesOf(kind)
			value, err := copybinary.Array(make([]byte, 0, room(stay, column)), of, len(stay), func(buf []byte, i int) ([]byte, error) {
				return w.appendValues(buf, child.Table, child.Declared()[column:], child.Kinds[column:], stay[i].Values[column:column+1])
			})
			if err != nil {
				return w.fail("update elements of", err)
			}
			values, types, formats = append(values, value), append(types, array), append(formats, formatBinary)
		}
		if err := w.exec(ctx, child.Update, anyCount, values, types, formats); err != nil {
			return err
		}
	}
	return nil
}

// room is the number of bytes a column takes at most, or slightly fewer.
func room(stay []*record.Row, column int) int {
	const field = 16 // a decimal of one digit takes 14 bytes
	size := 0
	for _, row := range stay {
		size += field + len(row.Values[column].Text)
	}
	return size
}

// insertElements copies new elements into the table.
func (w *work) insertElements(ctx context.Context, a *array) error {
	child := a.child
	return copyInto(ctx, w, child.Insert, a.fresh, len(a.fresh), func(buf []byte, e element) ([]byte, error) {
		buf = copybinary.Text(copybinary.Text(copybinary.Row(buf, child.Fields), w.batch.Organization), e.parent)
		for _, position := range e.Position {
			buf = copybinary.Short(buf, int32(position)) //nolint:gosec // bounded by the record
		}
		return w.appendValues(buf, child.Table, child.Declared(), child.Kinds, e.Values)
	})
}
