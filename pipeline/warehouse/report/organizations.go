package report

import (
	"context"
	"time"
)

// Organization is who an organization is by upstream's word, as it was pinned.
type Organization struct {
	// Organization is the word under which its rows are kept.
	Organization string `db:"organization_id" json:"organization"`
	// Name is the name that it is pinned to since PinnedAt.
	Name     string `db:"name"      json:"name"`
	TimeZone string `db:"time_zone" json:"time_zone"`
	Active   bool   `db:"is_active" json:"active"`

	PinnedAt time.Time `db:"pinned_at" json:"pinned_at"`
	// CheckedAt is when upstream last gave that name.
	CheckedAt time.Time `db:"checked_at" json:"checked_at"`
}

const sqlOrganizations = `
SELECT organization_id, name, time_zone, is_active, pinned_at, checked_at FROM sluice.organizations ORDER BY organization_id`

// Organizations gives the organizations that were met so far.
func (r *Reader) Organizations(ctx context.Context) ([]Organization, error) {
	return query[Organization](ctx, r.pool, "organizations", sqlOrganizations)
}
