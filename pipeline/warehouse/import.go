package warehouse

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/erasures"
	"sluice/pipeline/warehouse/imports"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/streams"
	"sluice/schema/record"
)

// Import is an import in progress: lines of a file become rows of a list. It holds no claim. Each
// batch is one transaction that locks the stream's row, so a kill leaves no open run.
type Import struct {
	db     *DB
	stream pipeline.Stream
	file   string
	run    int64
}

// ImportBatch holds the lines that one transaction loads.
type ImportBatch struct {
	// Lists are records as lists show them, Singles carry what only single records have. An
	// identifier occurs once in both.
	Lists, Singles []record.Record
	// Rejected do not fit the declaration. Their details name the line.
	Rejected []pipeline.RejectedRecord
	// Lines are the lines of the records by identifier.
	Lines map[string]int64
	// First and Last are the first and the last line of the batch.
	First, Last int64
	// Duplicates is the number of lines that were dropped because of another line in the batch.
	Duplicates int
	// At is the present time. Modification times far ahead of it prove nothing.
	At time.Time
}

// BeginImport begins an import into a list. It returns ErrAtWork if a run of the list is open.
func (db *DB) BeginImport(ctx context.Context, stream pipeline.Stream, file string) (*Import, error) {
	stream.Work = pipeline.WorkList
	i := &Import{db: db, stream: stream, file: file}
	err := db.inTx(ctx, "beginning an import of "+stream.String(), func(tx pgx.Tx) error {
		if _, err := i.lock(ctx, tx); err != nil {
			return err
		}
		var err error
		i.run, err = streams.OpenImport(ctx, tx, stream.Key(), "the import of "+outside.Plain(file)+" was stopped; run the same command again")
		return err
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}

// lock locks the stream's row, and refuses to write beside a run.
func (i *Import) lock(ctx context.Context, tx pgx.Tx) (streams.Locked, error) {
	row, err := streams.Lock(ctx, tx, i.stream, 0)
	if err == nil && row.Run != 0 {
		err = fmt.Errorf("%s: %w", i.stream, ErrAtWork)
	}
	if err == nil { // it has no claim that an erasure would take away
		row.Erased, err = erasures.Any(ctx, tx, i.stream.ListKey())
	}
	return row, err
}

// Load loads a batch in one transaction (invariant 6). A row stays unless the record is newer by
// its own modification time (invariant 5). Imported records are no evidence about deletions, close
// no entry of the quarantine, and answer no hint.
func (i *Import) Load(ctx context.Context, batch ImportBatch) (pipeline.Loaded, error) {
	var sum pipeline.Loaded
	op := "importing records of " + i.stream.String()
	err := i.db.inTx(ctx, op, func(tx pgx.Tx) error {
		row, err := i.lock(ctx, tx)
		if err != nil {
			return err
		}
		row.RequestedAt, row.Listed = batch.At, time.Time{}
		for _, part := range []pipeline.Batch{
			{Records: batch.Lists, Rejected: batch.Rejected, Duplicates: batch.Duplicates}, {Records: batch.Singles, Details: true},
		} {
			if len(part.Records)+len(part.Rejected) == 0 {
				continue
			}
			loaded, err := i.loadPart(ctx, tx, row, part, batch)
			if err != nil {
				return err
			}
			sum.Add(loaded)
		}
		queue := new(pgx.Batch)
		streams.QueueImporting(queue, i.run)
		return postgres.Fail(op, tx.SendBatch(ctx, queue).Close())
	})
	if err != nil {
		return pipeline.Loaded{}, err
	}
	return sum, nil
}

// loadPart loads records of one kind under a number of their own.
func (i *Import) loadPart(ctx context.Context, tx pgx.Tx, row streams.Locked, part pipeline.Batch, batch ImportBatch) (pipeline.Loaded, error) {
	number, err := imports.Number(ctx, tx, i.stream.Key(), imports.Batch{
		File: i.file, First: batch.First, Last: batch.Last, Single: part.Details, Run: i.run,
	})
	if err != nil {
		return pipeline.Loaded{}, err
	}
	part.Claim, part.Call, part.Position = pipeline.Claim{Stream: i.stream, Run: i.run}, number, row.Position
	part.Received = len(part.Records) + len(part.Rejected) + part.Duplicates
	l := &loadingBatch{db: i.db, tx: tx, row: row, imported: true, batch: part}
	if err := l.refuseErased(ctx); err != nil {
		return l.loaded, err
	}
	if err := l.writeRows(ctx); err != nil {
		return l.loaded, err
	}
	for at := range l.rejected {
		refused := &l.rejected[at]
		refused.Detail = ImportedLine(i.file, batch.Lines[refused.RejectedRecord.ID]) + refused.Detail
	}
	queue := new(pgx.Batch)
	streams.QueueCount(queue, l.batch, l.loaded, quarantine.QueueDrift(queue, l.batch))
	if l.result.Owing > 0 {
		i.db.QueueDetailsDue(queue, i.stream)
	}
	if err := tx.SendBatch(ctx, queue).Close(); err != nil {
		return l.loaded, postgres.Fail("recording an import of "+i.stream.String(), err)
	}
	return l.loaded, l.storeRejected(ctx)
}

// ImportedLine begins the reason why a line was rejected.
func ImportedLine(file string, line int64) string { return fmt.Sprintf("%s, line %d: ", file, line) }

// End ends the import. The sweep of the list is due, which finds records that upstream no longer
// has.
func (i *Import) End(ctx context.Context) error {
	op := "ending an import of " + i.stream.String()
	return i.db.inTx(ctx, op, func(tx pgx.Tx) error {
		queue := new(pgx.Batch)
		streams.QueueEndImport(queue, i.run, "imported from "+outside.Plain(i.file)+" without API calls")
		i.db.QueueSweepDue(queue, i.stream, pipeline.AgainNot)
		return postgres.Fail(op, tx.SendBatch(ctx, queue).Close())
	})
}
