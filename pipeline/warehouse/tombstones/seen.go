package tombstones

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/history"
	"sluice/pipeline/warehouse/postgres"
)

const (
	sqlSight = `
INSERT INTO sluice.sightings (run_id, call_id, ids) VALUES ($1, $2, $3) ON CONFLICT (run_id, call_id) DO NOTHING`

	sqlDropSightings = `DELETE FROM sluice.sightings WHERE run_id = $1`

	sqlEvidence = `
SELECT record_id, state, shrunken, suspected_last_call, CASE state WHEN 'deleted' THEN proof_first_call ELSE suspected_first_call END
FROM sluice.tombstones
WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4::text[]) AND state <> 'restored'
ORDER BY record_id FOR UPDATE`

	sqlRevive = `
UPDATE sluice.tombstones SET state = 'restored', restored_at = clock_timestamp(), restored_call = $5, restores = restores + 1, pruned_at = NULL
WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4::text[])`

	sqlWaits = `
SELECT EXISTS (SELECT FROM sluice.tombstones WHERE (organization_id, service, resource) = ($1, $2, $3) AND state = 'suspected')`

	sqlNotFound = `
UPDATE sluice.tombstones SET state = 'deleted', proof = 'not_found', proof_run_id = $5, proof_first_call = $6, proof_last_call = $6,
	proof_at = clock_timestamp(), deleted_at = $7, decided_by = 'rule', decided_at = clock_timestamp()
WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4::text[])`

	// A resource whose single records never answered is not asked.
	sqlAsk = `
UPDATE %[1]s AS t SET _detail_state = 'stale', _detail_at = NULL
WHERE t.organization_id = $1 AND t.%[2]s = ANY ($2::text[]) AND t._deleted_at IS NULL
	AND EXISTS (SELECT FROM %[1]s AS a WHERE a.organization_id = $1 AND a._detail_call_id IS NOT NULL)`

	// A path for single records that has never answered with one proves nothing by not finding a
	// record.
	sqlAnswers = `
SELECT EXISTS (SELECT FROM %[1]s AS t WHERE t.organization_id = $1 AND t._detail_call_id IS NOT NULL)`
)

// Waits says whether one scan missed rows of a stream's list, so that the next scan decides about
// them.
func Waits(ctx context.Context, tx pgx.Tx, stream pipeline.Stream) (bool, error) {
	key, waits := stream.ListKey(), false
	err := tx.QueryRow(ctx, sqlWaits, key.Organization, key.Service, key.Resource).Scan(&waits)
	return waits, postgres.Fail("asking what waits for another scan of "+key.String(), err)
}

// QueueSighting records which records a batch of a whole scan was shown, rejected ones included:
// they exist. Batches of other runs record nothing, unless upstream's count is their proof.
func QueueSighting(queue *pgx.Batch, batch pipeline.Batch) {
	counted := batch.Position.Scan != nil && batch.Position.Scan.Count != nil && batch.Position.Scan.Bound.IsZero()
	if batch.Call == 0 || batch.Details || !counted && !batch.Claim.Stream.ProvesAbsence() {
		return
	}
	queue.Queue(sqlSight, batch.Claim.Run, batch.Call, shown(batch))
}

// QueueDropSightings deletes a run's sightings when it ends.
func QueueDropSightings(batch *pgx.Batch, run int64) { batch.Queue(sqlDropSightings, run) }

// shown returns the identifiers of the records of a batch.
func shown(batch pipeline.Batch) []string {
	ids := make([]string, 0, len(batch.Records)+len(batch.Rejected))
	for i := range batch.Records {
		ids = append(ids, batch.Records[i].ID)
	}
	for i := range batch.Rejected {
		if batch.Rejected[i].ID != "" {
			ids = append(ids, batch.Rejected[i].ID)
		}
	}
	return ids
}

// Evidence is the evidence of absence of a batch's records, locked.
type Evidence struct {
	// deleted have a tombstone and suspected have none; the batch's call shows both, and is late
	// enough to count.
	deleted, suspected []string
	// buried have a tombstone, and the batch's call is too early to refute it.
	buried []string
	// unknown were missed by a scan, and the batch's call asked for their single records in vain.
	unknown []string
}

