package pipeline

import "time"

// Lateness is how much later than its modification time a record became visible. It is proven by a
// record that comes although it was modified before the last clean run of its list began: that run
// should have shown it. How late it was is then at least the time between the two
// (docs/decisions/0016-measured-capabilities).
type Lateness struct {
	// Records came late within MaxLag, Beyond later than that.
	Records, Beyond int
	// Most is the largest of those within MaxLag.
	Most time.Duration
}

// MaxLag bounds the visibility lag. What comes later is no matter of slow writes but of records
// that were hidden, or of a filter that skips some: waiting longer would re-read more each time and
// not find them, scans of the whole list do.
const MaxLag = time.Hour

// See takes a new version that came into account: modified is its modification time, read
// upstream's clock when the last clean run of the list began. Zero times say nothing.
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

// Add adds what another part of the same answer showed.
func (l *Lateness) Add(other Lateness) {
	l.Records += other.Records
	l.Beyond += other.Beyond
	l.Most = max(l.Most, other.Most)
}

// LagFor is the visibility lag of a list in which writes were seen as late as that: twice the
// lateness, as what was seen is a lower bound, at least the usual lag, at most MaxLag.
func (r Rules) LagFor(late time.Duration) time.Duration {
	return max(r.Lag, min(2*late, MaxLag))
}
