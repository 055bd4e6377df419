package figures

import (
	"cmp"
	"maps"
	"slices"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
)

// Buckets are the parts of an ageing, in the base currency: by days behind the due date.
type Buckets struct {
	NotDue    Amount `json:"not_due"` // due today or later
	To30      Amount `json:"days_1_to_30"`
	To60      Amount `json:"days_31_to_60"`
	To90      Amount `json:"days_61_to_90"`
	Over90    Amount `json:"over_90_days"`
	NoDueDate Amount `json:"no_due_date"`
}

// Bounds of the buckets, in days.
const (
	month     = 30
	twoMonths = 60
	aQuarter  = 90
	soon      = 14 // days of Due
	dpoDays   = 90
)

func (b *Buckets) add(day, due Day, base Amount) {
	switch late := day - due; {
	case due == 0:
		b.NoDueDate += base
	case late <= 0:
		b.NotDue += base
	case late <= month:
		b.To30 += base
	case late <= twoMonths:
		b.To60 += base
	case late <= aQuarter:
		b.To90 += base
	default:
		b.Over90 += base
	}
}

// OpenItem is what was open of a bill at the end of a day: its sum with tax less what payments and
// credits dated up to that day settle.
type OpenItem struct {
	Bill     string `json:"bill_id"`
	Vendor   string `json:"vendor_id"`
	Currency string `json:"currency_code"`
	Date     Day    `json:"date"`
	Due      Day    `json:"due_date"` // empty for none
	Open     Amount `json:"open"`     // in the bill's currency
	// Base is nil where the bill's rate is unknown.
	Base *Amount `json:"open_base"`

	index int
}

// OpenItems returns the bills that were open at the end of a day, by identifier. Drafts, void and
// deleted bills are none.
func (b Books) OpenItems(day Day) []OpenItem {
	open := map[int]*OpenItem{}
	b.postings(day, func(p ledger.Posting) {
		if p.Account != ledger.Payable || p.Bill < 0 {
			return
		}
		item := open[p.Bill]
		if item == nil {
			bill := &b.Ledger.Bills[p.Bill]
			item = &OpenItem{
				Bill: billID(p.Bill), Vendor: ledger.VendorID(bill.Vendor), Currency: b.code(bill.Currency), Date: bill.Date, Due: bill.Due, index: p.Bill,
			}
			if b.known(p.Bill) {
				item.Base = new(Amount)
			}
			open[p.Bill] = item
		}
		item.Open -= ledger.FromCents(p.Cents)
		if item.Base != nil {
			*item.Base -= p.Base
		}
	})
	items := []OpenItem{}
	for _, n := range slices.Sorted(maps.Keys(open)) {
		if open[n].Open != 0 {
			items = append(items, *open[n])
		}
	}
	return items
}

// Ageing is what was owed to one vendor in one currency at the end of a day.
type Ageing struct {
	Vendor      string `json:"vendor_id"`
	Currency    string `json:"currency_code"`
	Bills       int    `json:"bills"`
	Open        Amount `json:"open"` // in that currency
	Base        Amount `json:"open_base"`
	WithoutRate int    `json:"bills_without_rate"` // in Open, not in Base
	Buckets
}

// Ageing returns the open items of a day by vendor and currency.
func (b Books) Ageing(day Day) []Ageing {
	sums := map[[2]string]*Ageing{}
	for _, item := range b.OpenItems(day) {
		place := [2]string{item.Vendor, item.Currency}
		sum := sums[place]
		if sum == nil {
			sum = &Ageing{Vendor: item.Vendor, Currency: item.Currency}
			sums[place] = sum
		}
		sum.Bills++
		sum.Open += item.Open
		if item.Base == nil {
			sum.WithoutRate++
			continue
		}
		sum.Base += *item.Base
		sum.add(day, item.Due, *item.Base)
	}
	return sorted(sums, func(a, b *Ageing) int {
		return cmp.Or(cmp.Compare(a.Vendor, b.Vendor), cmp.Compare(a.Currency, b.Currency))
	})
}

// sorted returns the values of a map in order.
func sorted[K comparable, V any](from map[K]*V, order func(a, b *V) int) []V {
	list := []V{}
	for _, value := range slices.SortedFunc(maps.Values(from), order) {
		list = append(list, *value)
	}
	return list
}

// Due returns the open items that are due from a day on, up to and including the fourteenth day
// behind it.
func (b Books) Due(day Day) []OpenItem {
	return slices.DeleteFunc(b.OpenItems(day), func(item OpenItem) bool { return item.Due < day || item.Due > day+soon })
}

// Control compares the payables account with what is open, in the base currency. The account shows
// cents, so that it can differ by half a cent without an error.
type Control struct {
	Bills       Amount `json:"open_bills"`         // each at its own rate
	Unapplied   Amount `json:"unapplied_payments"` // each at the payment's rate
	Subledger   Amount `json:"subledger"`          // bills less payments
	Ledger      Amount `json:"ledger"`             // the account's current balance as upstream shows it
	Difference  Amount `json:"difference"`         // ledger less subledger, rounded to cents
	WithoutRate int    `json:"bills_without_rate"` // open ones, in no sum
}

