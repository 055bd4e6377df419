package rows

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/rows/copytext"
	"sluice/schema/record"
)

// insert copies new records into the table.
func (w *work) insert(ctx context.Context) error {
	// COPY takes no expressions, but the input word "now" is the instant at which the transaction began.
	since := copytext.Text(copytext.Text(copytext.Int(nil, w.batch.Run), "now"), "now")
	return w.copy(ctx, w.form.Insert, w.fresh, len(w.fresh), func(buf []byte, k *kept) []byte {
		buf = copytext.Text(buf, w.batch.Organization)
		buf = copytext.Values(buf, k.Tables[0][0].Values)
		buf = copytext.Hash(copytext.Optional(buf, k.Extra), k.Hash)
		buf = copytext.Int(copytext.Int(buf, w.batch.Call), int64(k.position))
		return copytext.EndRow(w.appendDetail(copytext.Mark(append(buf, since...), k.Fingerprint), k))
	})
}

// update brings changed records through the staging table into their rows.
func (w *work) update(ctx context.Context) error {
	if len(w.changed) == 0 {
		return nil
	}
	if err := w.conn.Exec(ctx, w.sql.OpenStage).Close(); err != nil {
		return w.fail("stage", err)
	}
	statement := w.form.UpdateWhole
	for _, k := range w.changed {
		if !whole(k.Tables[0][0].Values) {
			statement = w.form.UpdateSome
			break
		}
	}
	if w.batch.Rewrite {
		statement = w.form.Rewrite
	}
	err := w.copy(ctx, w.sql.CopyStage, w.changed, len(w.changed), func(buf []byte, k *kept) []byte {
		buf = copytext.Values(buf, k.Tables[0][0].Values)
		buf = copytext.Mark(copytext.Hash(copytext.Optional(buf, k.Extra), k.Hash), k.Fingerprint)
		buf = copytext.Place(copytext.Int(buf, int64(k.position)), k.place)
		return copytext.EndRow(appendMasks(buf, w.sql.Presence(k.Record)))
	})
	if err != nil {
		return err
	}
	return w.exec(ctx, statement, len(w.changed), [][]byte{
		strconv.AppendInt(nil, w.batch.Call, 10), strconv.AppendInt(nil, w.batch.Run, 10),
	}, []uint32{pgtype.Int8OID, pgtype.Int8OID}, nil)
}

func whole(values []record.Value) bool {
	for i := range values {
		if values[i].State == record.Absent {
			return false
		}
	}
	return true
}

func appendMasks(buf []byte, masks []int64) []byte {
	for _, mask := range masks {
		buf = copytext.Int(buf, mask)
	}
	return buf
}

// anyCount says that a statement may touch any number of rows.
const anyCount = -1

// copy streams rows into a table and holds the server's count against what was sent.
func (w *work) copy(ctx context.Context, sql string, records []*kept, rows int, encode func([]byte, *kept) []byte) error {
	if rows == 0 {
		return nil
	}
	tag, err := postgres.CopyFrom(ctx, w.conn, copytext.NewReader(records, encode), sql)
	return w.copied(tag.RowsAffected(), rows, err)
}

func (w *work) copied(taken int64, sent int, err error) error {
	if err == nil && taken != int64(sent) {
		err = fmt.Errorf("%d rows sent, %d taken: %w", sent, taken, errShape)
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
