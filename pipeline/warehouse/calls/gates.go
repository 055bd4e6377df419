package calls

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/postgres"
)

// Gate is an allowance whose calls a minute or at once upstream has restricted for now.
type Gate struct {
	Organization string `db:"organization_id" json:"organization"`
	// Shared names the allowance.
	Shared string `db:"shared" json:"shared"`
	// ClosedUntil is the instant until which no call leaves; CappedUntil is the one until which
	// fewer leave at once. Nil means that it is past.
	ClosedUntil *time.Time `db:"closed_until" json:"closed_until,omitempty"`
	CappedUntil *time.Time `db:"cap_until"    json:"capped_until,omitempty"`
	// Reason is the detail of the refused call that closed it; empty if it is not closed.
	Reason string `db:"because" json:"reason,omitempty"`
}

const sqlGates = `
SELECT organization_id, shared, CASE WHEN closed_until > clock_timestamp() THEN closed_until END AS closed_until,
	CASE WHEN cap_until > clock_timestamp() THEN cap_until END AS cap_until,
	CASE WHEN closed_until > clock_timestamp() THEN coalesce((
		SELECT c.detail FROM sluice.calls c
		WHERE c.organization_id = b.organization_id AND c.shared = b.shared AND c.kind = 'throttled'
			AND c.reserved_at > clock_timestamp() - interval '1 day'
		ORDER BY c.reserved_at DESC LIMIT 1), '') ELSE '' END AS because
FROM sluice.budgets b WHERE closed_until > clock_timestamp() OR cap_until > clock_timestamp()
ORDER BY organization_id, shared`

// Gates gives the allowances that upstream has closed or narrowed for now.
func (l *Ledger) Gates(ctx context.Context) ([]Gate, error) {
	return postgres.Read[Gate](ctx, l.pool, "the gates", sqlGates)
}
