package warehouse

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// askWait is after how long the list of a record in quarantine is read whole because of it; from then on the pause doubles. A sync
// by hand asks at once, the first time.
const askWait = "interval '1 hour'"

// ofList leaves out entries of single records: lists do not show those, and they have a pause of their own (package details).
const ofList = `NOT EXISTS (SELECT FROM sluice.runs d WHERE d.id = q.run_id AND d.class = 'details')`

const (
	sqlRefusals = `SELECT received, refused, clashed FROM sluice.runs WHERE id = $1`

	// The next run that meets the entry is not judged with it any more: it is known, and is asked for again.
	sqlWeigh = `
UPDATE sluice.quarantine SET weighed = $5
WHERE (organization_id, service, resource) = ($1, $2, $3) AND state = 'open' AND weighed = '' AND run_id = $4`

	// What a clean reading of the whole list did not show is not upstream any more, or not with these bytes. Another run may have
	// met it meanwhile.
	sqlOutlived = `
UPDATE sluice.quarantine q SET state = 'retried', decided_at = clock_timestamp(),
	note = 'run ' || r.id || ' read the whole list, and it was not there any more'
FROM sluice.runs r
WHERE r.id = $4 AND r.received > 0 AND (q.organization_id, q.service, q.resource) = ($1, $2, $3) AND q.state = 'open'
	AND q.last_seen_at < r.started_at AND ` + ofList

	// A failed run and a run without pages have asked, too. A run that loads a few records by hand, or writes rows anew, is of another class
	// and asks for nothing.
	sqlAsked = `
UPDATE sluice.quarantine q SET asked_at = clock_timestamp() FROM sluice.runs r
WHERE r.id = $4 AND r.class = $5
	AND (q.organization_id, q.service, q.resource) = ($1, $2, $3) AND q.state = 'open' AND q.opened_at < r.started_at AND ` + ofList

	// The sweep reads the whole list, or the list's own runs do where nothing sweeps it. Where that stream's row is locked its run
	// is under way, and ends here, too.
	sqlAskAgain = `
WITH wanted AS (
	SELECT min(coalesce(q.asked_at + greatest(` + askWait + `, q.asked_at - q.opened_at), q.opened_at + ` + askWait + `)) AS at
	FROM sluice.quarantine q WHERE (q.organization_id, q.service, q.resource) = ($1, $2, $3) AND q.state = 'open' AND ` + ofList + `
), asked AS (
	SELECT s.organization_id, s.service, s.resource, w.at FROM sluice.streams s JOIN wanted w ON w.at < s.next_due_at
	WHERE (s.organization_id, s.service) = ($1, $2) AND s.state <> 'denied' AND s.resource = (
		SELECT max(o.resource) FROM sluice.streams o
		WHERE (o.organization_id, o.service) = ($1, $2) AND o.enabled AND o.resource IN ($3::text, $3::text || '.sweep'))
	FOR UPDATE OF s SKIP LOCKED
)
UPDATE sluice.streams s SET next_due_at = least(s.next_due_at, a.at) FROM asked a
WHERE (a.organization_id, a.service, a.resource) = (s.organization_id, s.service, s.resource)`

	sqlReread = `
SELECT EXISTS (
	SELECT FROM sluice.quarantine q WHERE (q.organization_id, q.service, q.resource) = ($1, $2, $3) AND q.state = 'open'
		AND (q.asked_at IS NULL OR q.asked_at + greatest(` + askWait + `, q.asked_at - q.opened_at) <= clock_timestamp()) AND ` + ofList + `
) AND NOT EXISTS (
	SELECT FROM sluice.streams s WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3::text || '.sweep') AND s.enabled
)`
)

// Refusals implements sync.Store.
func (db *DB) Refusals(ctx context.Context, claim pipeline.Claim) (pipeline.Refusals, error) {
	return refusals(ctx, db.pool, claim)
}

func refusals(ctx context.Context, asker postgres.Asker, claim pipeline.Claim) (pipeline.Refusals, error) {
	var met pipeline.Refusals
	err := asker.QueryRow(ctx, sqlRefusals, claim.Run).Scan(&met.Received, &met.Refused, &met.Clashed)
	return met, postgres.Fail("counting what did not fit of "+claim.Stream.String(), err)
}

// judge makes the end of a run provisional of which too much was refused (promise 1), by what all its chunks met, this unit
// included.
func (db *DB) judge(ctx context.Context, tx pgx.Tx, unit *pipeline.Unit, row locked) error {
	if unit.End == nil || unit.End.Outcome == pipeline.OutcomeFailed {
		return nil
	}
	met, err := refusals(ctx, tx, unit.Claim)
	if err != nil {
		return err
	}
	weighed := "passed"
	if met.Withhold(unit, row.position, db.rules) {
		weighed = "withheld"
	}
	key, batch := tableKey(*unit), new(pgx.Batch)
	if met.Refused > 0 {
		batch.Queue(sqlWeigh, key.Organization, key.Service, key.Resource, unit.Claim.Run, weighed)
	}
	if unit.End.Entire && row.suspects {
		batch.Queue(sqlOutlived, key.Organization, key.Service, key.Resource, unit.Claim.Run)
	}
	if batch.Len() == 0 {
		return nil
	}
	return postgres.Fail("judging what did not fit of "+unit.Claim.Stream.String(), tx.SendBatch(ctx, batch).Close())
}

// queueAskAgain sees to it, at the end of a run, that records in quarantine are asked for again: what this run asked for waits
// twice as long for the next time.
func queueAskAgain(batch *pgx.Batch, claim pipeline.Claim) {
	key := claim.Stream.ListKey()
	if readsWhole(claim) {
		batch.Queue(sqlAsked, key.Organization, key.Service, key.Resource, claim.Run, pipeline.ClassOf(claim.Stream))
	}
	batch.Queue(sqlAskAgain, key.Organization, key.Service, key.Resource)
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

// reread says whether a run that begins has to read its list whole for the sake of what is in quarantine: where sweeps are off.
func reread(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, row locked) (bool, error) {
	if stream.Work != pipeline.WorkList || !stream.Resource.Swept() || !row.suspects {
		return false, nil
	}
	var wanted bool
	key := stream.ListKey()
	err := tx.QueryRow(ctx, sqlReread, key.Organization, key.Service, key.Resource).Scan(&wanted)
	return wanted, postgres.Fail("asking what is to be read again of "+stream.String(), err)
}
