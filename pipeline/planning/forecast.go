// Package planning forecasts what runs and the schedule cost: their calls, their time, and when
// everything is copied. It also has the rule that says when a stream is due.
//
// It is pure: facts go in, figures come out, and each figure says what it is based on. It never
// guesses a size: an unknown size stays unknown until a run measures it or the operator gives it.
//
// Start reading at Next, then PerDay, and at Due; docs/decisions/0013-schedules says why.
package planning

import (
	"cmp"
	"time"

	"sluice/pipeline"
	"sluice/schema"
)

// Basis is a closed set: what a figure is based on, the strongest first.
type Basis int

// The bases.
const (
	// Declared: the documents say so, such as one call for an export.
	Declared Basis = iota
	// Measured: runs, rows or the call log show it.
	Measured
	// Assumed: the operator said so, or it is the least possible value.
	Assumed
	// Unknown: the value means nothing.
	Unknown
)

// String returns the word that reports show.
func (b Basis) String() string {
	words := map[Basis]string{Declared: "declared", Measured: "measured", Assumed: "assumed"}
	return cmp.Or(words[b], "unknown")
}

// MarshalText writes the word.
func (b Basis) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Figure is a number with its basis.
type Figure struct {
	Value float64
	Basis Basis
}

// Known reports whether the figure has a value.
func (f Figure) Known() bool { return f.Basis != Unknown }

// Way is a closed set: what the calls of a run depend on.
type Way int

// The ways.
const (
	// WayOnce: one call for any number of records: exports, snapshots, lists that upstream sends
	// whole.
	WayOnce Way = iota
	// WayRows: pages of all rows.
	WayRows
	// WayChanges: pages of what changed since the watermark; of all rows without one.
	WayChanges
	// WayDetails: single records of the rows that need them.
	WayDetails
	// WayParents: one list, read in the way Each, for each parent.
	WayParents
	// WayLook: the pages that show whether rows are missing. How many rows are, cannot be foreseen.
	WayLook
)

// Shape is how a stream is read, as far as its cost depends on it.
type Shape struct {
	Way Way
	// Page is how many records fit a page. Full says that a full last page is followed by an empty
	// one, as with numbered pages.
	Page int
	Full bool
	// Overlaps says that pages can overlap, so that one pass is enough. Unsized is how many records
	// a page without a size holds.
	Overlaps bool
	Unsized  int
	// Batch is how many single records one call brings.
	Batch int
	// Each is how the list of one parent is read.
	Each Way
}

// ShapeOf returns the shape of a stream whose numbered pages have perPage records.
func ShapeOf(stream pipeline.Stream, perPage int) Shape {
	resource := stream.Resource
	shape := Shape{Way: wayOf(resource.Cursor, resource.Paging), Page: perPage, Full: resource.Paging == schema.PagingNumber}
	_, newest := resource.Cursor.(schema.NewestFirst)
	shape.Overlaps = shape.Full && (newest || resource.Created() != "")
	shape.Unsized = resource.Unsized
	if resource.Paging == schema.PagingToken {
		shape.Page = stream.Service.Envelope.TokenPage()
	}
	if parents, ok := resource.Cursor.(schema.PerParent); ok {
		shape.Each = wayOf(parents.List, resource.Paging)
	}
	if stream.Work == pipeline.WorkDetails || stream.Work == pipeline.WorkHinted {
		shape.Way, shape.Batch = WayDetails, max(resource.SinglesAtOnce(), 1)
	}
	switch {
	case stream.Work == pipeline.WorkSweep && shape.Way == WayChanges:
		shape.Way = WayRows
	case stream.Work == pipeline.WorkLook:
		shape.Way = WayLook
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
	// Read says that the stream has a watermark, Since is its age: the next run reads the changes
	// of that time.
	Read  bool
	Since time.Duration
	// Rows is the number of rows in the warehouse; Changes is the number of new and changed records
	// a day.
	Rows, Changes Figure
	// Whole is the share of changed records that need no single record, since the list has the
	// whole of them; 0 until it was measured.
	Whole float64
	// Waiting is the number of rows that need their single record, Parents the number of parents
	// whose lists are read.
	Waiting, Parents Figure
	// PerRun is how many calls a run over details or parents may spend; 0 means no bound.
	PerRun int
	// ReadsByKeyset says that the list is read by keyset paging, so that one pass is enough.
	ReadsByKeyset bool
	// CountStands says that runs read the list once a day, and only ask for its count between.
	CountStands bool
	// Every is the interval between two scheduled runs.
	Every time.Duration
}

// Stream is one stream with its facts. The list of a stream of details is found by its key.
type Stream struct {
	pipeline.Key
	Shape
	Facts

	// Class is the class of work of its calls.
	Class pipeline.Class
}

// weaker returns the weaker of two bases.
func weaker(a, b Basis) Basis { return max(a, b) }
