package calls

import (
	"context"

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
	rows, err := tx.Query(ctx, sql, given...)
	if err != nil {
		return nil, postgres.Fail("reopening", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return found, postgres.Fail("reopening", err)
}
