package figures

import (
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
)

// OpenNote is a customer's credit note of which something is left; drafts and void ones are none.
type OpenNote struct {
	ID       string `json:"creditnote_id"`
	Customer string `json:"customer_id"`
	Currency string `json:"currency_code"`
	Date     Day    `json:"date"`
	Total    Amount `json:"total"`
	Applied  Amount `json:"applied"` // to invoices
	Refunded Amount `json:"refunded"`
	Open     Amount `json:"open"`      // in that currency
	Base     Amount `json:"open_base"` // at the note's rate
}

// OpenNotes returns the open credit notes, by identifier.
func (b Books) OpenNotes() []OpenNote {
	owed := map[int]Amount{} // what the customer is owed, before invoices
	b.postings(b.Ledger.Latest, func(p ledger.Posting) {
		if p.Entry == ledger.Returned && p.Account == ledger.Receivable {
			owed[p.Index] -= ledger.FromCents(p.Cents)
		}
	})
	list := []OpenNote{}
	for n := range b.Ledger.Notes {
		note := &b.Ledger.Notes[n]
		open := owed[n] - ledger.FromCents(note.Applied)
		if open <= 0 {
			continue
		}
		list = append(list, OpenNote{
			ID: ids.Of(ids.CreditNotes, n), Customer: ledger.CustomerID(note.Customer), Currency: b.code(note.Currency), Date: note.Date,
			Total: ledger.FromCents(note.Total()), Applied: ledger.FromCents(note.Applied), Refunded: ledger.FromCents(note.Refunded),
			Open: open, Base: ledger.Convert(open.Cents(), int64(note.Rate)),
		})
	}
	return list
}

// Duplicate is a pair of vendors that are one.
type Duplicate struct {
	First  string `json:"vendor_id"`
	Second string `json:"other_vendor_id"`
	Tax    bool   `json:"equal_tax_number"`
	Name   bool   `json:"equal_name"` // but for case, spaces and punctuation
}

// Duplicates returns the vendors that were entered twice.
func (b Books) Duplicates() []Duplicate {
	list := []Duplicate{}
	for _, d := range ledger.Duplicates() {
		list = append(list, Duplicate{First: ledger.VendorID(d.First), Second: ledger.VendorID(d.Second), Tax: d.EqualTax, Name: d.EqualNormalized})
	}
	return list
}

// TwiceEntered is a pair of posted bills with the same vendor, number, date and sums.
type TwiceEntered struct {
	First  string `json:"bill_id"`
	Second string `json:"other_bill_id"`
}

// TwiceEntered returns the bills that were entered twice.
func (b Books) TwiceEntered() []TwiceEntered {
	list := []TwiceEntered{}
	first := map[int]int{}
	for n := range b.Ledger.Bills {
		bill := &b.Ledger.Bills[n]
		if other, again := first[bill.Number]; again && b.Live(ids.Bills, n) && b.Live(ids.Bills, other) {
			list = append(list, TwiceEntered{First: billID(other), Second: billID(n)})
		}
		first[bill.Number] = n
	}
	return list
}

// WithoutRate returns the posted bills whose rate upstream does not show, or shows as 0.
func (b Books) WithoutRate() []string {
	list := []string{}
	for n := range b.Ledger.Bills {
		if bill := &b.Ledger.Bills[n]; bill.Status == ledger.Posted && bill.Rate == 0 && b.Live(ids.Bills, n) {
			list = append(list, billID(n))
		}
	}
	return list
}

// Deletions are bills that are gone, and those that came back.
type Deletions struct {
	Deleted  []string `json:"deleted"`
	Restored []string `json:"restored"`
}

// Deletions returns them as of now.
func (b Books) Deletions() Deletions {
	d := Deletions{Deleted: []string{}, Restored: []string{}}
	for n := range b.Ledger.Bills {
		switch {
		case !b.Live(ids.Bills, n):
			d.Deleted = append(d.Deleted, billID(n))
		case b.Ledger.Bills[n].Restored:
			d.Restored = append(d.Restored, billID(n))
		}
	}
	return d
}
