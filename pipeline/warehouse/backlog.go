package warehouse

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/hints"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams/details"
	"sluice/pipeline/warehouse/tombstones"
)

// Pending implements sync.Backlog. It returns the rows that need their single record, the most
// valuable first, and after them the rows that failed a day ago or longer. For a run over hints it
// returns the hints that a run was requested for, the oldest first.
func (db *DB) Pending(ctx context.Context, stream pipeline.Stream, place, limit int) ([]string, int, error) {
	var ids []string
	var total int
	var err error
	if stream.Work == pipeline.WorkHinted {
		ids, total, err = hints.Pending(ctx, db.pool, stream.ListKey(), limit)
	} else {
		ids, total, err = details.Pending(ctx, db.pool, stream, place, limit)
	}
	if err != nil {
		return nil, 0, postgres.Fail("reading the backlog of "+stream.String(), err)
	}
	return ids, total, nil
}

// Control implements sync.Backlog. It returns the row whose list record was loaded last, of those
// that have their single record and that no scan missed.
func (db *DB) Control(ctx context.Context, stream pipeline.Stream, ids []string) (string, error) {
	control, err := tombstones.Control(ctx, db.pool, stream, ids)
	return control, postgres.Fail("choosing a control for "+stream.String(), err)
}

// NextParent implements sync.Backlog. Of the parents that the run has not tried, it returns the one
// that was tried longest ago. For what change notifications told it returns the parent of the
// oldest hint.
func (db *DB) NextParent(ctx context.Context, claim pipeline.Claim) (string, int, error) {
	next := details.NextParent
	if claim.Stream.Work == pipeline.WorkHinted {
		next = hints.NextParent
	}
	parent, left, err := next(ctx, db.pool, claim)
	return parent, left, postgres.Fail("choosing a parent for "+claim.Stream.String(), err)
}

// ListParents makes ids the parents that the configuration names for a stream. Call it at every
// start, also with no ids. A parent that the configuration no longer names is read on only if a row
// of the warehouse refers to it.
func (db *DB) ListParents(ctx context.Context, stream pipeline.Stream, ids []string) error {
	op := "listing parents of " + stream.String()
	return db.inTx(ctx, op, func(tx pgx.Tx) error {
		return postgres.Fail(op, details.ListParents(ctx, tx, stream, ids))
	})
}

// holdRows locks the rows of a batch of details, whatever its outcome for each, in the order that
// all transactions use.
func holdRows(ctx context.Context, tx pgx.Tx, batch pipeline.Batch) error {
	if !batch.Details {
		return nil
	}
	ids := details.Unsettled(batch)
	for i := range batch.Records {
		ids = append(ids, batch.Records[i].ID)
	}
	return details.Hold(ctx, tx, batch.Claim.Stream, ids)
}

// queueBacklog records what the batch changes in the work that is left: single records that could
// not be read, hints that were, parents whose lists were read, and headers that need single
// records.
func (l *loadingBatch) queueBacklog(queue *pgx.Batch) error {
	batch, stream := l.batch, l.batch.Claim.Stream
	if stream.Work == pipeline.WorkHinted {
		l.queueHintsRead(queue)
	} else if batch.Details { // a record that upstream told of need not have a row
		failed := details.Unsettled(batch)
		for i := range l.rejected {
			failed = append(failed, l.rejected[i].RejectedRecord.ID)
		}
		if len(failed) > 0 {
			if err := details.QueueFail(queue, stream, failed); err != nil {
				return err
			}
		}
	}
	if batch.Parent != nil && stream.Work != pipeline.WorkHinted { // which keeps the order of the scheduled runs
		details.QueueParentRead(queue, batch.Claim, *batch.Parent)
	}
	if l.result.Owing > 0 {
		l.db.QueueDetailsDue(queue, stream)
	}
	return nil
}

// queueHintsRead settles the hints that the batch answers.
func (l *loadingBatch) queueHintsRead(queue *pgx.Batch) {
	switch {
	case l.batch.Claim.Stream.Resource.ToldByParent() == "":
		hints.QueueRead(queue, l.batch, l.row.RequestedAt, &l.told)
	case l.batch.Parent != nil: // the list of a parent may take several batches
		hints.QueueParentRead(queue, l.batch.Claim, l.batch.Parent.ID, &l.told)
	}
}
