package rows

import (
	"context"

	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/rows/copybinary"
	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema"
	"sluice/schema/record"
)

// insertBinary is insert in the binary format.
func (w *work) insertBinary(ctx context.Context) error {
	kinds := w.sql.Kinds
	return copyBinary(ctx, w, w.form.InsertBinary, w.fresh, len(w.fresh), func(buf []byte, k *kept) ([]byte, error) {
		buf = copybinary.Text(copybinary.Row(buf, w.form.Fields), w.batch.Organization)
		buf, err := appendValues(buf, kinds, k.Tables[0][0].Values)
		if err != nil {
			return buf, err
		}
		buf = copybinary.Hash(copybinary.JSON(buf, k.Extra), k.Hash)
		buf = copybinary.Short(copybinary.Int(buf, w.batch.Call), k.position)
		buf = copybinary.Int(copybinary.Int(copybinary.Int(buf, w.batch.Run), w.now), w.now)
		buf = copybinary.Mark(buf, k.Fingerprint)
		return w.appendDetailBinary(buf, k), nil
	})
}

// appendDetailBinary is appendDetail in the binary format.
func (w *work) appendDetailBinary(buf []byte, k *kept) []byte {
	switch {
	case w.sql.Single == nil:
		return buf
	case w.batch.Details:
		buf = copybinary.Hash(copybinary.Text(buf, "current"), k.Hash)
		return copybinary.Int(copybinary.Short(copybinary.Int(buf, w.batch.Call), k.position), w.now)
	case w.header(k):
		return copybinary.Text(buf, "pending")
	default:
		return copybinary.Text(buf, "none_needed")
	}
}

// array is what is to be copied of one record's array.
type array struct {
	id   string
	rows []record.Row
}

// insertChildBinary copies rows of one array in the binary format.
func (w *work) insertChildBinary(ctx context.Context, child *statements.Child, of []array) error {
	rows := 0
	for i := range of {
		rows += len(of[i].rows)
	}
	return copyBinary(ctx, w, child.InsertBinary, of, rows, func(buf []byte, one array) ([]byte, error) {
		var err error
		for i := range one.rows {
			buf = copybinary.Text(copybinary.Text(copybinary.Row(buf, child.Fields), w.batch.Organization), one.id)
			for _, position := range one.rows[i].Position {
				buf = copybinary.Short(buf, int32(position)) //nolint:gosec // bounded by the record
			}
			if buf, err = appendValues(buf, child.Kinds, one.rows[i].Values); err != nil {
				return buf, err
			}
		}
		return buf, nil
	})
}

func appendValues(buf []byte, kinds []schema.Kind, values []record.Value) ([]byte, error) {
	var err error
	for i := range values {
		if buf, err = copybinary.Value(buf, kinds[i], &values[i]); err != nil {
			return buf, err
		}
	}
	return buf, nil
}

func copyBinary[T any](ctx context.Context, w *work, sql string, records []T, rows int, encode func([]byte, T) ([]byte, error)) error {
	if rows == 0 {
		return nil
	}
	reader := copybinary.NewReader(records, encode)
	tag, err := postgres.CopyFrom(ctx, w.conn, reader, sql)
	if reader.Err() != nil {
		err = reader.Err() // of which the server says no more than that there was one
	}
	return w.copied(tag.RowsAffected(), rows, err)
}
