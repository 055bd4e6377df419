// Package live turns records as the API documents show them into those of live services: further
// keys, other names of arrays and times, headers in lists (docs/upstream.md U87 and U310 to U329).
//
// A value is computed from the record and the books, so that it agrees with what the documents
// show. The package makes no record and knows no list. Start reading with Author.Lay; each resource
// has a function that returns its form.
package live

import (
	"encoding/json"
	"slices"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/world/wire"
)

// View is the part of a record that an answer shows.
type View int

// The views. Merged is what a reader knows who read lists and, where those carry headers, single
// records, too. There the modification time of credit notes has the documents' name.
const (
	Merged View = iota
	List
	Single
)

// form is the live form of a resource.
type form struct {
	// fields are the keys beyond the documents.
	fields []field
	// arrays are the arrays and objects of the record that have such keys.
	arrays []array
	// reshape changes names and types of documented keys; nil for none.
	reshape func(record)
	// headers says that the list carries headers, so that the single record is read, too.
	headers bool
	// listOmits are documented keys of the single record alone, singleOmits those of the list
	// alone. never are documented keys that live services do not send.
	listOmits, singleOmits, never []string
}

// Author writes live records of some books.
type Author struct {
	*books.Books

	forms    [ids.Kinds]*form
	accounts map[string]string // identifiers by name
	kinds    map[string]int    // the first account of each account_type
}

// New returns an author.
func New(b *books.Books) *Author {
	a := &Author{Books: b, accounts: map[string]string{}, kinds: map[string]int{}}
	for kind, made := range map[ids.Kind]func() *form{
		ids.Accounts: accounts, ids.Payments: payments, ids.Expenses: expenses, ids.Organizations: organizations,
		ids.ContactPersons: persons, ids.Items: items, ids.Bills: bills, ids.CreditNotes: creditNotes, ids.CompositeItems: composites,
		ids.Locations: locations, ids.Taxes: taxes, ids.Currencies: currencies, ids.ModuleRecords: moduleRecords,
		ids.Channels: channels, ids.NetworkChannels: channels, ids.CustomerPersons: customerPersons,
	} {
		a.forms[kind] = made()
	}
	for i := range b.Initial[ids.Accounts] {
		kind := b.AccountWord(i).Kind
		if _, known := a.kinds[kind]; !known {
			a.kinds[kind] = i
		}
		a.accounts[b.AccountName(i)] = ids.Of(ids.Accounts, i)
	}
	return a
}

// Has reports whether live records of a kind differ from the documents' ones.
func (a *Author) Has(kind ids.Kind) bool { return a.forms[kind] != nil }

// Lay appends record i as a view shows it. The record is the documents' one with every key.
func (a *Author) Lay(dst, documented []byte, kind ids.Kind, i int, view View) []byte {
	object, err := overlay.Parse(documented)
	if err != nil { // the world writes objects only
		return append(dst, documented...)
	}
	shape := a.forms[kind]
	r := record{Object: object, a: a, kind: kind, i: i, view: view}
	if shape.reshape != nil {
		shape.reshape(r)
	}
	for _, arr := range shape.arrays {
		arr.fill(r)
	}
	for _, f := range shape.fields {
		if !r.Has(f.name) {
			r.Set(f.name, f.value(r))
		}
	}
	for _, name := range shape.omitted(view) {
		r.Drop(name)
	}
	return r.Append(dst)
}

// omitted lists the keys that a view leaves out.
func (f *form) omitted(view View) []string {
	if view == Merged && !f.headers {
		view = List
	}
	omitted := f.never
	switch view {
	case Merged:
		return omitted
	case List:
		omitted = slices.Concat(omitted, f.listOmits)
	case Single:
		omitted = slices.Concat(omitted, f.singleOmits)
	}
	for _, field := range f.fields {
		if field.in == single && view == List || field.in == list && view == Single {
			omitted = append(omitted, field.name)
		}
	}
	return omitted
}

// record is a record on its way to its live form, or an element of one of its arrays.
type record struct {
	*overlay.Object

	a    *Author
	kind ids.Kind
	i    int // of the record
	n    int // of the element
	view View
	// of is the record around an element; nil for the record itself.
	of *overlay.Object
}

// whole returns the record itself.
func (r record) whole() *overlay.Object {
	if r.of != nil {
		return r.of
	}
	return r.Object
}

// rare reports whether the record has values that few businesses ever fill, as package parts does.
func (r record) rare() bool { return r.a.Demo && r.i%7 == 3 }

// array is an array of objects, or an object, with keys beyond the documents.
type array struct {
	name   string
	fields []field
}

// fill adds the keys to each element that is there.
func (arr array) fill(r record) {
	elements := r.List(arr.name)
	if one, err := overlay.Parse(r.Get(arr.name)); err == nil {
		arr.complete(r, one, 0)
		r.Set(arr.name, one.Append(nil))
		return
	}
	if len(elements) == 0 {
		return
	}
	for n, element := range elements {
		arr.complete(r, element, n)
	}
	r.SetList(arr.name, elements)
}

func (arr array) complete(r record, element *overlay.Object, n int) {
	inner := record{Object: element, a: r.a, kind: r.kind, i: r.i, n: n, view: r.view, of: r.Object}
	for _, f := range arr.fields {
		if !inner.Has(f.name) {
			inner.Set(f.name, f.value(inner))
		}
	}
}

// array1 is an array of one object.
func array1(one *overlay.Object) json.RawMessage {
	return append(one.Append([]byte{'['}), ']')
}

// object writes one object.
func object(write func(*wire.Writer)) []byte {
	w := wire.Writer{B: []byte("{")}
	write(&w)
	w.Close('}')
	return w.B
}
