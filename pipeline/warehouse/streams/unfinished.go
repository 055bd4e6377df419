package streams

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

const (
	sqlAskedAgain = `SELECT requested_gen > served_gen FROM sluice.streams WHERE (organization_id, service, resource) = ($1, $2, $3)`

	sqlUnfinished = `
SELECT organization_id, service, resource, state = 'queued' AS queued FROM sluice.streams
WHERE enabled AND (requested_gen > served_gen OR run_id IS NOT NULL) AND state NOT IN ('denied', 'failed')`
)

// AskedAgain says whether a run of the stream was requested after its last one had started. A job
// that ends has to check this, since no other job is inserted before it has ended.
func AskedAgain(ctx context.Context, tx pgx.Tx, key pipeline.Key) (bool, error) {
	var again bool
	err := tx.QueryRow(ctx, sqlAskedAgain, key.Organization, key.Service, key.Resource).Scan(&again)
	return again, postgres.Fail("looking whether "+key.String()+" was asked for again", err)
}

// InNeed is a stream that needs a job: a run of it was requested, or is open. Queued says that it
// waits for nothing but its job.
type InNeed struct {
	pipeline.Key

	Queued bool
}

// Unfinished returns the streams that need a job, except for denied and failed ones: those wait for
// the schedule or the operator.
func Unfinished(ctx context.Context, tx pgx.Tx) ([]InNeed, error) {
	rows, err := tx.Query(ctx, sqlUnfinished)
	if err != nil {
		return nil, postgres.Fail("looking for unfinished streams", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (InNeed, error) {
		var s InNeed
		err := row.Scan(&s.Organization, &s.Service, &s.Resource, &s.Queued)
		return s, err
	})
	return found, postgres.Fail("looking for unfinished streams", err)
}
