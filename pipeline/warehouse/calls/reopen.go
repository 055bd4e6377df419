package calls

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

const (
	// One call asks whether upstream still refuses, and the others wait for its answer, as when the
	// time runs out.
	sqlReopenGates = `
UPDATE sluice.budgets SET closed_until = clock_timestamp(), probe_call = 0
WHERE organization_id = $1 AND shared = ANY($2) AND closed_until > clock_timestamp() RETURNING shared`

	// A seen remainder of nothing becomes an hour older, so that it no longer blocks calls; the end
	// of a spent day becomes now.
	sqlReopenDays = `
UPDATE sluice.day_budgets d SET
	exhausted_until = CASE WHEN exhausted_until > clock_timestamp() THEN clock_timestamp() ELSE exhausted_until END, probe_call = NULL,
	seen_at = least(seen_at, clock_timestamp() - $3::interval / 24)
WHERE organization_id = $1 AND service = ANY($2) AND (exhausted_until > clock_timestamp() OR reset_at > clock_timestamp()
	AND remaining_seen + coalesce(seen_place, 0) <= (
		SELECT coalesce(sum(m.reserved), 0) FROM sluice.spent m
		WHERE m.organization_id = d.organization_id AND m.service = d.service AND m.span = 'minute' AND m.began_at >= d.seen_bucket))
RETURNING service`
)

// Reopened is what the operator's command has opened.
type Reopened struct {
	// Gates are the allowances that were closed; Days are the services whose day upstream had
	// called spent.
	Gates []string `json:"gates"`
	Days  []string `json:"days"`
}

// Reopen opens what upstream's answers have closed: the named allowances, and the days of the
// services. For each of them one call goes first, as a probe. Calls that the call log counted stay
// counted.
func (l *Ledger) Reopen(ctx context.Context, organization string, allowances, services []string) (Reopened, error) {
	var opened Reopened
	err := postgres.InTx(ctx, l.pool, "reopening "+organization, func(tx pgx.Tx) error {
		var err error
		if opened.Gates, err = names(ctx, tx, sqlReopenGates, organization, allowances); err != nil {
			return err
		}
		opened.Days, err = names(ctx, tx, sqlReopenDays, organization, services, l.rules.Day)
		return err
	})
	return opened, err
}

func names(ctx context.Context, tx pgx.Tx, sql string, given ...any) ([]string, error) {
	return postgres.Collect(ctx, tx, "reopening", pgx.RowTo[string], sql, given...)
}

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
