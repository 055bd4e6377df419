package purchases

import (
	"fmt"
	"strconv"

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
	vendor, money := w.PaymentVendor(p), words.CurrencyOf(false)
	if len(shares) > 0 {
		money = w.BillCurrency(shares[0].Bill)
	}
	locationID, locationName := words.Location(p)
	o.Text("payment_id", ids.Of(ids.Payments, p))
	o.Text("payment_number", strconv.Itoa(p+1))
	o.Text("vendor_id", ids.Fixed(ids.GroupVendor, vendor))
	o.Text("vendor_name", w.Words.VendorName(vendor))
	o.Text("date", w.Day(w.Created(ids.Payments, p), 0))
	o.Rate("exchange_rate", money.Rate)
	o.Money("amount", amount)
	o.Money("balance", unused)
	o.Text("paid_through_account_id", ids.Of(ids.Accounts, 0)) // Current Account
	o.Text("paid_through_account_name", w.AccountName(0))
	o.Text("paid_through_account_type", w.AccountWord(0).Kind)
	o.Text("payment_mode", w.PaymentMode(p))
	o.Text("description", w.Words.Remarks[w.Draw(ids.Payments, p+w.Edits(ids.Payments, p), draw.Text, len(w.Words.Remarks))])
	o.Text("reference_number", books.PaymentReference(p))
	o.Text("ach_payment_status", w.Rare(p, "initiated"))
	o.Flag("is_ach_payment", false)
	o.Flag("is_paid_via_print_check", w.PaymentMode(p) == "check")
	o.Text("created_time", w.Stamp(w.Created(ids.Payments, p)))
	o.Text("last_modified_time", w.Stamp(w.Modified(ids.Payments, p)))
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
		w.billAddress(o, p, w.Words.Place(vendor), true)
	}
	w.EmptyArray(o, "comments", ids.Payments, p)
	w.CustomFields(o, "custom_field_id", ids.Payments, p)
	o.Array("imported_transactions", 0, nil)
	w.EmptyArray(o, "documents", ids.Payments, p)
	w.paymentRefunds(o, p)
}

func (w Author) paymentBills(o *wire.Writer, shares []books.PaymentShare) {
	o.Array("bills", len(shares), func(n int) {
		share := shares[n]
		b := share.Bill
		o.Open()
		o.Text("bill_payment_id", ids.Child(ids.Bills, b, paymentChild(w.place(share))))
		o.Text("bill_id", ids.Of(ids.Bills, b))
		o.Text("bill_number", books.Number("BILL", b+1))
		o.Money("amount_applied", share.Cents)
		o.Money("tax_amount_withheld", 0)
		o.Money("balance", share.Left)
		o.Text("date", w.Day(w.Created(ids.Bills, b), 0))
		o.Text("due_date", w.BillDue(b))
		o.Whole("price_precision", 2)
		o.Money("total", share.Total)
		o.Close('}')
	})
}

// place is the number of a payment among those of its bill, as billPayments counts.
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

// paymentCheck writes an object for cheques, and "" or an empty array for all
// else: live services do all three.
func (w Author) paymentCheck(o *wire.Writer, p int) {
	switch {
	case w.PaymentMode(p) == "check":
		o.Key("check_details")
		o.Open()
		o.Text("amount_in_words", "As written on the cheque")
		o.Text("check_id", ids.Child(ids.Payments, p, firstPayment))
		o.Text("check_number", fmt.Sprintf("%06d", p))
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
		o.Text("vendorpayment_refund_id", ids.Child(ids.Payments, p, firstPayment+1))
		o.Text("date", w.Day(w.Created(ids.Payments, p), 1))
		o.Text("refund_mode", "bank_transfer")
		o.Text("reference_number", w.Rare(p, books.Number("RF", p)))
		o.Text("description", "Paid twice")
		o.Money("amount_bcy", words.Cents)
		o.Money("amount_fcy", words.Cents)
		o.Close('}')
	})
}
