package ledger

import (
	"cmp"
	"slices"

	"sluice/sandbox/world/ids"
)

// Payment is money that left for a vendor. Its amount is applied to bills, unapplied or refunded.
// Amounts are in cents of its currency.
type Payment struct {
	State

	Vendor    int
	Currency  int
	Rate      Rate
	Date      Day
	Account   int // that the money left
	Mode      string
	Shares    []Share
	Unapplied int64
	Refunds   []Refund
	Centre    int // of the cost centres; -1 for none
}

// Share is the part of a payment for one bill; Left is what was open of the bill behind it.
type Share struct {
	Bill  int
	Place int // among the payments of the bill
	Cents int64
	Left  int64
}

// Refund is money that came back.
type Refund struct {
	Date  Day
	Cents int64
}

// Applied returns what is applied to bills.
func (p *Payment) Applied() int64 {
	var cents int64
	for _, s := range p.Shares {
		cents += s.Cents
	}
	return cents
}

// Refunded returns what came back.
func (p *Payment) Refunded() int64 {
	var cents int64
	for _, r := range p.Refunds {
		cents += r.Cents
	}
	return cents
}

// Amount returns what left at first.
func (p *Payment) Amount() int64 { return p.Applied() + p.Unapplied + p.Refunded() }

const (
	oneInOver    = 40 // payments of more than the bills
	oneInAdvance = 60 // payments before any bill
	refundAfter  = 14 // days
)

// pay makes the payments of all bills that are to be paid before today.
func (l *Ledger) pay() {
	list := l.shares()
	for n := range max(3, len(list)/oneInAdvance) {
		day := l.Start + Day((n*211+97)%(days-1))
		vendor := n * 7 % vendorCount
		rate := l.RateOn(l.Vendors[vendor].Currency, day)
		list = append(list, Payment{Vendor: vendor, Date: day, Unapplied: l.abroad(l.scaled(1000+300*(n%9)), rate)})
	}
	for n := range list {
		p := &list[n]
		p.Entered = l.at(p.Date, morning+l.draw(ids.Payments, n, askHour, evening-morning))
	}
	slices.SortStableFunc(list, func(a, b Payment) int { return cmp.Compare(a.Entered, b.Entered) })
	l.Payments = list
	left := map[int]int64{}
	for n := range list {
		p := &list[n]
		p.Currency = l.Vendors[p.Vendor].Currency
		p.Rate = l.RateOn(p.Currency, p.Date)
		p.Mode = [...]string{"bank_transfer", "check", "cash", "Bank Remittance"}[l.draw(ids.Payments, n, askKind, 4)]
		p.Centre = l.draw(ids.Payments, n, askCustom, 5) - 1
		p.Account = Bank
		if p.Currency == l.Second() {
			p.Account = SecondBank
		}
		p.Modified = p.Entered
		l.apply(n, left)
		l.over(p, n)
	}
}

// shares returns a payment for all that a vendor is paid on a day, and one for the first half of a
// bill.
func (l *Ledger) shares() []Payment {
	var list []Payment
	together := map[[2]int]int{} // place in list by vendor and day
	for n := range l.Bills {
		b := &l.Bills[n]
		if b.Status != Posted || b.Deleted {
			continue
		}
		rest := b.Gross() - b.Credited()
		if early := max(b.paid-6, l.dayOf(b.Entered)+1); b.halved && b.paid < noDay && early < min(b.paid, l.Today) {
			first := rest / 2
			rest -= first
			list = append(list, Payment{Vendor: b.Vendor, Date: early, Shares: []Share{{Bill: n, Cents: first}}})
		}
		if b.paid >= l.Today {
			continue
		}
		share := Share{Bill: n, Cents: rest}
		place := [2]int{b.Vendor, int(b.paid)}
		if at, found := together[place]; found {
			list[at].Shares = append(list[at].Shares, share)
			continue
		}
		together[place] = len(list)
		list = append(list, Payment{Vendor: b.Vendor, Date: b.paid, Shares: []Share{share}})
	}
	return list
}

// apply notes payment n at its bills; left holds what is open of those that were paid before.
func (l *Ledger) apply(n int, left map[int]int64) {
	p := &l.Payments[n]
	for s := range p.Shares {
		share := &p.Shares[s]
		b := &l.Bills[share.Bill]
		if _, again := left[share.Bill]; !again {
			left[share.Bill] = b.Gross() - b.Credited()
		}
		left[share.Bill] -= share.Cents
		share.Left, share.Place = left[share.Bill], len(b.Shares)
		b.Shares = append(b.Shares, n)
		b.Modified = max(b.Modified, p.Entered)
	}
}

// over pays some more than the bills, and half of that comes back now and then.
func (l *Ledger) over(p *Payment, n int) {
	if len(p.Shares) == 0 || l.draw(ids.Payments, n, askOver, oneInOver) > 0 {
		return
	}
	p.Unapplied = max(2, p.Applied()/12)
	if day := p.Date + refundAfter; day < l.Today && l.draw(ids.Payments, n, askRefund, 2) == 0 {
		back := p.Unapplied / 2
		p.Unapplied -= back
		p.Refunds = []Refund{{Date: day, Cents: back}}
		p.Modified = max(p.Modified, l.at(day, evening))
	}
}

// PaymentChild returns the own number of the n-th payment of a bill behind the bill's identifier,
// as package records counts them; that of a vendor's credit is CreditChild.
func PaymentChild(n int) int {
	const first, most = 500, 400
	if n == 0 {
		return first
	}
	return first + 1 + n%most
}

// CreditChild is the own number of a vendor's credit behind its bill's identifier.
const CreditChild = 501
