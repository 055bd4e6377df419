package rows

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/history"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/postgres/ctid"
	"sluice/pipeline/warehouse/rows/copybinary"
	"sluice/schema"
	"sluice/schema/record"
)

// insert copies new records into the table.
func (w *work) insert(ctx context.Context) error {
	return copyInto(ctx, w, w.form.Insert, w.fresh, len(w.fresh), func(buf []byte, k *rowToWrite) ([]byte, error) {
		buf = copybinary.Text(copybinary.Row(buf, w.form.Fields), w.batch.Organization)
		buf, err := w.appendValues(buf, "", w.sql.Columns, w.sql.Kinds, k.Tables[0][0].Values)
		if err != nil {
			return buf, err
		}
		buf = copybinary.Hash(copybinary.JSON(buf, k.Extra), k.Hash)
		buf = copybinary.Short(copybinary.Int(buf, w.batch.Call), k.rawRef)
		buf = copybinary.Int(copybinary.Int(copybinary.Int(buf, w.batch.Run), w.now), w.now)
		return w.appendDetail(copybinary.PayloadHash(buf, k.PayloadHash), k), nil
	})
}

// appendDetail appends a new row's columns about its single record.
func (w *work) appendDetail(buf []byte, k *rowToWrite) []byte {
	switch {
	case w.sql.Single == nil:
		return buf
	case w.batch.Details:
		buf = copybinary.Hash(copybinary.Text(buf, "current"), k.Hash)
		return copybinary.Int(copybinary.Short(copybinary.Int(buf, w.batch.Call), k.rawRef), w.now)
	case w.header(k):
		return copybinary.Text(buf, "pending")
	default:
		return copybinary.Text(buf, "none_needed")
	}
}

// update writes changed records through the staging table to their rows.
func (w *work) update(ctx context.Context) error {
	if len(w.changed) == 0 {
		return nil
	}
	if err := w.conn.Exec(ctx, w.sql.OpenStage).Close(); err != nil {
		return w.fail("stage", err)
	}
	err := copyInto(ctx, w, w.sql.CopyStage, w.changed, len(w.changed), func(buf []byte, k *rowToWrite) ([]byte, error) {
		buf, err := w.appendValues(copybinary.Row(buf, w.sql.StageFields), "", w.sql.Columns, w.sql.Kinds, k.Tables[0][0].Values)
		if err != nil {
			return buf, err
		}
		buf = copybinary.PayloadHash(copybinary.Hash(copybinary.JSON(buf, k.Extra), k.Hash), k.PayloadHash)
		buf = copybinary.Place(copybinary.Short(buf, k.rawRef), k.ctid)
		for _, mask := range w.sql.Presence(k.Record) {
			buf = copybinary.Int(buf, mask)
		}
		return buf, nil
	})
	if err != nil {
		return err
	}
	if w.batch.Rewrite {
		return w.exec(ctx, w.form.Rewrite, len(w.changed), nil, nil, nil)
	}
	return w.exec(ctx, w.form.Update, len(w.changed), [][]byte{
		strconv.AppendInt(nil, w.batch.Call, 10), strconv.AppendInt(nil, w.batch.Run, 10),
	}, []uint32{pgtype.Int8OID, pgtype.Int8OID}, nil)
}

// noteTried records single records that change no values. One that is equal to the last makes its
// row current. One that is older than its row leaves the row waiting; the stored time delays the
// next attempt.
func (w *work) noteTried(ctx context.Context) error {
	if len(w.equal)+len(w.older) == 0 {
		return nil
	}
	tried := append(append([]ctid.TID(nil), w.equal...), w.older...)
	return w.exec(ctx, w.sql.TouchDetail, len(tried), [][]byte{ctid.Array(tried), ctid.Array(w.equal)}, []uint32{ctid.ArrayOID, ctid.ArrayOID}, nil)
}

// appendValues appends the values of one row of a table, "" for the resource's own table. It
// refuses a value without a binary form, as the server refuses invalid values.
func (w *work) appendValues(buf []byte, table string, columns []string, kinds []schema.Kind, values []record.Value) ([]byte, error) {
	var err error
	for i := range values {
		if buf, err = copybinary.Value(buf, kinds[i], &values[i]); err != nil {
			return buf, &RejectedError{code: noBinaryForm, path: w.sql.Path(table, columns[i]), cause: err}
		}
	}
	return buf, nil
}

// copyInto streams rows into a table and compares the server's count with the number sent.
func copyInto[T any](ctx context.Context, w *work, sql string, records []T, rows int, encode func([]byte, T) ([]byte, error)) error {
	if rows == 0 {
		return nil
	}
	reader := copybinary.NewReader(records, encode)
	tag, err := postgres.CopyFrom(ctx, w.conn, reader, sql)
	if reader.Err() != nil {
		err = reader.Err() // the server only knows that encoding failed
	}
	if err == nil && tag.RowsAffected() != int64(rows) {
		err = fmt.Errorf("%d rows sent, %d taken: %w", rows, tag.RowsAffected(), errShape)
	}
	return w.fail("copy into", err)
}

// anyCount says that a statement may touch any number of rows.
const anyCount = -1

// exec runs one statement with parameters.
func (w *work) exec(ctx context.Context, sql string, rows int, values [][]byte, oids []uint32, formats []int16) error {
	result := w.conn.ExecParams(ctx, sql, values, oids, formats, nil).Read()
	err := result.Err
	if err == nil && rows != anyCount && result.CommandTag.RowsAffected() != int64(rows) {
		err = fmt.Errorf("%d rows staged, %d updated: %w", rows, result.CommandTag.RowsAffected(), errShape)
	}
	return w.fail("update", err)
}

// writeColumnHistory stores the values of the columns that have a history, where they changed.
func (w *work) writeColumnHistory(ctx context.Context) error {
	if w.sql.ColumnHistory == "" {
		return nil
	}
	written := w.written()
	keys := copybinary.Texts(len(written), func(i int) string { return written[i].ID })
	return w.exec(ctx, w.sql.ColumnHistory, anyCount,
		[][]byte{[]byte(w.batch.Organization), keys, strconv.AppendInt(nil, w.batch.Call, 10)},
		append(keyTypes[:2:2], pgtype.Int8OID), append(keyFormats[:2:2], formatText))
}

// writeHistory keeps the versions of what was written, rows and arrays, if the batch asks for it.
func (w *work) writeHistory(ctx context.Context) error {
	if !w.batch.History {
		return nil
	}
	written := w.written()
	ids := make([]string, len(written))
	for i, k := range written {
		ids[i] = k.ID
	}
	list := pipeline.Key{Organization: w.batch.Organization, Service: w.sql.Service, Resource: w.sql.Resource}
	return w.fail("keep versions of", history.Write(ctx, w.tx, list, ids))
}
