package pipeline

import "time"

// Rules are the figures by which lists are read.
type Rules struct {
	// PerPage is the page size asked for. Source: upstream facts, "Paging".
	PerPage int
	// Lag is how long a write may take upstream until readers see it: a new mark
	// stays this far behind upstream's clock.
	Lag time.Duration
	// Overlap is what is read again below the mark; times upstream have one second
	// of resolution.
	Overlap time.Duration
	// MaxPasses is after how many passes a list that keeps shifting is given up
	// for this run.
	MaxPasses int
	// ChunkPages and ChunkTime bound one chunk.
	ChunkPages int
	ChunkTime  time.Duration
}

// DefaultRules are the figures that the measured procedures of
// docs/decisions/0007 were measured with.
func DefaultRules() Rules {
	return Rules{
		PerPage:    200,
		Lag:        5 * time.Minute,
		Overlap:    2 * time.Second,
		MaxPasses:  4,
		ChunkPages: 20,
		ChunkTime:  time.Minute,
	}
}
