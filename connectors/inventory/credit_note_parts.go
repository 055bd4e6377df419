package inventory

import "sluice/schema"

// creditNoteChildren declares the arrays of a credit note. Source: docs/upstream.md U223 to U227;
// what live services add: U310, U311, U321 and U387.
func creditNoteChildren() []schema.Child {
	return all(creditNoteParts(), creditNoteUses(), creditNotePersons())
}

// creditNoteParts declares the arrays that the documents show, and those of all resources.
func creditNoteParts() []schema.Child {
	return []schema.Child{
		creditNoteLines(),
		{
			Name: "invoices",
			Doc:  "An invoice that a credit note settles a part of.",
			Columns: []schema.Column{
				schema.ID("invoice_id", "Identifier of the invoice."),
				schema.ID("invoice_number", "Number of the invoice as the customer sees it."),
				schema.Decimal("amount", "Part of the credit used on the invoice, in the currency of the credit note."),
			},
		},
		{
			Name: "taxes",
			Doc:  "The sum of one tax over all lines of a credit note.",
			Columns: []schema.Column{
				schema.ID("tax_id", "Identifier of the tax."),
				schema.Text("tax_name", "Name of the tax with its rate.").Is(schema.Plain),
				schema.Decimal("tax_amount", "Sum of the tax, in the currency of the credit note."),
			},
		},
		{
			Name: "custom_fields",
			Doc:  "A field that the organization added to its credit notes, with its value on one of them.",
			Columns: all([]schema.Column{
				schema.Int("index", "Place of the field among the organization's own, from 1."),
				schema.Text("label", "Name of the field as the organization shows it.").Is(schema.Plain),
				schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field.").Is(schema.FreeText),
			}, live(schema.ID("customfield_id", "Identifier of the field; the same on every credit note.")), fieldKind()),
			Ignored: fieldSettings(),
		},
		{
			Name: "billing_address", Doc: "The address that the credit note is made out to.", Object: true,
			Columns: creditNoteAddress(),
		},
		{
			Name: "shipping_address", Doc: "The address that the goods had been sent to.", Object: true,
			Columns: creditNoteAddress(),
		},
		tags("A reporting tag of a credit note."),
		documents("A file attached to a credit note."),
	}
}

// creditNoteUses declares what became of the credit: invoices as live services send them in place
// of the documents' array, and refunds.
func creditNoteUses() []schema.Child {
	return []schema.Child{
		{
			Name: "invoices_credited",
			Doc:  "An invoice that a credit note settles a part of, as live services send it in place of invoices.",
			Columns: live(
				schema.ID("creditnote_invoice_id", "Identifier of the settlement: this credit note on this invoice."),
				schema.ID("invoice_id", "Identifier of the invoice."),
				schema.ID("invoice_number", "Number of the invoice as the customer sees it."),
				schema.Date("date", "Day on which the credit was used."),
				schema.Decimal("credited_amount", "Part of the credit used on the invoice, in the currency of the credit note."),
				schema.Date("invoice_date", "Day of the invoice; some organizations get it."),
				schema.Decimal("amount_applied", "Part of the credit used on the invoice, in the currency of the credit note; "+
					"some organizations get it in place of credited_amount."),
			),
		},
		{
			Name: "creditnote_refunds",
			Doc:  "Money of a credit note that was paid back to the customer.",
			Columns: live(
				schema.ID("creditnote_refund_id", "Identifier of the refund."),
				schema.Date("date", "Day of the refund."),
				schema.Text("refund_mode", "How it was paid back, such as cash or bank transfer.").Is(schema.Plain),
				schema.ID("reference_number", "Number that the organization gave the refund."),
				schema.Text("description", "Free note on the refund.").Is(schema.FreeText),
				schema.Decimal("amount_bcy", "Amount paid back, in the base currency."),
				schema.Decimal("amount_fcy", "Amount paid back, in the currency of the credit note."),
			),
		},
	}
}

// creditNotePersons declares the persons that a credit note goes to.
func creditNotePersons() []schema.Child {
	return []schema.Child{
		{
			Name:    "contact_persons",
			Doc:     "A person that a credit note goes to, by the identifier alone.",
			Scalar:  true,
			Columns: live(schema.ID("contact_person_id", "Identifier of the person.")),
		},
		{
			Name: "contact_persons_associated",
			Doc:  "A person that a credit note goes to.",
			Columns: live(
				schema.ID("contact_person_id", "Identifier of the person."),
				schema.Text("contact_person_name", "Name of the person.").Is(schema.Person),
				schema.Text("contact_person_email", "Address of the person for mail.").Is(schema.Contact),
				schema.ID("phone", "Landline number as it was entered, leading zeros kept.").Is(schema.Contact),
				schema.ID("mobile", "Mobile number as it was entered, leading zeros kept.").Is(schema.Contact),
			),
		},
	}
}

// creditNoteAddress are the keys of both addresses. Source: docs/upstream.md U223 to U227 and U311.
func creditNoteAddress() []schema.Column {
	return []schema.Column{
		schema.Text("address", "Street and number.").Is(schema.Address),
		schema.Text("street2", "Second line of the street, such as a floor.").Is(schema.Address),
		schema.Text("city", "City or town.").Is(schema.Plain),
		schema.Text("state", "State, canton or province.").Is(schema.Plain),
		schema.ID("zip", "Postal code, leading zeros kept.").Is(schema.Address),
		schema.Text("country", "Country by name.").Is(schema.Plain),
		schema.ID("fax", "Fax number as it was entered.").Is(schema.Contact),
		schema.Text("attention", "Person or department that it is addressed to.").Is(schema.Person).Assume(),
		schema.ID("phone", "Phone number as it was entered, leading zeros kept.").Is(schema.Contact).Assume(),
	}
}
