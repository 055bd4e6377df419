package sales

import (
	"fmt"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

const returned = 900 // the own number of a sales return behind a note's id

// CreditNote writes a credit note.
func (w Author) CreditNote(o *wire.Writer, c int) {
	sum := w.NoteAt(c)
	customer, money := w.NoteCustomer(c), words.CurrencyOf(false)
	spot := w.Words.Place(customer)
	locationID, locationName := words.Location(c)
	o.Text("creditnote_id", ids.Of(ids.CreditNotes, c))
	o.Text("creditnote_number", books.Number("CN", c+1))
	o.Text("date", w.Day(w.Created(ids.CreditNotes, c), 0))
	o.Flag("is_pre_gst", false)
	o.Text("place_of_supply", spot.Code)
	o.Text("vat_treatment", w.Rare(c, "overseas"))
	o.Text("vat_reg_no", w.Rare(c, "GB123456789"))
	o.Text("gst_no", w.Rare(c, "27AAACB1234F1Z5"))
	o.Text("cfdi_usage", w.Rare(c, "general_expense"))
	o.Text("cfdi_reference_type", w.Rare(c, "credit_note"))
	o.Text("gst_treatment", [...]string{"business_gst", "consumer", "overseas"}[w.Draw(ids.CreditNotes, c, draw.Place, 3)])
	o.Text("tax_treatment", w.Rare(c, "vat_registered"))
	o.Text("status", w.NoteStatus(c))
	o.Text("customer_id", ids.Fixed(ids.GroupCustomer, customer))
	o.Text("customer_name", w.Words.CustomerName(customer))
	o.Text("reference_number", w.noteReference(c))
	o.Text("email", fmt.Sprintf("accounts%d@customer.example", customer))
	o.Money("total", sum.Total)
	o.Money("balance", sum.Total-sum.Applied)
	o.Text("location_id", locationID)
	o.Text("location_name", locationName)
	o.Text("currency_code", money.Code)
	o.Text("currency_symbol", money.Symbol)
	o.Text("created_time", w.Stamp(w.Created(ids.CreditNotes, c)))
	o.Text("updated_time", w.Stamp(w.Modified(ids.CreditNotes, c)))
	o.Text("template_id", ids.Fixed(ids.GroupTemplate, 0))
	o.Text("template_name", "Standard Template")
	if !o.Wide {
		return
	}
	w.CustomFields(o, "", ids.CreditNotes, c)
	w.noteLines(o, c, sum)
	o.Array("invoices", parts.Count(sum.Applied > 0), func(int) {
		o.Open()
		o.Text("invoice_id", ids.Fixed(ids.GroupInvoice, c*2))
		o.Text("invoice_number", books.Number("INV", c+1))
		o.Money("amount", sum.Applied)
		o.Close('}')
	})
	o.Array("taxes", 1, func(int) {
		levy := sum.Lines[0].Levy
		o.Open()
		o.Text("tax_id", levy.ID)
		o.Text("tax_name", levy.Name)
		o.Money("tax_amount", sum.Tax)
		o.Close('}')
	})
	w.noteAddress(o, c, "billing_address", spot)
	w.noteAddress(o, c, "shipping_address", spot)
	o.Text("notes", w.Words.Remarks[w.Draw(ids.CreditNotes, c, draw.Text, len(w.Words.Remarks))])
	o.Text("terms", "Valid for one year")
}

func (w Author) noteReference(c int) string {
	if w.One(3, ids.CreditNotes, c, draw.Absent) { // one in three has none.
		return ""
	}
	return fmt.Sprintf("RMA-%d", c)
}

func (w Author) noteLines(o *wire.Writer, c int, sum books.NoteSum) {
	locationID, locationName := words.Location(c)
	rare := [...]struct{ name, value string }{
		{"tds_tax_id", words.TaxAt(1).ID}, {"tax_exemption_id", ids.Fixed(ids.GroupExemption, 0)}, {"tax_exemption_code", "EX-1"},
		{"avatax_use_code", "A"}, {"avatax_tax_code", "P0000000"}, {"sat_item_key_code", "31162800"}, {"unitkey_code", "H87"},
		{"salesreturn_item_id", ids.Child(ids.CreditNotes, c, returned)},
	}
	o.Array("line_items", len(sum.Lines), func(n int) {
		line := sum.Lines[n]
		o.Open()
		o.Text("item_id", ids.Of(ids.Items, line.Item))
		o.Text("line_item_id", ids.Child(ids.CreditNotes, c, n))
		o.Text("account_id", ids.Of(ids.Accounts, 1)) // Sales
		o.Text("name", w.ItemName(line.Item))
		o.Text("description", w.Words.Remarks[w.Draw(ids.CreditNotes, c+n, draw.Text, len(w.Words.Remarks))])
		o.Whole("item_order", n)
		o.Money("rate", line.Rate)
		o.Money("quantity", line.Quantity)
		o.Text("unit", "pcs")
		o.Money("discount", 0)
		o.Text("tax_id", line.Levy.ID)
		for _, key := range rare {
			o.Text(key.name, w.Rare(c, key.value))
		}
		o.Text("product_type", "goods")
		o.Text("hsn_or_sac", parts.HSN(line.Item))
		o.Array("item_custom_fields", 0, nil)
		o.Text("location_id", locationID)
		o.Text("location_name", locationName)
		o.Array("serial_numbers", c%2, func(int) {
			o.Comma()
			o.B = wire.AppendText(o.B, fmt.Sprintf("SN-%06d", c))
		})
		o.Text("invoice_id", ids.Fixed(ids.GroupInvoice, c*2))
		o.Text("invoice_item_id", ids.Fixed(ids.GroupInvoice, c*2+1))
		o.Flag("is_item_shipped", true)
		o.Flag("is_returned_to_stock", n == 0)
		o.Close('}')
	})
}

// noteAddress writes the object form of credit notes.
func (w Author) noteAddress(o *wire.Writer, c int, name string, spot words.Place) {
	o.Key(name)
	o.Open()
	o.Text("address", spot.Street)
	o.Text("street2", w.Rare(c, "Second floor"))
	o.Text("city", spot.City)
	o.Text("state", spot.State)
	o.Text("zip", spot.Zip)
	o.Text("country", "India")
	o.Text("fax", w.Rare(c, books.Phone(c)))
	o.Close('}')
}
