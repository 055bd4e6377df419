package streams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/postgres"
)

const (
	// Invariant 1 in the database: a watermark never moves back, whatever the caller asks for.
	sqlAdvance = `
UPDATE sluice.streams SET watermark = greatest(watermark, $4::timestamptz), scanned_until = greatest(scanned_until, $6::timestamptz),
	scan = $5::jsonb, state = 'running'
WHERE (organization_id, service, resource) = ($1, $2, $3)`

	sqlCount = `
UPDATE sluice.runs SET
	bound = coalesce($2::timestamptz, bound), pages = pages + $3, received = received + $4, inserted = inserted + $5,
	updated = updated + $6, unchanged = unchanged + $7, superseded = superseded + $8, duplicates = duplicates + $9,
	quarantined = quarantined + $10, drifted = drifted + $11, silent = silent + $12, rollbacks = rollbacks + $13
WHERE id = $1`

	sqlCountRejected = `UPDATE sluice.runs SET refused = refused + $2, clashed = clashed + $3 WHERE id = $1`

	sqlCountUnannounced = `UPDATE sluice.runs SET unannounced = unannounced + $2 WHERE id = $1`

	sqlRejections = `SELECT received, refused, clashed FROM sluice.runs WHERE id = $1`

	// The count before differed if the last one that was sure did, or its sums, and a look since then
	// did not find why. The count of a sweep is that of its list, whose row may be locked: its run notes
	// one itself.
	sqlCounted = `
WITH was AS (
	SELECT l.last_done_at > s.counted_at AND (s.counted <> s.counted_ours OR EXISTS (SELECT FROM jsonb_each(s.sums) AS e
		WHERE (e.value->>'upstream')::numeric <> (e.value->>'ours')::numeric)) AS differed
	FROM sluice.streams s LEFT JOIN sluice.streams l ON (l.organization_id, l.service, l.resource) = ($1, $2, $3 || '.look')
	WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3) FOR UPDATE OF s SKIP LOCKED
)
UPDATE sluice.streams s SET counted_at = statement_timestamp(), count_asked = false, counted = $4, counted_ours = CASE WHEN $6 THEN $5::bigint END,
	agreed_at = CASE WHEN $6 AND $7 THEN statement_timestamp() ELSE agreed_at END, sums = (
		SELECT jsonb_object_agg(column_name, jsonb_build_object('upstream', u.value, 'ours', o.value))
		FROM jsonb_each_text($8::jsonb) AS u (column_name, value) JOIN jsonb_each_text($9::jsonb) AS o (column_name, value) USING (column_name))
FROM was WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3)
RETURNING coalesce(was.differed, false)`

	// In the order of keys, as all locks of several streams are taken.
	sqlCountAnew = `
WITH wanted AS (
	SELECT s.organization_id, s.service, s.resource
	FROM unnest($1::text[], $2::text[], $3::text[]) AS w (organization_id, service, resource)
	JOIN sluice.streams s USING (organization_id, service, resource)
	ORDER BY s.organization_id, s.service, s.resource FOR UPDATE OF s
)
UPDATE sluice.streams s SET count_asked = true FROM wanted w
WHERE (s.organization_id, s.service, s.resource) = (w.organization_id, w.service, w.resource)`

	sqlStop = `
UPDATE sluice.streams SET state = $4, reason = $5, wait_until = $6,
	failures = failures + CASE WHEN $4 IN ('retrying', 'failed') THEN 1 ELSE 0 END
WHERE (organization_id, service, resource) = ($1, $2, $3)`

	// A run aside, which loads a few records by hand or makes no call, serves no request.
	sqlEndStream = `
UPDATE sluice.streams s SET
	state = $4, reason = $5, wait_until = $6, note = $7, run_id = NULL, scan = NULL, last_run_id = r.id,
	served_gen = CASE WHEN r.class = 'probe' OR $9 THEN served_gen ELSE greatest(served_gen, r.gen) END,
	last_done_at = CASE WHEN $8 = 'done' AND NOT $9 THEN clock_timestamp() ELSE last_done_at END,
	failures = CASE WHEN $8 = 'failed' THEN failures + 1 ELSE 0 END,
	announced_runs = CASE WHEN $8 <> 'done' OR $9 OR r.class = 'probe' OR r.watermark_before IS NULL THEN s.announced_runs
		WHEN r.unannounced > 0 THEN 0
		WHEN EXISTS (SELECT FROM sluice.hints h WHERE (h.organization_id, h.service, h.resource) = ($1, $2, $3)) THEN s.announced_runs + 1
		ELSE s.announced_runs END
FROM sluice.runs r
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3) AND r.id = s.run_id
RETURNING r.class = 'probe' OR $9, s.requested_gen > r.gen, ` + interval

	sqlEndRun = `
UPDATE sluice.runs r SET
	ended_at = clock_timestamp(), outcome = $2, kind = nullif($3, ''), note = $4, proof = $5,
	calls = (SELECT count(*) FROM sluice.calls c WHERE c.run_id = r.id),
	watermark_after = (SELECT s.watermark FROM sluice.streams s
		WHERE (s.organization_id, s.service, s.resource) = (r.organization_id, r.service, r.resource))
WHERE r.id = $1`
)

