package ledger

import "sluice/sandbox/world/ids"

// Grows reports whether Add knows a kind.
func Grows(kind ids.Kind) bool {
	switch kind {
	case ids.Items, ids.Bills, ids.Payments, ids.CreditNotes, ids.Expenses:
		return true
	default:
		return false
	}
}

// Add enters document i of a kind at an instant (epoch seconds), dated that day: an open bill, an
// advance payment, an open credit note, an expense, or an item without stock. Records before it
// that the ledger does not have were written by others, and have no entries.
func (l *Ledger) Add(kind ids.Kind, i int, at int64) {
	day := l.dayOf(at)
	l.Latest = max(l.Latest, day)
	switch kind {
	case ids.Items:
		for len(l.Items) <= i {
			l.Items = append(l.Items, l.itemOf(len(l.Items), day, at))
		}
	case ids.Bills:
		for len(l.Bills) < i {
			l.Bills = append(l.Bills, Bill{Status: Draft, Centre: -1})
		}
		b := l.billOf(i, l.draw(ids.Bills, i, askVendor, vendorCount), day, at)
		b.Number = i + 1
		l.Bills = append(l.Bills, b)
	case ids.Payments:
		vendor := l.draw(ids.Payments, i, askVendor, vendorCount)
		p := l.paymentOf(i, vendor, day, at)
		p.Unapplied = l.abroad(l.scaled(1000), p.Rate)
	case ids.CreditNotes:
		for len(l.Notes) < i {
			l.Notes = append(l.Notes, Note{Status: Draft, Centre: -1})
		}
		l.Notes = append(l.Notes, l.noteOf(i, day, at))
	case ids.Expenses:
		for len(l.Expenses) < i {
			l.Expenses = append(l.Expenses, Expense{Vendor: -1, Account: operatingExpense})
		}
		l.Expenses = append(l.Expenses, l.expenseOf(i, day, at))
	default:
	}
}

// paymentOf enters a payment without an amount, and returns it to be completed.
func (l *Ledger) paymentOf(i, vendor int, day Day, at int64) *Payment {
	for len(l.Payments) <= i {
		l.Payments = append(l.Payments, Payment{Mode: "cash", Centre: -1})
	}
	p := &l.Payments[i]
	*p = Payment{
		State: State{Entered: at, Modified: at}, Vendor: vendor, Currency: l.Vendors[vendor].Currency, Date: day, Mode: "bank_transfer", Centre: -1,
	}
	p.Rate = l.RateOn(p.Currency, day)
	if p.Currency == l.Second() {
		p.Account = SecondBank
	}
	return p
}

// Open returns what is open of a bill, in cents: nothing of a draft, a void bill, or one that the
// ledger does not have.
func (l *Ledger) Open(bill int) int64 {
	if bill >= len(l.Bills) || l.Bills[bill].Status != Posted {
		return 0
	}
	b := &l.Bills[bill]
	open := b.Gross() - b.Credited()
	for _, payment := range b.Shares {
		for _, share := range l.Payments[payment].Shares {
			if share.Bill == bill {
				open -= share.Cents
			}
		}
	}
	return open
}

// Pay enters payment i of a bill at an instant: of all that is open, or of half of it.
func (l *Ledger) Pay(i, bill int, part bool, at int64) {
	b, cents := &l.Bills[bill], l.Open(bill)
	left := int64(0)
	if part && cents > 1 {
		left = cents - cents/2 // half of it.
		cents /= 2
	}
	day := l.dayOf(at)
	l.Latest = max(l.Latest, day)
	p := l.paymentOf(i, b.Vendor, day, at)
	p.Shares = []Share{{Bill: bill, Place: len(b.Shares), Cents: cents, Left: left}}
	b.Shares = append(b.Shares, i)
}

// Usable reports whether a credit note is open.
func (l *Ledger) Usable(note int) bool {
	return note < len(l.Notes) && l.Notes[note].Status == Posted && l.Notes[note].Open() > 0
}

// Use uses up an open credit note for an invoice.
func (l *Ledger) Use(note int) { l.Notes[note].Applied += l.Notes[note].Open() }

// Raise raises the price of an item at an instant, by eight percent.
func (l *Ledger) Raise(item int, at int64) {
	i := &l.Items[item]
	cents := i.CostNow()
	i.Prices = append(i.Prices, Price{At: at, Day: l.dayOf(at), Cents: cents + cents*8/percent + 1})
}

// Free reports whether no entry refers to a document, so that it can be deleted.
func (l *Ledger) Free(kind ids.Kind, i int) bool {
	switch kind {
	case ids.Bills:
		return i >= len(l.Bills) || len(l.Bills[i].Shares) == 0
	case ids.Payments:
		return i >= len(l.Payments) || len(l.Payments[i].Shares) == 0
	case ids.CreditNotes:
		return i >= len(l.Notes) || l.Notes[i].Applied+l.Notes[i].Refunded == 0
	case ids.Items:
		return i >= l.founding.items
	case ids.Expenses, ids.CompositeItems:
		return true
	default:
		return false
	}
}
