package ledger

import (
	"iter"

	"sluice/sandbox/world/ids"
)

// Entry says what a posting is part of.
type Entry int

// The entries.
const (
	Opened   Entry = iota + 1
	Billed         // a bill
	Taxed          // the tax of a bill or expense
	Reversed       // tax that the organization owes in place of the vendor
	Credited       // a vendor's credit settles a bill
	Paid           // a payment is applied to a bill
	Advanced       // the part of a payment that was not applied at first
	Refunded       // money of a payment came back
	Realized       // the difference of two rates
	Spent          // an expense
	Returned       // a credit note
	Journaled
	Revalued // an adjustment
)

// Posting is one side of an entry: a debit of an account, or a credit if its amounts are negative.
type Posting struct {
	Day      Day
	Entry    Entry
	Account  int
	Kind     ids.Kind // of the document
	Index    int      // of the document
	Currency int      // of the document
	Cents    int64    // in that currency
	Base     Amount   // in the base currency, exact
	Vendor   int      // -1 for none
	Bill     int      // that is charged or settled; -1 for none
	Payment  int      // -1 for none
	Line     int      // of the document; -1 for none
	Levy     int      // number of the tax; -1 for none
}

// Postings yields all entries, those of one document together, of documents that live; nil means
// all but those deleted at the start. All postings of a document sum to zero in the base currency.
func (l *Ledger) Postings(live func(ids.Kind, int) bool) iter.Seq[Posting] {
	if live == nil {
		live = func(kind ids.Kind, i int) bool { return !l.StateOf(kind, i).Deleted }
	}
	return func(yield func(Posting) bool) {
		w := writer{Ledger: l, yield: yield}
		w.opening()
		for n := range l.Bills {
			if l.Bills[n].Status == Posted && live(ids.Bills, n) {
				w.bill(n)
			}
		}
		for n := range l.Payments {
			if live(ids.Payments, n) {
				w.payment(n)
			}
		}
		for n := range l.Notes {
			if l.Notes[n].Status == Posted && live(ids.CreditNotes, n) {
				w.note(n)
			}
		}
		for n := range l.Expenses {
			if live(ids.Expenses, n) {
				w.expense(n)
			}
		}
		w.others()
	}
}

// BookRate returns the rate by which a bill is booked: its own, and the market's where upstream
// shows none.
func (l *Ledger) BookRate(bill int) Rate {
	b := &l.Bills[bill]
	if b.Rate == 0 {
		return l.RateOn(b.Currency, b.Date)
	}
	return b.Rate
}

// writer writes postings until its reader has enough.
type writer struct {
	*Ledger

	yield func(Posting) bool
	ended bool
}

// pair writes a debit and a credit of the same amount.
func (w *writer) pair(p Posting, debit, credit int) {
	p.Account = debit
	w.put(p)
	p.Account, p.Cents, p.Base = credit, -p.Cents, -p.Base
	w.put(p)
}

func (w *writer) put(p Posting) {
	if !w.ended && (p.Cents != 0 || p.Base != 0) {
		w.ended = !w.yield(p)
	}
}

// of begins a posting of a document.
func of(entry Entry, kind ids.Kind, n int, day Day) Posting {
	return Posting{Entry: entry, Kind: kind, Index: n, Day: day, Vendor: -1, Bill: -1, Payment: -1, Line: -1, Levy: -1}
}

func (w *writer) opening() {
	for n, line := range w.Opening {
		p := of(Opened, ids.OpeningBalances, 0, w.Start)
		p.Line, p.Account, p.Currency, p.Cents, p.Base = n, line.Account, line.Currency, line.Cents, line.Base
		if !line.Debit {
			p.Cents, p.Base = -p.Cents, -p.Base
		}
		w.put(p)
	}
}

