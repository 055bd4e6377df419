// Package purchases writes bills (docs/upstream.md U221) and vendor payments (U172 and U173), key
// by key.
//
// Their content is package books' work. Start reading with Author.
package purchases

import (
	"sluice/sandbox/world/ids"
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
	money     [2][2]wire.Run // currency_id to location_name, by currency and location
	supplies  []wire.Run     // reference_id to is_reverse_charge_applied, by place
	accounts  []wire.Run     // account_id to description, by remark
	levies    [3]wire.Run    // tax_id to tax_percentage, by tax
	units     wire.Run       // unit to reverse_charge_tax_amount
	ends      [2]wire.Run    // tax_exemption_code to location_name, by location
	through   wire.Run       // the account of payments
	throughIn wire.Run       // the same with its type, in payments themselves
	own       [2]wire.Run    // currency_id and currency_symbol of payments, by currency
}

// states is the number of places after which their state codes repeat.
const states = 4

// New returns an author.
func New(base parts.Author) Author {
	w := Author{base, &usual{}}
	for n := range w.money {
		for at := range w.money[n] {
			w.money[n][at] = wire.Freeze(func(o *wire.Writer) { billMoney(o, n == 1, at) })
		}
		w.ends[n] = wire.Freeze(func(o *wire.Writer) { w.lineEnd(o, parts.Ordinary, n) })
		w.own[n] = wire.Freeze(func(o *wire.Writer) {
			o.Text("currency_id", words.CurrencyOf(n == 1).ID)
			o.Text("currency_symbol", words.CurrencyOf(n == 1).Symbol)
		})
	}
	for place := range states {
		w.supplies = append(w.supplies, wire.Freeze(func(o *wire.Writer) { w.billSupply(o, parts.Ordinary, place) }))
	}
	for _, description := range w.Descriptions {
		w.accounts = append(w.accounts, wire.Freeze(func(o *wire.Writer) {
			o.ID("account_id", ids.Number(ids.Accounts, 2)) // Cost of Goods Sold
			o.Text("account_name", w.AccountName(2))
			o.Put(description)
		}))
	}
	for n := range w.levies {
		w.levies[n] = wire.Freeze(func(o *wire.Writer) { w.lineTax(o, parts.Ordinary, n) })
	}
	w.units = wire.Freeze(func(o *wire.Writer) { w.lineUnit(o, parts.Ordinary, 0) })
	w.through = wire.Freeze(func(o *wire.Writer) {
		o.ID("paid_through_account_id", ids.Number(ids.Accounts, 0)) // Current Account
		o.Text("paid_through_account_name", w.AccountName(0))
	})
	w.throughIn = wire.Freeze(func(o *wire.Writer) {
		o.Put(w.through)
		o.Text("paid_through_account_type", w.AccountWord(0).Kind)
	})
	return w
}
