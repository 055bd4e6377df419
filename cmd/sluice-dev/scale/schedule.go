package scale

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/streams"
)

// sqlEnded applies the end of a run to the schedule (package warehouse does it with the run's last
// rows): the interval begins again. A finished stream has no further run.
const sqlEnded = `
UPDATE sluice.streams SET
	next_due_at = greatest(next_due_at, clock_timestamp() + every), state = 'idle', enabled = enabled AND NOT $5,
	last_done_at = CASE WHEN $4 THEN last_done_at ELSE clock_timestamp() END, failures = CASE WHEN $4 THEN failures + 1 ELSE 0 END
WHERE (organization_id, service, resource) = ($1, $2, $3)`

// End writes the end of a run.
func (d *database) End(ctx context.Context, key pipeline.Key, at instant, failed, finished bool) error {
	if err := d.Set(ctx, at); err != nil {
		return err
	}
	if _, err := d.Pool.Exec(ctx, sqlEnded, key.Organization, key.Service, key.Resource, failed, finished); err != nil {
		return fmt.Errorf("write the end of a run: %w", err)
	}
	return nil
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

// TakeDue takes the streams due at an instant, as a tick does.
func (d *database) TakeDue(ctx context.Context, at instant, limit int) ([]pipeline.Key, error) {
	if err := d.Set(ctx, at); err != nil {
		return nil, err
	}
	var keys []pipeline.Key
	err := pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
		var err error
		keys, err = d.schedule.TakeDue(ctx, tx, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("tick: %w", err)
	}
	return keys, nil
}
