package figures

import (
	"cmp"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/words"
)

// Sources of spend.
const (
	SourceBill    = "bill"
	SourceExpense = "expense"
)

// Spend is what was charged, in the base currency, in one cut: the fields that the cut does not
// name are empty. Vendors' credits are not taken off.
type Spend struct {
	Source   string `json:"source"` // bill or expense
	Month    Day    `json:"month"`  // of the document, its first day
	Vendor   string `json:"vendor_id,omitempty"`
	Account  string `json:"account_id,omitempty"`
	Item     string `json:"item_id,omitempty"`
	Location string `json:"location_id,omitempty"`
	Pieces   int64  `json:"quantity"` // of lines with an item
	Net      Amount `json:"net_base"`
	Tax      Amount `json:"tax_base"`
	Gross    Amount `json:"gross_base"`
	// WithoutRate counts lines of bills without a known rate: they are in no sum.
	WithoutRate int `json:"lines_without_rate"`
}

// Cut says by what spend is summed, beside source and month.
type Cut int

// The cuts.
const (
	ByVendor Cut = iota
	ByAccount
	ByItem     // lines without an item under "", expenses left out
	ByLocation // expenses left out
)

// Spend sums posted bills and expenses. Each cut of bills has the same total.
func (b Books) Spend(cut Cut) []Spend {
	sums := map[Spend]*Spend{}
	b.postings(b.Ledger.Latest, func(p ledger.Posting) {
		tax := p.Entry == ledger.Taxed && p.Account == ledger.InputTax
		net := (p.Entry == ledger.Billed || p.Entry == ledger.Spent) && p.Cents > 0
		if !tax && !net {
			return
		}
		place, counts := b.place(p, cut)
		if !counts {
			return
		}
		sum := sums[place]
		if sum == nil {
			fresh := place
			sum = &fresh
			sums[place] = sum
		}
		switch known := b.known(p.Bill); {
		case !known && net:
			sum.WithoutRate++
		case tax:
			sum.Tax += p.Base
			sum.Gross += p.Base
		case net:
			sum.Net += p.Base
			sum.Gross += p.Base
		}
		if net && p.Bill >= 0 && b.line(p).Item >= 0 {
			sum.Pieces += b.line(p).Quantity / words.Cents
		}
	})
	return sorted(sums, func(a, b *Spend) int {
		return cmp.Or(cmp.Compare(a.Month, b.Month), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Vendor, b.Vendor), cmp.Compare(a.Account, b.Account),
			cmp.Compare(a.Item, b.Item), cmp.Compare(a.Location, b.Location))
	})
}

// place returns the key of a posting in a cut; false if the cut leaves it out.
func (b Books) place(p ledger.Posting, cut Cut) (Spend, bool) {
	s := Spend{Source: SourceBill, Month: p.Day.Month()}
	if p.Bill < 0 {
		s.Source = SourceExpense
	}
	switch cut {
	case ByVendor:
		if p.Vendor >= 0 {
			s.Vendor = ledger.VendorID(p.Vendor)
		}
	case ByAccount:
		if p.Bill < 0 {
			s.Account = accountID(b.Ledger.Expenses[p.Index].Account)
		} else {
			s.Account = accountID(b.line(p).Account)
		}
	case ByItem:
		if p.Bill >= 0 && b.line(p).Item >= 0 {
			s.Item = ids.Of(ids.Items, b.line(p).Item)
		}
		return s, p.Bill >= 0
	case ByLocation:
		if p.Bill >= 0 {
			s.Location, _ = words.Location(b.line(p).Location)
		}
		return s, p.Bill >= 0
	}
	return s, true
}

func (b Books) line(p ledger.Posting) ledger.Line { return b.Ledger.Bills[p.Bill].Lines[p.Line] }

// PricePaid is a line of a posted bill with an item: what a piece cost.
type PricePaid struct {
	Item     string      `json:"item_id"`
	Bill     string      `json:"bill_id"`
	Line     string      `json:"line_item_id"`
	Date     Day         `json:"date"`
	Vendor   string      `json:"vendor_id"`
	Pieces   int64       `json:"quantity"`
	Currency string      `json:"currency_code"`
	Price    Amount      `json:"rate"` // in that currency
	Base     *Amount     `json:"rate_base"`
	Rate     ledger.Rate `json:"exchange_rate"`
}

