// Package body reads the bodies of upstream's answers: the JSON envelope around
// lists and single values, and the lines of a CSV export. It is pure: bytes in,
// raw records out.
//
// It believes nothing by halves: a body is one whole document of the documented
// shape, or an error that says whether it was cut off (ErrCut) or is something
// else (ErrShape). It never looks into records; what is wrong with one of them is
// a matter of package normalize, and must not lose the others.
//
// Start reading at Parse, then Envelope.Page; for exports at Rows.
package body

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
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
}

// Page is what a list's envelope says.
type Page struct {
	// Records are the elements of the list, slices of the body.
	Records [][]byte
	// Number and PerPage are the page and the page size that upstream reports.
	Number, PerPage int
	// More says that another page follows.
	More bool
	// Sort and Order are what upstream says it sorted by; empty if it does not say.
	Sort, Order string
}

// Parse reads a whole body: one JSON object and nothing behind it, no key of the
// envelope twice, at most 64 levels deep. A byte order mark in front is dropped.
// The result keeps slices of data.
func Parse(data []byte) (*Envelope, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
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
	envelope := &Envelope{members: members}
	if raw, ok := members["code"]; ok {
		if envelope.Code, err = scalar(raw); err != nil {
			return nil, fmt.Errorf("key code: %w", err)
		}
	}
	return envelope, nil
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

// Page reads the list under key and the page_context beside it. Both must be
// there: a list without its key would read as an empty one, and one without
// page_context as the last page. Source: document 2, "Shared conventions".
func (e *Envelope) Page(key string) (Page, error) {
	raw, err := e.Value(key)
	if err != nil {
		return Page{}, err
	}
	var page Page
	if page.Records, err = elements(raw); err != nil {
		return Page{}, fmt.Errorf("key %s: %w", key, err)
	}
	raw, err = e.Value("page_context")
	if err != nil {
		return Page{}, err
	}
	if err = page.readContext(raw); err != nil {
		return Page{}, fmt.Errorf("key page_context: %w", err)
	}
	return page, nil
}

// readContext reads page_context: an object, or an array of one object, with
// numbers or digits in strings (upstream facts, "Paging, sorting, filtering").
func (p *Page) readContext(raw []byte) error {
	if jsontext.Value(raw).Kind() == '[' {
		items, err := elements(raw)
		if err != nil {
			return err
		}
		if len(items) != 1 {
			return fmt.Errorf("%w: an array of %d, not of one object", ErrShape, len(items))
		}
		raw = items[0]
	}
	members, err := readObject(newDecoder(raw), raw)
	if err != nil {
		return err
	}
	if p.Number, err = whole(members, "page"); err != nil {
		return err
	}
	if _, ok := members["per_page"]; ok {
		if p.PerPage, err = whole(members, "per_page"); err != nil {
			return err
		}
	}
	// What it was sorted by is said on most lists; where it is not text it says nothing.
	p.Sort, _ = scalar(members["sort_column"])
	p.Order, _ = scalar(members["sort_order"])
	switch string(members["has_more_page"]) {
	case "true":
		p.More = true
	case "false":
		p.More = false
	default:
		return fmt.Errorf("%w: has_more_page is not true or false", ErrShape)
	}
	return nil
}
