package loader

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgtype"

	"sluice/schema/normalize"
)

// insert copies new records into the table.
func (w *work) insert(ctx context.Context) error {
	// COPY takes no expressions, but the input word "now" is the instant at which the transaction began.
	tail := appendText(appendText(appendInt(nil, w.batch.Run), "now"), "now")
	return w.copy(ctx, w.form.insert, w.fresh, len(w.fresh), func(buf []byte, k *kept) []byte {
		buf = appendText(buf, w.batch.Organization)
		buf = appendValues(buf, k.Tables[0][0].Values)
		buf = appendHash(appendOptional(buf, k.Extra), k.Hash)
		buf = appendInt(appendInt(buf, w.batch.Call), k.position)
		return endRow(w.appendDetail(append(buf, tail...), k))
	})
}

// update brings changed records through the staging table into their rows.
func (w *work) update(ctx context.Context) error {
	if len(w.changed) == 0 {
		return nil
	}
	if err := w.conn.Exec(ctx, w.sql.openStage).Close(); err != nil {
		return w.fail("stage", err)
	}
	statement := w.form.updateWhole
	for _, k := range w.changed {
		if !whole(k.Tables[0][0].Values) {
			statement = w.form.updateSome
			break
		}
	}
	if w.batch.Rewrite {
		statement = w.form.rewrite
	}
	err := w.copy(ctx, w.sql.copyStage, w.changed, len(w.changed), func(buf []byte, k *kept) []byte {
		buf = appendValues(buf, k.Tables[0][0].Values)
		buf = appendHash(appendOptional(buf, k.Extra), k.Hash)
		buf = appendPlace(appendInt(buf, k.position), k.place)
		return endRow(w.sql.appendMasks(buf, k.Record))
	})
	if err != nil {
		return err
	}
	return w.exec(ctx, statement, len(w.changed), [][]byte{
		strconv.AppendInt(nil, w.batch.Call, 10), strconv.AppendInt(nil, w.batch.Run, 10),
	}, []uint32{pgtype.Int8OID, pgtype.Int8OID}, nil)
}

func whole(values []normalize.Value) bool {
	for i := range values {
		if values[i].State == normalize.Absent {
			return false
		}
	}
	return true
}

// appendMasks adds the presence bits, in the order of statements.carries.
func (s *statements) appendMasks(buf []byte, record *normalize.Record) []byte {
	masks := make([]int64, s.masks)
	set := func(bit int) { masks[bit/maskBits] |= 1 << (bit % maskBits) }
	for i, value := range record.Tables[0][0].Values {
		if value.State != normalize.Absent {
			set(i)
		}
	}
	for i, carried := range record.Carries[1:] {
		if carried {
			set(s.columns + i)
		}
	}
	for _, mask := range masks {
		buf = appendInt(buf, mask)
	}
	return buf
}

// removeChildren empties the arrays that changed records carry, the innermost first: what a record does not carry stays.
func (w *work) removeChildren(ctx context.Context) error {
	for i := len(w.sql.children) - 1; i >= 0; i-- {
		child := &w.sql.children[i]
		var parents []*normalize.Record
		for _, k := range w.changed {
			if k.Carries[child.index] {
				parents = append(parents, k.Record)
			}
		}
		if len(parents) == 0 {
			continue
		}
		err := w.exec(ctx, child.remove, anyCount, [][]byte{[]byte(w.batch.Organization), keyArray(parents)},
			[]uint32{pgtype.TextOID, pgtype.TextArrayOID}, []int16{formatText, formatBinary})
		if err != nil {
			return err
		}
	}
	return nil
}

// insertChildren copies the arrays of everything that was written.
func (w *work) insertChildren(ctx context.Context) error {
	for i := range w.sql.children {
		child := &w.sql.children[i]
		var parents []*kept
		rows := 0
		for _, group := range [][]*kept{w.fresh, w.changed} {
			for _, k := range group {
				if k.Carries[child.index] && len(k.Tables[child.index]) > 0 {
					parents = append(parents, k)
					rows += len(k.Tables[child.index])
				}
			}
		}
		err := w.copy(ctx, child.insert, parents, rows, func(buf []byte, k *kept) []byte {
			for _, row := range k.Tables[child.index] {
				buf = appendText(appendText(buf, w.batch.Organization), k.ID)
				for _, position := range row.Position {
					buf = appendInt(buf, int64(position))
				}
				buf = endRow(appendValues(buf, row.Values))
			}
			return buf
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// anyCount says that a statement may touch any number of rows.
const anyCount = -1

// copy streams rows into a table and holds the server's count against what was sent.
func (w *work) copy(ctx context.Context, sql string, records []*kept, rows int, encode func([]byte, *kept) []byte) error {
	if rows == 0 {
		return nil
	}
	tag, err := w.conn.CopyFrom(ctx, &copyText{records: records, rows: encode}, sql)
	if err == nil && tag.RowsAffected() != int64(rows) {
		err = fmt.Errorf("%d rows sent, %d taken: %w", rows, tag.RowsAffected(), errShape)
	}
	return w.fail("copy into", err)
}

// exec runs one statement with parameters.
func (w *work) exec(ctx context.Context, sql string, rows int, values [][]byte, oids []uint32, formats []int16) error {
	result := w.conn.ExecParams(ctx, sql, values, oids, formats, nil).Read()
	err := result.Err
	if err == nil && rows != anyCount && result.CommandTag.RowsAffected() != int64(rows) {
		err = fmt.Errorf("%d rows staged, %d updated: %w", rows, result.CommandTag.RowsAffected(), errShape)
	}
	return w.fail("update", err)
}
