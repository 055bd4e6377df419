package body

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Page is what a list's envelope says.
type Page struct {
	// Records are the elements of the list, slices of the body.
	Records [][]byte
	// Number and PerPage are the page and the page size that upstream reports.
	Number, PerPage int
	// More says that another page follows.
	More bool
	// Token is what the next page is asked for with; "" where there is none, or where lists go on
	// by number.
	Token string
	// Sort and Order are what upstream says it sorted by; empty if it does not say.
	Sort, Order string
}

// Page reads the list under key and the page_context beside it. Both must be there: a list without
// its key would read as an empty one, and one without page_context as the last page. Source:
// docs/upstream.md U60 and U81.
func (e *Envelope) Page(key string) (Page, error) {
	page, err := e.list(key)
	if err != nil {
		return Page{}, err
	}
	raw, err := e.Value("page_context")
	if err != nil {
		return Page{}, err
	}
	if err = page.readContext(raw); err != nil {
		return Page{}, fmt.Errorf("key page_context: %w", err)
	}
	return page, nil
}

// Whole reads a list that comes in one answer. A page_context is not needed; where there is one it
// is believed, also if it says that more follows. Source: docs/upstream.md U82: no page_context at
// all on some lists.
func (e *Envelope) Whole(key string) (Page, error) {
	page, err := e.list(key)
	if err != nil {
		return Page{}, err
	}
	page.Number = 1
	raw, ok := e.members["page_context"]
	if !ok || empty(raw) {
		return page, nil
	}
	if err = page.readContext(raw); err != nil {
		return Page{}, fmt.Errorf("key page_context: %w", err)
	}
	return page, nil
}

// Linked reads a page of a list that goes on by token: next_token is text or a number, and absent,
// empty or null on the last page. Source: docs/upstream.md U86, chat channels.
func (e *Envelope) Linked(key string) (Page, error) {
	page, err := e.list(key)
	if err != nil {
		return Page{}, err
	}
	raw, ok := e.members["next_token"]
	if !ok || empty(raw) {
		return page, nil
	}
	if page.Token, err = scalar(raw); err != nil {
		return Page{}, fmt.Errorf("key next_token: %w", err)
	}
	page.More = true
	return page, nil
}

// Object reads the one object under key, which may stand in an array of one; nil if there is none:
// the key is absent, or its value empty. Source: docs/upstream.md U162 (opening balance), U133 and
// U134: absent is "", an object can be an array.
func (e *Envelope) Object(key string) ([]byte, error) {
	raw, ok := e.members[key]
	if !ok || empty(raw) {
		return nil, nil
	}
	if jsontext.Value(raw).Kind() == '[' {
		items, err := e.elementsOf(key, raw)
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", key, err)
		}
		if len(items) != 1 {
			return nil, fmt.Errorf("%w: key %s: an array of %d, not of one object", ErrShape, key, len(items))
		}
		if raw = items[0]; empty(raw) {
			return nil, nil
		}
	}
	if jsontext.Value(raw).Kind() != '{' {
		return nil, fmt.Errorf("%w: key %s: not an object", ErrShape, key)
	}
	return raw, nil
}

// Member gives the text of a record's key; "" if it has none that is a number or text, or is no
// object that can be read.
func Member(record []byte, key string) string {
	members, err := readObject(newDecoder(record), record, maxKeys)
	if err != nil {
		return ""
	}
	text, err := scalar(members[key])
	if err != nil {
		return ""
	}
	return text
}

// list reads the elements under key, which must be there: a list without its key would read as an
// empty one.
func (e *Envelope) list(key string) (Page, error) {
	raw, err := e.Value(key)
	if err != nil {
		return Page{}, err
	}
	records, err := e.elementsOf(key, raw)
	if err != nil {
		return Page{}, fmt.Errorf("key %s: %w", key, err)
	}
	return Page{Records: records}, nil
}

// empty says that a value stands for none: null, blank text, [] or {} (docs/upstream.md U133).
func empty(raw []byte) bool {
	switch jsontext.Value(raw).Kind() {
	case 'n':
		return true
	case '"':
		return len(bytes.Trim(raw, "\" \t")) == 0
	case '[', '{':
		return len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0
	default:
		return false
	}
}

// readContext reads page_context: an object, or an array of one object, with numbers or digits in
// strings (docs/upstream.md U84).
func (p *Page) readContext(raw []byte) error {
	if jsontext.Value(raw).Kind() == '[' {
		items, err := elements(raw, raw)
		if err != nil {
			return err
		}
		if len(items) != 1 {
			return fmt.Errorf("%w: an array of %d, not of one object", ErrShape, len(items))
		}
		raw = items[0]
	}
	members, err := readObject(newDecoder(raw), raw, maxMembers)
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
