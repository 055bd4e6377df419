// Package figures answers an analyst's questions about a business whose books close, to the cent:
// the oracle of the warehouse's views. It counts entries of package ledger and reads no record, so
// that it shares nothing with what a client reads.
//
// Amounts in the base currency are exact products of amount and rate; nothing is rounded before it
// is written. A bill without a known rate has no base amount: such bills are counted instead. Start
// reading with Books.
package figures

import (
	"maps"
	"slices"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
)

// named are the figures by their names; a figure without a use for the day ignores it.
func named() map[string]func(Books, Day) any {
	return map[string]func(Books, Day) any{
		"activity":          func(b Books, _ Day) any { return b.Activity() },
		"adjustments":       func(b Books, _ Day) any { return b.Adjustments() },
		"ageing":            func(b Books, day Day) any { return b.Ageing(day) },
		"applications":      func(b Books, _ Day) any { return b.Applications() },
		"balances":          func(b Books, _ Day) any { return b.Balances() },
		"below_reorder":     func(b Books, _ Day) any { return b.Below() },
		"control":           func(b Books, _ Day) any { return b.Control() },
		"cost_centres":      func(b Books, _ Day) any { return b.CostCentres() },
		"credit_notes":      func(b Books, _ Day) any { return b.OpenNotes() },
		"deletions":         func(b Books, _ Day) any { return b.Deletions() },
		"dpo":               func(b Books, day Day) any { return b.DPO(day) },
		"due":               func(b Books, day Day) any { return b.Due(day) },
		"duplicate_bills":   func(b Books, _ Day) any { return b.TwiceEntered() },
		"duplicate_vendors": func(b Books, _ Day) any { return b.Duplicates() },
		"exposure":          func(b Books, day Day) any { return b.Exposure(day) },
		"input_tax":         func(b Books, _ Day) any { return b.InputTax() },
		"open_items":        func(b Books, day Day) any { return b.OpenItems(day) },
		"opening_balance":   func(b Books, _ Day) any { return b.OpeningBalance() },
		"payments":          func(b Books, _ Day) any { return b.Payments() },
		"price_changes":     func(b Books, _ Day) any { return b.PriceChanges() },
		"price_rises":       func(b Books, day Day) any { return b.PriceRises(day) },
		"prices_paid":       func(b Books, _ Day) any { return b.PricesPaid() },
		"rates":             func(b Books, day Day) any { return b.Rates(day) },
		"spend":             func(b Books, _ Day) any { return b.Spend(ByVendor) },
		"spend_by_account":  func(b Books, _ Day) any { return b.Spend(ByAccount) },
		"spend_by_item":     func(b Books, _ Day) any { return b.Spend(ByItem) },
		"spend_by_location": func(b Books, _ Day) any { return b.Spend(ByLocation) },
		"stock":             func(b Books, _ Day) any { return b.Stock() },
		"without_rate":      func(b Books, _ Day) any { return b.WithoutRate() },
	}
}

// Names returns the names of all figures, in order.
func Names() []string { return slices.Sorted(maps.Keys(named())) }

// Figure returns a figure by its name, as of the end of a day; false for an unknown name.
func (b Books) Figure(name string, day Day) (any, bool) {
	figure, found := named()[name]
	if !found {
		return nil, false
	}
	return figure(b, day), true
}

// Books answers questions about one business as of now.
type Books struct {
	Ledger *ledger.Ledger

	// Live reports whether a record lives; deleted documents have no entries.
	Live func(kind ids.Kind, i int) bool
	// Moved returns what an account moved beside the ledger's entries, in cents, and Counted what
	// was added to the stock of an item or bundle, in pieces.
	Moved   func(account int) int64
	Counted func(kind ids.Kind, i int) int
}

// Amount is a sum of money, exact.
type Amount = ledger.Amount

// Day is a date.
type Day = ledger.Day

// postings calls f with every entry up to a day.
func (b Books) postings(day Day, f func(ledger.Posting)) {
	for p := range b.Ledger.Postings(b.Live) {
		if p.Day <= day {
			f(p)
		}
	}
}

// known reports whether upstream shows the rate of a bill.
func (b Books) known(bill int) bool { return bill < 0 || b.Ledger.Bills[bill].Rate != 0 }

// code returns the ISO code of a currency.
func (b Books) code(currency int) string { return b.Ledger.Currencies[currency].Code }

func billID(n int) string { return ids.Of(ids.Bills, n) }

func accountID(n int) string { return ids.Of(ids.Accounts, n) }
