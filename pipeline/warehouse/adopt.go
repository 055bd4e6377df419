package warehouse

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/adoptions"
	"sluice/pipeline/warehouse/erasures"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/streams"
	"sluice/schema/record"
)

// ErrPosition says that a stream was copied or adopted before.
var ErrPosition = errors.New("the stream was copied or adopted before")

// Adoption is an adoption in progress: records that another program read upstream become rows of a
// stream's resource. It holds no claim. Each batch is one transaction that locks the stream's row
// and leaves nothing open, so that a kill leaves no run under way.
type Adoption struct {
	db     *DB
	stream pipeline.Stream
	at     adoptions.Adoption
	// Resumed says that it goes on where an earlier one was stopped.
	Resumed bool
}

// AdoptedBatch is what one transaction takes over.
type AdoptedBatch struct {
	// Lists are records as lists show them, Singles those that carry what only single records have.
	Lists, Singles []record.Record
	// Rejected do not fit the declaration.
	Rejected []pipeline.RejectedRecord
	// Last is the key of the last record, whatever became of it.
	Last string
	// Span says when the records were read upstream. Modified is the latest modification time among
	// them that can be believed.
	Span     adoptions.Span
	Modified time.Time
	// Counts are Records, Whole, Older and Deleted of the batch; the transaction finds the others.
	Counts adoptions.Counts
}

