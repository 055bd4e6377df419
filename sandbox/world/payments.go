package world

import (
	"fmt"
	"strconv"
)

// paidBills lists the bills that payment p pays, as they were at the start.
func (w *World) paidBills(p int) []int {
	var paid []int
	for _, b := range [...]int{2 * p, 2*p + 1} { // two bills a payment.
		if payer, ok := w.payer(b); ok && payer == p {
			paid = append(paid, b)
		}
	}
	return paid
}

func (w *World) paymentMode(p int) string {
	return [...]string{"bank_transfer", "check", "cash", "Bank Remittance"}[w.draw(Payments, p, fieldMode, 4)]
}

func paymentReference(p int) string {
	if p%5 == 0 { // one in five has none.
		return ""
	}
	return fmt.Sprintf("REF-%d", 20_000+p) // five digits.
}

func (w *World) paymentVendor(p int) int {
	if bills := w.paidBills(p); len(bills) > 0 {
		return w.billVendor(bills[0])
	}
	return w.draw(Payments, p, fieldVendor, w.vendors())
}

// paymentAmounts answers what was paid, and what of it no bill has used. Each edit
// pays ten more; a payment without bills is an advance.
func (w *World) paymentAmounts(p int) (int64, int64) {
	var amount, unused int64
	for _, b := range w.paidBills(p) {
		amount += w.applied(b)
	}
	if amount == 0 {
		unused = int64(w.draw(Payments, p, fieldAmount, 900_000)) + cents
	}
	unused += int64(w.edits(Payments, p)) * 10 * cents
	return amount + unused, unused
}

func (w *World) payment(o *writer, p int) {
	amount, unused := w.paymentAmounts(p)
	bills := w.paidBills(p)
	vendor, money := w.paymentVendor(p), currencyOf(false)
	if len(bills) > 0 {
		money = w.billCurrency(bills[0])
	}
	locationID, locationName := location(p)
	o.text("payment_id", w.ID(Payments, p))
	o.text("payment_number", strconv.Itoa(p+1))
	o.text("vendor_id", fixedID(groupVendor, vendor))
	o.text("vendor_name", w.words.vendorName(vendor))
	o.text("date", w.day(w.created(Payments, p), 0))
	o.rate("exchange_rate", money.rate)
	o.money("amount", amount)
	o.money("balance", unused)
	o.text("paid_through_account_id", w.ID(Accounts, 0)) // Current Account
	o.text("paid_through_account_name", w.accountName(0))
	o.text("paid_through_account_type", w.accountWord(0).kind)
	o.text("payment_mode", w.paymentMode(p))
	o.text("description", w.words.remarks[w.draw(Payments, p+w.edits(Payments, p), fieldText, len(w.words.remarks))])
	o.text("reference_number", paymentReference(p))
	o.text("ach_payment_status", "")
	o.flag("is_ach_payment", false)
	o.flag("is_paid_via_print_check", w.paymentMode(p) == "check")
	o.text("created_time", w.stamp(w.created(Payments, p)))
	o.text("last_modified_time", w.stamp(w.Modified(Payments, p)))
	o.text("currency_id", money.id)
	o.text("currency_symbol", money.symbol)
	o.text("tax_account_name", "")
	if w.one(3, Payments, p, fieldAbsent) { // one in three.
		o.text("tax_amount_withheld", "")
	} else {
		o.money("tax_amount_withheld", 0)
	}
	o.text("location_id", locationID)
	o.text("location_name", locationName)
	if !o.wide {
		return
	}
	w.paymentBills(o, bills)
	w.paymentCheck(o, p)
	if w.one(4, Payments, p, fieldPlace) { // one in four.
		o.text("billing_address", "")
	} else {
		w.billAddress(o, w.words.place(vendor), true)
	}
	w.emptyArray(o, "comments", Payments, p)
	w.customFields(o, "custom_field_id", Payments, p)
	o.array("imported_transactions", 0, nil)
	w.emptyArray(o, "documents", Payments, p)
	w.paymentRefunds(o, p)
}

func (w *World) paymentBills(o *writer, bills []int) {
	o.array("bills", len(bills), func(n int) {
		b := bills[n]
		total := w.billAt(b, 0).total()
		o.open()
		o.text("bill_payment_id", childID(Bills, b, firstPayment))
		o.text("bill_id", w.ID(Bills, b))
		o.text("bill_number", number("BILL", b+1))
		o.money("amount_applied", w.applied(b))
		o.money("tax_amount_withheld", 0)
		o.money("balance", total-w.applied(b))
		o.text("date", w.day(w.created(Bills, b), 0))
		o.text("due_date", w.billDue(b))
		o.whole("price_precision", 2)
		o.money("total", total)
		o.close('}')
	})
}

// paymentCheck writes an object for cheques, and "" or an empty array for all
// else: live services do all three.
func (w *World) paymentCheck(o *writer, p int) {
	switch {
	case w.paymentMode(p) == "check":
		o.key("check_details")
		o.open()
		o.text("amount_in_words", "As written on the cheque")
		o.text("check_id", childID(Payments, p, firstPayment))
		o.text("check_number", fmt.Sprintf("%06d", p))
		o.text("check_status", "issued")
		o.text("memo", "")
		o.close('}')
	case p%2 == 0:
		o.array("check_details", 0, nil)
	default:
		o.text("check_details", "")
	}
}

func (w *World) paymentRefunds(o *writer, p int) {
	o.array("vendorpayment_refunds", boolInt(w.one(15, Payments, p, fieldCredit)), func(int) { // one in fifteen.
		o.open()
		o.text("vendorpayment_refund_id", childID(Payments, p, firstPayment+1))
		o.text("date", w.day(w.created(Payments, p), 1))
		o.text("refund_mode", "bank_transfer")
		o.text("reference_number", "")
		o.text("description", "Paid twice")
		o.money("amount_bcy", cents)
		o.money("amount_fcy", cents)
		o.close('}')
	})
}
