package pipeline

import "time"

// Rules are the figures by which lists are read.
type Rules struct {
	// PerPage is the page size asked for. Source: docs/upstream.md U80.
	PerPage int
	// Lag is how long a write may take upstream until readers see it: a new watermark stays this
	// far behind upstream's clock.
	Lag time.Duration
	// Overlap is what is read again below the watermark; times upstream have one second of
	// resolution.
	Overlap time.Duration
	// MaxPasses is after how many passes a list that keeps shifting is given up for this run.
	MaxPasses int
	// ChunkPages and ChunkTime bound one chunk.
	ChunkPages int
	ChunkTime  time.Duration
	// Prefetch is how many pages of a list are asked for at most while another one is under way or
	// being loaded, where the order of reading allows it; zero reads one page after the other.
	Prefetch int
	// MaxRejected is the share of a run's records, from 0 to 1, above which what did not fit keeps
	// the run from moving a watermark (invariant 1).
	MaxRejected float64
}

// TooManyRejected says that so many of a run's records did not fit that something is wrong with
// upstream and not with some of its records.
func (r Rules) TooManyRejected(rejected, received int64) bool {
	return rejected > 0 && float64(rejected) > r.MaxRejected*float64(received)
}

// DefaultRules are the figures that the measured procedures of
// docs/decisions/0007-passes-until-equal were measured with.
func DefaultRules() Rules {
	return Rules{
		PerPage:    200,
		Lag:        5 * time.Minute,
		Overlap:    2 * time.Second,
		MaxPasses:  4,
		ChunkPages: 50,
		ChunkTime:  time.Minute,
		// With the page that is waited for, as many as the smallest plan allows at once.
		Prefetch:    4,
		MaxRejected: 0.05,
	}
}

// TombstoneRules are the figures by which it is believed that a record is gone because the list
// does not show it (docs/decisions/0014-tombstones-need-proof).
type TombstoneRules struct {
	// MaxRows and MaxShare are the brake: a scan that misses more live rows than the larger of the
	// two allows proves nothing by itself. MaxShare is a part of the resource's live rows, from 0
	// to 1.
	MaxRows  int
	MaxShare float64
	// Apart is how long after the end of the first scan the second one begins at the earliest: what
	// hid a record from one, such as a cache, must not hide it from the other.
	Apart time.Duration
}

// DefaultTombstoneRules are those of docs/decisions/0014-tombstones-need-proof.
func DefaultTombstoneRules() TombstoneRules {
	return TombstoneRules{MaxRows: 20, MaxShare: 0.02, Apart: 10 * time.Minute}
}
