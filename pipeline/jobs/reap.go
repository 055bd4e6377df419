package jobs

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/streams"
)

// reaper makes jobs available again that no process works. River would do so an hour later. The
// free lock of a process shows at once that it was killed, and each process knows which jobs are
// not its own any more: River gives up to record an end while the database is away, and a promoted
// standby may lack the record (docs/decisions/0019-shared-database).
type reaper struct {
	queue *Queue
	// missed counts how often in a row the reaper saw a job that no process works.
	missed map[job]int
	// forgotten is what the reaper saw last time.
	forgotten map[pipeline.Key]bool
}

// How often in a row the reaper has to see a job before it acts: a statement of a killed process
// may still commit, and River repeats its own for some seconds.
const (
	looksAtKilled = 2
	looksAtOwn    = 10
)

// job is one attempt of one job.
type job struct {
	ID      int64
	Attempt int16
}

// orphan is a job that no process works; an own one is attributed to this process.
type orphan struct {
	job
	Own bool
}

func newReaper(q *Queue) *reaper { return &reaper{queue: q} }

// orphans selects the running jobs of processes that are no longer alive, and those of this process
// ($2, null if it cannot show that it lives) that it does not work ($3).
const orphans = `SELECT j.id, j.attempt, coalesce(w.client = $2, false) AS own FROM river.river_job j,
	LATERAL (SELECT j.attempted_by[array_upper(j.attempted_by, 1)] AS client) AS w
	WHERE j.state = 'running' AND j.kind = ANY ($1) AND w.client ~ '^sluice-[0-9]+$'
	  AND (w.client = $2 AND j.id <> ALL($3::bigint[])
	    OR NOT EXISTS (SELECT FROM sluice.live_processes p WHERE p.id = substring(w.client from '[0-9]+$')::bigint))`

// bringBack makes a job available again, unless it changed meanwhile.
const bringBack = `UPDATE river.river_job SET state = 'available', scheduled_at = now()
	WHERE id = $1 AND attempt = $2 AND state = 'running'`

// jobless selects those of some streams that have no unfinished job. For a queued stream a
// snoozed job does not count: a run was requested after the stream was recorded as waiting and
// before its job was snoozed.
const jobless = `SELECT s.organization_id, s.service, s.resource
	FROM unnest($2::text[], $3::text[], $4::text[], $5::boolean[]) AS s (organization_id, service, resource, queued)
	WHERE NOT EXISTS (
	    SELECT FROM river.river_job j
	    WHERE j.kind = $1 AND j.state IN ('available', 'pending', 'retryable', 'running', 'scheduled')
	      AND j.args ->> 'organization' = s.organization_id AND j.args ->> 'service' = s.service
	      AND j.args ->> 'resource' = s.resource
	      AND NOT (s.queued AND j.state = 'scheduled' AND j.scheduled_at > now() + interval '30 seconds'))`

func (r *reaper) reap(ctx context.Context) error {
	rows, _ := r.queue.options.Pool.Query(ctx, orphans, []string{Args{}.Kind(), telling{}.Kind()}, r.queue.process.client(), r.queue.working.ids())
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[orphan])
	if err != nil {
		return fmt.Errorf("look for jobs that no process works: %w", err)
	}
	missed := make(map[job]int, len(found))
	for _, o := range found {
		looks, why := looksAtKilled, "its process was killed"
		if o.Own {
			looks, why = looksAtOwn, "its end was not recorded"
		}
		missed[o.job] = r.missed[o.job] + 1
		if missed[o.job] < looks {
			continue
		}
		delete(missed, o.job)
		if _, err := r.queue.options.Pool.Exec(ctx, bringBack, o.ID, o.Attempt); err != nil {
			return fmt.Errorf("bring back a job that no process works: %w", err)
		}
		r.queue.options.Logger.InfoContext(ctx, "brought back a job that no process worked", "job", o.ID, "reason", why)
	}
	r.missed = missed
	return r.remember(ctx)
}

// remember queues the streams that were without a job twice in a row. Once proves nothing, because
// a request inserts the job a moment after it is recorded.
func (r *reaper) remember(ctx context.Context) error {
	keys, err := r.lookForForgotten(ctx)
	if err != nil {
		return fmt.Errorf("look for forgotten streams: %w", err)
	}
	seen := make(map[pipeline.Key]bool, len(keys))
	var twice []pipeline.Key
	for _, key := range keys {
		seen[key] = true
		if _, known := r.queue.options.Stream(key); known && r.forgotten[key] {
			twice = append(twice, key)
		}
	}
	r.forgotten = seen
	return r.queue.Insert(ctx, twice)
}

// lookForForgotten returns the streams that have an open or requested run and no unfinished job. It
// is the last resort for every way to lose a job. For instance, a worker that lost its claim ends,
// and River completes the job that another process works; then that process is killed. Both tables
// are read in one snapshot.
func (r *reaper) lookForForgotten(ctx context.Context) ([]pipeline.Key, error) {
	var keys []pipeline.Key
	instant := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, r.queue.options.Pool, instant, func(tx pgx.Tx) error {
		unfinished, err := streams.Unfinished(ctx, tx)
		if err != nil || len(unfinished) == 0 {
			return err
		}
		var organizations, services, resources []string
		var queued []bool
		for _, stream := range unfinished {
			organizations, services = append(organizations, stream.Organization), append(services, stream.Service)
			resources, queued = append(resources, stream.Resource), append(queued, stream.Queued)
		}
		rows, _ := tx.Query(ctx, jobless, Args{}.Kind(), organizations, services, resources, queued)
		keys, err = pgx.CollectRows(rows, pgx.RowToStructByPos[pipeline.Key])
		return err
	})
	return keys, err
}
