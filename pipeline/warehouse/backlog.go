package warehouse

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/rows"
	"sluice/pipeline/warehouse/streams/details"
)

// Pending implements sync.Backlog: rows that wait for their single record, newest modification
// first, those that failed a day ago or longer behind them.
func (db *DB) Pending(ctx context.Context, stream pipeline.Stream, limit int) ([]string, int, error) {
	ids, total, err := details.Pending(ctx, db.pool, stream, limit)
	if err != nil {
		return nil, 0, postgres.Fail("reading the backlog of "+stream.String(), err)
	}
	return ids, total, nil
}

// NextParent implements sync.Backlog: the parent that was tried longest ago, of those that the run
// has not tried.
func (db *DB) NextParent(ctx context.Context, claim pipeline.Claim) (string, int, error) {
	parent, left, err := details.NextParent(ctx, db.pool, claim)
	if err != nil {
		return "", 0, postgres.Fail("choosing a parent for "+claim.Stream.String(), err)
	}
	return parent, left, nil
}

// ListParents makes ids the parents that the configuration names for a stream; call it at start,
// also with none. A parent that is not named any more is read on only if a row of the warehouse
// refers to it.
func (db *DB) ListParents(ctx context.Context, stream pipeline.Stream, ids []string) error {
	op := "listing parents of " + stream.String()
	return db.inTx(ctx, op, func(tx pgx.Tx) error {
		return postgres.Fail(op, details.ListParents(ctx, tx, stream, ids))
	})
}

// holdRows locks the rows of a batch of details, whatever becomes of each, in the order in which
// all transactions lock them.
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

// queueBacklog adds what the batch does to what is left to be read: single records that were not to
// be had, lists of parents that were read, and headers whose single records are wanted.
func (db *DB) queueBacklog(queue *pgx.Batch, batch pipeline.Batch, result rows.Result, refused []rows.Rejected) error {
	stream := batch.Claim.Stream
	if batch.Details {
		failed := details.Unsettled(batch)
		for i := range refused {
			failed = append(failed, refused[i].RejectedRecord.ID)
		}
		if len(failed) > 0 {
			if err := details.QueueFail(queue, stream, failed); err != nil {
				return err
			}
		}
	}
	if batch.Parent != nil {
		details.QueueParentRead(queue, batch.Claim, *batch.Parent)
	}
	if result.Owing > 0 {
		db.QueueDetailsDue(queue, stream)
	}
	return nil
}
