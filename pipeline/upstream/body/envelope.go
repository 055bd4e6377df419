// Package body reads the bodies of upstream's answers: the JSON envelope around lists and single
// values, and the lines of a CSV export. It is pure: bytes in, raw records out.
//
// A body is either one whole document of the documented shape, or an error that says whether it was
// cut off (ErrCut) or is something else (ErrShape). It never looks into records: package record
// judges each, so that a bad one does not lose the others.
//
// Start reading at Parse, then Envelope.Page and its siblings; for exports at Rows.
package body

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"sluice/pipeline/outside"
	"sluice/schema"
)

var (
	// ErrCut says that the body ends too early: the rest was lost in transit.
	ErrCut = errors.New("the body is cut off")
	// ErrShape says that the body is not what the documents describe.
	ErrShape = errors.New("the body has another shape than documented")
)

// LackError says that a whole envelope lacks what the declaration says of it: an ErrShape that
// asking again hardly mends.
type LackError struct {
	// Key is the key that is missing, or that carries no list.
	Key string
	// Paging says that Key is not that of the records, but one that the way of paging needs.
	Paging bool
	// Keys are those that the envelope has, sorted.
	Keys []string

	problem string
}

// Error implements error.
func (e *LackError) Error() string { return ErrShape.Error() + ": " + e.problem }

// Unwrap returns ErrShape.
func (*LackError) Unwrap() error { return ErrShape }

// Bounds of an envelope. The bytes of a body are bounded elsewhere; these bound the memory of what
// is made of it, because an element of two bytes takes hundreds.
const (
	// MaxElements is how many elements a list may have, also a list without pages.
	MaxElements = 10_000
	// maxMembers is how many keys an envelope may have, maxKeys how many keys a record may have
	// whose identifier is looked for.
	maxMembers = 1_000
	maxKeys    = 10_000
	// maxText is the largest text of an envelope, in bytes: tokens have some hundred.
	maxText = 4 << 10
)

// Envelope is the object around every JSON answer. Source: docs/upstream.md U60: code (0 on
// success), message, a key that carries the resource.
type Envelope struct {
	// Form is the envelope that the service declares; it chooses the words around a list.
	Form schema.Envelope
	// Nothing says that the answer has no body, which stands for an empty list.
	Nothing bool
	// Code is the envelope's code as text, whether it came as a number or as a string
	// (docs/upstream.md U66: an integer here, a string there). It is "" if absent.
	Code string
	// members are the raw values by key, exact case.
	members map[string][]byte
	// lists are the elements of those members that are arrays, as far as they were read already.
	lists map[string][][]byte
	// read counts the elements of lists.
	read int
	// own is the list that quick split in its caller's way.
	own Own
	// plain are the members as a decoder may read them, if a value in a record is nested too deep;
	// otherwise nil.
	plain map[string][]byte
}

// Parse reads a whole body: one JSON object and nothing behind it, with no key of the envelope
// twice. Outside of records it nests at most 64 levels deep. A byte order mark in front is dropped.
// The result keeps slices of data.
func Parse(data []byte) (*Envelope, error) { return ParseWith(data, Own{}) }

// Own is a list whose elements a caller rewrites while they are read: that saves a pass over their
// bytes. Page.Rewritten says whether it was done.
type Own struct {
	// Key is the key of the list.
	Key string
	// Elements splits an array as jsonscan.Elements does, and may give others in place of its
	// elements. If it returns false, the list is read without it.
	Elements func(data []byte, at, depth int, each func(element []byte)) (int, bool)
}

// mostOwn is the size up to which a body is split by its caller, since that needs its memory twice.
const mostOwn = 4 << 20

// ParseWith is Parse for an answer with such a list.
func ParseWith(data []byte, own Own) (*Envelope, error) {
	data = trim(data)
	if len(data) > mostOwn {
		own = Own{}
	}
	envelope, ok := quick(data, own)
	if !ok {
		var err error
		if envelope, err = careful(data); err != nil {
			return nil, err
		}
	}
	if raw, ok := envelope.members["code"]; ok {
		var err error
		if envelope.Code, err = scalar(raw); err != nil {
			return nil, fmt.Errorf("key code: %w", err)
		}
	}
	return envelope, nil
}

// careful parses the body where quick could not.
func careful(data []byte) (*Envelope, error) {
	plain, err := shallow(data)
	if err != nil {
		return nil, err
	}
	decoder := newDecoder(plain)
	members, err := readObject(decoder, data, maxMembers)
	if err != nil {
		return nil, err
	}
	if _, err = decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows the JSON document", ErrShape)
	}
	envelope := &Envelope{members: members}
	if &plain[0] != &data[0] {
		if envelope.plain, err = readObject(newDecoder(plain), plain, maxMembers); err != nil {
			return nil, err
		}
	}
	return envelope, nil
}

// Value gives the raw value of a key, a *LackError if the envelope has no such key.
func (e *Envelope) Value(key string) ([]byte, error) {
	raw, ok := e.members[key]
	if !ok {
		return nil, e.lack(key, "the key "+key+" is missing")
	}
	return raw, nil
}

func (e *Envelope) lack(key, problem string) *LackError {
	return &LackError{Key: key, Keys: slices.Sorted(maps.Keys(e.members)), problem: problem}
}

// Text gives a number or string under key as text; false if it is neither, or absent.
func (e *Envelope) Text(key string) (string, bool) {
	raw, ok := e.members[key]
	if !ok {
		return "", false
	}
	text, err := scalar(raw)
	return text, err == nil
}

// Has says whether the envelope has the key.
func (e *Envelope) Has(key string) bool {
	_, ok := e.members[key]
	return ok
}

const (
	excerptLength = 64
	hashLength    = 8
	// searched is how much of a body is searched for a secret. The part that is shown is scrubbed
	// in any case.
	searched = 64 << 10
)

// Measure describes an unexpected body by its content type and its length alone: the columns that
// are left out of records may be in it.
func Measure(scrub *outside.Scrubber, contentType string, data []byte) outside.Text {
	return `content type "` + scrub.Text(contentType, excerptLength) + `", ` + outside.Number(len(data)) +
		" bytes, not shown because columns are left out of its records"
}

// Excerpt describes an unexpected body: content type, length, the start of its SHA-256 and its
// first 64 characters, which no log shows (outside.Excerpt). Of a body that holds a secret it gives
// the length only.
func Excerpt(scrub *outside.Scrubber, contentType string, data []byte) outside.Text {
	start := string(data[:min(len(data), searched)])
	if scrub.Scrub(start) != start || scrub.Scrub(contentType) != contentType {
		return "a body of " + outside.Number(len(data)) + " bytes that holds a credential, withheld"
	}
	sum := sha256.Sum256(data)
	return `content type "` + scrub.Text(contentType, excerptLength) + `", ` + outside.Number(len(data)) + " bytes, sha256 " +
		scrub.Text(hex.EncodeToString(sum[:hashLength]), 2*hashLength) + ", begins " + outside.Excerpt(scrub.Text(start, excerptLength))
}
