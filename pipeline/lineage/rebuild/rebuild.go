// Package rebuild writes the rows anew that differ from what their raw records make of them. It
// makes no call, and works in batches, each of which is one transaction. It leaves intact rows
// alone. A rewritten row keeps its calls, its tombstone and the instant at which it was first seen.
// The instant of its last change moves only if the content hash changes.
//
// It never judges a row itself: package compare does, also for verify. Package warehouse/rebuilds
// writes the rows and stores the progress.
//
// Start reading at Run, then looking.batch.
package rebuild

import (
	"context"
	"errors"

	"sluice/pipeline"
	"sluice/pipeline/lineage/compare"
	"sluice/pipeline/sync"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/contents"
	"sluice/pipeline/warehouse/rebuilds"
	"sluice/schema/record"
)

// batchRows is how many rows one transaction examines.
const batchRows = 2000

// Scope says which rows are written.
type Scope = rebuilds.Scope

// Counts says what happened to the rows.
type Counts = rebuilds.Counts

// The scopes.
const (
	All     = rebuilds.All
	Changed = rebuilds.Changed
)

// Run writes the rows of a stream's resource anew that differ from their raw records, under a claim
// of the stream. Raw records that do not fit the declaration, or that the database refuses, go to
// quarantine, and their rows stay as they are.
//
// A rebuild that was stopped or killed goes on after the last row that it examined, and the counts
// include the earlier part. Run returns warehouse.ErrAtWork if a run or another rebuild of the
// stream is under way. It returns pipeline.ErrLostClaim if a run claimed the stream meanwhile.
// Progress, if not nil, gets the number of rows examined so far.
func Run(
	ctx context.Context, db *warehouse.DB, stream pipeline.Stream, scope Scope, normalize compare.Normalize, progress func(n int),
) (Counts, error) {
	work, err := db.BeginRebuild(ctx, stream, scope)
	if err != nil {
		return Counts{}, err
	}
	look := newLooking(stream, scope, normalize)
	for more := true; err == nil && more; {
		if more, err = work.Step(ctx, look.batch); err == nil && more && progress != nil {
			progress(work.Counts().Rows)
		}
	}
	return work.Counts(), errors.Join(err, work.End(ctx, err))
}

// Plan returns what Run would do, and writes nothing. It cannot know which rows the database would
// refuse.
func Plan(
	ctx context.Context, db *warehouse.DB, stream pipeline.Stream, scope Scope, normalize compare.Normalize, progress func(n int),
) (Counts, error) {
	var counts Counts
	var err error
	look := newLooking(stream, scope, normalize)
	for after, more := "", true; err == nil && more; {
		err = contents.Look(ctx, db.Pool(), func(view contents.View) error {
			batch, err := look.batch(ctx, view, after)
			batch.Rewritten = len(batch.Write)
			counts.Add(batch.Counts)
			after, more = batch.Last, batch.Last != ""
			return err
		})
		if err == nil && progress != nil {
			progress(counts.Rows)
		}
	}
	return counts, err
}

// looking finds the rows to write.
type looking struct {
	*compare.Comparer

	// other is the error for a row that refers to the raw record of another record.
	other *record.RejectedError
	// values says that values are compared, and not only hashes.
	values bool
}

func newLooking(stream pipeline.Stream, scope Scope, normalize compare.Normalize) *looking {
	return &looking{
		Comparer: compare.New(stream, normalize), values: scope == All,
		other: &record.RejectedError{Path: stream.Resource.ID, Code: record.CodeNoID, Detail: "the raw record now has another key than its row"},
	}
}

// batch examines the next rows after a key.
func (l *looking) batch(ctx context.Context, view contents.View, after string) (rebuilds.Batch, error) {
	var batch rebuilds.Batch
	rows, err := l.Next(ctx, view, after, batchRows)
	if err != nil || len(rows) == 0 {
		return batch, err
	}
	batch.Rows, batch.Last = len(rows), rows[len(rows)-1].Key
	answers, err := l.Read(ctx, view, rows)
	if err != nil {
		return batch, err
	}
	var apart map[string]bool
	if l.values {
		if err = l.Values(ctx, view, answers, false, func(a *compare.Answer) bool { return !a.OtherHash() && !a.OtherPayloadHash() }); err != nil {
			return batch, err
		}
		if apart, err = l.Apart(ctx, view, rows); err != nil {
			return batch, err
		}
	}
	for i := range answers {
		a := &answers[i]
		switch {
		case errors.Is(a.Err, compare.ErrNoRaw):
			batch.Lost++
		case a.Err != nil:
			batch.Rejected++
			batch.RejectedRecords = append(batch.RejectedRecords, l.rejectedRecord(a))
		case a.OtherHash(), l.values && (a.OtherPayloadHash() || len(a.Differences) > 0 || apart[a.Row.Key]):
			batch.Write = append(batch.Write, written(a, apart[a.Row.Key]))
		}
	}
	return batch, nil
}

// written returns the row to write.
func written(a *compare.Answer, apart bool) rebuilds.Row {
	row := rebuilds.Row{Record: a.Merged, Tombstones: apart || a.Row.Deleted()}
	for _, v := range a.Versions() {
		row.Raws = append(row.Raws, v.Raw)
	}
	if a.Detail != nil && !a.OtherHash() {
		row.ChangedAt = &a.Row.ChangedAt
	}
	if a.Detail != nil && a.Row.DetailHash != nil {
		row.DetailHash = a.Detail.Record.Hash[:]
	}
	return row
}

// rejectedRecord keeps a raw record whole, with the reason (invariant 4).
func (l *looking) rejectedRecord(a *compare.Answer) pipeline.RejectedRecord {
	err := a.Err
	if errors.Is(err, compare.ErrOther) {
		err = l.other
	}
	reject := sync.RejectedRecord(a.Of.Raw, err)
	reject.ID = a.Row.Key
	return reject
}
