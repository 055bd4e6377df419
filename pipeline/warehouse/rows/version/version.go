// Package version has the rule about versions: which of two states of one record is newer
// (invariant 5: an older record never overwrites a newer one). It is pure. Package rows applies it
// to locked rows, the simulation to rows in memory.
package version

import "time"

// RollbackAfter applies to records whose modification time went back. Such a record is accepted
// only if its call left so long after the row was written. By then no earlier answer can be under
// way, so upstream was set back (a restore, an undone edit).
const RollbackAfter = 10 * time.Minute

// Ahead is how far ahead of the clock a modification time may be: no clock and no time zone is
// further off. A later time proves nothing about which version is newer, and a row with one could
// never be replaced again.
const Ahead = 24 * time.Hour

// Record is a version that came. Modified is its own modification time, zero if it has none.
// RequestedAt is when the call that brought it was reserved, just before it left; zero if unknown.
// Call is the number of that call; a larger one was reserved later.
type Record struct {
	Modified, RequestedAt time.Time
	Call                  int64
}

// Row is the stored version; Changed is when it was written.
type Row struct {
	Modified, Changed time.Time
	Call              int64
}

// Verdict is the result of comparing a record with its row.
type Verdict int

const (
	// Replace says that the record is not older than the row.
	Replace Verdict = iota + 1
	// Rollback says that the record is older by its modification time, but upstream was set back.
	Rollback
	// Superseded says that the row is newer.
	Superseded
)

// Judge compares the pairs of modification time and call number. Where either side has no
// modification time, or an impossible one, it compares the calls alone.
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

// believed says that a modification time is possible; at is when its record was requested or its
// row written, zero if unknown.
func believed(modified, at time.Time) bool {
	return !modified.IsZero() && (at.IsZero() || !modified.After(at.Add(Ahead)))
}
