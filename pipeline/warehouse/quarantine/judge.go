package quarantine

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams"
)

// ofList leaves out entries of single records: lists do not contain those, and they have a pause of
// their own (package details).
const ofList = `NOT EXISTS (SELECT FROM sluice.runs d WHERE d.id = q.run_id AND d.class = 'details')`

const (
	// A weighed entry no longer counts in later runs: it is known, and is asked for again. What a run
	// of another kind weighed, such as a look or a sweep, counts once more in a run of the list: only
	// that one moves the watermark, past records that it may not have.
	sqlWeigh = `
UPDATE sluice.quarantine SET weighed = $5, weighed_by_list = $6
WHERE (organization_id, service, resource) = ($1, $2, $3) AND state = 'open' AND run_id = $4
	AND CASE WHEN $6 THEN NOT weighed_by_list ELSE weighed = '' END`

	// If a clean reading of the whole list did not show an entry's record, the record is no longer
	// upstream, or has other bytes. The condition on last_seen_at leaves out entries that another
	// run has seen since.
	sqlOutlived = `
UPDATE sluice.quarantine q SET state = 'retried', decided_at = clock_timestamp(),
	note = 'run ' || r.id || ' read the whole list, and it was not there any more'
FROM sluice.runs r
WHERE r.id = $4 AND r.received > 0 AND (q.organization_id, q.service, q.resource) = ($1, $2, $3) AND q.state = 'open'
	AND q.last_seen_at < r.started_at AND ` + ofList

	// A failed run and a run without pages count as having asked, too. A run that loads a few
	// records by hand, or a rebuild, has another class and does not count.
	sqlAsked = `
UPDATE sluice.quarantine q SET asked_at = clock_timestamp() FROM sluice.runs r
WHERE r.id = $4 AND r.class = $5
	AND (q.organization_id, q.service, q.resource) = ($1, $2, $3) AND q.state = 'open' AND q.opened_at < r.started_at AND ` + ofList

	// The stream that reads the whole list is the sweep, or the list's own stream where there is
	// none. The pause, $4, counts from when an entry was opened. An entry that was asked for in
	// vain waits as long again as it has waited already, if that is longer.
	sqlRequested = `
SELECT s.organization_id, s.service, s.resource, w.since
FROM sluice.streams s CROSS JOIN (
	SELECT min(coalesce(q.asked_at + greatest(q.asked_at - q.opened_at - $4::interval, interval '0'), q.opened_at)) AS since
	FROM sluice.quarantine q WHERE (q.organization_id, q.service, q.resource) = ($1, $2, $3) AND q.state = 'open' AND ` + ofList + `
) AS w
WHERE (s.organization_id, s.service) = ($1, $2) AND s.state <> 'denied' AND w.since + $4 < s.next_due_at AND s.resource = (
	SELECT max(o.resource) FROM sluice.streams o
	WHERE (o.organization_id, o.service) = ($1, $2) AND o.enabled AND o.resource IN ($3::text, $3::text || '.sweep'))`

	sqlReread = `
SELECT EXISTS (
	SELECT FROM sluice.quarantine q WHERE (q.organization_id, q.service, q.resource) = ($1, $2, $3) AND q.state = 'open'
		AND (q.asked_at IS NULL OR q.asked_at + greatest($4::interval, q.asked_at - q.opened_at) <= clock_timestamp()) AND ` + ofList + `
) AND NOT EXISTS (
	SELECT FROM sluice.streams s WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3::text || '.sweep') AND s.enabled
)`
)

// Judge makes the end of a run provisional if too many of its records were rejected (invariant 1).
// It counts those of all chunks, this batch included.
func Judge(ctx context.Context, tx pgx.Tx, batch *pipeline.Batch, row streams.Locked, rules pipeline.Rules) error {
	if batch.End == nil || batch.End.Outcome == pipeline.OutcomeFailed {
		return nil
	}
	met, err := streams.Rejections(ctx, tx, batch.Claim)
	if err != nil {
		return err
	}
	weighed := "passed"
	if met.Withhold(batch, row.Position, rules) {
		weighed = "withheld"
	}
	key, queue := tableKey(*batch), new(pgx.Batch)
	if met.Refused > 0 {
		queue.Queue(sqlWeigh, key.Organization, key.Service, key.Resource, batch.Claim.Run, weighed, ofTheList(batch.Claim))
	}
	if batch.End.Entire && row.Suspects {
		queue.Queue(sqlOutlived, key.Organization, key.Service, key.Resource, batch.Claim.Run)
	}
	if queue.Len() == 0 {
		return nil
	}
	return postgres.Fail("judging what did not fit of "+batch.Claim.Stream.String(), tx.SendBatch(ctx, queue).Close())
}

// ofTheList reports whether a run is one of those that move the watermark of their list.
func ofTheList(claim pipeline.Claim) bool { return claim.Stream.Work == pipeline.WorkList }

// QueueAsked records, at the end of a run that read a whole list, that its records in quarantine
// were asked for. Their next pause is as long as they have waited so far.
func QueueAsked(batch *pgx.Batch, claim pipeline.Claim) {
	if readsWhole(claim) {
		key := claim.Stream.ListKey()
		batch.Queue(sqlAsked, key.Organization, key.Service, key.Resource, claim.Run, pipeline.ClassOf(claim.Stream))
	}
}

// Requested is the stream that has to run because of records in quarantine, and since when they
// wait; zero if there is none.
type Requested struct {
	pipeline.Key

	Since time.Time
}

// QueueRequested finds the stream that reads the whole list, if records in quarantine wait and the
// stream is not due before their pause is over.
func QueueRequested(batch *pgx.Batch, list pipeline.Key, pause time.Duration, wanted *Requested) {
	batch.Queue(sqlRequested, list.Organization, list.Service, list.Resource, pause).QueryRow(func(row pgx.Row) error {
		err := row.Scan(&wanted.Organization, &wanted.Service, &wanted.Resource, &wanted.Since)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
}

// readsWhole says that the run of a claim reads the whole list.
func readsWhole(claim pipeline.Claim) bool {
	switch claim.Stream.Work {
	case pipeline.WorkSweep:
		return true
	case pipeline.WorkList:
		begun := claim.Position.Scan // in an earlier chunk
		return !claim.Stream.Resource.Swept() || claim.Reread || begun != nil && begun.Bound.IsZero()
	case pipeline.WorkDetails, pipeline.WorkBackfill, pipeline.WorkLook, pipeline.WorkHinted:
	}
	return false
}

// Reread says whether a run that begins has to read its whole list because of records in
// quarantine. That is so only where sweeps are off.
func Reread(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, row streams.Locked, pause time.Duration) (bool, error) {
	if stream.Work != pipeline.WorkList || !stream.Resource.Swept() || !row.Suspects {
		return false, nil
	}
	var wanted bool
	key := stream.ListKey()
	err := tx.QueryRow(ctx, sqlReread, key.Organization, key.Service, key.Resource, pause).Scan(&wanted)
	return wanted, postgres.Fail("asking what is to be read again of "+stream.String(), err)
}
