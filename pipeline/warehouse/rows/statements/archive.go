package statements

// archive builds what keeps raw records. The last part of the call, if it has one, says where the next one begins.
func (s *Set) archive() {
	const table = "sluice.raw_records"
	const first = `coalesce((SELECT r.first_position + coalesce(r.record_count, json_array_length(r.records::json)) FROM ` + table + ` AS r
	WHERE r.call_id = $1 ORDER BY r.first_position DESC LIMIT 1), 0)`
	const now = `(extract(epoch FROM now()) * 1000000)::bigint`
	s.Archive = `INSERT INTO ` + table + ` (call_id, first_position, organization_id, service, resource, records, record_count, kept_at)
SELECT $1, ` + first + `, $2, $3, $4, $5, $6, now()
RETURNING first_position, ` + now
	s.ArchivePlace = `SELECT ` + first + `, ` + now
	columns := []string{"call_id", "first_position", "organization_id", "service", "resource", "record_count", "kept_at", "records"}
	s.ArchiveCopy, s.ArchiveFields = copyBinary(table, columns), len(columns)
}
