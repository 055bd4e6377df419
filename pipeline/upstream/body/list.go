package body

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema"
)

// Page is the content of a list's envelope.
type Page struct {
	// Records are the elements of the list, slices of the body, or what Own made of them: then
	// Rewritten says so.
	Records   [][]byte
	Rewritten bool
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

// words are those of a form around the records of a list.
type words struct{ context, more, sort string }

func (e *Envelope) words() words {
	if e.Form == schema.EnvelopeInfo {
		return words{context: "info", more: "more_records", sort: "sort_by"}
	}
	return words{context: "page_context", more: "has_more_page", sort: "sort_column"}
}

// Page reads the list under key and the context beside it: page_context, or info under
// EnvelopeInfo. Both must be present: a list without its key would look empty, and a list without
// context would look like the last page. Source: docs/upstream.md U60, U81 and U351.
func (e *Envelope) Page(key string) (Page, error) {
	page, err := e.list(key)
	if err != nil {
		return Page{}, err
	}
	return e.numbered(page)
}

// Whole reads a list that fits one answer. A context is optional; if present it is believed, also
// if it says that more follows. Source: docs/upstream.md U82: no page_context at all on some lists.
func (e *Envelope) Whole(key string) (Page, error) {
	page, err := e.list(key)
	if err != nil {
		return Page{}, err
	}
	page.Number = 1
	raw, ok := e.members[e.words().context]
	if !ok || empty(raw) {
		return page, nil
	}
	return e.numbered(page)
}

// Linked reads a page of a list that goes on by token: next_token is text or a number, and absent,
// empty or null on the last page. Source: docs/upstream.md U86, chat channels. Under EnvelopeInfo
// the token is next_page_token of info, and more_records says whether it is needed (U352).
func (e *Envelope) Linked(key string) (Page, error) {
	page, err := e.list(key)
	if err != nil {
		return Page{}, err
	}
	members, name := e.members, "next_token"
	if e.Form == schema.EnvelopeInfo {
		if members, err = e.context(&page); err != nil {
			return Page{}, err
		}
		if !page.More {
			return page, nil
		}
		name = "next_page_token"
	}
	raw, ok := members[name]
	switch {
	case ok && !empty(raw):
	case page.More:
		return Page{}, fmt.Errorf("%w: more records follow and %s is missing", ErrShape, name)
	default:
		return page, nil
	}
	if page.Token, err = scalar(raw); err != nil {
		return Page{}, fmt.Errorf("key %s: %w", name, err)
	}
	page.More = true
	return page, nil
}

// Total reads how many records the list has in all, as the context says it beside no or all records:
// a whole number, or its digits in a string. It is false where the context does not say that, or
// says nonsense. Source: docs/upstream.md U91.
func (e *Envelope) Total() (int, bool) {
	raw, ok := e.members[e.words().context]
	if !ok {
		return 0, false
	}
	members, err := contextOf(raw)
	if err != nil {
		return 0, false
	}
	total, err := whole(members["total"], "total")
	return total, err == nil
}

// Sums reads the sums of columns beside the number of records, by the columns' names. It leaves out
// what is no plain number, or is rounded. Source: docs/upstream.md U93.
func (e *Envelope) Sums() map[string]string {
	sums := make(map[string]string)
	members, err := contextOf(e.members[e.words().context])
	if err != nil {
		return sums
	}
	columns, err := contextOf(members["sum_columns"])
	if err != nil {
		return sums
	}
	for column, raw := range columns {
		if text, err := scalar(raw); err == nil && plain.MatchString(text) {
			sums[column] = text
		}
	}
	return sums
}

// plain is a decimal number without an exponent, of as many digits as a sum of money may have.
var plain = regexp.MustCompile(`^-?[0-9]{1,18}(\.[0-9]{1,6})?$`)

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
	if jsontext.Value(raw).Kind() != '[' {
		return Page{}, e.lack(key, "key "+key+": not an array")
	}
	records, err := e.elementsOf(key, raw)
	if err != nil {
		return Page{}, fmt.Errorf("key %s: %w", key, err)
	}
	_, quickly := e.lists[key] // else the elements were read again, as they came
	return Page{Records: records, Rewritten: quickly && key == e.own.Key && e.own.Elements != nil}, nil
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

// numbered adds what the context says of a list that goes on by number.
func (e *Envelope) numbered(page Page) (Page, error) {
	members, err := e.context(&page)
	if err != nil {
		return Page{}, err
	}
	if page.Number, err = e.count(members, "page"); err != nil {
		return Page{}, err
	}
	if _, ok := members["per_page"]; ok {
		if page.PerPage, err = e.count(members, "per_page"); err != nil {
			return Page{}, err
		}
	}
	return page, nil
}

// context reads whether more follows and how the list was sorted: an object, or an array of one
// object, with numbers or digits in strings (docs/upstream.md U84).
func (e *Envelope) context(page *Page) (map[string][]byte, error) {
	words := e.words()
	raw, err := e.Value(words.context)
	if err != nil {
		return nil, paging(err)
	}
	members, err := contextOf(raw)
	if err != nil {
		return nil, fmt.Errorf("key %s: %w", words.context, err)
	}
	// Most lists say how they were sorted. A value that is not text is ignored.
	page.Sort, _ = scalar(members[words.sort])
	page.Order, _ = scalar(members["sort_order"])
	if e.Form == schema.EnvelopeInfo {
		page.Order = direction(page.Order)
	}
	more, ok := members[words.more]
	switch {
	case !ok:
		return nil, paging(e.lack(words.more, "key "+words.context+": the key "+words.more+" is missing"))
	case string(more) == "true":
		page.More = true
	case string(more) != "false":
		return nil, fmt.Errorf("key %s: %w: %s is not true or false", words.context, ErrShape, words.more)
	}
	return members, nil
}

// contextOf gives the members of a context.
func contextOf(raw []byte) (map[string][]byte, error) {
	if jsontext.Value(raw).Kind() == '[' {
		items, err := elements(raw, raw)
		if err != nil {
			return nil, err
		}
		if len(items) != 1 {
			return nil, fmt.Errorf("%w: an array of %d, not of one object", ErrShape, len(items))
		}
		raw = items[0]
	}
	return readObject(newDecoder(raw), raw, maxMembers)
}

// direction translates an order of EnvelopeInfo into that of the others, D or A.
func direction(order string) string {
	switch order {
	case "desc":
		return "D"
	case "asc":
		return "A"
	default:
		return order
	}
}

// paging marks a lack as one of the way of paging.
func paging(err error) error {
	if lack, ok := errors.AsType[*LackError](err); ok {
		lack.Paging = true
	}
	return err
}

// count reads a number of the context.
func (e *Envelope) count(members map[string][]byte, key string) (int, error) {
	context := e.words().context
	raw, ok := members[key]
	if !ok {
		return 0, paging(e.lack(key, "key "+context+": the key "+key+" is missing"))
	}
	number, err := whole(raw, key)
	if err != nil {
		return 0, fmt.Errorf("key %s: %w", context, err)
	}
	return number, nil
}
