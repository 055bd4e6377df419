package world

import (
	"math"

	"sluice/sandbox/world/journal"
	"sluice/sandbox/world/ledger/keys"
	"sluice/sandbox/world/words"
)

// Accounts that the business moves, by index: those of the vocabulary.
const (
	bank        = 0 // Current Account, of assets
	sales       = 1 // of income
	costs       = 2 // Cost of Goods Sold, of expenses
	payable     = 5 // of liabilities
	receivable  = 7 // of assets
	otherIncome = 9
)

// Receive inserts a bill and books its amount. It returns the index.
func (w *World) Receive(at int64) int {
	b := w.Insert(Bills, at)
	if w.closing != nil {
		return b
	}
	w.book(costs, payable, w.home(b, w.books.BillAt(b, 0).Total()))
	return b
}

// Amend edits a record; of a bill it books the difference.
func (w *World) Amend(kind Kind, i int, at int64) {
	if w.closing != nil || kind != Bills || w.overlay.Find(kind, i) != nil {
		w.Edit(kind, i, at)
		return
	}
	before := w.books.BillAt(i, w.books.Edits(Bills, i)).Total()
	w.Edit(kind, i, at)
	after := w.books.BillAt(i, w.books.Edits(Bills, i)).Total()
	w.book(costs, payable, w.home(i, after-before))
}

// Settle pays a bill at an instant (epoch seconds): in part, or in full together with the open
// amount of the vendor's bill beside it. It returns the payment, or false if nothing is due. The
// bills' modification times move, those of accounts do not.
func (w *World) Settle(b int, part bool, at int64) (int, bool) {
	if !w.payable(b) {
		return 0, false
	}
	if w.closing != nil {
		return w.pay(b, part, at), true
	}
	bills := []int{b}
	if beside := b ^ 1; !part && w.payable(beside) { // the two share vendor and currency.
		bills = append(bills, beside)
	}
	payment := w.Insert(Payments, at)
	for _, bill := range bills {
		w.about(Bills, bill, Edited)
	}
	for _, bill := range bills {
		cents := w.books.Due(bill)
		total := w.books.BillAt(bill, w.books.Edits(Bills, bill)).Total()
		left := int64(0)
		if part && cents > 1 {
			left = cents - cents/2 // half of it.
			cents /= 2
		}
		w.journal.Settle(journal.Settlement{Bill: bill, Payment: payment, Cents: cents, Total: total, Left: left})
		w.moved(Bills, bill, at)
		w.book(bank, payable, -w.home(bill, cents))
	}
	w.touched(Payments)
	return payment, true
}

// payable reports whether an amount is due of a bill that was not written through the API.
func (w *World) payable(b int) bool {
	if !w.Live(Bills, b) || w.overlay.Find(Bills, b) != nil {
		return false
	}
	if w.closing != nil {
		return w.closing.Open(b) > 0
	}
	return w.books.Due(b) > 0
}

// Apply uses up an open credit note for an invoice; false if it is not open. Sales and receivables
// fall by its amount.
func (w *World) Apply(c int, at int64) bool {
	if w.closing != nil {
		return w.use(c, at)
	}
	if !w.Live(CreditNotes, c) || w.overlay.Find(CreditNotes, c) != nil || w.books.NoteStatus(c) != "open" {
		return false
	}
	w.about(CreditNotes, c, Edited)
	sum := w.books.NoteAt(c)
	w.journal.Use(c)
	w.moved(CreditNotes, c, at)
	w.book(receivable, sales, sum.Applied-sum.Total)
	return true
}

// Whisper changes a value of record i without its modification time: the stock of an item, the
// messages of a chat, interest on the current account. It returns false for a kind without silent
// changes.
func (w *World) Whisper(kind Kind, i int) bool {
	switch kind {
	case Accounts:
		w.book(bank, otherIncome, words.Cents)
	case Items, CompositeItems, Chats, NetworkChats, Channels, NetworkChannels:
		w.about(kind, i, Quieted)
		w.journal.Whisper(kind, i)
		w.touched(kind)
	default:
		return false
	}
	return true
}

// Restore makes a deleted record appear again, with its identifier and a new modification time;
// false if it is not deleted.
func (w *World) Restore(kind Kind, i int, at int64) bool {
	if i < 0 || i >= w.Len(kind) || w.Live(kind, i) {
		return false
	}
	w.about(kind, i, Restored)
	t := &w.tables[kind]
	t.deleted[i] = false
	t.edits[i] += min(1, math.MaxUint16-t.edits[i])
	w.moved(kind, i, at)
	switch {
	case kind != Bills:
	case w.closing != nil:
		w.closing.restored(i)
	case w.overlay.Find(kind, i) == nil:
		w.book(costs, payable, w.home(i, w.books.BillAt(i, w.books.Edits(Bills, i)).Total()))
	}
	return true
}

// Free reports whether record i has no references to it, so that a user can delete it.
func (w *World) Free(kind Kind, i int) bool {
	if !w.Deletable(kind, i) {
		return false
	}
	if w.closing != nil && keys.Covers(kind) {
		return w.closing.Free(kind, i)
	}
	switch kind {
	case Bills:
		return w.books.Paid(i) == 0
	case Payments:
		return len(w.books.Shares(i)) == 0
	case CreditNotes:
		return w.books.NoteAt(i).Applied == 0
	case Items, Chats, NetworkChats, Accounts: // lines and channels refer to those of the start
		return i >= w.books.Initial[kind]
	case CompositeItems, Expenses, ModuleRecords, ContactPersons, CustomerPersons, Channels, NetworkChannels:
		return true
	default:
		return false
	}
}

// Remove deletes a record; of a bill it reverses the bookings.
func (w *World) Remove(kind Kind, i int) {
	if w.closing == nil && kind == Bills && w.overlay.Find(kind, i) == nil {
		w.book(costs, payable, -w.home(i, w.books.BillAt(i, w.books.Edits(Bills, i)).Total()))
	}
	w.Delete(kind, i)
}

// Movements returns the sums of the accounts' movements since the start, in cents: of assets and
// expenses, and of the others. The two are equal.
func (w *World) Movements() (int64, int64) {
	var left, right int64
	for i := range w.Len(Accounts) {
		switch w.books.AccountWord(i).Group {
		case words.Assets, words.Expenses:
			left += w.journal.Movement(i)
		default:
			right += w.journal.Movement(i)
		}
	}
	return left, right
}

// book moves an account of assets or expenses together with one of the other side. Their
// modification times stay, as upstream's do.
func (w *World) book(left, right int, cents int64) {
	w.about(Accounts, left, Quieted)
	w.about(Accounts, right, Quieted)
	w.journal.Book(left, right, cents)
}

// moved sets the modification time of record i.
func (w *World) moved(kind Kind, i int, at int64) {
	t := &w.tables[kind]
	t.modified[i] = max(at, t.modified[i])
	w.touched(kind)
}

// home converts an amount of bill b to the organization's own currency.
func (w *World) home(b int, cents int64) int64 {
	return cents * w.books.BillCurrency(b).Rate / words.Millionths
}
