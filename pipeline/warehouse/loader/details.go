package loader

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"sluice/schema"
	"sluice/schema/normalize"
)

// findMarker finds the array by which list records are told from headers.
func (s *statements) findMarker(resource *schema.Resource, tables []schema.Table) error {
	if resource.Details == nil {
		return nil
	}
	for i := range tables {
		if tables[i].Depth() == 1 && tables[i].Path[0] == resource.Details.Marker {
			s.marker, s.single = i, new(form)
			return nil
		}
	}
	return fmt.Errorf("the array %q, by which headers are told, is not among the children", resource.Details.Marker)
}

// owe is what a list record does to the state of a row that it changes. One that is a header leaves a single record to be
// read. So does one that was asked for before the last single record and came after it: it may have brought back what was
// older there. The hash of the last single record is forgotten, for the row is not what that one made of it any more.
func (s *statements) owe() []string {
	return []string{"_detail_state = CASE WHEN " + carries(s.columns+s.marker-1) + ` AND $1 >= coalesce(t._detail_call_id, 0) THEN 'none_needed'
WHEN t._detail_state IN ('pending', 'failed') THEN 'pending' ELSE 'stale' END`, "_detail_hash = NULL"}
}

// singles builds the statements for single records that change no more than the state of their row.
func (s *statements) singles(table, id string) {
	if s.single == nil {
		return
	}
	const note = `UPDATE %[1]s AS t SET %[3]s_detail_at = now() WHERE t.ctid = ANY (ARRAY (SELECT f.ctid FROM unnest($2::text[]) AS k (id)
CROSS JOIN LATERAL (SELECT c.ctid FROM %[1]s AS c WHERE c.organization_id = $1 AND c.%[2]s = k.id OFFSET 0) AS f))`
	s.settle = fmt.Sprintf(note, table, id, "_detail_state = 'current', ")
	s.tried = fmt.Sprintf(note, table, id, "")
}

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
	return w.sql.single != nil && !w.batch.Details && !k.Carries[w.sql.marker]
}

// appendDetail adds what a new row says about its single record.
func (w *work) appendDetail(buf []byte, k *kept) []byte {
	switch {
	case w.sql.single == nil:
		return buf
	case w.batch.Details:
		buf = appendHash(appendText(buf, "current"), k.Hash)
		return appendText(appendInt(appendInt(buf, w.batch.Call), k.position), "now")
	case w.header(k):
		return appendText(buf, "pending")
	default:
		return appendText(buf, "none_needed")
	}
}

// settle notes what became of single records that change nothing: a row that waited for one that is equal to the last waits
// no longer; one that is older than its row leaves the row waiting, and the note keeps it from being asked for at once again.
func (w *work) settle(ctx context.Context) error {
	for _, note := range []struct {
		sql     string
		records []*normalize.Record
	}{{w.sql.settle, w.equal}, {w.sql.tried, w.older}} {
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
