package inventory

import "sluice/schema"

// creditNoteLines declares the lines of a credit note. Source: docs/upstream.md U223 to U227; what
// live services add: U310, U311 and U382.
func creditNoteLines() schema.Child {
	return schema.Child{
		Name:    "line_items",
		Doc:     "One line of a credit note: what is credited.",
		Columns: all(creditNoteLine(), liveCreditNoteLine()),
		Children: []schema.Child{
			{
				Name:   "serial_numbers",
				Doc:    "The serial number of one unit that was returned.",
				Scalar: true,
				Columns: []schema.Column{
					schema.ID("serial_number", "Serial number of the unit, leading zeros kept."),
				},
			},
			tags("A reporting tag of a line of a credit note."),
			lineTaxes("One tax on a line of a credit note.", "currency of the credit note"),
		},
		Ignored: lineNoise(),
	}
}

// creditNoteLine are the keys of a line that the documents show. Source: docs/upstream.md U223 to
// U227.
func creditNoteLine() []schema.Column {
	return []schema.Column{
		schema.ID("line_item_id", "Identifier of the line."),
		schema.ID("item_id", "Identifier of the item that is credited; null for a line of free text."),
		schema.Int("item_order", "Place of the line on the credit note, as the user sorted it."),
		schema.Text("name", "Name of what is credited.").Is(schema.Plain),
		schema.Text("description", "Text of the line.").Is(schema.FreeText),
		schema.Text("product_type", "Whether the line is a thing or work: goods or service.").Is(schema.Plain),
		schema.ID("account_id", "Identifier of the account that the line is booked on."),
		schema.Decimal("quantity", "Number of units credited."),
		schema.Text("unit", "Unit that the quantity is counted in.").Is(schema.Plain),
		schema.Decimal("rate", "Price of one unit, in the currency of the credit note."),
		schema.JSON("discount", "Discount on the line, kept as JSON because it is an amount or a text with a percent sign.").Is(schema.Plain),
		schema.ID("tax_id", "Identifier of the tax on the line."),
		schema.ID("tds_tax_id", "Identifier of the tax withheld at source."),
		schema.ID("tax_exemption_id", "Identifier of the reason why the line is not taxed."),
		schema.ID("tax_exemption_code", "Code of the reason why the line is not taxed."),
		schema.ID("avatax_use_code", "Why the customer is exempt, by the code of the Avalara tax service."),
		schema.ID("avatax_tax_code", "What kind of goods it is, by the code of the Avalara tax service."),
		schema.ID("hsn_or_sac", "Code of the goods or services for Indian GST."),
		schema.ID("sat_item_key_code", "Code of the goods or services for Mexican invoices."),
		schema.ID("unitkey_code", "Code of the unit for Mexican invoices."),
		schema.ID("location_id", "Identifier of the location that takes the goods back."),
		schema.Text("location_name", "Name of the location that takes the goods back.").Is(schema.Plain),
		schema.ID("invoice_id", "Identifier of the invoice that the line takes back."),
		schema.ID("invoice_item_id", "Identifier of the line of that invoice."),
		schema.Bool("is_item_shipped", "Whether the goods had been shipped to the customer."),
		schema.Bool("is_returned_to_stock", "Whether the goods went back to stock."),
		schema.ID("salesreturn_item_id", "Identifier of the line of the return of goods that is credited."),
		schema.JSON("item_custom_fields", "Fields that the organization added to lines, kept as JSON because the documents "+
			"name the key but not its shape.").Is(schema.FreeText),
	}
}

// liveCreditNoteLine are the keys of a line that live services send beyond the documents.
func liveCreditNoteLine() []schema.Column {
	return live(
		schema.Decimal("item_total", "Quantity times rate less discount before tax, in the currency of the credit note."),
		schema.Decimal("bcy_rate", "Price of one unit, in the base currency."),
		schema.Text("account_name", "Name of the account that the line is booked on.").Is(schema.Plain),
		schema.Decimal("discount_amount", "Discount on the line as an amount, in the currency of the credit note."),
		schema.JSON("discounts", "The parts of the discount, kept as JSON because no answer shows their shape.").Is(schema.Plain),
		schema.ID("discount_account_id", "Identifier of the account that the discount is booked on."),
		schema.Text("discount_account_name", "Name of the account that the discount is booked on.").Is(schema.Plain),
		schema.Text("tax_name", "Name of the tax on the line.").Is(schema.Plain),
		schema.Text("tax_type", "Whether the tax is a simple or a compound one.").Is(schema.Plain),
		schema.Decimal("tax_percentage", "Rate of the tax on the line, in percent."),
		schema.Text("tax_treatment_code", "Why the line is outside of VAT in the Gulf states.").Is(schema.Plain),
		schema.ID("project_id", "Identifier of the project that the line belongs to."),
		schema.Text("project_name", "Name of the project that the line belongs to.").Is(schema.Plain),
		schema.Text("item_type", "What the item is used for, such as inventory or sales; empty for a line of free text.").Is(schema.Plain),
		schema.Text("internal_name", "Name of the item inside the organization.").Is(schema.Plain),
		schema.ID("code", "Code of the item or of the plan."),
		schema.Int("type", "Kind of the line, as a number that no source explains."),
		schema.Text("pricing_scheme", "Whether the price is by unit or by volume.").Is(schema.Plain),
		schema.ID("pricebook_id", "Identifier of the price list used."),
		schema.Decimal("sales_margin", "Margin on the line, in percent."),
		schema.Bool("is_combo_product", "Whether the item is a bundle of other items."),
		schema.Text("combo_type", "Kind of bundle: assembly (made to stock) or kit (sold as parts).").Is(schema.Plain),
		schema.JSON("mapped_items", "Items of the bundle, kept as JSON because they nest.").Is(schema.FreeText),
		schema.Bool("can_skip_stock_tracking", "Whether the line leaves the stock alone."),
		schema.Bool("is_credit_only_item", "Whether the line credits money and no goods."),
	)
}
