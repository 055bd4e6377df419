package rows

import (
	"context"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/rows/children"
	"sluice/pipeline/warehouse/rows/copytext"
	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema/record"
)

// children brings the arrays of everything that was written: those that changed records carry element by element, where values go in the
// binary format; where it is for the server to judge them, and in rebuilds, which write whatever is stored, all of their elements anew.
func (w *work) children(ctx context.Context) error {
	if w.binary && !w.batch.Rewrite {
		return w.changeElements(ctx)
	}
	if err := w.removeElements(ctx); err != nil {
		return err
	}
	return w.insertElements(ctx)
}

// carriers are the changed records that carry an array: what a record does not carry stays.
func (w *work) carriers(child *statements.Child) []*record.Record {
	var records []*record.Record
	for _, k := range w.changed {
		if k.Carries[child.Index] {
			records = append(records, k.Record)
		}
	}
	return records
}

// changeElements writes what differs of the arrays of changed records, and those of new ones. Elements go after what is in them, and come
// before it.
func (w *work) changeElements(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop()
	childTables := w.sql.Children
	insert := make([][]array, len(childTables))
	matched := make([]*children.Array, len(childTables))
	for i := range slices.Backward(childTables) {
		for _, k := range w.fresh {
			insert[i] = append(insert[i], array{id: k.ID, rows: k.Tables[childTables[i].Index]})
		}
		records := w.carriers(&childTables[i])
		if len(records) == 0 {
			continue
		}
		var err error
		if matched[i], err = children.Match(ctx, w.conn, &childTables[i], w.batch.Organization, records); err != nil {
			return w.fail("find elements of", err)
		}
		beside.Go(func() { matched[i].Encode(ctx) })
		if err := matched[i].Remove(ctx); err != nil {
			return w.fail("remove elements of", err)
		}
		for n, record := range records {
			insert[i] = append(insert[i], array{id: record.ID, rows: matched[i].Fresh(n)})
		}
	}
	for i := range childTables {
		if matched[i] != nil {
			if err := matched[i].Update(ctx); err != nil {
				return w.fail("update elements of", err)
			}
		}
		if err := w.insertChildBinary(ctx, &childTables[i], insert[i]); err != nil {
			return err
		}
	}
	return nil
}

// removeElements empties the arrays that changed records carry, the innermost first.
func (w *work) removeElements(ctx context.Context) error {
	for _, child := range slices.Backward(w.sql.Children) {
		records := w.carriers(&child)
		if len(records) == 0 {
			continue
		}
		err := w.exec(ctx, child.Remove, anyCount, [][]byte{[]byte(w.batch.Organization), keyArray(records)},
			[]uint32{pgtype.TextOID, pgtype.TextArrayOID}, []int16{formatText, formatBinary})
		if err != nil {
			return err
		}
	}
	return nil
}

// insertElements copies the arrays of everything that was written.
func (w *work) insertElements(ctx context.Context) error {
	for i := range w.sql.Children {
		child := &w.sql.Children[i]
		var parents []*kept
		rows := 0
		for _, k := range slices.Concat(w.fresh, w.changed) {
			if k.Carries[child.Index] && len(k.Tables[child.Index]) > 0 {
				parents = append(parents, k)
				rows += len(k.Tables[child.Index])
			}
		}
		err := w.copy(ctx, child.Insert, parents, rows, func(buf []byte, k *kept) []byte {
			for _, row := range k.Tables[child.Index] {
				buf = copytext.Text(copytext.Text(buf, w.batch.Organization), k.ID)
				for _, position := range row.Position {
					buf = copytext.Int(buf, int64(position))
				}
				buf = copytext.EndRow(copytext.Values(buf, row.Values))
			}
			return buf
		})
		if err != nil {
			return err
		}
	}
	return nil
}