// Control returns the comparison as of now.
func (b Books) Control() Control {
	var c Control
	for _, item := range b.OpenItems(b.Ledger.Latest) {
		if item.Base == nil {
			c.WithoutRate++
			continue
		}
		c.Bills += *item.Base
	}
	b.postings(b.Ledger.Latest, func(p ledger.Posting) {
		if p.Account == ledger.Payable && p.Bill < 0 && p.Payment >= 0 {
			c.Unapplied += p.Base
		}
	})
	c.Subledger = c.Bills - c.Unapplied
	c.Ledger = b.balance(ledger.Payable)
	c.Difference = ledger.FromCents((c.Ledger - c.Subledger).Cents())
	return c
}

func (b Books) balance(account int) Amount {
	for _, balance := range b.Balances() {
		if balance.Account == accountID(account) {
			return balance.Balance
		}
	}
	return 0
}

// Application is a payment applied to a bill.
type Application struct {
	ID       string `json:"bill_payment_id"`
	Payment  string `json:"payment_id"`
	Bill     string `json:"bill_id"`
	Vendor   string `json:"vendor_id"`
	Currency string `json:"currency_code"`
	Amount   Amount `json:"amount"` // in that currency
	Date     Day    `json:"date"`   // of the payment
	// DaysToPay counts from the bill's date, Late from its due date: negative if it was early, nil
	// without a due date.
	DaysToPay int  `json:"days_to_pay"`
	Late      *int `json:"days_late"`
	// Gain is the amount times the bill's rate less the payment's rate: positive if less was paid
	// in the base currency than was owed, nil if the bill's rate is unknown.
	Gain *Amount `json:"gain_base"`
}

// Applications returns each payment of each bill once, by payment.
func (b Books) Applications() []Application {
	list := []Application{}
	b.postings(b.Ledger.Latest, func(p ledger.Posting) {
		switch {
		case p.Entry == ledger.Paid && p.Account == ledger.Payable:
			bill, share := &b.Ledger.Bills[p.Bill], b.Ledger.Payments[p.Payment].Shares[p.Line]
			a := Application{
				ID: ids.Child(ids.Bills, p.Bill, ledger.PaymentChild(share.Place)), Payment: ids.Of(ids.Payments, p.Payment), Bill: billID(p.Bill),
				Vendor: ledger.VendorID(p.Vendor), Currency: b.code(p.Currency), Amount: ledger.FromCents(p.Cents), Date: p.Day,
				DaysToPay: int(p.Day - bill.Date),
			}
			if bill.Due != 0 {
				late := int(p.Day - bill.Due)
				a.Late = &late
			}
			if b.known(p.Bill) {
				a.Gain = new(Amount)
			}
			list = append(list, a)
		case p.Entry == ledger.Realized && b.known(p.Bill): // it follows the application
			*list[len(list)-1].Gain = -p.Base
		}
	})
	return list
}

// Payment is what became of a payment; its amount is the sum of the three, in its currency.
type Payment struct {
	ID        string `json:"payment_id"`
	Vendor    string `json:"vendor_id"`
	Currency  string `json:"currency_code"`
	Date      Day    `json:"date"`
	Amount    Amount `json:"amount"`
	Applied   Amount `json:"applied"`
	Unapplied Amount `json:"unapplied"`
	Refunded  Amount `json:"refunded"`
	Base      Amount `json:"amount_base"` // at the payment's rate
}

// Payments returns all payments, by identifier.
func (b Books) Payments() []Payment {
	sums := map[int]*Payment{}
	b.postings(b.Ledger.Latest, func(p ledger.Posting) {
		if p.Payment < 0 {
			return
		}
		sum := sums[p.Payment]
		if sum == nil {
			sum = &Payment{ID: ids.Of(ids.Payments, p.Payment), Vendor: ledger.VendorID(p.Vendor), Currency: b.code(p.Currency), Date: p.Day}
			sums[p.Payment] = sum
		}
		cents := ledger.FromCents(p.Cents)
		switch {
		case p.Entry == ledger.Refunded && p.Account == ledger.Payable:
			sum.Unapplied += cents // a credit
			sum.Refunded -= cents
		case p.Account == ledger.Payable && p.Entry == ledger.Paid:
			sum.Applied += cents
		case p.Account == ledger.Payable && p.Entry == ledger.Advanced:
			sum.Unapplied += cents
		case p.Entry == ledger.Paid || p.Entry == ledger.Advanced: // the bank
			sum.Amount -= cents
			sum.Base -= p.Base
		}
	})
	return sorted(sums, func(a, b *Payment) int { return cmp.Compare(a.ID, b.ID) })
}
