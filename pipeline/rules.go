package pipeline

import "time"

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
