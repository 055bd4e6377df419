package schema

// Cursor is a closed set: the way in which a list is read. Every way reads a
// list in passes and repeats a pass until two passes saw the same records, for
// a list can shift while it is read; what differs is what is asked for and where
// a pass may stop.
type Cursor interface{ cursor() }

// Since is for lists that filter by a modification time. The filter is asked
// from the mark minus an overlap; page 1 is held against it, and where the server
// ignored it the run reads the whole list and says so.
type Since struct {
	// Column is the wire name of the modification time in a record.
	Column string
	// Param is the query parameter of the filter ("at or after").
	Param string
	// Created is the wire name of the creation time: the order in which these
	// lists answer (newest first) unless another one is asked for.
	Created string
}

// NewestFirst is for lists that sort by modification time: a pass stops below
// the mark minus an overlap. Order is verified; where the server did not sort,
// the run reads the whole list and says so.
type NewestFirst struct {
	// Column is the wire name of the modification time in a record.
	Column string
	// Sort is the value of sort_column.
	Sort string
}

// FullScan is for lists that do neither: read all, write only what differs.
type FullScan struct {
	// Modified is the wire name of the modification time, if records carry one:
	// it decides which of two versions is newer.
	Modified string
	// Created is the wire name of the creation time: the sort that edits cannot move.
	Created string
	// Sort is the value of sort_column that sorts by creation; empty if none is known.
	Sort string
}

// Export is for lists that come as one CSV body: streamed, never in memory whole.
type Export struct {
	// Modified is the column of the modification time.
	Modified string
	// FieldsParam is the query parameter that names the columns wanted.
	FieldsParam string
}

func (Since) cursor()       {}
func (NewestFirst) cursor() {}
func (FullScan) cursor()    {}
func (Export) cursor()      {}

// Modified gives the wire name of the modification time of a resource's
// records, or "" if they carry none. It decides about versions, never about marks.
func (r *Resource) Modified() string {
	switch c := r.Cursor.(type) {
	case Since:
		return c.Column
	case NewestFirst:
		return c.Column
	case FullScan:
		return c.Modified
	case Export:
		return c.Modified
	default:
		return ""
	}
}
