// Package record turns one upstream record into rows. It is pure: the same
// declaration, zone and bytes always give the same rows, and nothing is read or
// written elsewhere.
//
// It never coerces in silence: a value that does not fit its declared kind makes
// the whole record a *ValueError, which its caller keeps in quarantine; a key
// that the declaration does not know goes to Extra and is reported as drift.
//
// Start reading at Record, then New.
package record

import (
	"time"

	"sluice/schema/record/canonical"
)

// State tells apart what a wire value may be: upstream leaves keys out, sends
// null, or sends a value, and the three mean different things (invariant 5: a
// narrower record never wipes a wider one).
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

// Value is one canonical value: Text is the one spelling of the value that
// Postgres reads back as the declared kind, and that equals the text of every
// other spelling of the same value (1000.00 and 1000 are both 1000). Whoever keeps
// it for longer than its record clones it, for the bytes of a page may be behind it.
type Value struct {
	Text  string
	State State
}

// Row is one row of one table of the resource.
type Row struct {
	// Position is the key within the record: empty for the record itself, the
	// index in the array, or the indices along nested arrays (from 0).
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
	// Tables holds the rows by table, in the order of Resource.Tables; Tables[0]
	// has exactly one row.
	Tables [][]Row
	// Carries says, by table, whether the record has the key of the table's
	// top-level array: rows of a table that a record does not carry are left alone.
	// Index 0 is always true.
	Carries []bool
	// Extra is one JSON object of the keys that the declaration does not know, by
	// path; "" if there are none.
	Extra string
	// Hash is the content hash of all that the record carries: canonical values,
	// arrays included.
	Hash [16]byte
	// Drift lists what the declaration does not know, by path and kind.
	Drift []Drift
	// Raw are the bytes as they came.
	Raw []byte
	// Fingerprint is of the bytes and of all that decides what they become: a row with the same one is what this record makes
	// of it. 0 if there is none: of exports, and of records with drift.
	Fingerprint uint64
	// Known says that the row of the record has its fingerprint, so that nothing is to be written. Of a known record only
	// that is read which Normalizer.Glance reads.
	Known bool
}

// Drift is one key on the wire that the declaration does not know, or one value of
// a known key that the documents do not list.
type Drift struct {
	// Path is the key, array positions left out: line_items[].surprise.
	Path string
	// Kind is the JSON type seen: string, number, bool, object, array, null; or, for
	// a value of a known key, "value: " with its first 60 bytes.
	Kind string
}

// ValueError says which value of a record does not fit, and why. It never holds
// the value itself: records carry personal data, errors reach logs.
type ValueError struct {
	// Path is the key, with array positions: line_items[1].rate.
	Path string
	// Code is one of the closed set of reasons.
	Code Code
	// Detail explains, without the value.
	Detail string
	// ID is the record's identifier where it could be read.
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
func (e *ValueError) Error() string {
	return "value at " + e.Path + " does not fit: " + string(e.Code) + ": " + e.Detail
}
