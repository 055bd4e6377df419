// Package keys gives the values of a ledger's records by the keys of the wire. Values under keys
// that no document shows are those of live services.
//
// It decides neither a value nor which keys a record has: packages ledger and records do. Start
// reading with Author.Of.
package keys

import (
	"encoding/json"
	"fmt"
	"strconv"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/world/words"
)

// Author gives the values of records.
type Author struct {
	figures.Books

	// ItemName returns the name of an item as first written, and Edits how often a record was
	// edited: an edit changes a remark alone, so that the books still close.
	ItemName func(i int) string
	Edits    func(kind ids.Kind, i int) int

	balances balances
}

// Covers reports whether records of a kind have values of a ledger.
func Covers(kind ids.Kind) bool {
	switch kind {
	case ids.Accounts, ids.Payments, ids.Items, ids.Bills, ids.CreditNotes, ids.Currencies, ids.CompositeItems, ids.Expenses,
		ids.Adjustments, ids.OpeningBalances, ids.Organizations, ids.Taxes:
		return true
	default:
		return false
	}
}

// Of returns the values of record i. version moves with each change of a document.
func (a *Author) Of(kind ids.Kind, i, version int) overlay.Values {
	v := overlay.Values{Object: overlay.NewObject(), Lists: map[string][]*overlay.Object{}, Live: live()}
	switch kind {
	case ids.Accounts:
		a.account(v, i, version)
	case ids.Payments:
		a.payment(v, i)
	case ids.Items:
		a.item(v, i)
	case ids.Bills:
		a.bill(v, i)
	case ids.CreditNotes:
		a.note(v, i)
	case ids.Currencies:
		a.currency(v, i)
	case ids.CompositeItems:
		a.bundle(v, i)
	case ids.Expenses:
		a.expense(v, i)
	case ids.Adjustments:
		a.adjustment(v, i)
	case ids.OpeningBalances:
		a.opening(v)
	case ids.Organizations:
		a.organization(v)
	case ids.Taxes:
		v.SetText("purchase_tax_account_id", ids.Of(ids.Accounts, ledger.InputTax))
		v.SetText("tax_account_id", ids.Of(ids.Accounts, ledger.OutputTax))
	default:
	}
	a.remark(v, kind, i)
	return v
}

// live returns the names inside of lists that no document shows.
func live() []string {
	return []string{
		"apply_date", "paid_through_account_type", "vendorpayment_id", "to_account_id", "item_id", "sku", "line_item_taxes", "tax_id",
	}
}

// remark says how often a record was edited, in a text without meaning.
func (a *Author) remark(v overlay.Values, kind ids.Kind, i int) {
	edits := a.Edits(kind, i)
	if edits == 0 {
		return
	}
	text := fmt.Sprintf("Changed %d times", edits)
	switch kind {
	case ids.Bills, ids.CreditNotes, ids.Adjustments:
		v.SetText("notes", text)
	case ids.Payments, ids.Items, ids.CompositeItems, ids.Expenses, ids.Accounts:
		v.SetText("description", text)
	default: // package records shows edits of the others
	}
}

func money(o *overlay.Object, name string, cents int64) { amount(o, name, ledger.FromCents(cents)) }

// amount writes cents: amounts of the base currency are rounded on the wire.
func amount(o *overlay.Object, name string, sum ledger.Amount) {
	o.Set(name, json.RawMessage(ledger.FromCents(sum.Cents()).String()))
}

// rate writes a rate with six decimals.
func rate(o *overlay.Object, name string, r ledger.Rate) {
	const millionth = 1_000_000
	o.Set(name, json.RawMessage(fmt.Sprintf("%d.%06d", r/millionth, r%millionth)))
}

func day(o *overlay.Object, name string, d ledger.Day) {
	if d == 0 {
		o.SetText(name, "")
		return
	}
	o.SetText(name, d.String())
}

