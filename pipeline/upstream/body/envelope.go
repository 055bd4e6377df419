// Package body reads the bodies of upstream's answers: the JSON envelope around
// lists and single values, and the lines of a CSV export. It is pure: bytes in,
// raw records out.
//
// It believes nothing by halves: a body is one whole document of the documented
// shape, or an error that says whether it was cut off (ErrCut) or is something
// else (ErrShape). It never looks into records; what is wrong with one of them is
// a matter of package normalize, and must not lose the others.
//
// Start reading at Parse, then Envelope.Page and its siblings; for exports at Rows.
package body

import (
	"errors"
	"fmt"
	"io"
)

var (
	// ErrCut says that the body ends too early: the rest was lost on the way.
	ErrCut = errors.New("the body is cut off")
	// ErrShape says that the body is not what the documents describe.
	ErrShape = errors.New("the body has another shape than documented")
)

// maxDepth is how deep a body may nest; documented records nest four deep.
const maxDepth = 64

// Envelope is the object around every JSON answer. Source: document 2, "Shared
// conventions": code (0 on success), message, a key that carries the resource.
type Envelope struct {
	// Code is the envelope's code as text, whether it came as a number or as a
	// string (upstream facts: an integer here, a string there); "" if absent.
	Code string
	// members are the raw values by key, exact case.
	members map[string][]byte
	// lists are the elements of those members that are arrays, as far as they were read already.
	lists map[string][][]byte
}

// Parse reads a whole body: one JSON object and nothing behind it, no key of the
// envelope twice, at most 64 levels deep. A byte order mark in front is dropped.
// The result keeps slices of data.
func Parse(data []byte) (*Envelope, error) {
	data = trim(data)
	envelope, ok := quick(data)
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

// careful is quick where quick is not sure.
func careful(data []byte) (*Envelope, error) {
	if err := checkDepth(data); err != nil {
		return nil, err
	}
	decoder := newDecoder(data)
	members, err := readObject(decoder, data)
	if err != nil {
		return nil, err
	}
	if _, err = decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows the JSON document", ErrShape)
	}
	return &Envelope{members: members}, nil
}

// Value gives the raw value of a key, ErrShape if the envelope has no such key.
func (e *Envelope) Value(key string) ([]byte, error) {
	raw, ok := e.members[key]
	if !ok {
		return nil, fmt.Errorf("%w: the key %s is missing", ErrShape, key)
	}
	return raw, nil
}

// Text gives a number or string under key as text; false if it is neither, or
// absent.
func (e *Envelope) Text(key string) (string, bool) {
	raw, ok := e.members[key]
	if !ok {
		return "", false
	}
	text, err := scalar(raw)
	return text, err == nil
}

// Has says whether the envelope has the key at all.
func (e *Envelope) Has(key string) bool {
	_, ok := e.members[key]
	return ok
}
