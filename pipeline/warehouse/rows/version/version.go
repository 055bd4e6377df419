// Package version is the rule about versions: which of two states of one record is the newer one
// (invariant 5, an older record never overwrites a newer one). It is pure; package rows asks it
// about rows that it holds locked, and the simulation about rows in memory.
package version

import "time"

// RollbackAfter is how long after a row was written a call must have left for a modification time
// that went back to be believed: by then no answer from before can still be under way, so upstream
// was set back (a restore, an undone edit).
const RollbackAfter = 10 * time.Minute

// Ahead is how far ahead of the clock a modification time may be: no clock and no time zone is
// further off. One that is says nothing about which version is newer, and a row that had one would
// otherwise never be replaced again.
const Ahead = 24 * time.Hour

// Record is a version that came: Modified is what it says itself, zero if it says nothing; Call is
// the number of the call that brought it (a larger one was asked later), Asked when that call left,
// zero if unknown.
type Record struct {
	Modified, RequestedAt time.Time
	Call                  int64
}

// Row is the version that is stored: Changed is when it was written.
type Row struct {
	Modified, Changed time.Time
	Call              int64
}

// Verdict is what the rule says about a record that differs from its row.
type Verdict int

const (
	// Replace says that the record is not older than the row.
	Replace Verdict = iota + 1
	// Rollback says that it is older by its own word, but upstream was set back.
	Rollback
	// Superseded says that the row is newer.
	Superseded
)

// Judge decides by the pair of modification time and call number, by the call alone where either
// side has no modification time or one that cannot be.
func Judge(record Record, row Row) Verdict {
	order := 0
	if believed(record.Modified, record.RequestedAt) && believed(row.Modified, row.Changed) {
		// Postgres keeps microseconds, and so do the canonical texts.
		order = record.Modified.Truncate(time.Microsecond).Compare(row.Modified)
	}
	switch {
	case order > 0, order == 0 && record.Call >= row.Call:
		return Replace
	case order < 0 && record.Call > row.Call && !record.RequestedAt.IsZero() &&
		!record.RequestedAt.Before(row.Changed.Add(RollbackAfter)):
		return Rollback
	default:
		return Superseded
	}
}

// believed says that a modification time can be: at is when it was asked for or written, zero if
// unknown.
func believed(modified, at time.Time) bool {
	return !modified.IsZero() && (at.IsZero() || !modified.After(at.Add(Ahead)))
}
