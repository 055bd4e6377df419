package pipeline

import "time"

// Lateness is how long after their modification records became visible. A record proves lateness if
// it arrives now although it was modified before the last clean run of its list began: that run
// should have shown it. It was late by at least the time between the two
// (docs/decisions/0008-keyset-paging).
type Lateness struct {
	// Records counts the records that were late by MaxLag at most, Beyond those that were later.
	Records, Beyond int
	// Most is the largest lateness within MaxLag.
	Most time.Duration
}

// MaxLag bounds the visibility lag. A record that is later than that was hidden, or a filter
// skipped it. A longer lag would make each run read more again and still miss such records; scans
// of the whole list find them.
const MaxLag = time.Hour

// See takes the version of a record into account. Modified is its modification time; read is
// upstream's clock when the last clean run of the list began. Zero times are ignored.
func (l *Lateness) See(modified, read time.Time) {
	if modified.IsZero() || read.IsZero() || !modified.Before(read) {
		return
	}
	by := read.Sub(modified)
	if by > MaxLag {
		l.Beyond++
		return
	}
	l.Records++
	l.Most = max(l.Most, by)
}

// Add adds the lateness that another part of the same answer showed.
func (l *Lateness) Add(other Lateness) {
	l.Records += other.Records
	l.Beyond += other.Beyond
	l.Most = max(l.Most, other.Most)
}

// LagFor returns the visibility lag of a list whose writes were late by that much. It is twice the
// lateness, because the measured lateness is a lower bound. It is at least the usual lag and at
// most MaxLag.
func (r Rules) LagFor(late time.Duration) time.Duration {
	return max(r.Lag, min(2*late, MaxLag))
}
