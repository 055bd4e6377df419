package scale

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/streams"
)

// sqlEnded applies the ends of runs to the schedule (package warehouse does it with the run's last
// rows): the interval begins anew. The ends since the last tick are written together, since no
// statement reads them before. Runs of streams with learned intervals are stored.
const sqlEnded = `
WITH ended AS (
	SELECT organization_id, service, resource, ended_at, failed, finished, class, started_at, watermark, changes, calls
	FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::boolean[], $6::boolean[],
		$7::text[], $8::timestamptz[], $9::timestamptz[], $10::bigint[], $11::bigint[])
		AS e (organization_id, service, resource, ended_at, failed, finished, class, started_at, watermark, changes, calls)
), run AS (
	INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome, watermark_before, updated, calls)
	SELECT e.organization_id, e.service, e.resource, e.class, 0, e.started_at, e.ended_at, CASE WHEN e.failed THEN 'failed' ELSE 'done' END,
		e.watermark, e.changes, e.calls
	FROM ended e JOIN sluice.streams s USING (organization_id, service, resource) WHERE s.ceiling IS NOT NULL
	RETURNING id, organization_id, service, resource
)
UPDATE sluice.streams s SET
	next_due_at = greatest(next_due_at, e.ended_at + coalesce(planned_every, every)), state = 'idle', enabled = s.enabled AND NOT finished,
	last_done_at = CASE WHEN failed THEN last_done_at ELSE e.ended_at END, failures = CASE WHEN failed THEN failures + 1 ELSE 0 END,
	last_run_id = coalesce(run.id, last_run_id), watermark = CASE WHEN failed THEN s.watermark ELSE e.started_at END
FROM ended e LEFT JOIN run USING (organization_id, service, resource)
WHERE (s.organization_id, s.service, s.resource) = (e.organization_id, e.service, e.resource)`

// runEnd is the end of a run.
type runEnd struct {
	Key    pipeline.Key
	Class  pipeline.Class
	At     instant
	Failed bool
	// Finished means that the stream has no further run.
	Finished bool
	// Started is the beginning of the run, From the watermark that it went on from, nil if there
	// was none.
	Started instant
	From    *instant
	// Changes is the number of changes that it found, Calls the number of its calls.
	Changes, Calls int64
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

// Ended notes the end of a run, written before the next tick.
func (d *database) Ended(end runEnd) { d.ends = append(d.ends, end) }

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
	organizations, services, resources, classes := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	at, started, from := make([]time.Time, n), make([]time.Time, n), make([]*time.Time, n)
	failed, finished := make([]bool, n), make([]bool, n)
	changes, calls := make([]int64, n), make([]int64, n)
	for i, e := range d.ends {
		organizations[i], services[i], resources[i], classes[i] = e.Key.Organization, e.Key.Service, e.Key.Resource, string(e.Class)
		at[i], started[i] = epoch().Add(e.At), epoch().Add(e.Started)
		if e.From != nil {
			from[i] = new(epoch().Add(*e.From))
		}
		failed[i], finished[i], changes[i], calls[i] = e.Failed, e.Finished, e.Changes, e.Calls
	}
	_, err := tx.Exec(ctx, sqlEnded, organizations, services, resources, at, failed, finished, classes, started, from, changes, calls)
	if err != nil {
		return fmt.Errorf("write the ends of runs: %w", err)
	}
	d.ends = d.ends[:0]
	return nil
}

// Replan computes learned intervals anew, as a turn of serve does: plan returns those of a service.
// At most limit services take part, those with the oldest intervals first.
func (d *database) Replan(ctx context.Context, at instant, organizations []string, limit int, plan func(*streams.Service) []streams.Plan) error {
	if err := d.Set(ctx, at); err != nil {
		return err
	}
	services, err := d.schedule.Unplanned(ctx, organizations, planning.ReplanAfter, limit)
	if err != nil {
		return fmt.Errorf("work out intervals: %w", err)
	}
	var plans []streams.Plan
	for i := range services {
		plans = append(plans, plan(&services[i])...)
	}
	if len(plans) == 0 {
		return nil
	}
	if err := d.schedule.StorePlans(ctx, plans); err != nil {
		return fmt.Errorf("work out intervals: %w", err)
	}
	return nil
}