// QueueAdvance stores the position behind a batch for a claimed stream.
func QueueAdvance(queue *pgx.Batch, batch pipeline.Batch) error {
	var scan []byte
	key := batch.Claim.Stream.Key()
	if batch.Position.Scan != nil {
		var err error
		if scan, err = json.Marshal(batch.Position.Scan); err != nil {
			return fmt.Errorf("writing the scan of %s: %w", key, err)
		}
	}
	queue.Queue(sqlAdvance, key.Organization, key.Service, key.Resource, postgres.Instant(batch.Position.Watermark), scan,
		postgres.Instant(batch.Position.ScannedUntil))
	return nil
}

// QueueCount adds the counts of a batch to its run. Drifted is how many of its records have
// undeclared keys.
func QueueCount(queue *pgx.Batch, batch pipeline.Batch, loaded pipeline.Loaded, drifted int) {
	var bound *time.Time
	if batch.Position.Scan != nil {
		bound = postgres.Instant(batch.Position.Scan.Bound)
	}
	pages := 0
	if batch.Call != 0 {
		pages = 1
	}
	queue.Queue(sqlCount, batch.Claim.Run, bound, pages, batch.Received, loaded.Inserted, loaded.Updated, loaded.Unchanged,
		loaded.Superseded, batch.Duplicates, len(batch.Rejected)+loaded.Rejected, drifted, loaded.Silent, loaded.Rollbacks)
}

// CountRejected adds a run's new records in quarantine to its counts; clashed are those that shared
// an identifier.
func CountRejected(ctx context.Context, tx pgx.Tx, run, refused, clashed int64) error {
	_, err := tx.Exec(ctx, sqlCountRejected, run, refused, clashed)
	return postgres.Fail("counting what did not fit", err)
}

// Counted notes upstream's count and sums of a list beside those of its records here. Sure says that
// the two can be compared, agrees that nothing differs. It returns whether something differed at the
// count before, false if that is under way.
func Counted(ctx context.Context, tx pgx.Tx, key pipeline.Key, upstream, ours pipeline.Tally, sure, agrees bool) (bool, error) {
	differed := false
	err := tx.QueryRow(ctx, sqlCounted, key.Organization, key.Service, key.Resource, upstream.Records, ours.Records, sure, agrees,
		upstream.Sums, ours.Sums).Scan(&differed)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return differed, postgres.Fail("noting the count of "+key.String(), err)
}

// CountAnew makes the next runs of lists ask for their count, however long ago the last one is.
func (s *Schedule) CountAnew(ctx context.Context, lists []pipeline.Key) error {
	organizations, services, resources := columns(lists)
	_, err := s.pool.Exec(ctx, sqlCountAnew, organizations, services, resources)
	return postgres.Fail("asking for counts", err)
}

// QueueUnannounced adds to a run the changed rows of which no notification told.
func QueueUnannounced(queue *pgx.Batch, run int64, rows int) {
	queue.Queue(sqlCountUnannounced, run, rows)
}

// Rejections returns how many records a claim's run has received so far, and how many of them were
// rejected.
func Rejections(ctx context.Context, asker postgres.Asker, claim pipeline.Claim) (pipeline.Refusals, error) {
	var met pipeline.Refusals
	err := asker.QueryRow(ctx, sqlRejections, claim.Run).Scan(&met.Received, &met.Refused, &met.Clashed)
	return met, postgres.Fail("counting what did not fit of "+claim.Stream.String(), err)
}

// Stop records why a chunk stopped before the end of its run, which stays open. Until is when the
// stream goes on; zero if that is unknown.
func Stop(ctx context.Context, tx pgx.Tx, key pipeline.Key, state pipeline.State, reason outside.Text, until time.Time) error {
	_, err := tx.Exec(ctx, sqlStop, key.Organization, key.Service, key.Resource,
		state, postgres.Clean(reason, postgres.MaxReason), postgres.Instant(until))
	return postgres.Fail("settling "+key.String(), err)
}

// Ending says how a run ends and in which state it leaves its stream.
type Ending struct {
	State        pipeline.State
	Outcome      pipeline.Outcome
	Reason, Note outside.Text
	// Kind is the kind of error that ended it; "" if there was none.
	Kind  string
	Until time.Time
	Proof pipeline.Proof
	// Again is why the stream needs another run before its interval is over.
	Again pipeline.Again
	// ReadNothing says that the run made no call: requests are still to be served, and the stream's
	// due time does not change.
	ReadNothing bool
}

// QueueEnd closes the run of a claim. It updates the stream first, so that the run records the
// final watermark. Once the batch is sent, the result says what decides when the stream is due; the
// caller passes it to QueueDue.
func QueueEnd(batch *pgx.Batch, claim pipeline.Claim, end Ending) *pipeline.Occasion {
	key, note := claim.Stream.Key(), postgres.Clean(end.Note, postgres.MaxReason)
	turn := &pipeline.Occasion{Event: pipeline.Ended, State: end.State, Until: end.Until, Again: end.Again}
	batch.Queue(sqlEndStream, key.Organization, key.Service, key.Resource,
		end.State, postgres.Clean(end.Reason, postgres.MaxReason), postgres.Instant(end.Until), note, end.Outcome, end.ReadNothing).
		QueryRow(func(row pgx.Row) error { return row.Scan(&turn.Aside, &turn.Requested, &turn.Every) })
	batch.Queue(sqlEndRun, claim.Run, end.Outcome, end.Kind, note, end.Proof)
	return turn
}
