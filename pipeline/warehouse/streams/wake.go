package streams

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// The job of a queued stream may be snoozed: the next process that looks for such jobs wakes it
// (package jobs, forgotten).
const sqlWake = `
WITH asleep AS (
	SELECT organization_id, service, resource FROM sluice.streams
	WHERE organization_id = $1 AND service = ANY($2) AND enabled
		AND (state = ANY($3) OR state IN ('waiting', 'retrying') AND wait_until > clock_timestamp())
	ORDER BY organization_id, service, resource FOR UPDATE
)
UPDATE sluice.streams s SET
	wait_until = NULL, reason = '', state = CASE WHEN run_id IS NULL THEN 'idle' ELSE 'queued' END
FROM asleep a
WHERE (a.organization_id, a.service, a.resource) = (s.organization_id, s.service, s.resource)
RETURNING s.organization_id, s.service, s.resource`

// Wake ends the wait of streams of an organization's services: of those that wait for an instant,
// and of those in one of the given states, such as denied. It returns their number.
func (s *Schedule) Wake(ctx context.Context, organization string, services []string, states ...pipeline.State) (int, error) {
	also := make([]string, len(states))
	for i, state := range states {
		also[i] = string(state)
	}
	op := "waking streams of " + organization
	var keys []pipeline.Key
	err := postgres.InTx(ctx, s.pool, op, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sqlWake, organization, services, also)
		if err != nil {
			return postgres.Fail(op, err)
		}
		if keys, err = pgx.CollectRows(rows, pgx.RowToStructByPos[pipeline.Key]); err != nil {
			return postgres.Fail(op, err)
		}
		return s.setDue(ctx, tx, keys, func(int) pipeline.Occasion { return pipeline.Occasion{Event: pipeline.Woken} })
	})
	return len(keys), err
}
