package purchases

import (
	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// Payment writes a vendor payment.
func (w Author) Payment(o *wire.Writer, p int) {
	shares := w.Shares(p)
	amount, unused := w.AmountsOf(p, shares)
	vendor, mode := w.PaymentVendor(p), w.PaymentMode(p)
	money := words.CurrencyOf(len(shares) > 0 && w.BillForeign(shares[0].Bill))
	locationID, locationName := words.Location(p)
	o.ID("payment_id", ids.Number(ids.Payments, p))
	o.Numbered("payment_number", "", p+1)
	w.Vendor(o, vendor)
	w.Date(o, "date", w.Created(ids.Payments, p), 0)
	o.Rate("exchange_rate", money.Rate)
	o.Money("amount", amount)
	o.Money("balance", unused)
	w.paidThrough(o)
	o.Text("paid_through_account_type", w.AccountWord(0).Kind)
	o.Text("payment_mode", mode)
	w.Remark(o, "description", ids.Payments, p+w.Edits(ids.Payments, p))
	paymentReference(o, p)
	o.Text("ach_payment_status", w.Rare(p, "initiated"))
	o.Flag("is_ach_payment", false)
	o.Flag("is_paid_via_print_check", mode == "check")
	w.Time(o, "created_time", w.Created(ids.Payments, p))
	w.Time(o, "last_modified_time", w.Modified(ids.Payments, p))
	o.Text("currency_id", money.ID)
	o.Text("currency_symbol", money.Symbol)
	o.Text("tax_account_name", w.Rare(p, "TDS Payable"))
	if w.One(3, ids.Payments, p, draw.Absent) { // one in three.
		o.Text("tax_amount_withheld", "")
	} else {
		o.Money("tax_amount_withheld", 0)
	}
	o.Text("location_id", locationID)
	o.Text("location_name", locationName)
	if !o.Wide {
		return
	}
	w.paymentBills(o, shares)
	w.paymentCheck(o, p)
	if w.One(4, ids.Payments, p, draw.Place) { // one in four.
		o.Text("billing_address", "")
	} else {
		w.Address(o, p, vendor, true)
	}
	w.EmptyArray(o, "comments", ids.Payments, p)
	w.CustomFields(o, ids.Payments, p)
	o.Array("imported_transactions", 0, nil)
	w.EmptyArray(o, "documents", ids.Payments, p)
	w.paymentRefunds(o, p)
}

// paidThrough writes the account of payments.
func (w Author) paidThrough(o *wire.Writer) {
	o.ID("paid_through_account_id", ids.Number(ids.Accounts, 0)) // Current Account
	o.Text("paid_through_account_name", w.AccountName(0))
}

// paymentReference writes the reference of books.PaymentReference.
func paymentReference(o *wire.Writer, p int) {
	parts.Numbered(o, "reference_number", p%5 > 0, "REF-", 20_000+p) // one in five has none; five digits.
}

func (w Author) paymentBills(o *wire.Writer, shares []books.PaymentShare) {
	o.Array("bills", len(shares), func(n int) {
		share := shares[n]
		b := share.Bill
		o.Open()
		o.Text("bill_payment_id", ids.Child(ids.Bills, b, paymentChild(w.place(share))))
		o.ID("bill_id", ids.Number(ids.Bills, b))
		parts.Number(o, "bill_number", "BILL-", b+1)
		o.Money("amount_applied", share.Cents)
		o.Money("tax_amount_withheld", 0)
		o.Money("balance", share.Left)
		w.Date(o, "date", w.Created(ids.Bills, b), 0)
		w.billDue(o, b)
		o.Whole("price_precision", 2)
		o.Money("total", share.Total)
		o.Close('}')
	})
}

// place returns the number of a payment among those of its bill, as billPayments counts.
func (w Author) place(share books.PaymentShare) int {
	first := 0
	if payment, paid := w.Payer(share.Bill); paid {
		if payment == share.Payment {
			return 0
		}
		first++
	}
	for n, s := range w.SettlementsOf(share.Bill) {
		if s.Payment == share.Payment {
			return first + n
		}
	}
	return first
}

// paymentCheck writes an object for cheques, and "" or an empty array for other modes: live
// services do all three.
func (w Author) paymentCheck(o *wire.Writer, p int) {
	switch {
	case w.PaymentMode(p) == "check":
		o.Key("check_details")
		o.Open()
		o.Text("amount_in_words", "As written on the cheque")
		o.ID("check_id", ids.ChildNumber(ids.Payments, p, firstPayment))
		o.Padded("check_number", "", p, 6)
		o.Text("check_status", "issued")
		o.Text("memo", w.Rare(p, "January"))
		o.Close('}')
	case p%2 == 0:
		o.Array("check_details", 0, nil)
	default:
		o.Text("check_details", "")
	}
}

func (w Author) paymentRefunds(o *wire.Writer, p int) {
	o.Array("vendorpayment_refunds", parts.Count(w.One(15, ids.Payments, p, draw.Credit)), func(int) { // one in fifteen.
		o.Open()
		o.ID("vendorpayment_refund_id", ids.ChildNumber(ids.Payments, p, firstPayment+1))
		w.Date(o, "date", w.Created(ids.Payments, p), 1)
		o.Text("refund_mode", "bank_transfer")
		o.Text("reference_number", w.Rare(p, books.Number("RF", p)))
		o.Text("description", "Paid twice")
		o.Money("amount_bcy", words.Cents)
		o.Money("amount_fcy", words.Cents)
		o.Close('}')
	})
}
