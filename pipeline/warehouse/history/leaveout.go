package history

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/schema/redact"
)

const (
	sqlVersions = `
SELECT ctid::text, record::text, arrays::text FROM history.versions
WHERE (service, resource, organization_id) = ($1, $2, $3) AND record_id = ANY ($4::text[]) FOR UPDATE`

	sqlDays = `
SELECT ctid::text, content::text, '{}' FROM history.days
WHERE (service, resource, organization_id) = ($1, $2, $3) AND record_id = ANY ($4::text[]) AND content IS NOT NULL FOR UPDATE`

	sqlNewVersions = `
UPDATE history.versions v SET record = k.record::jsonb, arrays = k.arrays::jsonb
FROM unnest($1::text[], $2::text[], $3::text[]) AS k (place, record, arrays) WHERE v.ctid = k.place::tid`

	sqlNewDays = `
UPDATE history.days d SET content = k.content::jsonb FROM unnest($1::text[], $2::text[], $3::text[]) AS k (place, content, nothing)
WHERE d.ctid = k.place::tid`

	sqlRecorded = `
SELECT record_id FROM (
	SELECT record_id FROM history.versions WHERE (service, resource, organization_id) = ($1, $2, $3) AND record_id > $4
	UNION SELECT record_id FROM history.days WHERE (service, resource, organization_id) = ($1, $2, $3) AND record_id > $4) AS r
ORDER BY record_id LIMIT $5`
)

// LeaveOut leaves columns out of the versions and the values by day of records. Their times stay.
func LeaveOut(ctx context.Context, tx pgx.Tx, list pipeline.Key, ids []string, stored *redact.Redactor) error {
	for _, kind := range []struct{ read, write string }{{sqlVersions, sqlNewVersions}, {sqlDays, sqlNewDays}} {
		rows, _ := tx.Query(ctx, kind.read, list.Service, list.Resource, list.Organization, ids)
		var places, records, arrays []string
		var place, record, array string
		_, err := pgx.ForEachRow(rows, []any{&place, &record, &array}, func() error {
			newRecord, newArray := string(stored.Record([]byte(record))), string(stored.Record([]byte(array)))
			if newRecord != record || newArray != array {
				places, records, arrays = append(places, place), append(records, newRecord), append(arrays, newArray)
			}
			return nil
		})
		if err == nil && len(places) > 0 {
			_, err = tx.Exec(ctx, kind.write, places, records, arrays)
		}
		if err != nil {
			return fmt.Errorf("leaving columns out of versions of %s: %w", list, err)
		}
	}
	return nil
}

// Recorded returns the next records behind a key that have versions or values by day, also those
// without a row.
func Recorded(ctx context.Context, tx pgx.Tx, list pipeline.Key, after string, limit int) ([]string, error) {
	rows, _ := tx.Query(ctx, sqlRecorded, list.Service, list.Resource, list.Organization, after, limit)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("looking for versions of %s: %w", list, err)
	}
	return ids, nil
}