// BeginAdoption begins an adoption of a list, or goes on with the one from the same source and
// origin that was stopped. It returns ErrAtWork if a run of the list is open, and, unless again is
// set, ErrPosition if the stream has a position or was adopted before.
func (db *DB) BeginAdoption(ctx context.Context, stream pipeline.Stream, source, origin string, again bool) (*Adoption, error) {
	stream.Work = pipeline.WorkList
	a := &Adoption{db: db, stream: stream}
	key := stream.Key()
	err := db.inTx(ctx, "beginning an adoption of "+key.String(), func(tx pgx.Tx) error {
		row, err := a.lock(ctx, tx)
		if err != nil {
			return err
		}
		if a.at, a.Resumed, err = adoptions.Open(ctx, tx, key, source, origin); err != nil || a.Resumed {
			return err
		}
		if !again {
			before, err := adoptions.Before(ctx, tx, key)
			if err != nil {
				return err
			}
			if before || !row.Position.Watermark.IsZero() {
				return fmt.Errorf("%s: %w", key, ErrPosition)
			}
		}
		run, err := streams.OpenAdoption(ctx, tx, key, "adopting from "+outside.Plain(source)+" was stopped: the same command goes on")
		if err != nil {
			return err
		}
		a.at, err = adoptions.Begin(ctx, tx, key, source, origin, run)
		return err
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// lock locks the stream's row, and refuses to write beside a run.
func (a *Adoption) lock(ctx context.Context, tx pgx.Tx) (streams.Locked, error) {
	row, err := streams.Lock(ctx, tx, a.stream, 0)
	if err == nil && row.Run != 0 {
		err = fmt.Errorf("%s: %w", a.stream, ErrAtWork)
	}
	if err == nil { // it has no claim that an erasure would take away
		row.Erased, err = erasures.Any(ctx, tx, a.stream.ListKey())
	}
	return row, err
}

// After is the key behind which the adoption goes on; "" begins with the first record.
func (a *Adoption) After() string { return a.at.After }

// Counts are the counts of the whole adoption so far.
func (a *Adoption) Counts() adoptions.Counts { return a.at.Counts }

// ModifiedUntil is the latest believable modification time among the records so far.
func (a *Adoption) ModifiedUntil() time.Time { return a.at.ModifiedUntil }

// ExtractedUntil is when the last of the records so far was read upstream.
func (a *Adoption) ExtractedUntil() time.Time { return a.at.ExtractedUntil }

// Load loads a batch, and the progress behind it, in one transaction (invariant 6). A row stays
// unless the record is newer by its own modification time (invariant 5). What adopted records show
// is no evidence about deletions, closes no entry of the quarantine, and answers no hint.
func (a *Adoption) Load(ctx context.Context, batch AdoptedBatch) error {
	done := batch.Counts
	op := "adopting records of " + a.stream.String()
	err := a.db.inTx(ctx, op, func(tx pgx.Tx) error {
		row, err := a.lock(ctx, tx)
		if err != nil {
			return err
		}
		row.RequestedAt, row.Listed = batch.Span.Until, time.Time{}
		for _, part := range []struct {
			records  []record.Record
			rejected []pipeline.RejectedRecord
			single   bool
		}{{batch.Lists, batch.Rejected, false}, {batch.Singles, nil, true}} {
			if len(part.records)+len(part.rejected) == 0 {
				continue
			}
			loaded, err := a.loadPart(ctx, tx, row, part.records, part.rejected, part.single, batch.Span)
			if err != nil {
				return err
			}
			done.Inserted += int64(loaded.Inserted)
			done.Updated += int64(loaded.Updated)
			done.Unchanged += int64(loaded.Unchanged)
			done.Superseded += int64(loaded.Superseded)
			done.Rejected += int64(loaded.Rejected + len(part.rejected))
		}
		queue := new(pgx.Batch)
		streams.QueueAdopting(queue, a.at.Run)
		adoptions.QueueStep(queue, a.at.ID, batch.Last, done, batch.Modified, batch.Span.Until)
		return postgres.Fail(op, tx.SendBatch(ctx, queue).Close())
	})
	if err != nil {
		return err
	}
	a.at.Add(done)
	a.at.After = batch.Last
	if batch.Modified.After(a.at.ModifiedUntil) {
		a.at.ModifiedUntil = batch.Modified
	}
	if batch.Span.Until.After(a.at.ExtractedUntil) {
		a.at.ExtractedUntil = batch.Span.Until
	}
	return nil
}

// loadPart loads records of one kind under a number of their own.
func (a *Adoption) loadPart(
	ctx context.Context, tx pgx.Tx, row streams.Locked, records []record.Record, rejected []pipeline.RejectedRecord, single bool, span adoptions.Span,
) (pipeline.Loaded, error) {
	number, err := adoptions.Number(ctx, tx, a.at.ID, single, len(records), span)
	if err != nil {
		return pipeline.Loaded{}, err
	}
	l := &loadingBatch{db: a.db, tx: tx, row: row, adopted: true, batch: pipeline.Batch{
		Claim: pipeline.Claim{Stream: a.stream, Run: a.at.Run}, Call: number, Records: records, Rejected: rejected, Details: single,
		Received: len(records) + len(rejected), Position: row.Position,
	}}
	if err := l.refuseErased(ctx); err != nil {
		return l.loaded, err
	}
	if err := l.writeRows(ctx); err != nil {
		return l.loaded, err
	}
	queue := new(pgx.Batch)
	streams.QueueCount(queue, l.batch, l.loaded, quarantine.QueueDrift(queue, l.batch))
	if l.result.Owing > 0 {
		a.db.QueueDetailsDue(queue, a.stream)
	}
	if err := tx.SendBatch(ctx, queue).Close(); err != nil {
		return l.loaded, postgres.Fail("recording an adoption of "+a.stream.String(), err)
	}
	return l.loaded, l.storeRejected(ctx)
}

// Adopted is the end of an adoption.
type Adopted struct {
	// Watermark is the one that the stream got; zero if none.
	Watermark time.Time
	// Withheld says why it got none although the records have one; "" otherwise.
	Withheld outside.Text
}

// End ends the adoption: the stream gets the watermark, unless too many records were rejected
// (invariant 1), and its sweep is due, which finds the holes. Read is when the other program read
// the list last.
func (a *Adoption) End(ctx context.Context, watermark, read time.Time, note outside.Text) (Adopted, error) {
	var ended Adopted
	key, op, outcome := a.stream.Key(), "ending an adoption of "+a.stream.String(), adoptions.Done
	err := a.db.inTx(ctx, op, func(tx pgx.Tx) error {
		row, err := a.lock(ctx, tx)
		if err != nil {
			return err
		}
		batch := pipeline.Batch{
			Claim: pipeline.Claim{Stream: a.stream, Run: a.at.Run}, Position: row.Position,
			End: &pipeline.End{Outcome: pipeline.OutcomeDone, Note: note},
		}
		if err := quarantine.Judge(ctx, tx, &batch, row, a.db.rules); err != nil {
			return err
		}
		ended = Adopted{Watermark: watermark}
		if batch.End.Outcome != pipeline.OutcomeDone {
			ended, outcome = Adopted{Withheld: batch.End.Note}, adoptions.Withheld
		}
		if err := streams.EndAdoption(ctx, tx, key, a.at.Run, batch.End.Outcome, batch.End.Note, watermark, read); err != nil {
			return err
		}
		if err := adoptions.End(ctx, tx, a.at.ID, outcome, ended.Watermark); err != nil {
			return err
		}
		queue := new(pgx.Batch)
		a.db.QueueSweepDue(queue, a.stream, pipeline.AgainNot)
		return postgres.Fail(op, tx.SendBatch(ctx, queue).Close())
	})
	return ended, err
}
