package body

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Page is the content of a list's envelope.
type Page struct {
	// Records are the elements of the list, slices of the body.
	Records [][]byte
	// Number and PerPage are the page and the page size that upstream reports.
	Number, PerPage int
	// More says that another page follows.
	More bool
	// Token is the token of the next page; "" where there is none, or where the list goes on by
	// number.
	Token string
	// Sort and Order are how upstream says that it sorted; empty if it does not say.
	Sort, Order string
}

// Page reads the list under key and the page_context beside it. Both must be present: a list
// without its key would look empty, and a list without page_context would look like the last page.
// Source: docs/upstream.md U60 and U81.
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

// Whole reads a list that fits one answer. A page_context is optional; if present it is believed,
// also if it says that more follows. Source: docs/upstream.md U82: no page_context at all on some
// lists.
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

// Object reads the one object under key, which may be in an array of one. It is nil if there is
// none: the key is absent, or its value empty. Source: docs/upstream.md U162 (opening balance),
// U133 and U134: absent is "", an object can be an array.
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

// Member gives the text of a record's key. It is "" if the value is neither a number nor a string,
// or if the record cannot be read.
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

// list reads the elements under key, which must be present: a list without its key would look
// empty.
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

// empty says that a value means none: null, blank text, [] or {} (docs/upstream.md U133).
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
	// Most lists say how they were sorted. A value that is not text is ignored.
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
