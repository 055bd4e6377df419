package sales

import (
	"strconv"

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
	customer := w.NoteCustomer(c)
	o.ID("creditnote_id", ids.Number(ids.CreditNotes, c))
	parts.Number(o, "creditnote_number", "CN-", c+1)
	w.Date(o, "date", w.Created(ids.CreditNotes, c), 0)
	o.Flag("is_pre_gst", false)
	o.Text("place_of_supply", w.Words.State(customer))
	w.noteTreatments(o, c)
	o.Text("gst_treatment", [...]string{"business_gst", "consumer", "overseas"}[w.Draw(ids.CreditNotes, c, draw.Place, 3)])
	o.Text("tax_treatment", w.Rare(c, "vat_registered"))
	o.Text("status", w.NoteStatus(c))
	o.ID("customer_id", ids.FixedNumber(ids.GroupCustomer, customer))
	o.Text("customer_name", w.Words.CustomerName(customer))
	parts.Numbered(o, "reference_number", !w.One(3, ids.CreditNotes, c, draw.Absent), "RMA-", c) // one in three has none.
	o.Key("email")
	o.B = strconv.AppendInt(append(o.B, `"accounts`...), int64(customer), 10)
	o.B = append(o.B, `@customer.example"`...)
	o.Money("total", sum.Total)
	o.Money("balance", sum.Total-sum.Applied)
	noteMoney(o, c)
	w.Time(o, "created_time", w.Created(ids.CreditNotes, c))
	w.Time(o, "updated_time", w.Modified(ids.CreditNotes, c))
	o.ID("template_id", ids.FixedNumber(ids.GroupTemplate, 0))
	o.Text("template_name", "Standard Template")
	if !o.Wide {
		return
	}
	w.CustomFields(o, ids.CreditNotes, c)
	w.noteLines(o, c, sum)
	w.noteInvoices(o, c, sum.Applied)
	w.noteTaxes(o, sum)
	w.noteAddress(o, c, "billing_address", customer)
	w.noteAddress(o, c, "shipping_address", customer)
	w.Remark(o, "notes", ids.CreditNotes, c)
	o.Text("terms", "Valid for one year")
}

// noteTreatments writes the tax keys of other editions.
func (w Author) noteTreatments(o *wire.Writer, c int) {
	o.Text("vat_treatment", w.Rare(c, "overseas"))
	o.Text("vat_reg_no", w.Rare(c, "GB123456789"))
	o.Text("gst_no", w.Rare(c, "27AAACB1234F1Z5"))
	o.Text("cfdi_usage", w.Rare(c, "general_expense"))
	o.Text("cfdi_reference_type", w.Rare(c, "credit_note"))
}

func (w Author) noteInvoices(o *wire.Writer, c int, applied int64) {
	o.Array("invoices", parts.Count(applied > 0), func(int) {
		o.Open()
		o.ID("invoice_id", ids.FixedNumber(ids.GroupInvoice, c*2))
		parts.Number(o, "invoice_number", "INV-", c+1)
		o.Money("amount", applied)
		o.Close('}')
	})
}

func (w Author) noteTaxes(o *wire.Writer, sum books.NoteSum) {
	o.Array("taxes", 1, func(int) {
		levy := words.TaxOf(sum.Lines[0].Levy)
		o.Open()
		o.Text("tax_id", levy.ID)
		o.Text("tax_name", levy.Name)
		o.Money("tax_amount", sum.Tax)
		o.Close('}')
	})
}

func (w Author) noteLines(o *wire.Writer, c int, sum books.NoteSum) {
	o.Array("line_items", len(sum.Lines), func(n int) {
		line := &sum.Lines[n]
		o.Open()
		o.ID("item_id", ids.Number(ids.Items, line.Item))
		o.ID("line_item_id", ids.ChildNumber(ids.CreditNotes, c, n))
		o.ID("account_id", ids.Number(ids.Accounts, 1)) // Sales
		o.Text("name", w.ItemName(line.Item))
		w.Remark(o, "description", ids.CreditNotes, c+n)
		o.Whole("item_order", n)
		o.Money("rate", line.Rate)
		o.Money("quantity", line.Quantity)
		w.noteLevy(o, c, line.Levy)
		parts.HSN(o, line.Item)
		noteSite(o, c)
		o.Array("serial_numbers", c%2, func(int) { o.PaddedText("SN-", c, 6) })
		o.ID("invoice_id", ids.FixedNumber(ids.GroupInvoice, c*2))
		o.ID("invoice_item_id", ids.FixedNumber(ids.GroupInvoice, c*2+1))
		o.Flag("is_item_shipped", true)
		o.Flag("is_returned_to_stock", n == 0)
		o.Close('}')
	})
}

// noteLevy writes the tax of a line, with the keys of other editions.
func (w Author) noteLevy(o *wire.Writer, c, levy int) {
	o.Text("unit", "pcs")
	o.Money("discount", 0)
	o.Text("tax_id", words.TaxOf(levy).ID)
	o.Text("tds_tax_id", w.Rare(c, words.TaxAt(1).ID))
	o.Text("tax_exemption_id", w.Rare(c, ids.Fixed(ids.GroupExemption, 0)))
	o.Text("tax_exemption_code", w.Rare(c, "EX-1"))
	o.Text("avatax_use_code", w.Rare(c, "A"))
	o.Text("avatax_tax_code", w.Rare(c, "P0000000"))
	o.Text("sat_item_key_code", w.Rare(c, "31162800"))
	o.Text("unitkey_code", w.Rare(c, "H87"))
	o.Text("salesreturn_item_id", w.Rare(c, ids.Child(ids.CreditNotes, c, returned)))
	o.Text("product_type", "goods")
}

// noteAddress writes an address as an object, the form of credit notes.
func (w Author) noteAddress(o *wire.Writer, c int, name string, place int) {
	spot := w.Words.Place(place)
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
