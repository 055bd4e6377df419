package scale

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/streams"
)

// sqlEnded applies the ends of runs to the schedule (package warehouse does it with the run's last
// rows): the interval begins again. The ends since the last tick are written together, since no
// statement reads them before.
const sqlEnded = `
UPDATE sluice.streams s SET
	next_due_at = greatest(next_due_at, ended_at + every), state = 'idle', enabled = s.enabled AND NOT finished,
	last_done_at = CASE WHEN failed THEN last_done_at ELSE ended_at END, failures = CASE WHEN failed THEN failures + 1 ELSE 0 END
FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::boolean[], $6::boolean[])
	AS e (organization_id, service, resource, ended_at, failed, finished)
WHERE (s.organization_id, s.service, s.resource) = (e.organization_id, e.service, e.resource)`

// runEnd is the end of a run; finished means that the stream has no further one.
type runEnd struct {
	key              pipeline.Key
	at               instant
	failed, finished bool
}

// Register makes streams known, all of them due at once.
func (d *database) Register(ctx context.Context, settings []streams.Setting) error {
	if err := d.Set(ctx, 0); err != nil {
		return err
	}
	if err := d.schedule.RegisterStreams(ctx, settings); err != nil {
		return fmt.Errorf("register the streams: %w", err)
	}
	if _, err := d.Pool.Exec(ctx, sqlSpread); err != nil {
		return fmt.Errorf("spread the streams: %w", err)
	}
	_, err := d.Pool.Exec(ctx, `ANALYZE sluice.streams`)
	return err
}

// TakeDue writes the ends of runs and takes the streams due at an instant, as a tick does.
func (d *database) TakeDue(ctx context.Context, at instant, limit int) ([]pipeline.Key, error) {
	tx, err := d.Pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: fmt.Sprintf(`BEGIN; SELECT pg_catalog.set_config('sim.now', '%s', false)`, d.Stamp(at))})
	if err != nil {
		return nil, fmt.Errorf("tick: %w", err)
	}
	defer func() { _ = tx.Rollback(ctx) }() // after a commit there is nothing to roll back
	if err := d.writeEnds(ctx, tx); err != nil {
		return nil, err
	}
	keys, err := d.schedule.TakeDue(ctx, tx, limit)
	if err != nil {
		return nil, fmt.Errorf("tick: %w", err)
	}
	return keys, tx.Commit(ctx)
}

func (d *database) writeEnds(ctx context.Context, tx pgx.Tx) error {
	n := len(d.ends)
	if n == 0 {
		return nil
	}
	organizations, services, resources := make([]string, n), make([]string, n), make([]string, n)
	at, failed, finished := make([]time.Time, n), make([]bool, n), make([]bool, n)
	for i, e := range d.ends {
		organizations[i], services[i], resources[i] = e.key.Organization, e.key.Service, e.key.Resource
		at[i], failed[i], finished[i] = epoch().Add(e.at), e.failed, e.finished
	}
	if _, err := tx.Exec(ctx, sqlEnded, organizations, services, resources, at, failed, finished); err != nil {
		return fmt.Errorf("write the ends of runs: %w", err)
	}
	d.ends = d.ends[:0]
	return nil
}
