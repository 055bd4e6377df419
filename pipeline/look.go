package pipeline

import "time"

// Look is the progress of a look for deletions (docs/decisions/0010-deletions). In the order of
// creation, the rows before a record tell on which page of the list it has to stand. Where the list
// shows fewer records than there are rows, rows are missing.
type Look struct {
	// Rows is how many live rows the list had when the look began, Most how many of them the look
	// may miss.
	Rows int `json:"rows"`
	Most int `json:"most"`
	// First is the first call of the look, Pages the number of its pages so far.
	First int64 `json:"first,omitempty"`
	Pages int   `json:"pages,omitempty"`
	// Size is the largest page size that upstream gives, zero if it heeds the one asked for; Fixed
	// says that it gives no smaller one.
	Size  int  `json:"size,omitempty"`
	Fixed bool `json:"fixed,omitempty"`
	// Spans are the parts of the list that have to be looked at; the last is the next one.
	Spans []Span `json:"spans,omitempty"`
	// Missing are the rows that were not where they had to be.
	Missing []string `json:"missing,omitempty"`
	// Sweep says that a part could not be looked at although rows are missing in it.
	Sweep bool `json:"sweep,omitempty"`
}

// Span is a part of a list between two instants of creation, From inclusive, To exclusive.
type Span struct {
	From Edge `json:"from,omitzero"`
	To   Edge `json:"to,omitzero"`
	// Open says that the end of the list is in the span: To has no instant, and its number of
	// records is the largest possible one, zero if that is unknown.
	Open bool `json:"open,omitempty"`
}

// Missing is how many rows the list does not show in the span; negative if it shows more records
// than there are rows.
func (s Span) Missing() int { return s.To.Rows - s.From.Rows - (s.To.Listed - s.From.Listed) }

// Edge is an instant of creation in a list. The zero instant is the beginning or the end.
type Edge struct {
	At time.Time `json:"at,omitzero"`
	// Listed is how many records of the list were created before it, Rows how many live rows.
	Listed int `json:"listed,omitempty"`
	Rows   int `json:"rows,omitempty"`
}

// Absent are rows whose records a look did not find where they had to be.
type Absent struct {
	// Started is upstream's clock at the first answer of the look; First is its first call.
	Started time.Time
	First   int64
	IDs     []string
}
