package purchases

import (
	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

const (
	firstPayment = 500 // payments' own numbers behind a bill's id; a vendor credit has the second one
	mostPayments = 400 // that have numbers of their own
)

// paymentChild is the own number of the n-th payment of a bill.
func paymentChild(n int) int {
	if n == 0 {
		return firstPayment
	}
	return firstPayment + 1 + n%mostPayments
}

// Bill writes a bill.
func (w Author) Bill(o *wire.Writer, b int) {
	sum := w.BillAt(b, w.Edits(ids.Bills, b))
	paid := w.Paid(b)
	balance := sum.Total() - paid - sum.Credit
	vendor, money := w.BillVendor(b), w.BillCurrency(b)
	spot := w.Words.Place(vendor)
	locationID, locationName := words.Location(b)
	o.Text("bill_id", ids.Of(ids.Bills, b))
	o.Text("purchaseorder_id", purchaseID(b, 0))
	o.Text("vendor_id", ids.Fixed(ids.GroupVendor, vendor))
	o.Text("vendor_name", w.Words.VendorName(vendor))
	o.Money("unused_credits_payable_amount", 0)
	o.Text("status", w.BillStatus(b, sum, paid, balance))
	o.Text("bill_number", books.Number("BILL", b+1))
	o.Text("date", w.Day(w.Created(ids.Bills, b), 0))
	due := w.BillDue(b)
	o.Text("due_date", due)
	o.Text("reference_number", purchaseReference(b))
	if due == "" {
		o.Text("due_by_days", "")
	} else {
		o.Whole("due_by_days", w.Draw(ids.Bills, b, draw.Text, 60)-30)
	}
	o.Text("currency_id", money.ID)
	o.Text("currency_code", money.Code)
	o.Text("currency_symbol", money.Symbol)
	o.Whole("price_precision", 2)
	o.Rate("exchange_rate", money.Rate)
	o.Flag("is_item_level_tax_calc", true)
	o.Text("location_id", locationID)
	o.Text("location_name", locationName)
	o.Money("vendor_credits_applied", sum.Credit)
	o.Money("sub_total", sum.Sub)
	o.Money("tax_total", sum.Tax)
	o.Money("balance", balance)
	o.Text("created_time", w.Stamp(w.Created(ids.Bills, b)))
	o.Text("last_modified_time", w.Stamp(w.Modified(ids.Bills, b)))
	o.Text("reference_id", w.Rare(b, ids.Fixed(ids.GroupPurchase, b)))
	o.Text("attachment_name", w.Rare(b, "bill.pdf"))
	o.Whole("open_purchaseorders_count", 0)
	o.Text("gst_treatment", "business_gst")
	o.Text("gst_no", "27AAACB1234F1Z5")
	o.Text("source_of_supply", spot.Code)
	o.Text("destination_of_supply", "MH")
	o.Flag("is_pre_gst", false)
	o.Flag("is_reverse_charge_applied", false)
	if !o.Wide {
		return
	}
	o.Text("notes", w.Words.Remarks[w.Draw(ids.Bills, b, draw.Text, len(w.Words.Remarks))])
	o.Text("terms", "Net 30")
	w.CustomFields(o, "customfield_id", ids.Bills, b)
	w.billLines(o, b, sum)
	w.billTaxes(o, sum)
	w.billAddress(o, b, spot, false)
	w.billPayments(o, b)
	w.billCredits(o, b, sum.Credit)
}
