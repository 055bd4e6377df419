package erasures

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/raw/archive"
)

const (
	// sqlCandidates gives archives that may hold the record: its identifier, or one with letters or
	// digits in the form \u00xx, which JSON allows.
	sqlCandidates = `
SELECT call_id, first_position, records FROM sluice.raw_records
WHERE (organization_id, service, resource) = ($1, $2, $3)
	AND (position($4 IN records) > 0 OR position('\u00' IN records) > 0 AND records ~* '\\u00(3[0-9]|[4-7][0-9a-f])')
ORDER BY call_id, first_position`

	// Postgres judges the table by its pages, and nearly all of it is in those of long values.
	sqlInParallel = `SET LOCAL min_parallel_table_scan_size = 0; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0`

	sqlRewrite = `UPDATE sluice.raw_records SET records = $3 WHERE call_id = $1 AND first_position = $2`
)

// rewritten is an archive without the record.
type rewritten struct {
	call     int64
	position int32
	text     []byte
}

// archives takes the record out of the archives of its resource, and returns how many raw records
// that were. Other records keep their bytes.
func archives(ctx context.Context, tx pgx.Tx, subject *Subject) (int64, error) {
	key := subject.key()
	if _, err := tx.Exec(ctx, sqlInParallel); err != nil {
		return 0, fmt.Errorf("raw records: %w", err)
	}
	found, _ := tx.Query(ctx, sqlCandidates, key.Organization, key.Service, key.Resource, subject.own())
	var (
		next  rewritten
		all   []rewritten
		count int64
	)
	_, err := pgx.ForEachRow(found, []any{&next.call, &next.position, &next.text}, func() error {
		text, erased, err := archive.Rewrite(next.text, func(record []byte) []byte {
			if subject.Is(record) {
				return []byte(archive.Erased)
			}
			return record
		})
		if err != nil {
			return fmt.Errorf("call %d: %w", next.call, err)
		}
		if erased > 0 {
			all, count = append(all, rewritten{call: next.call, position: next.position, text: text}), count+int64(erased)
		}
		next.text = nil
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("raw records: %w", err)
	}
	for _, a := range all {
		if _, err := tx.Exec(ctx, sqlRewrite, a.call, a.position, string(a.text)); err != nil {
			return 0, fmt.Errorf("raw records: %w", err)
		}
	}
	return count, nil
}
