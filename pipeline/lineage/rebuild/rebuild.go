// Package rebuild writes rows anew that are not what their records say: without a call, in batches,
// each of which is one transaction. Intact rows are not written. A row keeps its calls, the instant
// at which it was first seen, its tombstone, and the instant of its last change, which moves where
// the content hash is another one now.
//
// It never judges a row by itself: package compare does, for verify as well. What is written, and
// how far a rebuild came, is the matter of the warehouse.
//
// Start reading at Run, then looking.batch.
package rebuild

import (
	"context"
	"errors"

	"sluice/pipeline"
	"sluice/pipeline/lineage/compare"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/contents"
	"sluice/pipeline/warehouse/rebuilds"
	"sluice/schema/record"
)

// batchRows is how many rows one transaction goes through.
const batchRows = 2000

// Scope says which rows are written.
type Scope = rebuilds.Scope

// Counts says what became of rows.
type Counts = rebuilds.Counts

// The scopes.
const (
	All     = rebuilds.All
	Changed = rebuilds.Changed
)

// Run writes the rows of a stream's resource that are not what their records say, under a claim of
// the stream. Records that do not fit the declaration, or that the database refuses, go to
// quarantine, and their rows stay as they are.
//
// A rebuild that was stopped or killed goes on behind the rows that it had looked at, and the
// counts are those of the whole. Run returns warehouse.ErrAtWork if a run of the stream is under
// way, or another rebuild, and pipeline.ErrLostClaim if a run took the stream over. Progress, if
// not nil, gets the number of rows that were looked at so far.
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

// Plan says what Run would do, and writes nothing. What the database would refuse is not known.
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

// looking finds the rows that are to be written.
type looking struct {
	*compare.Comparer

	// other is what is wrong with the raw record of another record.
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

// batch looks at the next rows after a key.
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
		if err = l.Values(ctx, view, answers, func(a *compare.Answer) bool { return !a.OtherHash() && !a.OtherPayloadHash() }); err != nil {
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

// written is a row as it is to be written.
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
	misfit, ok := errors.AsType[*record.RejectedError](a.Err)
	if errors.Is(a.Err, compare.ErrOther) {
		misfit, ok = l.other, true
	}
	reject := pipeline.RejectedRecord{Raw: a.Of.Raw, ID: a.Row.Key, Code: string(record.CodeBadJSON), Detail: outside.Plain(a.Err.Error())}
	if ok {
		reject.Code, reject.Path, reject.Detail = string(misfit.Code), misfit.Path, outside.Plain(misfit.Detail)
	}
	return reject
}
