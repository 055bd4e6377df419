package calls

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/postgres"
)

// OthersHour is what others spent of a service's daily allowance in one hour of a zone.
type OthersHour struct {
	// Number is the place of the allowance among those that were asked for, from 1.
	Number int64 `db:"number" json:"-"`
	// At is when the hour began.
	At    time.Time `db:"at"    json:"at"`
	Calls float64   `db:"calls" json:"calls"`
	// Seconds is how much of the hour answers of upstream cover.
	Seconds float64 `db:"seconds" json:"seconds"`
	// Spread says that a part was spread over more than an hour: no answer came in between.
	Spread bool `db:"spread" json:"spread"`
}

const sqlOthers = `
SELECT w.number, date_trunc('hour', q.began_at, w.zone) AS at, sum(q.calls) AS calls, sum(q.seconds) AS seconds, bool_or(q.spread) AS spread
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS w (organization_id, service, zone, number)
JOIN sluice.external_quarters q ON q.organization_id = w.organization_id AND q.service = w.service
GROUP BY 1, 2 ORDER BY 1, 2`

// Others returns what others spent of allowances, oldest first, by hours of the zone that ResetZone
// names. All that is known of it is returned: eight weeks. The result has the order of the
// allowances.
func (l *Ledger) Others(ctx context.Context, of []Allowance) ([][]OthersHour, error) {
	organizations, services, zones := make([]string, len(of)), make([]string, len(of)), make([]string, len(of))
	for i := range of {
		organizations[i], services[i], zones[i] = of[i].Organization, of[i].Service, of[i].ResetZone
	}
	read, err := postgres.Read[OthersHour](ctx, l.pool, "what others spent by hours", sqlOthers, organizations, services, zones)
	if err != nil {
		return nil, err
	}
	hours := make([][]OthersHour, len(of))
	for i := range read {
		hours[read[i].Number-1] = append(hours[read[i].Number-1], read[i])
	}
	return hours, nil
}
