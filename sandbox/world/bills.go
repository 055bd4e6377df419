package world

const (
	billLines    = 4
	maxQuantity  = 20
	firstPayment = 500 // payments' own numbers behind a bill's id
)

// billLine is one line in cents; quantity in hundredths.
type billLine struct {
	item           int
	quantity, rate int64
	total          int64
	levy           tax
}

// billSum is what a bill adds up to, in cents.
type billSum struct {
	lines            []billLine
	sub, tax, credit int64
}

func (s billSum) total() int64 { return s.sub + s.tax }

// billAt computes a bill after some edits. An edit buys one more of the first
// line, and every other edit adds a line, so that a bill never falls below
// what was paid for it at first, and children come and go.
func (w *World) billAt(b, edits int) billSum {
	n := 1 + w.draw(Bills, b, fieldLines, billLines) + edits%2
	sum := billSum{lines: make([]billLine, n)}
	for l := range n {
		item := w.draw(Bills, b*8+l, fieldItem, w.initial[Items]) // eight lines keep bills apart.
		line := billLine{
			item: item, rate: w.itemCost(item), levy: taxOf(w.draw(Bills, b*8+l, fieldTax, 3)), // as above.
			quantity: int64(1+w.draw(Bills, b*8+l, fieldQuantity, maxQuantity)) * cents, // as above.
		}
		if l == 0 {
			line.quantity += int64(edits) * cents
		}
		line.total = line.quantity * line.rate / cents
		sum.lines[l] = line
		sum.sub += line.total
		sum.tax += line.total * line.levy.percent / cents
	}
	if _, paid := w.payer(b); !paid && w.one(20, Bills, b, fieldCredit) { // one unpaid bill in twenty.
		// A quarter of one piece: independent of later edits, as a credit is.
		sum.credit = sum.lines[0].rate / 4 // a quarter.
	}
	return sum
}

// payer answers which payment paid bill b: payment p pays bills 2p and 2p+1 of
// the start of the world.
func (w *World) payer(b int) (int, bool) {
	p := b / 2 // two bills a payment.
	return p, b < w.initial[Bills] && p < w.initial[Payments]
}

// applied is what payment p pays of bill b: even bills in full, odd ones by half.
func (w *World) applied(b int) int64 {
	total := w.billAt(b, 0).total()
	if b%2 == 1 {
		return total / 2 // half.
	}
	return total
}

// billVendor is shared by the two bills of one payment.
func (w *World) billVendor(b int) int { return w.draw(Bills, b/2, fieldVendor, w.vendors()) }

func (w *World) billCurrency(b int) currency {
	return currencyOf(w.one(9, Bills, b/2, fieldMode)) // one in nine is foreign.
}

func (w *World) billDue(b int) string {
	if w.one(10, Bills, b, fieldAbsent) { // one in ten has no due date.
		return ""
	}
	return w.day(w.created(Bills, b), 30) // thirty days.
}

func (w *World) billStatus(b int, sum billSum, paid, balance int64) string {
	switch {
	case balance <= 0:
		return "paid"
	case paid+sum.credit > 0:
		return "partially_paid"
	default:
		return [...]string{"open", "overdue", "draft"}[w.draw(Bills, b, fieldStatus, 3)]
	}
}

func (w *World) bill(o *writer, b int) {
	sum := w.billAt(b, w.edits(Bills, b))
	payment, hasPayment := w.payer(b)
	var paid int64
	if hasPayment {
		paid = w.applied(b)
	}
	balance := sum.total() - paid - sum.credit
	vendor, money := w.billVendor(b), w.billCurrency(b)
	spot := w.words.place(vendor)
	locationID, locationName := location(b)
	o.text("bill_id", w.ID(Bills, b))
	o.text("purchaseorder_id", purchaseID(b, 0))
	o.text("vendor_id", fixedID(groupVendor, vendor))
	o.text("vendor_name", w.words.vendorName(vendor))
	o.money("unused_credits_payable_amount", 0)
	o.text("status", w.billStatus(b, sum, paid, balance))
	o.text("bill_number", number("BILL", b+1))
	o.text("date", w.day(w.created(Bills, b), 0))
	o.text("due_date", w.billDue(b))
	o.text("reference_number", purchaseReference(b))
	if w.billDue(b) == "" {
		o.text("due_by_days", "")
	} else {
		o.whole("due_by_days", w.draw(Bills, b, fieldText, 60)-30)
	}
	o.text("currency_id", money.id)
	o.text("currency_code", money.code)
	o.text("currency_symbol", money.symbol)
	o.whole("price_precision", 2)
	o.rate("exchange_rate", money.rate)
	o.flag("is_item_level_tax_calc", true)
	o.text("location_id", locationID)
	o.text("location_name", locationName)
	o.money("vendor_credits_applied", sum.credit)
	o.money("sub_total", sum.sub)
	o.money("tax_total", sum.tax)
	o.money("balance", balance)
	o.text("created_time", w.stamp(w.created(Bills, b)))
	o.text("last_modified_time", w.stamp(w.Modified(Bills, b)))
	o.text("reference_id", "")
	o.text("attachment_name", "")
	o.whole("open_purchaseorders_count", 0)
	o.text("gst_treatment", "business_gst")
	o.text("gst_no", "27AAACB1234F1Z5")
	o.text("source_of_supply", spot.code)
	o.text("destination_of_supply", "MH")
	o.flag("is_pre_gst", false)
	o.flag("is_reverse_charge_applied", false)
	if !o.wide {
		return
	}
	o.text("notes", w.words.remarks[w.draw(Bills, b, fieldText, len(w.words.remarks))])
	o.text("terms", "Net 30")
	w.customFields(o, "customfield_id", Bills, b)
	w.billLines(o, b, sum)
	w.billTaxes(o, sum)
	w.billAddress(o, spot, false)
	w.billPayments(o, b, payment, hasPayment, paid)
	w.billCredits(o, b, sum.credit)
}
