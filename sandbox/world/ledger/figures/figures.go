// Package figures answers an analyst's questions about a business whose books close, to the cent:
// the oracle of the warehouse's views. It counts entries of package ledger and reads no record, so
// that it shares nothing with what a client reads.
//
// Amounts in the base currency are exact products of amount and rate; nothing is rounded before it
// is written. A bill without a known rate has no base amount: such bills are counted instead. Start
// reading with Books.
package figures

import (
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
)

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