// bill debits the accounts and taxes of its lines and credits payables; credits of the vendor lower
// both.
func (w *writer) bill(n int) {
	b := &w.Bills[n]
	rate := int64(w.BookRate(n))
	p := of(Billed, ids.Bills, n, b.Date)
	p.Vendor, p.Bill, p.Currency = b.Vendor, n, b.Currency
	for at, line := range b.Lines {
		p.Entry, p.Line, p.Levy = Billed, at, line.Levy
		p.Cents, p.Base = line.Net, Convert(line.Net, rate)
		w.pair(p, line.Account, Payable)
		p.Entry = Taxed
		p.Cents, p.Base = line.Tax, Convert(line.Tax, rate)
		w.pair(p, InputTax, Payable)
		p.Entry = Reversed
		p.Cents, p.Base = line.Reverse, Convert(line.Reverse, rate)
		w.pair(p, ReverseInput, ReversePayable)
	}
	for at, credit := range b.Credits {
		p.Entry, p.Day, p.Line, p.Levy = Credited, credit.Date, at, -1
		p.Cents, p.Base = credit.Cents, Convert(credit.Cents, rate)
		w.pair(p, Payable, b.Lines[0].Account)
	}
}

// payment debits payables and credits the bank: the applied part at the rate of the bill, the
// difference to the payment's own rate being a gain or loss.
func (w *writer) payment(n int) {
	pay := &w.Payments[n]
	own := int64(pay.Rate)
	p := of(Paid, ids.Payments, n, pay.Date)
	p.Vendor, p.Payment, p.Currency = pay.Vendor, n, pay.Currency
	for at, share := range pay.Shares {
		p.Entry, p.Bill, p.Line = Paid, share.Bill, at
		owed, left := Convert(share.Cents, int64(w.BookRate(share.Bill))), Convert(share.Cents, own)
		p.Account, p.Cents, p.Base = Payable, share.Cents, owed
		w.put(p)
		p.Account, p.Cents, p.Base = pay.Account, -share.Cents, -left
		w.put(p)
		p.Entry, p.Account, p.Cents, p.Base = Realized, ExchangeResult, 0, left-owed
		w.put(p)
	}
	p.Bill, p.Line, p.Entry = -1, -1, Advanced
	rest := pay.Unapplied + pay.Refunded()
	p.Cents, p.Base = rest, Convert(rest, own)
	w.pair(p, Payable, pay.Account)
	for at, back := range pay.Refunds {
		p.Entry, p.Day, p.Line = Refunded, back.Date, at
		p.Cents, p.Base = back.Cents, Convert(back.Cents, own)
		w.pair(p, pay.Account, Payable)
	}
}

// note debits sales and tax and credits receivables; a refund debits them again.
func (w *writer) note(n int) {
	note := &w.Notes[n]
	rate := int64(note.Rate)
	p := of(Returned, ids.CreditNotes, n, note.Date)
	p.Currency = note.Currency
	for at, line := range note.Lines {
		p.Line, p.Levy = at, line.Levy
		p.Cents, p.Base = line.Net, Convert(line.Net, rate)
		w.pair(p, Sales, Receivable)
		p.Cents, p.Base = line.Tax, Convert(line.Tax, rate)
		w.pair(p, OutputTax, Receivable)
	}
	p.Line, p.Levy = -1, -1
	p.Cents, p.Base = note.Refunded, Convert(note.Refunded, rate)
	w.pair(p, Receivable, Bank)
}

func (w *writer) expense(n int) {
	e := &w.Expenses[n]
	p := of(Spent, ids.Expenses, n, e.Date)
	p.Vendor, p.Levy = e.Vendor, e.Levy
	for at, part := range e.Parts {
		p.Line, p.Cents, p.Base = at, part, FromCents(part)
		w.pair(p, e.Account, Bank)
	}
	p.Entry, p.Line = Taxed, -1
	p.Cents, p.Base = e.Tax, FromCents(e.Tax)
	w.pair(p, InputTax, Bank)
}

// others writes journals and adjustments.
func (w *writer) others() {
	for n, j := range w.Journals {
		for at, line := range j.Lines {
			p := of(Journaled, ids.Kinds, n, j.Date)
			p.Line, p.Account, p.Currency, p.Cents, p.Base = at, line.Account, line.Currency, line.Cents, line.Base
			w.put(p)
		}
	}
	for n, a := range w.Adjustments {
		for at, account := range a.Accounts {
			p := of(Revalued, ids.Adjustments, n, a.Date)
			p.Line, p.Currency, p.Base = at, a.Currency, FromCents(account.Gain())
			w.pair(p, account.Account, ExchangeResult)
		}
	}
}
