package statements

import (
	"fmt"

	"sluice/schema"
)

// findMarker finds the array that tells complete list records from headers.
func (s *Set) findMarker(resource *schema.Resource, tables []schema.Table) error {
	if resource.Details == nil {
		return nil
	}
	for i := range tables {
		if tables[i].Depth() == 1 && tables[i].Path[0] == resource.Details.Marker {
			s.Marker, s.Single = i, new(Form)
			return nil
		}
	}
	return fmt.Errorf("the array %q, by which headers are told, is not among the children", resource.Details.Marker)
}

// detailStateAfterList is what a list record does to the detail state of a row that it changes. If
// it is a header, its single record has to be read. The same holds for a list record whose call was
// reserved before that of the last single record but which came after it: it may have restored
// older values. The hash of the last single record is cleared, since the row is no longer what that
// record made.
func (s *Set) detailStateAfterList() []string {
	return []string{"_detail_state = CASE WHEN " + carries(len(s.Columns)+s.Marker-1) + ` AND $1 >= coalesce(t._detail_call_id, 0) THEN 'none_needed'
WHEN t._detail_state IN ('pending', 'failed') THEN 'pending' ELSE 'stale' END`, "_detail_hash = NULL"}
}

// clearListHash is what a single record with another modification time does to the hashes of the
// list's record: they are cleared, since the row has another version. If upstream goes back to the
// old version, the list shows the same bytes as before, and these have to be compared like any
// others. Modified is the column of the modification time, "" if there is none.
func (*Set) clearListHash(modified string) string {
	if modified == "" {
		return "_content_hash = t._content_hash"
	}
	other := fmt.Sprintf("s.%[1]s <> t.%[1]s", modified)
	return fmt.Sprintf("_content_hash = CASE WHEN %[1]s THEN %[2]s ELSE t._content_hash END, "+
		"_payload_hash = CASE WHEN %[1]s THEN NULL ELSE t._payload_hash END", other, NoHash)
}

// singles builds the statement for single records that change only the state of their row.
func (s *Set) singles(table string) {
	if s.Single == nil {
		return
	}
	s.TouchDetail = fmt.Sprintf(`UPDATE %s AS t
SET _detail_state = CASE WHEN t.ctid = ANY ($2) THEN 'current' ELSE t._detail_state END, _detail_at = now()
WHERE t.ctid = ANY ($1)`, table)
}
