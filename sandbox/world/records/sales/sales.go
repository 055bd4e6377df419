// Package sales writes credit notes (docs/upstream.md U226), key by key.
//
// Their content is package books' work. Start reading with Author.
package sales

import (
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// Author writes these records.
type Author struct {
	parts.Author
	*usual
}

// usual holds runs of keys that repeat in many records, by the values that decide them.
type usual struct {
	treatments wire.Run      // vat_treatment to cfdi_reference_type
	money      [2]wire.Run   // location_id to currency_symbol, by location
	levies     [3]wire.Run   // unit to product_type, by tax
	sites      [2]wire.Run   // item_custom_fields to location_name, by location
	addresses  [2][]wire.Run // billing_address and shipping_address, by place
}

// New returns an author.
func New(base parts.Author) Author {
	w := Author{base, &usual{}}
	w.treatments = wire.Freeze(func(o *wire.Writer) { w.noteTreatments(o, parts.Ordinary) })
	for n := range w.money {
		w.money[n] = wire.Freeze(func(o *wire.Writer) { noteMoney(o, n) })
		w.sites[n] = wire.Freeze(func(o *wire.Writer) { noteSite(o, n) })
	}
	for n := range w.levies {
		w.levies[n] = wire.Freeze(func(o *wire.Writer) { w.noteLevy(o, parts.Ordinary, n) })
	}
	for n, name := range addressNames {
		for place := range words.Places {
			w.addresses[n] = append(w.addresses[n], wire.Freeze(func(o *wire.Writer) { w.noteAddress(o, parts.Ordinary, name, place) }))
		}
	}
	return w
}

var addressNames = [2]string{"billing_address", "shipping_address"}

// noteMoney writes the location of a credit note, and its currency, the organization's own.
func noteMoney(o *wire.Writer, location int) {
	money := words.CurrencyOf(false)
	locationID, locationName := words.Location(location)
	o.Text("location_id", locationID)
	o.Text("location_name", locationName)
	o.Text("currency_code", money.Code)
	o.Text("currency_symbol", money.Symbol)
}

func noteSite(o *wire.Writer, location int) {
	locationID, locationName := words.Location(location)
	o.Array("item_custom_fields", 0, nil)
	o.Text("location_id", locationID)
	o.Text("location_name", locationName)
}
