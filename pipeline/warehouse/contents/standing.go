package contents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
)

// Standing is how far a resource is copied.
type Standing struct {
	// Watermark is the instant up to which its list is complete; zero if it never was.
	Watermark time.Time
	// Parent is a parent whose list was read, by chance; "" if there is none, or if the resource
	// has no parents.
	Parent string
}

const (
	sqlWatermark = `SELECT watermark FROM sluice.streams WHERE (organization_id, service, resource) = ($1, $2, $3) AND watermark IS NOT NULL`

	sqlParent = `
SELECT parent_id, read_at FROM sluice.parents
WHERE (organization_id, service, resource) = ($1, $2, $3) AND active AND failures = 0 AND read_at IS NOT NULL
ORDER BY random() LIMIT 1`

	sqlQuarantined = `
SELECT DISTINCT record_id FROM sluice.quarantine
WHERE (organization_id, service, resource) = ($1, $2, $3) AND state = 'open' AND record_id = ANY($4)`

	// What was loaded once is in an archive. Each is a page of records: they are looked through for
	// the identifier before any is taken apart.
	sqlArchived = `
SELECT r.call_id FROM (
	SELECT call_id, records FROM sluice.raw_records WHERE (organization_id, service, resource) = ($1, $2, $3)
	ORDER BY call_id DESC, first_position DESC LIMIT $6
) AS r
WHERE position($4 IN r.records) > 0 AND EXISTS (SELECT FROM json_array_elements(r.records::json) AS e WHERE e->>$5::text = $4)
ORDER BY r.call_id DESC LIMIT 1`
)

// maxArchives is how many archives are looked through for one identifier, the newest first.
const maxArchives = 2000

// Standing says how far the resource is copied. Under parents, the watermark is when the list of
// the parent was last read.
func (t *Table) Standing(ctx context.Context, view View) (Standing, error) {
	var s Standing
	sql, into := sqlWatermark, []any{&s.Watermark}
	if _, perParent := t.stream.Resource.Cursor.(schema.PerParent); perParent {
		sql, into = sqlParent, []any{&s.Parent, &s.Watermark}
	}
	key := t.stream.Key()
	err := view.tx.QueryRow(ctx, sql, key.Organization, key.Service, t.stream.Resource.Name).Scan(into...)
	if errors.Is(err, pgx.ErrNoRows) {
		return Standing{}, nil
	}
	if err != nil {
		return Standing{}, fmt.Errorf("reading how far %s is copied: %w", t.stream, err)
	}
	return s, nil
}

// Quarantined says which of the records are in quarantine.
func (t *Table) Quarantined(ctx context.Context, view View, ids []string) (map[string]bool, error) {
	found, err := t.keys(ctx, view, sqlQuarantined, t.stream.Organization, t.stream.Service.Name, t.stream.Resource.Name, ids)
	quarantined := make(map[string]bool, len(found))
	for _, id := range found {
		quarantined[id] = true
	}
	return quarantined, err
}

// Archived gives the last call that brought a record, by the record's own identifier, of those
// whose raw records are kept; 0 if there is none among the newest two thousand archives.
func (t *Table) Archived(ctx context.Context, view View, own string) (int64, error) {
	wire := t.stream.Resource.ID
	if cursor, ok := t.stream.Resource.Cursor.(schema.PerParent); ok && cursor.Identifier != "" {
		wire = cursor.Identifier
	}
	var call int64
	err := view.tx.QueryRow(ctx, sqlArchived, t.stream.Organization, t.stream.Service.Name, t.stream.Resource.Name, own, wire, maxArchives).Scan(&call)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("looking for raw records of %s: %w", t.stream, err)
	}
	return call, nil
}
