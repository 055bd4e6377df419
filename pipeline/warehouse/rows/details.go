package rows

import (
	"context"

	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/rows/copytext"
	"sluice/schema/record"
)

// headers counts the records that leave a single record to be read.
func (w *work) headers(records []*kept) int {
	count := 0
	for _, k := range records {
		if w.header(k) {
			count++
		}
	}
	return count
}

func (w *work) header(k *kept) bool {
	return w.sql.Single != nil && !w.batch.Details && !k.Carries[w.sql.Marker]
}

// appendDetail adds what a new row says about its single record.
func (w *work) appendDetail(buf []byte, k *kept) []byte {
	switch {
	case w.sql.Single == nil:
		return buf
	case w.batch.Details:
		buf = copytext.Hash(copytext.Text(buf, "current"), k.Hash)
		return copytext.Text(copytext.Int(copytext.Int(buf, w.batch.Call), int64(k.position)), "now")
	case w.header(k):
		return copytext.Text(buf, "pending")
	default:
		return copytext.Text(buf, "none_needed")
	}
}

// settle notes what became of single records that change nothing: a row that waited for one that is equal to the last waits
// no longer; one that is older than its row leaves the row waiting, and the note keeps it from being asked for at once again.
func (w *work) settle(ctx context.Context) error {
	for _, note := range []struct {
		sql     string
		records []*record.Record
	}{{w.sql.Settle, w.equal}, {w.sql.Tried, w.older}} {
		if len(note.records) == 0 {
			continue
		}
		err := w.exec(ctx, note.sql, anyCount, [][]byte{[]byte(w.batch.Organization), keyArray(note.records)},
			[]uint32{pgtype.TextOID, pgtype.TextArrayOID}, []int16{formatText, formatBinary})
		if err != nil {
			return err
		}
	}
	return nil
}
