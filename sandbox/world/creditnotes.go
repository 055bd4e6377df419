package world

import (
	"fmt"
	"slices"
)

// noteSum is what a credit note adds up to, in cents.
type noteSum struct {
	lines          []billLine
	tax            int64
	total, applied int64
}

// noteAt computes a credit note after some edits: each takes back one more
// piece, every other one adds a line.
func (w *World) noteAt(c int) noteSum {
	edits := w.edits(CreditNotes, c)
	sum := noteSum{lines: make([]billLine, 1+w.draw(CreditNotes, c, fieldLines, 3)+edits%2)}
	for l := range sum.lines {
		item := w.draw(CreditNotes, c*8+l, fieldItem, w.initial[Items]) // eight lines keep notes apart.
		line := billLine{
			item: item, rate: w.itemPrice(item), levy: taxOf(w.draw(CreditNotes, c, fieldTax, 3)), // three rates.
			quantity: int64(1+w.draw(CreditNotes, c*8+l, fieldQuantity, 5)+edits) * cents, // as above.
		}
		line.total = line.quantity * line.rate / cents
		sum.lines[l] = line
		sum.total += line.total
		sum.tax += line.total * line.levy.percent / cents
	}
	sum.total += sum.tax
	switch w.noteStatus(c) {
	case "closed":
		sum.applied = sum.total
	case "open":
		sum.applied = sum.total / 3 * int64(c%2) // some are used in part.
	}
	return sum
}

// noteStatus moves one step with each edit, and stays void or closed.
func (w *World) noteStatus(c int) string {
	states := [...]string{"draft", "open", "closed"}
	if w.one(15, CreditNotes, c, fieldStatus) { // one in fifteen.
		return "void"
	}
	return states[min(w.draw(CreditNotes, c, fieldMode, len(states))+w.edits(CreditNotes, c), len(states)-1)]
}

func (w *World) noteCustomer(c int) int { return w.draw(CreditNotes, c, fieldCustomer, w.customers()) }

func (w *World) creditNote(o *writer, c int) {
	sum := w.noteAt(c)
	customer, money := w.noteCustomer(c), currencyOf(false)
	spot := w.words.place(customer)
	locationID, locationName := location(c)
	o.text("creditnote_id", w.ID(CreditNotes, c))
	o.text("creditnote_number", number("CN", c+1))
	o.text("date", w.day(w.created(CreditNotes, c), 0))
	o.flag("is_pre_gst", false)
	o.text("place_of_supply", spot.code)
	o.text("vat_treatment", "")
	o.text("vat_reg_no", "")
	o.text("gst_no", "")
	o.text("cfdi_usage", "")
	o.text("cfdi_reference_type", "")
	o.text("gst_treatment", [...]string{"business_gst", "consumer", "overseas"}[w.draw(CreditNotes, c, fieldPlace, 3)])
	o.text("tax_treatment", "")
	o.text("status", w.noteStatus(c))
	o.text("customer_id", fixedID(groupCustomer, customer))
	o.text("customer_name", w.words.customerName(customer))
	o.text("reference_number", w.noteReference(c))
	o.text("email", fmt.Sprintf("accounts%d@customer.example", customer))
	o.money("total", sum.total)
	o.money("balance", sum.total-sum.applied)
	o.text("location_id", locationID)
	o.text("location_name", locationName)
	o.text("currency_code", money.code)
	o.text("currency_symbol", money.symbol)
	o.text("created_time", w.stamp(w.created(CreditNotes, c)))
	o.text("updated_time", w.stamp(w.Modified(CreditNotes, c)))
	o.text("template_id", fixedID(groupTemplate, 0))
	o.text("template_name", "Standard Template")
	if !o.wide {
		return
	}
	w.customFields(o, "", CreditNotes, c)
	w.noteLines(o, c, sum)
	o.array("invoices", boolInt(sum.applied > 0), func(int) {
		o.open()
		o.text("invoice_id", fixedID(groupInvoice, c*2))
		o.text("invoice_number", number("INV", c+1))
		o.money("amount", sum.applied)
		o.close('}')
	})
	o.array("taxes", 1, func(int) {
		levy := sum.lines[0].levy
		o.open()
		o.text("tax_id", levy.id)
		o.text("tax_name", levy.name)
		o.money("tax_amount", sum.tax)
		o.close('}')
	})
	noteAddress(o, "billing_address", spot)
	noteAddress(o, "shipping_address", spot)
	o.text("notes", w.words.remarks[w.draw(CreditNotes, c, fieldText, len(w.words.remarks))])
	o.text("terms", "Valid for one year")
}

func (w *World) noteReference(c int) string {
	if w.one(3, CreditNotes, c, fieldAbsent) { // one in three has none.
		return ""
	}
	return fmt.Sprintf("RMA-%d", c)
}

func (w *World) noteLines(o *writer, c int, sum noteSum) {
	locationID, locationName := location(c)
	blank := []string{
		"tds_tax_id", "tax_exemption_id", "tax_exemption_code", "avatax_use_code", "avatax_tax_code",
		"sat_item_key_code", "unitkey_code", "salesreturn_item_id",
	}
	o.array("line_items", len(sum.lines), func(n int) {
		line := sum.lines[n]
		o.open()
		o.text("item_id", w.ID(Items, line.item))
		o.text("line_item_id", childID(CreditNotes, c, n))
		o.text("account_id", w.ID(Accounts, 1)) // Sales
		o.text("name", w.itemName(line.item))
		o.text("description", w.words.remarks[w.draw(CreditNotes, c+n, fieldText, len(w.words.remarks))])
		o.whole("item_order", n)
		o.money("rate", line.rate)
		o.money("quantity", line.quantity)
		o.text("unit", "pcs")
		o.money("discount", 0)
		o.text("tax_id", line.levy.id)
		for name := range slices.Values(blank) {
			o.text(name, "")
		}
		o.text("product_type", "goods")
		o.text("hsn_or_sac", hsnOf(line.item))
		o.array("item_custom_fields", 0, nil)
		o.text("location_id", locationID)
		o.text("location_name", locationName)
		o.array("serial_numbers", c%2, func(int) {
			o.comma()
			o.b = appendText(o.b, fmt.Sprintf("SN-%06d", c))
		})
		o.text("invoice_id", fixedID(groupInvoice, c*2))
		o.text("invoice_item_id", fixedID(groupInvoice, c*2+1))
		o.flag("is_item_shipped", true)
		o.flag("is_returned_to_stock", n == 0)
		o.close('}')
	})
}

// noteAddress writes the object form of credit notes.
func noteAddress(o *writer, name string, spot place) {
	o.key(name)
	o.open()
	o.text("address", spot.street)
	o.text("street2", "")
	o.text("city", spot.city)
	o.text("state", spot.state)
	o.text("zip", spot.zip)
	o.text("country", "India")
	o.text("fax", "")
	o.close('}')
}
