package streams

import (
	"context"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// A queued stream whose ticket sleeps is woken by the next process that looks (package jobs, forgotten).
const sqlWake = `
WITH asleep AS (
	SELECT organization_id, service, resource FROM sluice.streams
	WHERE organization_id = $1 AND service = ANY($2) AND enabled
		AND (state = ANY($3) OR state IN ('waiting', 'retrying') AND wait_until > clock_timestamp())
	ORDER BY organization_id, service, resource FOR UPDATE
)
UPDATE sluice.streams s SET
	next_due_at = clock_timestamp(), wait_until = NULL, reason = '', state = CASE WHEN run_id IS NULL THEN 'idle' ELSE 'queued' END
FROM asleep a
WHERE (a.organization_id, a.service, a.resource) = (s.organization_id, s.service, s.resource)`

// Wake lets streams of an organization's services go on that wait for an instant, and those in one of the states besides, such as
// denied ones: what they waited for has happened. It gives their number.
func (s *Schedule) Wake(ctx context.Context, organization string, services []string, states ...pipeline.State) (int, error) {
	also := make([]string, len(states))
	for i, state := range states {
		also[i] = string(state)
	}
	tag, err := s.pool.Exec(ctx, sqlWake, organization, services, also)
	return int(tag.RowsAffected()), postgres.Fail("waking streams of "+organization, err)
}
