package children

import (
	"context"

	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/postgres/ctid"
	"sluice/pipeline/warehouse/rows/arrays"
	"sluice/pipeline/warehouse/rows/copybinary"
	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema/record"
)

// atOnce is how many elements one statement writes. Those of the next one are encoded meanwhile.
const atOnce = 5000

// part is the parameters of one statement, or why there are none.
type part struct {
	values  [][]byte
	types   []uint32
	formats []int16
	err     error
}

// Encode prepares what Update sends, a part at a time, and ends with it or with the context. It runs beside Update, and beside what comes before it.
// Elements that hold nothing but arrays of their own are never written.
func (a *Array) Encode(ctx context.Context) {
	defer close(a.parts)
	for from := 0; from < len(a.stay) && len(a.child.Kinds) > 0; from += atOnce {
		through := min(from+atOnce, len(a.stay))
		next := a.part(a.stay[from:through], a.at[from:through])
		select {
		case a.parts <- next:
		case <-ctx.Done():
			return
		}
	}
}

func (a *Array) part(stay []*record.Row, at []ctid.TID) part {
	p := part{values: [][]byte{ctid.Array(at)}, types: []uint32{ctid.ArrayOID}, formats: []int16{pgtype.TextFormatCode}}
	for column, kind := range a.child.Kinds {
		element, array := statements.TypesOf(kind)
		value, err := arrays.Append(make([]byte, 0, room(stay, column)), element, len(stay), func(buf []byte, i int) ([]byte, error) {
			return copybinary.Value(buf, kind, &stay[i].Values[column])
		})
		if err != nil { // a value without a binary form: it is sent in another way
			return part{err: err}
		}
		p.values, p.types, p.formats = append(p.values, value), append(p.types, array), append(p.formats, pgtype.BinaryFormatCode)
	}
	return p
}

// room is how many bytes a column takes at most, or little less than that.
func room(stay []*record.Row, column int) int {
	const field = 16 // a decimal of one digit takes 14 bytes
	size := 0
	for _, row := range stay {
		size += field + len(row.Values[column].Text)
	}
	return size
}

// Update writes the elements of which anything differs, as Encode prepares them.
func (a *Array) Update(ctx context.Context) error {
	for part := range a.parts {
		if part.err != nil {
			return part.err
		}
		if err := a.conn.ExecParams(ctx, a.child.Update, part.values, part.types, part.formats, nil).Read().Err; err != nil {
			return err
		}
	}
	return ctx.Err()
}
