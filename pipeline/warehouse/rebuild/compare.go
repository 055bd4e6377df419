package rebuild

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/rows/copybinary"
	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema"
)

// compareElements finds the rows whose elements are not what their records make of them, as hold does for the rows themselves. Rows are behind
// a key and up to another.
func (b *batch) compareElements(ctx context.Context, tx pgx.Tx, after, last string) error {
	for i := range b.table.sql.Children {
		if err := b.compareArray(ctx, tx, i, after, last); err != nil {
			return fmt.Errorf("reading elements of %s: %w", b.table.name, err)
		}
	}
	return nil
}

// elements are those of one row, encoded as they would be written and not met yet.
type elements struct {
	row  *row
	left []byte
}

// compareArray does so for the elements of one array: those of records that do not carry it stay, whatever they are.
func (b *batch) compareArray(ctx context.Context, tx pgx.Tx, number int, after, last string) error {
	child := &b.table.sql.Children[number]
	wanted := make(map[string]*elements, len(b.kept))
	for _, row := range b.kept {
		if row.unlike || !carried(row, child.Index) {
			continue
		}
		ours, err := b.put.elements(nil, child, row.record)
		if errors.Is(err, copybinary.ErrText) {
			row.unlike = true
			continue
		}
		if err != nil {
			return err
		}
		wanted[row.key] = &elements{row: row, left: ours}
	}
	if len(wanted) == 0 {
		return nil
	}
	sql, formats, deleted := b.selectElements(b.layout, number)
	args := [][]byte{[]byte(b.stream.Organization), []byte(after), []byte(last)}
	json := jsonFields(child)
	err := eachRow(ctx, tx, sql, args, []uint32{pgtype.TextOID, pgtype.TextOID, pgtype.TextOID}, formats, func(values [][]byte) error {
		one := wanted[string(values[1])]
		if one == nil {
			return nil
		}
		same := true
		if deleted {
			same = equal(values[child.Fields], one.row.fields[b.layout.deleted])
		}
		if same {
			one.left, same = alike(values[:child.Fields], one.left, json)
		}
		one.row.unlike = one.row.unlike || !same
		return nil
	})
	if err != nil {
		return err
	}
	for _, one := range wanted {
		one.row.unlike = one.row.unlike || len(one.left) > 0
	}
	return nil
}

// equal says that two fields are the same, of which nil is a null.
func equal(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// selectElements reads the elements of an array in the order in which they would be written, gives the formats of their columns, and says
// whether their tombstones come last.
func (r *Rows) selectElements(l *layout, number int) (string, []int16, bool) {
	child := &r.table.sql.Children[number]
	formats := []int16{textFormat, textFormat} // organization and parent
	for range child.Fields - len(child.Kinds) - len(formats) {
		formats = append(formats, binaryFormat)
	}
	for _, kind := range child.Kinds {
		formats = append(formats, formatOf(kind == schema.KindID || kind == schema.KindText))
	}
	columns := make([]string, 0, len(child.Columns)+1)
	for _, name := range child.Columns {
		columns = append(columns, "c."+pgx.Identifier{name}.Sanitize())
	}
	order := strings.Join(columns[1:child.Fields-len(child.Kinds)], ", ")
	deleted := l.deleted >= 0 && l.buried[number]
	if deleted {
		columns, formats = append(columns, "c._deleted_at"), append(formats, binaryFormat)
	}
	return fmt.Sprintf(`SELECT %s FROM %s AS c WHERE c.organization_id = $1 AND c._parent_id > $2 AND c._parent_id <= $3 ORDER BY %s`,
		strings.Join(columns, ", "), r.table.children[child.Index-1], order), formats, deleted
}

// jsonFields says which fields of an array's table are jsonb.
func jsonFields(child *statements.Child) []bool {
	json := make([]bool, child.Fields)
	for i, kind := range child.Kinds {
		json[child.Fields-len(child.Kinds)+i] = kind == schema.KindJSON
	}
	return json
}

// alike holds stored fields against the row at the front of ours, which is in the binary format of COPY, and gives what follows it. Bytes
// decide, so what it says yes to is equal, to the scale of a number; only a jsonb is spelled by the server in its own way.
func alike(stored [][]byte, ours []byte, json []bool) ([]byte, bool) {
	const count, null = 2, 0xffffffff
	if len(ours) < count || int(binary.BigEndian.Uint16(ours)) != len(stored) {
		return ours, false
	}
	ours = ours[count:]
	for i, field := range stored {
		size := binary.BigEndian.Uint32(ours)
		ours = ours[4:]
		if size == null {
			if field != nil {
				return ours, false
			}
			continue
		}
		same := bytes.Equal(field, ours[:size]) || json[i] && sameJSON(field, ours[:size])
		if field == nil || !same {
			return ours, false
		}
		ours = ours[size:]
	}
	return ours, true
}

// sameJSON says that two jsonb in the binary format are the same value with every number written alike. What it cannot read is not.
func sameJSON(stored, ours []byte) bool {
	if len(stored) == 0 || len(ours) == 0 || stored[0] != ours[0] {
		return false
	}
	a, b := jsontext.Value(bytes.Clone(stored[1:])), jsontext.Value(bytes.Clone(ours[1:]))
	for _, value := range []*jsontext.Value{&a, &b} {
		if err := value.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
			return false
		}
	}
	return bytes.Equal(a, b)
}
