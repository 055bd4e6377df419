package calls

import (
	"context"
	"fmt"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Day is what the day of an organization's service has come to, as reservations count it.
type Day struct {
	// At is the database's clock; Turn is when the day turns, nil if it is a rolling one.
	At   time.Time  `json:"at"`
	Turn *time.Time `json:"turn,omitempty"`
	// Spent counts the calls of the day, ByClass those of each class, LastHour those reserved in
	// the last hour.
	Spent    int64                    `json:"spent"`
	ByClass  map[pipeline.Class]int64 `json:"by_class"`
	LastHour int64                    `json:"last_hour"`
	// External counts the calls that were made outside of sluice, by upstream's last answer; nil if
	// no answer of this day had a figure.
	External *int64 `json:"external"`
	// SeenLeft is what upstream's last answer leaves, less what was reserved since. It is valid
	// until that day turns at SeenUntil, and nil if no answer of this day had a figure.
	SeenLeft  *int64     `json:"seen_left"`
	SeenUntil *time.Time `json:"seen_until"`
	// Before are earlier days of upstream, newest first.
	Before []ExternalDay `json:"before"`
}

// ExternalDay is an earlier day of upstream.
type ExternalDay struct {
	EndedAt time.Time `db:"ended_at" json:"ended_at"`
	// Calls were made outside of sluice; Limit is the limit by upstream's answer.
	Calls int64 `db:"calls"      json:"calls"`
	Limit int64 `db:"limit_seen" json:"limit"`
}

const sqlExternalDays = `
SELECT ended_at, calls, limit_seen FROM sluice.external_spent WHERE organization_id = $1 AND service = $2
ORDER BY ended_at DESC LIMIT 7`

// Day returns the day of a service. The limits say when the day turns; the caller compares their
// figures with it.
func (l *Ledger) Day(ctx context.Context, organization, service string, limits pipeline.Limits) (Day, error) {
	days, err := l.Days(ctx, []Allowance{{Organization: organization, Service: service, ResetHour: limits.ResetHour, ResetZone: limits.ResetZone}})
	if err != nil {
		return Day{}, fmt.Errorf("counting the day of %s/%s: %w", organization, service, err)
	}
	days[0].Before, err = postgres.Read[ExternalDay](ctx, l.pool, "what others spent", sqlExternalDays, organization, service)
	return days[0], err
}
