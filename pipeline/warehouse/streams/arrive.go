package streams

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

const (
	// The proof is of the channels of the cell that it left.
	sqlDoubt = `UPDATE sluice.streams SET told_until = NULL WHERE organization_id = $1 AND told_until > clock_timestamp()`

	// A stream that waits for nothing but its job was taken as due, and would wait for its next
	// interval. Those with an open or requested run get a job wherever they are.
	sqlDueAgain = `
UPDATE sluice.streams SET state = 'idle', next_due_at = clock_timestamp()
WHERE organization_id = $1 AND state = 'queued' AND run_id IS NULL AND requested_gen = served_gen`
)

// Arrive fits the streams of an organization that came from another cell: its jobs and its channels
// stayed behind.
func Arrive(ctx context.Context, tx pgx.Tx, organization string) error {
	for _, sql := range []string{sqlDoubt, sqlDueAgain} {
		if _, err := tx.Exec(ctx, sql, organization); err != nil {
			return postgres.Fail("fitting the streams of an organization that arrives", err)
		}
	}
	return nil
}
