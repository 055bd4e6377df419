package pipeline

import (
	"time"

	"sluice/pipeline/outside"
)

// Rules are the figures by which lists are read.
type Rules struct {
	// PerPage is the requested page size. Source: docs/upstream.md U80.
	PerPage int
	// Lag is how long a write may take upstream until readers see it: a new watermark stays this
	// far behind upstream's clock.
	Lag time.Duration
	// Overlap is the time below the watermark that is read again, because upstream's times have a
	// resolution of one second.
	Overlap time.Duration
	// MaxPasses is the number of passes after which a run gives up on a list that keeps shifting.
	MaxPasses int
	// ChunkPages and ChunkTime bound one chunk.
	ChunkPages int
	ChunkTime  time.Duration
	// Prefetch is how many pages of a list are requested at most while another one is under way or
	// being loaded, where the order of reading allows it. Zero reads one page after the other.
	Prefetch int
	// MaxRejected is a share of a run's records, from 0 to 1. If more of them do not fit, the run
	// moves no watermark (invariant 1).
	MaxRejected float64
}

// TooManyRejected reports whether so many of a run's records did not fit that the fault is
// upstream's and not that of single records.
func (r Rules) TooManyRejected(rejected, received int64) bool {
	return rejected > 0 && float64(rejected) > r.MaxRejected*float64(received)
}

// DefaultRules are the figures with which the procedures of docs/decisions/0007-paging-by-number
// were measured.
func DefaultRules() Rules {
	return Rules{
		PerPage:    200,
		Lag:        5 * time.Minute,
		Overlap:    2 * time.Second,
		MaxPasses:  4,
		ChunkPages: 50,
		ChunkTime:  time.Minute,
		// Together with the page under way, this is what the smallest plan allows at once.
		Prefetch:    4,
		MaxRejected: 0.05,
	}
}

// TombstoneRules are the figures that decide when a record counts as gone because the list does not
// show it (docs/decisions/0010-deletions).
type TombstoneRules struct {
	// MaxRows and MaxShare are the brake: a scan that misses more live rows than the larger of the
	// two allows proves nothing by itself. MaxShare is a share of the resource's live rows, from 0
	// to 1.
	MaxRows  int
	MaxShare float64
	// Apart is the least time between the end of the first scan and the beginning of the second
	// one. So a cache that hides a record from the first scan has expired before the second.
	Apart time.Duration
}

// DefaultTombstoneRules are the figures of docs/decisions/0010-deletions.
func DefaultTombstoneRules() TombstoneRules {
	return TombstoneRules{MaxRows: 20, MaxShare: 0.02, Apart: 10 * time.Minute}
}

// fewRejected is how many records a run may reject before Flood looks at their share.
const fewRejected = 1000

// Refusals counts the records that a run received, and those of them that are new in quarantine: no
// earlier run counted them, and the operator has not decided about them. So a record that never
// fits withholds the watermark once only (docs/decisions/0018-rejected-records).
type Refusals struct {
	Received, Refused int64
	// Clashed counts those of Refused that shared an identifier with another record of the same
	// answer.
	Clashed int64
}

// Flood reports whether the run should stop reading the list, because the rest would only fill the
// quarantine. Records that are in quarantine already do not count. So a list with many records that
// never fit is read further by each run, and to its end at last.
func (r Refusals) Flood(rules Rules) bool {
	return r.Refused > fewRejected && rules.TooManyRejected(r.Refused, r.Received)
}

// Withhold makes the end of a run provisional if too many of its records were rejected, and reports
// whether it did. The rows stay; the watermark does not move, and no row counts as missed
// (invariants 1 and 7). Was is the position before the batch. Runs over single records are left as
// they are, because they move no watermark.
func (r Refusals) Withhold(batch *Batch, was Position, rules Rules) bool {
	if batch.End == nil || batch.End.Outcome == OutcomeFailed || batch.Claim.Stream.Work == WorkDetails {
		return false
	}
	var note outside.Text
	switch {
	case r.Clashed > 0:
		note = outside.Number(r.Clashed) + " records came under identifiers that others of the same answer had"
	case rules.TooManyRejected(r.Refused, r.Received):
		note = outside.Number(r.Refused) + " of " + outside.Number(r.Received) + " records did not fit"
	default:
		return false
	}
	note += ": rows are loaded, the watermark waits (sluice quarantine list)"
	if batch.End.Note != "" {
		note += "; " + batch.End.Note
	}
	again := batch.End.Again
	if stream := batch.Claim.Stream; stream.Work == WorkList && stream.Resource.Swept() {
		again = AgainWithheld // from the same bound; whole lists are read again after longer and longer pauses
	}
	batch.End = &End{Outcome: OutcomeProvisional, Note: note, Again: again}
	batch.Position = Position{Watermark: was.Watermark, ScannedUntil: was.ScannedUntil}
	return true
}

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
