package purchases

import (
	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

const (
	firstPayment = 500 // payments' own numbers after a bill's id; a vendor credit has the second one
	mostPayments = 400 // that have numbers of their own
)

// paymentChild returns the own number of the n-th payment of a bill.
func paymentChild(n int) int {
	if n == 0 {
		return firstPayment
	}
	return firstPayment + 1 + n%mostPayments
}

// Bill writes a bill.
func (w Author) Bill(o *wire.Writer, b int) {
	sum := w.BillAt(b, w.Edits(ids.Bills, b))
	paid := w.PaidOf(b, sum)
	balance := sum.Total() - paid - sum.Credit
	vendor, foreign := w.BillVendor(b), w.BillForeign(b)
	o.ID("bill_id", ids.Number(ids.Bills, b))
	purchaseID(o, "purchaseorder_id", b, 0)
	w.Vendor(o, vendor)
	o.Money("unused_credits_payable_amount", 0)
	o.Text("status", w.BillStatus(b, sum, paid, balance))
	parts.Number(o, "bill_number", "BILL-", b+1)
	w.Date(o, "date", w.Created(ids.Bills, b), 0)
	w.billDue(o, b)
	parts.Numbered(o, "reference_number", b%4 > 0, "PO-", b+1000) // one in four has none; four digits.
	if w.BillDue(b) {
		o.Whole("due_by_days", w.Draw(ids.Bills, b, draw.Text, 60)-books.DueDays)
	} else {
		o.Text("due_by_days", "")
	}
	billMoney(o, foreign, b)
	o.Money("vendor_credits_applied", sum.Credit)
	o.Money("sub_total", sum.Sub)
	o.Money("tax_total", sum.Tax)
	o.Money("balance", balance)
	w.Time(o, "created_time", w.Created(ids.Bills, b))
	w.Time(o, "last_modified_time", w.Modified(ids.Bills, b))
	w.billSupply(o, b, vendor)
	if !o.Wide {
		return
	}
	w.Remark(o, "notes", ids.Bills, b)
	o.Text("terms", "Net 30")
	w.CustomFields(o, ids.Bills, b)
	w.billLines(o, b, sum)
	w.billTaxes(o, sum)
	w.Address(o, b, vendor, false)
	w.billPayments(o, b, sum)
	w.billCredits(o, b, sum.Credit)
}

// billDue writes the due date of a bill, or "".
func (w Author) billDue(o *wire.Writer, b int) {
	if !w.BillDue(b) {
		o.Text("due_date", "")
		return
	}
	w.Date(o, "due_date", w.Created(ids.Bills, b), books.DueDays)
}

// billMoney writes the currency of a bill and the location of the goods.
func billMoney(o *wire.Writer, foreign bool, location int) {
	money := words.CurrencyOf(foreign)
	locationID, locationName := words.Location(location)
	o.Text("currency_id", money.ID)
	o.Text("currency_code", money.Code)
	o.Text("currency_symbol", money.Symbol)
	o.Whole("price_precision", 2)
	o.Rate("exchange_rate", money.Rate)
	o.Flag("is_item_level_tax_calc", true)
	o.Text("location_id", locationID)
	o.Text("location_name", locationName)
}

// billSupply writes the references of a bill and the basis of its taxes.
func (w Author) billSupply(o *wire.Writer, b, place int) {
	o.Text("reference_id", w.Rare(b, ids.Fixed(ids.GroupPurchase, b)))
	o.Text("attachment_name", w.Rare(b, "bill.pdf"))
	o.Whole("open_purchaseorders_count", 0)
	o.Text("gst_treatment", "business_gst")
	o.Text("gst_no", "27AAACB1234F1Z5")
	o.Text("source_of_supply", w.Words.State(place))
	o.Text("destination_of_supply", "MH")
	o.Flag("is_pre_gst", false)
	o.Flag("is_reverse_charge_applied", false)
}