func pieces(o *overlay.Object, name string, hundredths int64) { money(o, name, hundredths) }

func (a *Author) accountOf(o *overlay.Object, prefix string, account int) {
	o.SetText(prefix+"account_id", ids.Of(ids.Accounts, account))
	o.SetText(prefix+"account_name", a.Ledger.Accounts[account].Name)
}

func (a *Author) vendor(o *overlay.Object, n int) {
	o.SetText("vendor_id", ledger.VendorID(n))
	o.SetText("vendor_name", a.Ledger.Vendors[n].Name)
}

func (a *Author) money(o *overlay.Object, currency int) {
	c := a.Ledger.Currencies[currency]
	o.SetText("currency_id", c.ID)
	o.SetText("currency_code", c.Code)
	o.SetText("currency_symbol", c.Symbol)
}

func location(o *overlay.Object, n int) {
	id, name := words.Location(n)
	o.SetText("location_id", id)
	o.SetText("location_name", name)
}

func levy(o *overlay.Object, n int) {
	tax := words.TaxOf(n)
	o.SetText("tax_id", tax.ID)
	o.SetText("tax_name", tax.Name)
	o.SetText("tax_type", "tax")
	o.SetWhole("tax_percentage", int(tax.Percent))
}

func sku(i int) string { return fmt.Sprintf("SKU-%06d", i+1) }

// fields writes the custom fields of a document: a text, a number, a date and one without a value.
// All kinds of documents share them.
func fields(v overlay.Values, centre, n int, date ledger.Day) {
	values := []json.RawMessage{
		json.RawMessage(strconv.Quote(centreName(centre))), json.RawMessage(fmt.Sprintf("%d.%02d", 10+n%90, n%100)),
		json.RawMessage(strconv.Quote(date.String())), json.RawMessage("null"),
	}
	if centre < 0 {
		values[0] = json.RawMessage("null")
	}
	var list []*overlay.Object
	for at, value := range values {
		o := overlay.NewObject()
		id := ids.Fixed(ids.GroupCustomField, firstField+at)
		o.SetText("customfield_id", id)
		o.SetText("custom_field_id", id)
		o.SetWhole("index", at+1)
		o.SetText("label", [...]string{"Cost centre", "Budget", "Approved on", "Sponsor"}[at])
		o.SetText("data_type", [...]string{"string", "decimal", "date", "string"}[at])
		o.Set("value", value)
		list = append(list, o)
	}
	v.Lists["custom_fields"] = list
}

// firstField is the number of the first custom field; those of other worlds are below it.
const firstField = 900

// centreName returns the name of a cost centre; "" for none.
func centreName(n int) string {
	if n < 0 {
		return ""
	}
	return figures.Centres()[n]
}

// Live returns what of a live record a ledger knows better: values that package live takes from
// worlds of single records, not from the record.
func Live(kind ids.Kind) overlay.Correction {
	switch kind {
	case ids.Accounts:
		return overlay.Correction{Names: []string{"isdebit"}}
	case ids.Payments:
		return overlay.Correction{
			Names: []string{"currency_code", "is_advance_payment"}, Lists: map[string][]string{"vendorpayment_refunds": {"to_account_id"}},
		}
	case ids.Expenses:
		return overlay.Correction{Names: []string{"vendor_name"}}
	case ids.Bills:
		return overlay.Correction{
			Names: []string{"payment_terms", "payment_terms_label"},
			Lists: map[string][]string{"line_items": {"item_id", "sku", "product_type"}, "custom_fields": {"label", "data_type"}},
		}
	case ids.CreditNotes:
		return overlay.Correction{
			Names: []string{"currency_id", "exchange_rate", "total_credits_used", "total_refunded_amount"},
			Lists: map[string][]string{"line_items": {"bcy_rate"}, "custom_fields": {"customfield_id", "label", "data_type"}},
			Whole: []string{"creditnote_refunds"},
		}
	default:
		return overlay.Correction{}
	}
}