// Lock reads and locks the evidence about records of a batch, before any row is locked.
func Lock(ctx context.Context, tx pgx.Tx, batch pipeline.Batch) (Evidence, error) {
	var e Evidence
	missing := make(map[string]bool, len(batch.Missing))
	for _, id := range batch.Missing {
		missing[id] = true
	}
	ids := append(shown(batch), batch.Missing...)
	if batch.Call == 0 || len(ids) == 0 {
		return e, nil
	}
	key := batch.Claim.Stream.ListKey()
	rows, _ := tx.Query(ctx, sqlEvidence, key.Organization, key.Service, key.Resource, ids)
	var id, state string
	var shrunken bool
	var last, since int64
	_, err := pgx.ForEachRow(rows, []any{&id, &state, &shrunken, &last, &since}, func() error {
		switch {
		case missing[id]:
			if batch.Unknown && state == stateSuspected && !shrunken && batch.Call > last {
				e.unknown = append(e.unknown, id)
			}
		case state == stateDeleted && batch.Call > since:
			e.deleted = append(e.deleted, id)
		case state == stateDeleted:
			e.buried = append(e.buried, id)
		case batch.Call > since:
			e.suspected = append(e.suspected, id)
		}
		return nil
	})
	return e, postgres.Fail("reading evidence", err)
}

// Apply draws the conclusions after the batch's records are loaded. A call that shows a record
// again refutes the evidence and restores its row. A single record that upstream does not know
// confirms that a scan missed it. The call of the batch, which was reserved at called, has to be
// later than the scan: an earlier answer proves nothing about later changes.
func (e Evidence) Apply(ctx context.Context, tx pgx.Tx, batch pipeline.Batch, called time.Time) error {
	stream := batch.Claim.Stream
	if err := forget(ctx, tx, stream, e.suspected); err != nil {
		return err
	}
	if len(e.deleted) > 0 {
		key := stream.ListKey()
		if _, err := tx.Exec(ctx, sqlRevive, key.Organization, key.Service, key.Resource, e.deleted, batch.Call); err != nil {
			return fmt.Errorf("reviving rows: %w", err)
		}
		back, err := collect(tx.Query(ctx, namesOf(stream).fill(sqlUnbury), stream.Organization, e.deleted))
		if err != nil {
			return fmt.Errorf("reviving rows: %w", err)
		}
		if err := logChange(ctx, tx, stream, changes.Restored, back); err != nil {
			return err
		}
	}
	// Elements that came with an earlier answer get the tombstone of their record.
	if err := Follow(ctx, tx, stream, append(e.deleted, e.buried...)); err != nil {
		return err
	}
	if err := history.Write(ctx, tx, stream.ListKey(), e.deleted); err != nil {
		return err
	}
	return e.notFound(ctx, tx, batch, called)
}

// notFound accepts upstream's answer that it does not know single records, if their path has ever
// answered with one. Batch.Unknown says whether the answer itself can be believed.
func (e Evidence) notFound(ctx context.Context, tx pgx.Tx, batch pipeline.Batch, called time.Time) error {
	stream := batch.Claim.Stream
	if len(e.unknown) == 0 || called.IsZero() {
		return nil
	}
	answers := false
	if err := tx.QueryRow(ctx, namesOf(stream).fill(sqlAnswers), stream.Organization).Scan(&answers); err != nil || !answers {
		return err
	}
	key := stream.ListKey()
	_, err := tx.Exec(ctx, sqlNotFound, key.Organization, key.Service, key.Resource, e.unknown, batch.Claim.Run, batch.Call, called)
	if err != nil {
		return fmt.Errorf("noting what upstream does not know: %w", err)
	}
	_, err = bury(ctx, tx, stream, e.unknown, called, called)
	return err
}

// ask makes rows that were missed for the first time wait for their single record: upstream's
// answer that it does not exist counts as much as a second scan. It returns how many wait.
func ask(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, ids []string) (int, error) {
	if len(ids) == 0 || stream.Resource.Details == nil {
		return 0, nil
	}
	tag, err := tx.Exec(ctx, namesOf(stream).fill(sqlAsk), stream.Organization, ids)
	if err != nil {
		return 0, fmt.Errorf("asking for single records of what was missed: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
