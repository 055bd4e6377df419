// Package records writes records as the API documents show them (docs/upstream.md), key by key.
//
// It decides nothing about their content, which is package books' work. Start reading with Append;
// the packages below write the records, one for each part of the business.
package records

import (
	"sluice/sandbox/world/books"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/ledger"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/records/purchases"
	"sluice/sandbox/world/records/sales"
	"sluice/sandbox/world/records/stock"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// Form is the shape in which a record is written.
type Form int

// The forms. Full merges list record and single record: every key that the documents name. Headers
// omits what live services give with the single record alone; Single is the single record;
// WithoutBalance is an account requested with showbalance=false.
const (
	Full Form = iota
	Headers
	Single
	WithoutBalance
)

// Author writes the records of some books.
type Author struct {
	ledger    ledger.Author
	people    persons
	purchases purchases.Author
	sales     sales.Author
	stock     stock.Author
}

// New returns an author.
func New(b *books.Books) *Author {
	base := parts.Author{Books: b}
	return &Author{ledger.Author{Author: base}, persons{base}, purchases.Author{Author: base}, sales.Author{Author: base}, stock.Author{Author: base}}
}

// Append appends record i as one JSON object. Chats are written as an object of the CSV columns
// with text values.
func (w *Author) Append(dst []byte, kind ids.Kind, i int, form Form) []byte {
	o := wire.Writer{B: append(dst, '{'), Wide: form != Headers, Single: form == Single}
	switch kind {
	case ids.Accounts:
		w.ledger.Account(&o, i, form != WithoutBalance)
	case ids.Payments:
		w.purchases.Payment(&o, i)
	case ids.Items:
		w.stock.Item(&o, i)
	case ids.Bills:
		w.purchases.Bill(&o, i)
	case ids.CreditNotes:
		w.sales.CreditNote(&o, i)
	case ids.Locations:
		w.stock.Location(&o, i)
	case ids.Taxes:
		w.stock.Tax(&o, i)
	case ids.Currencies:
		w.ledger.Currency(&o, i)
	case ids.CompositeItems:
		w.stock.CompositeItem(&o, i)
	case ids.OpeningBalances:
		w.ledger.OpeningBalance(&o, i)
	case ids.Adjustments:
		w.ledger.Adjustment(&o, i)
	case ids.ModuleRecords:
		w.people.ModuleRecord(&o, i)
	case ids.ContactPersons:
		w.people.ContactPerson(&o, i)
	case ids.CustomerPersons:
		w.people.CustomerPerson(&o, i)
	case ids.Expenses:
		w.ledger.Expense(&o, i)
	case ids.Organizations:
		w.people.Organization(&o, i)
	case ids.Channels, ids.NetworkChannels:
		w.people.Channel(&o, kind, i)
	case ids.Chats, ids.NetworkChats, ids.Kinds:
		w.people.Chat(&o, kind, i)
	}
	o.Close('}')
	return o.B
}

// AppendPreview appends the effect of a rate in millionths on the accounts of a currency.
func (w *Author) AppendPreview(dst []byte, money words.Currency, day string, rate int64, notes string) []byte {
	o := wire.Writer{B: append(dst, '{'), Wide: true}
	w.ledger.Preview(&o, money, day, rate, notes)
	o.Close('}')
	return o.B
}
