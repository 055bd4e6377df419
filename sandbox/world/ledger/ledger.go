// Package ledger is a business whose books close: purchases, payments, returns, expenses and rates
// of 24 months, with double entry underneath. The same seed, size and day give the same business.
//
// It writes no record: package keys does, from the documents here. It computes no figure: package
// figures does, from the entries of Postings. Start reading with New.
package ledger

import (
	"time"

	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
)

// Settings say which business to compute.
type Settings struct {
	Seed    draw.Seed
	Records int            // over all kinds of which a business has many
	Base    string         // ISO code of the organization's own currency: one of Bases
	Zone    *time.Location // of the organization
	Now     time.Time      // the newest document is dated the day before
}

// Bases returns the codes of the currencies that a business can have as its own. An organization
// without a choice has the one at its place.
func Bases() []string { return []string{"INR", "EUR", "USD"} }

// days is the length of the business's history.
const days = 730

// Ledger is the business. Documents stand in the order of their entry; an index is the record's
// number. It is as safe for concurrent use as its world.
type Ledger struct {
	Settings

	Start, Today Day // the first day, and the day after the last one, as of which statuses are
	// Latest is the day of the newest document: Today, unless documents were added since.
	Latest      Day
	Currencies  []Currency
	Accounts    []Account
	Vendors     []Vendor
	Customers   []Customer
	Items       []Item
	Bundles     []Bundle
	Bills       []Bill
	Payments    []Payment
	Notes       []Note
	Expenses    []Expense
	Adjustments []Adjustment
	Opening     []OpeningLine
	Journals    []Journal
	// Difference is a planted error: by so much the payables account shows more than its entries.
	Difference Amount

	founding founding
}

// founding is what references stay among, as more is added.
type founding struct{ items int }

// New computes the business.
func New(settings Settings) *Ledger {
	l := &Ledger{Settings: settings, Today: DayOf(settings.Now.In(settings.Zone))}
	l.Start, l.Latest = l.Today-days, l.Today
	l.Currencies, l.Accounts = currencies(settings.Base), accounts()
	l.Vendors, l.Customers = l.vendors(), l.customers()
	l.Items = l.items()
	l.founding.items = len(l.Items)
	l.Bundles = l.bundles()
	l.Bills = l.bills()
	l.late(l.plan())
	l.pay()
	l.Notes, l.Expenses = l.notes(), l.expenses()
	l.open()
	l.journals()
	l.adjust()
	return l
}

// Sizes of the kinds: in percent of the requested records, and the least number with which the
// shares of the business hold.
const (
	percentBills, leastBills       = 30, 240
	percentItems, leastItems       = 15, 60
	percentNotes, leastNotes       = 8, 30
	percentExpenses, leastExpenses = 5, 24
	leastBundles                   = 6

	percent = 100
)

func (l *Ledger) size(share, least int) int { return max(least, l.Records*share/percent) }

// Len returns the number of records of a kind; 0 for a kind that is no part of the ledger.
func (l *Ledger) Len(kind ids.Kind) int {
	switch kind {
	case ids.Accounts:
		return len(l.Accounts)
	case ids.Currencies:
		return len(l.Currencies)
	case ids.Items:
		return len(l.Items)
	case ids.CompositeItems:
		return len(l.Bundles)
	case ids.Bills:
		return len(l.Bills)
	case ids.Payments:
		return len(l.Payments)
	case ids.CreditNotes:
		return len(l.Notes)
	case ids.Expenses:
		return len(l.Expenses)
	case ids.Adjustments:
		return len(l.Adjustments)
	case ids.OpeningBalances, ids.Organizations:
		return 1
	default:
		return 0
	}
}

// State says when a record was entered and last changed, in epoch seconds, and whether it is
// deleted.
type State struct {
	Entered, Modified int64
	Deleted           bool
}

// StateOf returns the state of a record at the start.
func (l *Ledger) StateOf(kind ids.Kind, i int) State {
	switch kind {
	case ids.Items:
		return l.Items[i].State
	case ids.Bills:
		return l.Bills[i].State
	case ids.Payments:
		return l.Payments[i].State
	case ids.CreditNotes:
		return l.Notes[i].State
	case ids.Expenses:
		return l.Expenses[i].State
	case ids.Adjustments:
		at := l.at(l.Adjustments[i].Date, evening)
		return State{Entered: at, Modified: at}
	default: // the others were entered with the business's foundation.
		at := l.at(l.Start, 0) + int64(i)
		return State{Entered: at, Modified: at}
	}
}

// draw returns 0..n-1 by repeatable chance, as package draw does.
func (l *Ledger) draw(kind ids.Kind, i int, what draw.Question, n int) int {
	return l.Seed.Draw(kind, i, what, n)
}

// The questions, behind those of package draw.
const (
	askCost draw.Question = iota + 100
	askDay
	askLate
	askKind
	askLevy
	askLines
	askItem
	askAccount
	askQuantity
	askPlace
	askPay
	askSplit
	askOver
	askCredit
	askPrice
	askStock
	askHour
	askVendor
	askTreatment
	askRise
	askRefund
	askTerms
	askCustom
)
