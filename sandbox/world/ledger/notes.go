package ledger

import (
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/words"
)

// Note is a customer's credit note. Amounts are in cents of its currency.
type Note struct {
	State

	Customer int
	Currency int
	Rate     Rate
	Date     Day
	Status   Status
	Lines    []Line
	Net, Tax int64
	Applied  int64 // to an invoice
	Refunded int64
	Centre   int // of the cost centres; -1 for none
}

// Total returns the sum with tax.
func (n *Note) Total() int64 { return n.Net + n.Tax }

// Open returns what can still be used.
func (n *Note) Open() int64 { return n.Total() - n.Applied - n.Refunded }

// notes makes the credit notes: one in eight is a draft, one in fourteen void, and of the others a
// half is used up.
func (l *Ledger) notes() []Note {
	list := make([]Note, l.size(percentNotes, leastNotes))
	for n := range list {
		date := l.Start + Day(n*days/len(list))
		list[n] = l.noteOf(n, date, l.at(date, morning+l.draw(ids.CreditNotes, n, askHour, 1000)+n%900))
		l.use(&list[n], n)
	}
	return list
}

// noteOf makes a credit note that is open.
func (l *Ledger) noteOf(n int, date Day, entered int64) Note {
	note := Note{
		State: State{Entered: entered, Modified: entered}, Customer: l.draw(ids.CreditNotes, n, askVendor, customerCount), Date: date,
		Centre: l.draw(ids.CreditNotes, n, askCustom, 5) - 1,
	}
	note.Currency = l.Customers[note.Customer].Currency
	note.Rate = l.RateOn(note.Currency, date)
	for line := range 1 + l.draw(ids.CreditNotes, n, askLines, 3) {
		item := l.draw(ids.CreditNotes, n*8+line, askItem, l.founding.items)
		levy := l.Items[item].Levy
		made := Line{
			Item: item, Account: Sales, Levy: levy, Location: n % 2, Quantity: int64(1+l.draw(ids.CreditNotes, n*8+line, askQuantity, 4)) * words.Cents,
			Rate: max(1, l.abroad(SalesPrice(l.Items[item].Cost(date)), note.Rate)),
		}
		made.Net = made.Rate * made.Quantity / words.Cents
		made.Tax = made.Net * words.PercentOf(levy) / percent
		note.Lines = append(note.Lines, made)
		note.Net += made.Net
		note.Tax += made.Tax
	}
	return note
}

// use decides the status of a note, and what was used of it.
func (l *Ledger) use(note *Note, n int) {
	switch chance := n % 56; { // of 56 notes, seven are drafts and four void.
	case chance%8 == 5:
		note.Status = Draft
		return
	case chance%14 == 9:
		note.Status = Void
		return
	}
	switch l.draw(ids.CreditNotes, n, askPay, 6) {
	case 0, 1:
		note.Applied = note.Total()
	case 2:
		note.Applied = note.Total() / 2
		note.Refunded = note.Total() - note.Applied
	case 3:
		note.Applied = note.Total() / 3
	case 4:
		note.Refunded = note.Total() / 4
	}
	if note.Applied+note.Refunded > 0 {
		note.Modified = min(note.Entered+9*secondsADay, l.at(l.Today-1, evening)+int64(n%3600))
	}
}

// Expense is what was paid at once. Amounts are in cents of the base currency.
type Expense struct {
	State

	Date     Day
	Account  int
	Vendor   int // -1 for none
	Levy     int
	Net, Tax int64
	Parts    []int64 // of the net sum, by line
}

func (l *Ledger) expenses() []Expense {
	list := make([]Expense, l.size(percentExpenses, leastExpenses))
	for n := range list {
		date := l.Start + Day(n*days/len(list))
		list[n] = l.expenseOf(n, date, l.at(date, morning+l.draw(ids.Expenses, n, askHour, 1000)+n%900))
	}
	return list
}

func (l *Ledger) expenseOf(n int, date Day, entered int64) Expense {
	accounts := expenseAccounts()
	e := Expense{
		State: State{Entered: entered, Modified: entered}, Date: date, Account: accounts[l.draw(ids.Expenses, n, askAccount, len(accounts))], Vendor: -1,
		Levy: l.draw(ids.Expenses, n, askLevy, 3), Net: l.scaled(300 + l.draw(ids.Expenses, n, askCost, 9000)),
	}
	if n%2 == 0 {
		e.Vendor = l.draw(ids.Expenses, n, askVendor, vendorCount)
	}
	e.Tax = e.Net * words.PercentOf(e.Levy) / percent
	e.Parts = []int64{e.Net}
	if n%4 == 0 { // itemized.
		e.Parts = []int64{e.Net / 3, e.Net - e.Net/3}
	}
	return e
}
