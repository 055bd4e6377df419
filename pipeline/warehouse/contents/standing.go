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
	// Parent is a random parent whose list was read; "" if there is none, or if the resource has no
	// parents.
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

	// A record that was loaded is in an archive, which holds a page of records. The text is
	// searched for the identifier before its JSON is parsed.
	sqlArchived = `
SELECT r.call_id FROM (
	SELECT call_id, records FROM sluice.raw_records WHERE (organization_id, service, resource) = ($1, $2, $3)
	ORDER BY call_id DESC, first_position DESC LIMIT $6
) AS r
WHERE position($4 IN r.records) > 0 AND EXISTS (SELECT FROM json_array_elements(r.records::json) AS e WHERE e->>$5::text = $4)
ORDER BY r.call_id DESC LIMIT 1`
)

// maxArchives is how many archives are searched for one identifier, the newest first.
const maxArchives = 2000

// Standing returns how far the resource is copied. For a resource with parents, the watermark is
// when the list of the parent was last read.
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

// Quarantined returns those of the ids that have an open entry in quarantine.
func (t *Table) Quarantined(ctx context.Context, view View, ids []string) (map[string]bool, error) {
	found, err := t.keys(ctx, view, sqlQuarantined, t.stream.Organization, t.stream.Service.Name, t.stream.Resource.Name, ids)
	quarantined := make(map[string]bool, len(found))
	for _, id := range found {
		quarantined[id] = true
	}
	return quarantined, err
}

// Archived returns the last call that brought a record, by the record's own identifier, among the
// kept raw records. It returns 0 if the newest two thousand archives do not have it.
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
