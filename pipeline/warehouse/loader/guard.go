package loader

import (
	"time"

	"sluice/schema/normalize"
)

// RollbackAfter is how long after a row was written a call must have left for a modification time that went back to be
// believed: by then no answer from before can still be under way, so upstream was set back (a restore, an undone edit).
const RollbackAfter = 10 * time.Minute

// stored is what the probe knows about a row.
type stored struct {
	hash [16]byte
	call int64
	// modified is zero if the row has none; changed is when the row was last written.
	modified, changed time.Time
	// place is where the row stands (its ctid, in the wire's binary format); it holds as long as the row is locked.
	place [6]byte
}

// verdict is what the version rule says about a record that differs from its row.
type verdict int

const (
	// replace: the record is not older than the row.
	replace verdict = iota + 1
	// rollback: it is older by its own word, but upstream was set back.
	rollback
	// superseded: the row is newer.
	superseded
)

// judge is the version rule (promise 5, an older record never overwrites a newer one): the pair of modification time and
// call number decides, the call alone where either side has no modification time.
func judge(batch *Batch, record *normalize.Record, row stored) verdict {
	order := 0
	if !record.Modified.IsZero() && !row.modified.IsZero() {
		// Postgres keeps microseconds, and so do the canonical texts.
		order = record.Modified.Truncate(time.Microsecond).Compare(row.modified)
	}
	switch {
	case order > 0, order == 0 && batch.Call >= row.call:
		return replace
	case order < 0 && batch.Call > row.call && !batch.CallStarted.IsZero() &&
		!batch.CallStarted.Before(row.changed.Add(RollbackAfter)):
		return rollback
	default:
		return superseded
	}
}
