// Package record turns one upstream record into rows. It is pure: the same declaration, zone and
// bytes always give the same rows, and it reads and writes nothing else.
//
// It never coerces in silence. A value that does not fit its declared kind makes the whole record a
// *RejectedError, which the caller stores in quarantine. An undeclared key goes to Extra and is
// reported as drift.
//
// Start reading at Record, then New.
package record

import (
	"time"

	"sluice/schema/record/canonical"
)

// State distinguishes the forms of a wire value: upstream omits keys, sends null, or sends a value,
// and the three mean different things (invariant 5: a narrower record never wipes a wider one).
type State uint8

// The three states.
const (
	// Absent: the record has no such key; the stored value stays.
	Absent State = iota
	// Null: null, or "" where the kind is not text.
	Null
	// Set: a value.
	Set
)

// Value is one canonical value. Text is the one spelling that Postgres reads back as the declared
// kind, equal for all spellings of a value (1000.00 and 1000 are both 1000). A caller that keeps it
// longer than its record must clone it, since it may share the bytes of a page.
type Value struct {
	Text  string
	State State
}

// Row is one row of one table of the resource.
type Row struct {
	// Position is the key within the record: empty for the record itself, the index in the array,
	// or the indices along nested arrays (from 0).
	Position []int
	// Values are in the order of the table's columns.
	Values []Value
}

// Record is one upstream record as rows.
type Record struct {
	// ID is the value of the key column.
	ID string
	// Modified is the modification time, zero if the record carries none.
	Modified time.Time
	// Tables holds the rows by table, in the order of Resource.Tables; Tables[0] has exactly one
	// row.
	Tables [][]Row
	// Carries says, by table, whether the record has the key of the table's top-level array: rows
	// of a table that a record does not carry are left alone. Index 0 is always true.
	Carries []bool
	// Extra is one JSON object of the undeclared keys, by path; "" if there are none.
	Extra string
	// Hash is the content hash of all that the record carries: canonical values, arrays included.
	Hash [16]byte
	// Drift lists undeclared keys and values, by path and kind.
	Drift []Drift
	// Raw is the bytes as received.
	Raw []byte
	// PayloadHash covers the bytes and everything else that decides the row: a row with the same
	// one is the row of this record. 0 means none: for exports, and for records with drift.
	PayloadHash uint64
	// Unchanged says that the row has this payload hash, so that nothing needs to be written. A
	// known record has only the parts that Normalizer.Peek reads.
	Unchanged bool
	// Seen is what was stored when the record's row was looked for, before the record was
	// normalized.
	Seen Seen
}

// Seen is what a look found under a record's key.
type Seen struct {
	// Looked says that there was a look, Row that it found a row, whose content hash is Hash.
	Looked, Row bool
	Hash        [16]byte
}

// Drift is one undeclared key on the wire, or one undocumented value of a known key.
type Drift struct {
	// Path is the key without array positions: line_items[].surprise.
	Path string
	// Kind is the JSON type seen: string, number, bool, object, array, null; or, for a value of a
	// known key, "value: " with its first 60 bytes.
	Kind string
}

// RejectedError names a value that does not fit, and the reason. It never holds the value itself:
// records carry personal data, and errors reach logs.
type RejectedError struct {
	// Path is the key, with array positions: line_items[1].rate.
	Path string
	// Code is one of the closed set of reasons.
	Code Code
	// Detail explains, without the value.
	Detail string
	// ID is the record's identifier if it was readable.
	ID string
}

// Code is a closed set of reasons why a record does not fit.
type Code = canonical.Code

// The reasons.
const (
	CodeNotAnObject  Code = "not_an_object"
	CodeNoID         Code = "no_id"
	CodeTooLarge     Code = "too_large"
	CodeBadJSON           = canonical.BadJSON
	CodeWrongType         = canonical.WrongType
	CodeOutOfRange        = canonical.OutOfRange
	CodeBadTime           = canonical.BadTime
	CodeBadNumber         = canonical.BadNumber
	CodeDuplicateKey      = canonical.DuplicateKey
)

// Error implements error.
func (e *RejectedError) Error() string {
	at := "the record"
	if e.Path != "" {
		at = "value at " + e.Path
	}
	return at + " does not fit: " + string(e.Code) + ": " + e.Detail
}
