package calls

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// Spent is what the last 24 hours' calls were spent on.
type Spent struct {
	Service  string `db:"service"  json:"service"`
	Resource string `db:"resource" json:"resource"`
	Class    string `db:"class"    json:"class"`
	Calls    int64  `db:"calls"    json:"calls"`
	// Failed counts those of Calls that ended in an error or whose end was never reported.
	Failed  int64 `db:"failed"  json:"failed"`
	Records int64 `db:"records" json:"records"`
}

// Budget is the use of an organization's service, by the call log and by upstream.
type Budget struct {
	Organization string `json:"organization"`
	Service      string `json:"service"`
	// Day counts calls of the last 24 hours.
	Day int64 `json:"day"`
	// LimitSeen and RemainingSeen are the daily headers of the last answer, nil if none had them;
	// ResetAt is when the day turns by that answer.
	LimitSeen     *int       `json:"limit_seen"`
	RemainingSeen *int       `json:"remaining_seen"`
	ResetAt       *time.Time `json:"reset_at"`
	// ExhaustedUntil is set while upstream says that the day is spent.
	ExhaustedUntil *time.Time `json:"exhausted_until"`
}

const (
	sqlSpent = `
SELECT service, resource, class, count(*) AS calls,
	count(*) FILTER (WHERE kind IS NOT NULL OR (finished_at IS NULL AND lease_until < clock_timestamp())) AS failed,
	coalesce(sum(records), 0)::bigint AS records
FROM sluice.calls
WHERE ($1 = '' OR organization_id = $1) AND reserved_at > clock_timestamp() - interval '24 hours'
GROUP BY service, resource, class ORDER BY service, calls DESC, resource, class`

	sqlDay = `
SELECT count(*) FROM sluice.calls
WHERE organization_id = $1 AND service = $2 AND free_at > clock_timestamp() - interval '24 hours' + interval '60 seconds'
	AND reserved_at > clock_timestamp() - interval '48 hours'`

	sqlSeen = `
SELECT limit_seen, remaining_seen, reset_at,
	CASE WHEN exhausted_until > clock_timestamp() THEN exhausted_until END
FROM sluice.day_budgets WHERE organization_id = $1 AND service = $2`
)

// Spent returns what the calls of the last 24 hours were spent on, most first within a service. An
// empty organization means all.
func (l *Ledger) Spent(ctx context.Context, organization string) ([]Spent, error) {
	return postgres.Read[Spent](ctx, l.pool, "the call log", sqlSpent, organization)
}

// BudgetLeft returns the day's calls of a service, and what upstream says about its limit. The
// caller compares Day with the plan's figure, which the configuration has.
func (l *Ledger) BudgetLeft(ctx context.Context, organization, service string) (Budget, error) {
	budget := Budget{Organization: organization, Service: service}
	if err := l.pool.QueryRow(ctx, sqlDay, organization, service).Scan(&budget.Day); err != nil {
		return Budget{}, fmt.Errorf("counting calls of %s/%s: %w", organization, service, err)
	}
	err := l.pool.QueryRow(ctx, sqlSeen, organization, service).
		Scan(&budget.LimitSeen, &budget.RemainingSeen, &budget.ResetAt, &budget.ExhaustedUntil)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Budget{}, fmt.Errorf("reading the daily budget of %s/%s: %w", organization, service, err)
	}
	return budget, nil
}
