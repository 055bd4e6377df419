package world

import (
	"encoding/json"
	"math/big"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/world/terms"
)

// Record returns record i, whole, for a caller to change and Put.
func (w *World) Record(kind Kind, i int) *overlay.Object {
	return parsed(w.Documented(kind, i))
}

// AppendSums appends the sums of total and balance over records as an object, without the columns
// that they do not have (docs/upstream.md U93).
func (w *World) AppendSums(dst []byte, kind Kind, form Form, records []int32) []byte {
	sums := overlay.NewObject()
	for _, i := range records {
		record := parsed(w.AppendRecord(nil, kind, int(i), form))
		for _, column := range []string{"total", "balance"} {
			if record.Has(column) {
				sums.SetAmount(column, new(big.Rat).Add(sums.Number(column), record.Number(column)))
			}
		}
	}
	return sums.Append(dst)
}

// Create adds a record at an instant (epoch seconds) and returns its index with an object of all
// its names, each value absent. The caller fills it and Puts it.
func (w *World) Create(kind Kind, at int64) (int, *overlay.Object) {
	i := w.insert(kind, at)
	blank := w.generated(kind, i).Blank()
	w.overlay.Put(kind, i, overlay.Written{Object: blank, Created: true}, blank)
	return i, blank.Clone()
}

// Put stores a record as written at an instant (epoch seconds); it replaces the generated one from
// then on. under is its parent, "" for the present one.
func (w *World) Put(kind Kind, i int, at int64, under string, record *overlay.Object) {
	if under == "" {
		under = w.Under(kind, i)
	}
	w.about(kind, i, Edited)
	before := w.overlay.Find(kind, i)
	written := overlay.Written{Object: record, Under: under, Created: before != nil && before.Created}
	w.overlay.Put(kind, i, written, w.generated(kind, i))
	t := &w.tables[kind]
	t.modified[i] = max(at, t.modified[i])
	w.touched(kind)
}

// Written returns the records of a kind that were written through the API, oldest first, with those
// deleted since. Callers only read it.
func (w *World) Written(kind Kind) []int { return w.overlay.Indices(kind) }

// sampled is the number of records that a search for a sample visits.
const sampled = 64

// Sample returns an object with all names of the objects under a name in records of a kind, or of
// those in a list there, each value absent; an empty one if no record shows one.
func (w *World) Sample(kind Kind, name string) *overlay.Object {
	for i := range min(sampled, w.books.Initial[kind]) {
		record := w.generated(kind, i)
		if elements := record.List(name); len(elements) > 0 {
			return elements[0].Blank()
		}
		if one, err := overlay.Parse(record.Get(name)); err == nil {
			return one.Blank()
		}
	}
	return overlay.NewObject()
}

// Contact returns the name of a vendor or customer; false if there is none with that identifier.
func (w *World) Contact(id string) (string, bool) {
	if w.closing != nil {
		return w.closing.contact(id)
	}
	if n, ok := ids.FixedIndex(ids.GroupVendor, id); ok && n < w.books.Vendors() {
		return w.books.Words.VendorName(n), true
	}
	if n, ok := ids.FixedIndex(ids.GroupCustomer, id); ok && n < w.books.Customers() {
		return w.books.Words.CustomerName(n), true
	}
	return "", false
}

// Child returns the identifier of the n-th part of record i: a line, a payment.
func (w *World) Child(kind Kind, i, n int) string { return ids.Child(kind, i, n) }

// DisplayTime formats an instant (epoch seconds) for people.
func (w *World) DisplayTime(at int64) string { return w.books.DisplayTime(at) }

// generated returns record i without the writes of the API.
func (w *World) generated(kind Kind, i int) *overlay.Object {
	return parsed(w.appendGenerated(nil, kind, i, Full))
}

// parsed reads a record that the world wrote.
func parsed(record json.RawMessage) *overlay.Object {
	o, err := overlay.Parse(record)
	if err != nil { // authors write objects only
		return overlay.NewObject()
	}
	return o
}

// passes reports whether record i passes filter_by, the first day, and the filters on its content.
func (w *World) passes(query Query, i int) bool {
	return w.filtered(query, i) && (query.Terms == "" || w.termsOf(query).Meet(w.Record(query.Kind, i)))
}

// termsOf reads the filters of a query once for all records.
func (w *World) termsOf(query Query) terms.Set {
	if w.terms.text != query.Terms {
		w.terms = readTerms{query.Terms, terms.Parse(query.Terms)}
	}
	return w.terms.set
}

// readTerms caches the filters of the last query.
type readTerms struct {
	text string
	set  terms.Set
}

func (w *World) filtered(query Query, i int) bool {
	if query.Filter == "" && query.From == "" {
		return true
	}
	written := w.writtenOf(query.Kind, i)
	if written == nil {
		return w.books.Matches(query.Kind, i, query.Filter) &&
			(query.From == "" || w.books.Day(w.tables.Created(query.Kind, i), 0) >= query.From)
	}
	if good, known := written.Matches(query.Kind, query.Filter); known && !good {
		return false
	} else if !known && !w.books.Matches(query.Kind, i, query.Filter) {
		return false
	}
	return query.From == "" || written.Day() >= query.From
}
