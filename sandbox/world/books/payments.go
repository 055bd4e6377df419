package books

import (
	"fmt"

	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/journal"
	"sluice/sandbox/world/words"
)

// PaymentShare is the part of a payment for one bill, in cents. Total and Left are the bill's, as
// of that day.
type PaymentShare = journal.Settlement

// Shares returns the shares of payment p: initial bills as they were at the start, others as they
// were on the day.
func (w *Books) Shares(p int) []PaymentShare {
	first, last := w.paidBills(p)
	settled := w.SettledBy(p)
	shares := make([]PaymentShare, 0, last-first+len(settled))
	for b := first; b < last; b++ {
		total := w.BillAt(b, 0).Total()
		applied := appliedOf(b, total)
		shares = append(shares, PaymentShare{Bill: b, Payment: p, Cents: applied, Total: total, Left: total - applied})
	}
	return append(shares, settled...)
}

// PaidBills returns the number of bills that payment p pays since the start.
func (w *Books) PaidBills(p int) int {
	first, last := w.paidBills(p)
	return last - first
}

// paidBills returns the bills that payment p pays since the start: from the first to before the
// second.
func (w *Books) paidBills(p int) (int, int) {
	first := 2 * p // two bills a payment.
	if p >= w.Initial[ids.Payments] {
		return first, first
	}
	return first, max(first, min(first+2, w.Initial[ids.Bills]))
}

// PaymentMode returns the mode of payment p.
func (w *Books) PaymentMode(p int) string {
	return [...]string{"bank_transfer", "check", "cash", "Bank Remittance"}[w.Draw(ids.Payments, p, draw.Mode, 4)]
}

// PaymentReference returns the reference of payment p, or "".
func PaymentReference(p int) string {
	if p%5 == 0 { // one in five has none.
		return ""
	}
	return fmt.Sprintf("REF-%d", 20_000+p) // five digits.
}

// PaymentVendor returns the number of the paid vendor.
func (w *Books) PaymentVendor(p int) int {
	if first, last := w.paidBills(p); first < last {
		return w.BillVendor(first)
	}
	if settled := w.SettledBy(p); len(settled) > 0 {
		return w.BillVendor(settled[0].Bill)
	}
	return w.Draw(ids.Payments, p, draw.Vendor, w.Vendors())
}

// PaymentAmounts returns the paid amount and its unused part. Each edit pays ten more; a payment
// without bills is an advance.
func (w *Books) PaymentAmounts(p int) (int64, int64) { return w.AmountsOf(p, w.Shares(p)) }

// AmountsOf is PaymentAmounts for a caller with the payment's shares.
func (w *Books) AmountsOf(p int, shares []PaymentShare) (int64, int64) {
	var amount, unused int64
	for _, s := range shares {
		amount += s.Cents
	}
	if amount == 0 {
		unused = int64(w.Draw(ids.Payments, p, draw.Amount, 900_000)) + words.Cents
	}
	unused += int64(w.Edits(ids.Payments, p)) * 10 * words.Cents
	return amount + unused, unused
}
