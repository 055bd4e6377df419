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

// ofList leaves out entries of single records: lists do not show those, and they have a pause of
// their own (package details).
const ofList = `NOT EXISTS (SELECT FROM sluice.runs d WHERE d.id = q.run_id AND d.class = 'details')`

const (
	// The next run that meets the entry is not judged with it any more: it is known, and is asked
	// for again.
	sqlWeigh = `
UPDATE sluice.quarantine SET weighed = $5
WHERE (organization_id, service, resource) = ($1, $2, $3) AND state = 'open' AND weighed = '' AND run_id = $4`

	// What a clean reading of the whole list did not show is not upstream any more, or not with
	// these bytes. Another run may have met it meanwhile.
	sqlOutlived = `
UPDATE sluice.quarantine q SET state = 'retried', decided_at = clock_timestamp(),
	note = 'run ' || r.id || ' read the whole list, and it was not there any more'
FROM sluice.runs r
WHERE r.id = $4 AND r.received > 0 AND (q.organization_id, q.service, q.resource) = ($1, $2, $3) AND q.state = 'open'
	AND q.last_seen_at < r.started_at AND ` + ofList

	// A failed run and a run without pages have asked, too. A run that loads a few records by hand,
	// or writes rows anew, is of another class and asks for nothing.
	sqlAsked = `
UPDATE sluice.quarantine q SET asked_at = clock_timestamp() FROM sluice.runs r
WHERE r.id = $4 AND r.class = $5
	AND (q.organization_id, q.service, q.resource) = ($1, $2, $3) AND q.state = 'open' AND q.opened_at < r.started_at AND ` + ofList

	// The sweep reads the whole list, or the list's own runs do where nothing sweeps it. The pause,
	// $4, counts from when an entry was opened; one that was asked for in vain waits as long as it
	// has waited already, if that is longer.
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

// Judge makes the end of a run provisional of which too much was refused (invariant 1), by what all
// its chunks met, this batch included.
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
		queue.Queue(sqlWeigh, key.Organization, key.Service, key.Resource, batch.Claim.Run, weighed)
	}
	if batch.End.Entire && row.Suspects {
		queue.Queue(sqlOutlived, key.Organization, key.Service, key.Resource, batch.Claim.Run)
	}
	if queue.Len() == 0 {
		return nil
	}
	return postgres.Fail("judging what did not fit of "+batch.Claim.Stream.String(), tx.SendBatch(ctx, queue).Close())
}

// QueueAsked notes, at the end of a run that read a whole list, that its records in quarantine were
// asked for: they wait twice as long for the next time.
func QueueAsked(batch *pgx.Batch, claim pipeline.Claim) {
	if readsWhole(claim) {
		key := claim.Stream.ListKey()
		batch.Queue(sqlAsked, key.Organization, key.Service, key.Resource, claim.Run, pipeline.ClassOf(claim.Stream))
	}
}

// Requested is the stream that is to be run for the sake of records in quarantine, and since when
// they wait; zero if there is none.
type Requested struct {
	pipeline.Key

	Since time.Time
}

// QueueRequested asks which stream reads the whole list of records in quarantine, if it is not due
// before their pause is over.
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
	case pipeline.WorkDetails, pipeline.WorkBackfill:
	}
	return false
}

// Reread says whether a run that begins has to read its list whole for the sake of what is in
// quarantine: where sweeps are off.
func Reread(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, row streams.Locked, pause time.Duration) (bool, error) {
	if stream.Work != pipeline.WorkList || !stream.Resource.Swept() || !row.Suspects {
		return false, nil
	}
	var wanted bool
	key := stream.ListKey()
	err := tx.QueryRow(ctx, sqlReread, key.Organization, key.Service, key.Resource, pause).Scan(&wanted)
	return wanted, postgres.Fail("asking what is to be read again of "+stream.String(), err)
}