// PricesPaid returns the prices paid for items, by bill and line.
func (b Books) PricesPaid() []PricePaid {
	list := []PricePaid{}
	b.postings(b.Ledger.Latest, func(p ledger.Posting) {
		if p.Entry != ledger.Billed || p.Cents <= 0 || b.line(p).Item < 0 {
			return
		}
		line, bill := b.line(p), &b.Ledger.Bills[p.Bill]
		paid := PricePaid{
			Item: ids.Of(ids.Items, line.Item), Bill: billID(p.Bill), Line: ids.Child(ids.Bills, p.Bill, p.Line), Date: p.Day,
			Vendor: ledger.VendorID(p.Vendor), Pieces: line.Quantity / words.Cents, Currency: b.code(p.Currency),
			Price: ledger.FromCents(line.Rate), Rate: bill.Rate,
		}
		if b.known(p.Bill) {
			base := ledger.Convert(line.Rate, int64(bill.Rate))
			paid.Base = &base
		}
		list = append(list, paid)
	})
	return list
}

// Tax is input tax of one quarter, in the base currency.
type Tax struct {
	Source  string `json:"source"` // bill or expense
	ID      string `json:"tax_id"`
	Name    string `json:"tax_name"`
	Quarter Day    `json:"quarter"` // its first day; the fiscal year begins in April
	// Charged is on bills and expenses, Reverse is what the organization owes in place of vendors.
	Charged Amount `json:"tax_base"`
	Reverse Amount `json:"reverse_charge_base"`
}

// InputTax returns input tax by tax and fiscal quarter. Taxes of no percent have no row.
func (b Books) InputTax() []Tax {
	sums := map[Tax]*Tax{}
	b.postings(b.Ledger.Latest, func(p ledger.Posting) {
		charged := p.Entry == ledger.Taxed && p.Account == ledger.InputTax
		if !charged && (p.Entry != ledger.Reversed || p.Account != ledger.ReverseInput) {
			return
		}
		tax := words.TaxOf(p.Levy)
		place := Tax{Source: SourceBill, ID: tax.ID, Name: tax.Name, Quarter: p.Day.Quarter()}
		if p.Bill < 0 {
			place.Source = SourceExpense
		}
		sum := sums[place]
		if sum == nil {
			fresh := place
			sum = &fresh
			sums[place] = sum
		}
		if charged {
			sum.Charged += p.Base
		} else {
			sum.Reverse += p.Base
		}
	})
	return sorted(sums, func(a, b *Tax) int {
		return cmp.Or(cmp.Compare(a.Quarter, b.Quarter), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Source, b.Source))
	})
}

// Centre is spend of one cost centre: the custom field "Cost centre" of bills.
type Centre struct {
	Month       Day    `json:"month"`
	Value       string `json:"value"` // "" for bills without one
	Bills       int    `json:"bills"`
	Net         Amount `json:"net_base"`
	Gross       Amount `json:"gross_base"`
	WithoutRate int    `json:"bills_without_rate"` // in Bills, in no sum
}

// CostCentres returns posted bills by month and cost centre.
func (b Books) CostCentres() []Centre {
	type key struct {
		month Day
		value int
	}
	sums, counted := map[key]*Centre{}, map[int]bool{}
	b.postings(b.Ledger.Latest, func(p ledger.Posting) {
		net, tax := p.Entry == ledger.Billed && p.Cents > 0, p.Entry == ledger.Taxed && p.Account == ledger.InputTax && p.Bill >= 0
		if !net && !tax {
			return
		}
		place := key{p.Day.Month(), b.Ledger.Bills[p.Bill].Centre}
		sum := sums[place]
		if sum == nil {
			sum = &Centre{Month: place.month}
			if place.value >= 0 {
				sum.Value = Centres()[place.value]
			}
			sums[place] = sum
		}
		if !counted[p.Bill] {
			counted[p.Bill] = true
			sum.Bills++
			if !b.known(p.Bill) {
				sum.WithoutRate++
			}
		}
		if !b.known(p.Bill) {
			return
		}
		sum.Gross += p.Base
		if net {
			sum.Net += p.Base
		}
	})
	return sorted(sums, func(a, b *Centre) int { return cmp.Or(cmp.Compare(a.Month, b.Month), cmp.Compare(a.Value, b.Value)) })
}
