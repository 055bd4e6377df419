package jobs

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/streams"
)

// reaper brings back the tickets of killed processes. River would do so an hour later; a lock that
// is free tells it at once. It looks twice before it acts, and never stops looking: a statement of
// a killed process may still commit.
type reaper struct {
	queue *Queue
	// missed and forgotten are what the last look saw.
	missed    map[job]bool
	forgotten map[pipeline.Key]bool
}

// job is one attempt of one job.
type job struct {
	ID      int64
	Attempt int16
}

func newReaper(q *Queue) *reaper { return &reaper{queue: q, missed: map[job]bool{}} }

// orphans are running tickets whose process does not live.
const orphans = `SELECT j.id, j.attempt FROM river.river_job j
	WHERE j.state = 'running' AND j.kind = $1
	  AND j.attempted_by[array_upper(j.attempted_by, 1)] ~ '^sluice-[0-9]+$'
	  AND NOT EXISTS (SELECT FROM sluice.live_processes p
	    WHERE p.id = substring(j.attempted_by[array_upper(j.attempted_by, 1)] from '[0-9]+$')::bigint)`

// bringBack makes a ticket available again, unless it changed meanwhile.
const bringBack = `UPDATE river.river_job SET state = 'available', scheduled_at = now()
	WHERE id = $1 AND attempt = $2 AND state = 'running'`

// ticketless are those of some streams that no ticket stands for. A ticket that sleeps does not
// stand for a queued stream: a run was requested between the note that the stream waits and the
// ticket's falling asleep.
const ticketless = `SELECT s.organization_id, s.service, s.resource
	FROM unnest($2::text[], $3::text[], $4::text[], $5::boolean[]) AS s (organization_id, service, resource, queued)
	WHERE NOT EXISTS (
	    SELECT FROM river.river_job j
	    WHERE j.kind = $1 AND j.state IN ('available', 'pending', 'retryable', 'running', 'scheduled')
	      AND j.args ->> 'organization' = s.organization_id AND j.args ->> 'service' = s.service
	      AND j.args ->> 'resource' = s.resource
	      AND NOT (s.queued AND j.state = 'scheduled' AND j.scheduled_at > now() + interval '30 seconds'))`

func (r *reaper) reap(ctx context.Context) error {
	rows, err := r.queue.options.Pool.Query(ctx, orphans, Args{}.Kind())
	if err != nil {
		return fmt.Errorf("look for tickets of killed processes: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[job])
	if err != nil {
		return fmt.Errorf("look for tickets of killed processes: %w", err)
	}
	missed := make(map[job]bool, len(found))
	for _, t := range found {
		if !r.missed[t] {
			missed[t] = true
			continue
		}
		if _, err := r.queue.options.Pool.Exec(ctx, bringBack, t.ID, t.Attempt); err != nil {
			return fmt.Errorf("bring back the ticket of a killed process: %w", err)
		}
		r.queue.options.Logger.InfoContext(ctx, "brought back the ticket of a killed process", "job", t.ID)
	}
	r.missed = missed
	return r.remember(ctx)
}

// remember queues what was forgotten: a request for a stream queues it a moment later, so one look
// proves nothing.
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

// lookForForgotten gives the streams that were asked for, or whose run is open, and that no ticket
// stands for: the last resort behind every way in which a ticket can get lost. A run loses its
// ticket when a worker that lost its claim ends, for River then completes the ticket that another
// process works, and that process is killed. Both tables are read as of one instant.
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
		rows, err := tx.Query(ctx, ticketless, Args{}.Kind(), organizations, services, resources, queued)
		if err != nil {
			return err
		}
		keys, err = pgx.CollectRows(rows, pgx.RowToStructByPos[pipeline.Key])
		return err
	})
	return keys, err
}
