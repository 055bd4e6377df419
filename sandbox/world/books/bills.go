package books

import (
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/words"
)

const (
	billLines   = 4
	maxQuantity = 20
)

// BillLine is one line; amounts in cents, quantity in hundredths.
type BillLine struct {
	Item           int // index
	Quantity, Rate int64
	Total          int64
	Levy           int // number of the tax
}

// BillSum is the sums of a bill, in cents.
type BillSum struct {
	Lines            []BillLine
	Sub, Tax, Credit int64
}

// Total returns the amount of the bill, in cents.
func (s BillSum) Total() int64 { return s.Sub + s.Tax }

// BillAt computes a bill after some edits. An edit buys one more of the first line, and every other
// edit adds a line or removes it. So a bill never falls below what was first paid for it, and lines
// come and go.
func (w *Books) BillAt(b, edits int) BillSum {
	n := 1 + w.Draw(ids.Bills, b, draw.Lines, billLines) + edits%2
	sum := BillSum{Lines: make([]BillLine, n)}
	for l := range n {
		item := w.Draw(ids.Bills, b*8+l, draw.Item, w.Initial[ids.Items]) // eight lines keep bills apart.
		line := BillLine{
			Item: item, Rate: w.ItemCost(item), Levy: w.Draw(ids.Bills, b*8+l, draw.Tax, 3), // as above.
			Quantity: int64(1+w.Draw(ids.Bills, b*8+l, draw.Quantity, maxQuantity)) * words.Cents, // as above.
		}
		if l == 0 {
			line.Quantity += int64(edits) * words.Cents
		}
		line.Total = line.Quantity * line.Rate / words.Cents
		sum.Lines[l] = line
		sum.Sub += line.Total
		sum.Tax += line.Total * words.PercentOf(line.Levy) / words.Cents
	}
	if _, paid := w.Payer(b); !paid && w.One(20, ids.Bills, b, draw.Credit) { // one unpaid bill in twenty.
		// A quarter of one piece is independent of later edits, as a credit is.
		sum.Credit = sum.Lines[0].Rate / 4 // a quarter.
	}
	return sum
}

// Payer returns the payment of bill b: payment p pays bills 2p and 2p+1 of the initial world.
func (w *Books) Payer(b int) (int, bool) {
	p := b / 2 // two bills a payment.
	return p, b < w.Initial[ids.Bills] && p < w.Initial[ids.Payments]
}

// Applied returns what payment p pays of bill b: even bills in full, odd ones by half.
func (w *Books) Applied(b int) int64 { return appliedOf(b, w.BillAt(b, 0).Total()) }

// AppliedOf is Applied for a caller with the bill's present sums.
func (w *Books) AppliedOf(b int, now BillSum) int64 {
	if w.Edits(ids.Bills, b) == 0 {
		return appliedOf(b, now.Total())
	}
	return w.Applied(b)
}

func appliedOf(b int, total int64) int64 {
	if b%2 == 1 {
		return total / 2 // half.
	}
	return total
}

// Paid returns what was paid of bill b: initially by its payer, and since then.
func (w *Books) Paid(b int) int64 { return w.PaidOf(b, w.BillAt(b, w.Edits(ids.Bills, b))) }

// PaidOf is Paid for a caller with the bill's present sums.
func (w *Books) PaidOf(b int, now BillSum) int64 {
	var paid int64
	if _, has := w.Payer(b); has {
		paid = w.AppliedOf(b, now)
	}
	for _, s := range w.SettlementsOf(b) {
		paid += s.Cents
	}
	return paid
}

// Due returns the open amount of bill b, in cents; 0 for a draft, which is never paid.
func (w *Books) Due(b int) int64 {
	sum := w.BillAt(b, w.Edits(ids.Bills, b))
	paid := w.PaidOf(b, sum)
	due := sum.Total() - paid - sum.Credit
	if w.BillStatus(b, sum, paid, due) == "draft" {
		return 0
	}
	return due
}

// BillVendor returns the vendor, shared by the two bills of one payment.
func (w *Books) BillVendor(b int) int { return w.Draw(ids.Bills, b/2, draw.Vendor, w.Vendors()) }

// BillCurrency returns the currency, shared by the two bills of one payment.
func (w *Books) BillCurrency(b int) words.Currency { return words.CurrencyOf(w.BillForeign(b)) }

// BillForeign reports whether bill b is in the foreign currency: one in nine is.
func (w *Books) BillForeign(b int) bool { return w.One(9, ids.Bills, b/2, draw.Mode) }

// BillDue reports whether bill b has a due date: nine in ten have one.
func (w *Books) BillDue(b int) bool { return !w.One(10, ids.Bills, b, draw.Absent) }

// DueDays is the number of days from a bill's date to its due date.
const DueDays = 30

// BillStatus returns the status that follows from the paid and the open amount, in cents.
func (w *Books) BillStatus(b int, sum BillSum, paid, balance int64) string {
	switch {
	case balance <= 0:
		return "paid"
	case paid+sum.Credit > 0:
		return "partially_paid"
	default:
		return [...]string{"open", "overdue", "draft"}[w.Draw(ids.Bills, b, draw.Status, 3)]
	}
}
