package streams

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// This is the only statement that sets when streams are due. It skips rows that another transaction
// has locked. Such a stream's run is under way and sets the time itself, and waiting could
// deadlock: that transaction may wait for rows that this one wrote. A caller that needs every
// stream locks them first. A stream whose due time does not change is not locked, so that its run
// can go on.
const sqlDue = `
WITH chosen AS (
	SELECT s.organization_id, s.service, s.resource, w.bound, d.at
	FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[], $7::timestamptz[], $8::boolean[])
		AS w (organization_id, service, resource, bound, after, since, not_before, spare)
	JOIN sluice.streams s USING (organization_id, service, resource)
	CROSS JOIN LATERAL (
		SELECT greatest(coalesce(w.since, clock_timestamp()) + w.after * interval '1 microsecond', w.not_before) AS at OFFSET 0
	) AS d
	WHERE (NOT w.spare OR s.enabled AND (s.wait_until IS NULL OR s.wait_until <= clock_timestamp()))
		AND NOT (w.bound = 'earlier' AND s.next_due_at <= d.at)
	ORDER BY s.organization_id, s.service, s.resource FOR UPDATE OF s SKIP LOCKED
)
UPDATE sluice.streams s SET next_due_at =
	CASE c.bound WHEN 'earlier' THEN least(s.next_due_at, c.at) WHEN 'later' THEN greatest(s.next_due_at, c.at) ELSE c.at END
FROM chosen c
WHERE (c.organization_id, c.service, c.resource) = (s.organization_id, s.service, s.resource)`

// next is a stream and when it is due.
type next struct {
	pipeline.Key
	pipeline.Due
}

// QueueDue sets when streams are due after an occasion, by the rule.
func (s *Schedule) QueueDue(batch *pgx.Batch, turn pipeline.Occasion, keys ...pipeline.Key) {
	all := make([]next, len(keys))
	for i, key := range keys {
		all[i] = next{key, s.rule(turn)}
	}
	queue(batch, all)
}

// setDue does what QueueDue does, at once, for streams with an occasion each.
func (s *Schedule) setDue(ctx context.Context, tx pgx.Tx, keys []pipeline.Key, turns func(i int) pipeline.Occasion) error {
	all := make([]next, len(keys))
	for i, key := range keys {
		all[i] = next{key, s.rule(turns(i))}
	}
	batch := new(pgx.Batch)
	queue(batch, all)
	if batch.Len() == 0 {
		return nil
	}
	return postgres.Fail("saying when streams are due", tx.SendBatch(ctx, batch).Close())
}

func queue(batch *pgx.Batch, all []next) {
	var (
		keys             []pipeline.Key
		bounds           []string
		after            []int64
		since, notBefore []*time.Time
		spare            []bool
	)
	for _, n := range all {
		if n.Bound == pipeline.Unchanged {
			continue
		}
		keys, bounds, after = append(keys, n.Key), append(bounds, string(n.Bound)), append(after, n.After.Microseconds())
		since, notBefore = append(since, postgres.Instant(n.Since)), append(notBefore, postgres.Instant(n.NotBefore))
		spare = append(spare, n.Spare)
	}
	if len(keys) > 0 {
		organizations, services, resources := columns(keys)
		batch.Queue(sqlDue, organizations, services, resources, bounds, after, since, notBefore, spare)
	}
}

// QueueDetailsDue makes the stream of a list's single records due, since rows wait for them. If its
// row is locked, its run is under way and reads them anyway.
func (s *Schedule) QueueDetailsDue(batch *pgx.Batch, list pipeline.Stream) {
	list.Work = pipeline.WorkDetails
	s.QueueDue(batch, pipeline.Occasion{Event: pipeline.DetailsWanted}, list.Key())
}

// QueueSweepDue makes the sweep of a list due, since a look found more than it can tell: at once,
// or after the pause that again says.
func (s *Schedule) QueueSweepDue(batch *pgx.Batch, list pipeline.Stream, again pipeline.Again) {
	list.Work = pipeline.WorkSweep
	s.QueueDue(batch, pipeline.Occasion{Event: pipeline.SweepWanted, Again: again}, list.Key())
}

// QueueLookDue makes the look of a list due after an event: it is wanted, or upstream's count makes
// it needless for now.
func (s *Schedule) QueueLookDue(batch *pgx.Batch, list pipeline.Stream, event pipeline.Event) {
	list.Work = pipeline.WorkLook
	s.QueueDue(batch, pipeline.Occasion{Event: event}, list.Key())
}

const sqlSweeps = `
SELECT organization_id, service, resource FROM sluice.streams WHERE organization_id = $1 AND resource LIKE '%.sweep'
ORDER BY organization_id, service, resource FOR UPDATE`

// SweepsDue makes every sweep of an organization due, also one that is under way: it began under
// the old time zone.
func (s *Schedule) SweepsDue(ctx context.Context, tx pgx.Tx, organization string) error {
	op := "bringing forward the sweeps of " + organization
	keys, err := postgres.Collect(ctx, tx, op, pgx.RowToStructByPos[pipeline.Key], sqlSweeps, organization)
	if err != nil {
		return err
	}
	return s.setDue(ctx, tx, keys, func(int) pipeline.Occasion { return pipeline.Occasion{Event: pipeline.Rezoned} })
}

// RejectedPause is the longest time after which a list with a new record in quarantine is read
// whole because of it.
func (s *Schedule) RejectedPause() time.Duration {
	return s.rule(pipeline.Occasion{Event: pipeline.Rejected}).After
}

const (
	// A process that ticks at the same instant notes it, too: none waits for the other's row.
	sqlTicked = `
UPDATE sluice.housekeeping SET at = clock_timestamp()
WHERE work IN (SELECT h.work FROM sluice.housekeeping h WHERE h.work = 'tick' FOR UPDATE SKIP LOCKED)`

	sqlLastTick = `SELECT at FROM sluice.housekeeping WHERE work = 'tick'`
)

// ticked notes that this process looks for due streams now.
func ticked(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, sqlTicked)
	return postgres.Fail("noting the tick", err)
}

// LastTick returns when a process last looked for due streams; nil if none ever did.
func (s *Schedule) LastTick(ctx context.Context) (*time.Time, error) {
	var at *time.Time
	err := s.pool.QueryRow(ctx, sqlLastTick).Scan(&at)
	return at, postgres.Fail("reading when the last tick was", err)
}

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
		var err error
		if keys, err = postgres.Collect(ctx, tx, op, pgx.RowToStructByPos[pipeline.Key], sqlWake, organization, services, also); err != nil {
			return err
		}
		return s.setDue(ctx, tx, keys, func(int) pipeline.Occasion { return pipeline.Occasion{Event: pipeline.Woken} })
	})
	return len(keys), err
}
