package world

import (
	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
	"sluice/sandbox/world/ledger/keys"
	"sluice/sandbox/world/overlay"
)

// closing is the part of a world whose books close. Its records have the keys of the generated
// ones, and values of a ledger.
type closing struct {
	*ledger.Ledger

	keys    keys.Author
	samples map[sampleOf]*overlay.Object
}

// sampleOf names the elements of a list.
type sampleOf struct {
	kind Kind
	list string
}

// closingOf computes the ledger of a world; nil for a world without one.
func closingOf(settings Settings, seed draw.Seed) *closing {
	if settings.Base == "" {
		return nil
	}
	return &closing{
		Ledger: ledger.New(ledger.Settings{
			Seed: seed, Records: settings.Records, Base: settings.Base, Zone: settings.Zone, Now: settings.Anchor,
		}),
		samples: map[sampleOf]*overlay.Object{},
	}
}

// count replaces the numbers of records and contacts by those of the ledger.
func (c *closing) count(content *books.Settings) {
	content.Suppliers, content.Clients = len(c.Vendors), len(c.Customers)
	for kind := range ids.Kinds {
		if n := c.Len(kind); n > 0 {
			content.Initial[kind] = n
		}
	}
}

// begin sets the states of the ledger's records, and what its values need of the world.
func (c *closing) begin(w *World) {
	for kind := range ids.Kinds {
		t := &w.tables[kind]
		for i := range c.Len(kind) {
			state := c.StateOf(kind, i)
			t.created[i], t.modified[i], t.deleted[i] = state.Entered, state.Modified, state.Deleted
		}
	}
	c.keys = keys.Author{Books: w.figures(), ItemName: w.books.ItemName, Edits: w.books.Edits}
}

// figures returns the answers to questions about the ledger.
func (w *World) figures() figures.Books {
	return figures.Books{
		Ledger: w.closing.Ledger, Live: w.Live, Moved: w.journal.Movement,
		Counted: w.journal.Quiet,
	}
}

// Figures returns the oracle of a world whose books close; false for another world.
func (w *World) Figures() (figures.Books, bool) {
	if w.closing == nil {
		return figures.Books{}, false
	}
	return w.figures(), true
}

// closes reports whether record i has values of the ledger.
func (w *World) closes(kind Kind, i int) bool {
	return w.closing != nil && keys.Covers(kind) && (i < w.closing.Len(kind) || kind == Taxes)
}

// appendGenerated appends record i without the writes of the API.
func (w *World) appendGenerated(dst []byte, kind Kind, i int, form Form) []byte {
	if !w.closes(kind, i) {
		return w.author.Append(dst, kind, i, form)
	}
	return w.values(kind, i).Fit(dst, w.author.Append(nil, kind, i, form), func(list string) *overlay.Object { return w.sampleOf(kind, list) })
}

// values returns the values of record i.
func (w *World) values(kind Kind, i int) overlay.Values {
	version := w.tables[Bills].version + w.tables[Payments].version + w.tables[CreditNotes].version + w.tables[Expenses].version +
		w.tables[Accounts].version
	return w.closing.keys.Of(kind, i, version)
}

// sampleOf returns a blank element of a list in records of a kind.
func (w *World) sampleOf(kind Kind, list string) *overlay.Object {
	place := sampleOf{kind, list}
	if sample, found := w.closing.samples[place]; found {
		return sample
	}
	sample := overlay.NewObject()
	for i := range min(4*sampled, w.books.Initial[kind]) { // elements of some lists are rare.
		if elements := parsed(w.author.Append(nil, kind, i, Full)).List(list); len(elements) > 0 {
			sample = elements[0].Blank()
			break
		}
	}
	w.closing.samples[place] = sample
	return sample
}

// writtenOf returns what decides about the place of record i in lists: the written record, or that
// of the ledger; nil if package books decides.
func (w *World) writtenOf(kind Kind, i int) *overlay.Written {
	if written := w.overlay.Find(kind, i); written != nil || !w.closes(kind, i) {
		return written
	}
	return &overlay.Written{Object: w.generated(kind, i)}
}
