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
type Author struct{ parts.Author }

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
