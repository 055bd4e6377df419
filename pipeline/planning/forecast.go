// Package planning says what runs will cost: calls, minutes, the day on which all is copied, and
// which schedule buys a stated freshness for the fewest calls.
//
// It is pure: facts go in, figures come out, and each figure carries what it rests on. It never
// guesses a size: what is unknown stays unknown until a run or a person says it.
//
// Start reading at Next, then PerDay and Cheapest; docs/decisions/0010-forecasts says why.
package planning

import (
	"time"

	"sluice/pipeline"
	"sluice/schema"
)

// Basis is a closed set: what a figure rests on, the strongest first.
type Basis int

// The bases.
const (
	// Declared: the documents say so, such as one call for an export.
	Declared Basis = iota
	// Measured: runs, rows or the call log show it.
	Measured
	// Assumed: a person said so, or it is the least that it can be.
	Assumed
	// Unknown: the value means nothing.
	Unknown
)

// String is the word that people read.
func (b Basis) String() string {
	switch b {
	case Declared:
		return "declared"
	case Measured:
		return "measured"
	case Assumed:
		return "assumed"
	case Unknown:
		return "unknown"
	default:
		return "unknown"
	}
}

// MarshalText writes the word.
func (b Basis) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Figure is a number and what it rests on.
type Figure struct {
	Value float64
	Basis Basis
}

// Known says that the figure means something.
func (f Figure) Known() bool { return f.Basis != Unknown }

// Way is a closed set: what the calls of a run depend on.
type Way int

// The ways.
const (
	// WayOnce: one call, whatever there is: exports, snapshots, lists that come whole.
	WayOnce Way = iota
	// WayRows: pages of all rows.
	WayRows
	// WayChanges: pages of what changed since the watermark; of all rows without one.
	WayChanges
	// WayDetails: single records of the rows that wait for them.
	WayDetails
	// WayParents: one list, read in the way Each, for each parent.
	WayParents
)

// Shape is how a stream is read, as far as its cost depends on it.
type Shape struct {
	Way Way
	// Page is how many records a page takes; Full says that a full last page is followed by an
	// empty one, as where pages go by number.
	Page int
	Full bool
	// Batch is how many single records one call brings.
	Batch int
	// Each is how the list of one parent is read.
	Each Way
}

// ShapeOf gives the shape of a stream whose numbered pages take perPage records.
func ShapeOf(stream pipeline.Stream, perPage int) Shape {
	resource := stream.Resource
	shape := Shape{Way: wayOf(resource.Cursor, resource.Paging), Page: perPage, Full: resource.Paging == schema.PagingNumber}
	if resource.Paging == schema.PagingToken {
		shape.Page = schema.TokenPage
	}
	if parents, ok := resource.Cursor.(schema.PerParent); ok {
		shape.Each = wayOf(parents.List, resource.Paging)
	}
	if stream.Work == pipeline.WorkDetails {
		shape.Way, shape.Batch = WayDetails, 1
		if resource.Details != nil && resource.Details.Batch != nil {
			shape.Batch = max(resource.Details.Batch.Size, 1)
		}
	}
	if stream.Work == pipeline.WorkSweep && shape.Way == WayChanges {
		shape.Way = WayRows
	}
	return shape
}

func wayOf(cursor schema.Cursor, paging schema.Paging) Way {
	switch cursor.(type) {
	case schema.Snapshot, schema.Export:
		return WayOnce
	case schema.PerParent:
		return WayParents
	}
	if paging == schema.PagingWhole {
		return WayOnce
	}
	switch cursor.(type) {
	case schema.Since, schema.NewestFirst:
		return WayChanges
	default:
		return WayRows
	}
}

// Facts are what is known of a stream at one instant.
type Facts struct {
	// Read says that the stream has a watermark, Since how old it is: what changed after it is what
	// the next run reads.
	Read  bool
	Since time.Duration
	// Rows are those in the warehouse; Changes are new and changed records a day.
	Rows, Changes Figure
	// Waiting are rows that wait for their single record, Parents those whose lists are wanted.
	Waiting, Parents Figure
	// PerRun is how many calls a run over details or parents may spend; 0 bounds none.
	PerRun int
	// ReadsByKeyset says that the list is re-anchored, so that one pass is enough.
	ReadsByKeyset bool
	// Every is the interval between two scheduled runs.
	Every time.Duration
}

// Stream is one stream with what is known of it. The list of a stream of details is found by its
// key.
type Stream struct {
	pipeline.Key
	Shape
	Facts

	// Class is the class of work of its calls.
	Class pipeline.Class
}

// weaker gives the weaker of two bases.
func weaker(a, b Basis) Basis { return max(a, b) }
