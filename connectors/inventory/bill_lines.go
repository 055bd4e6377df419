package inventory

import "sluice/schema"

// billLines declares the lines of a bill. Source: docs/upstream.md U221; what live services add:
// U310, U311, U319 and U382.
func billLines() schema.Child {
	return schema.Child{
		Name:    "line_items",
		Doc:     "One line of a bill: what was delivered and what it cost.",
		Columns: all(billLine(), liveBillLine(), liveBillLineTaxes()),
		Children: []schema.Child{
			tags("A reporting tag of a line of a bill."),
			lineTaxes("One tax on a line of a bill.", "bill's currency"),
			{
				Name:    "serial_numbers",
				Doc:     "The serial number of one unit that was received with a line of a bill.",
				Scalar:  true,
				Columns: live(schema.ID("serial_number", "Serial number of the unit, leading zeros kept.")),
			},
			{
				Name: "batches",
				Doc:  "A batch of goods that was received with a line of a bill.",
				Columns: live(
					schema.ID("batch_id", "Identifier of the batch."),
					schema.ID("batch_number", "Number of the batch as the organization shows it."),
					schema.ID("external_batch_number", "Number that the manufacturer gave the batch."),
					schema.Date("manufacturer_date", "Day on which the batch was made."),
					schema.Date("expiry_date", "Day on which the batch expires."),
					schema.Decimal("in_quantity", "Units of the batch that were received."),
				),
			},
			{
				Name: "item_custom_fields",
				Doc:  "A field that the organization added to lines, with its value on a line of a bill.",
				Columns: all(
					live(schema.ID("customfield_id", "Identifier of the field; the same on every line.")),
					fieldPlace(),
					live(schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field.").Is(schema.FreeText)),
					fieldKind(),
				),
				Ignored: fieldSettings(),
			},
		},
		Ignored: lineNoise(),
	}
}

// billLine are the keys of a line that the documents show. Source: docs/upstream.md U221.
func billLine() []schema.Column {
	return []schema.Column{
		schema.ID("line_item_id", "Identifier of the line."),
		schema.ID("purchaseorder_item_id", "Identifier of the line of the purchase order that this line answers."),
		schema.ID("receive_item_id", "Identifier of the line of the receipt of goods that this line charges."),
		schema.Int("item_order", "Place of the line on the bill, as the user sorted it."),
		schema.Text("name", "Name of what was delivered.").Is(schema.Plain),
		schema.Text("description", "Text of the line.").Is(schema.FreeText),
		schema.ID("account_id", "Identifier of the account that the line is booked on."),
		schema.Text("account_name", "Name of the account that the line is booked on.").Is(schema.Plain),
		schema.Decimal("quantity", "Number of units delivered."),
		schema.Text("unit", "Unit that the quantity is counted in.").Is(schema.Plain),
		schema.Decimal("rate", "Price of one unit, in the bill's currency."),
		schema.Decimal("bcy_rate", "Price of one unit, in the base currency."),
		schema.Decimal("item_total", "Quantity times rate before tax, in the bill's currency."),
		schema.ID("tax_id", "Identifier of the tax on the line."),
		schema.Text("tax_name", "Name of the tax on the line.").Is(schema.Plain),
		schema.Text("tax_type", "Whether the tax is a simple or a compound one.").Is(schema.Plain),
		schema.Decimal("tax_percentage", "Rate of the tax on the line, in percent."),
		schema.ID("tds_tax_id", "Identifier of the tax withheld at source."),
		schema.ID("tax_exemption_id", "Identifier of the reason why the line is not taxed."),
		schema.ID("tax_exemption_code", "Code of the reason why the line is not taxed."),
		schema.ID("reverse_charge_tax_id", "Identifier of the tax that the organization owes in place of the vendor."),
		schema.Text("reverse_charge_tax_name", "Name of the tax that the organization owes in place of the vendor.").Is(schema.Plain),
		schema.Decimal("reverse_charge_tax_percentage", "Rate of that tax, in percent."),
		schema.Decimal("reverse_charge_tax_amount", "Amount of that tax, in the bill's currency."),
		schema.ID("hsn_or_sac", "Code of the goods or services for Indian GST."),
		schema.ID("location_id", "Identifier of the location that the goods were delivered to."),
		schema.Text("location_name", "Name of the location that the goods were delivered to.").Is(schema.Plain),
		schema.ID("image_id", "Identifier of the picture of the item."),
		schema.Text("image_name", "File name of the picture of the item.").Is(schema.FreeText),
		schema.Text("image_type", "File type of the picture of the item, such as png.").Is(schema.Plain),
	}
}

// liveBillLine are the keys of a line that live services send beyond the documents: what it is, and
// what it was bought for.
func liveBillLine() []schema.Column {
	return live(
		schema.ID("item_id", "Identifier of the item that was delivered; null for a line of free text."),
		schema.ID("sku", "Stock keeping unit: the organization's own code of the item."),
		schema.Text("item_type", "What the item is used for, such as inventory or purchases.").Is(schema.Plain),
		schema.Text("product_type", "Whether the line is a thing or work: goods or service.").Is(schema.Plain),
		schema.ID("header_id", "Identifier of the heading that the line stands under."),
		schema.Text("header_name", "Heading that the line stands under.").Is(schema.FreeText),
		schema.ID("account_code", "Code of the account that the line is booked on."),
		schema.ID("pricebook_id", "Identifier of the price list used."),
		schema.JSON("discount", "Discount on the line, kept as JSON because it is an amount or a text with a percent sign.").Is(schema.Plain),
		schema.JSON("discounts", "The parts of the discount, kept as JSON because no answer shows their shape.").Is(schema.Plain),
		schema.ID("discount_account_id", "Identifier of the account that the discount is booked on."),
		schema.Text("discount_account_name", "Name of the account that the discount is booked on.").Is(schema.Plain),
		schema.Decimal("item_total_inclusive_of_tax", "Sum of the line with tax, in the bill's currency."),
		schema.ID("project_id", "Identifier of the project that it was bought for."),
		schema.Text("project_name", "Name of the project that it was bought for.").Is(schema.Plain),
		schema.Bool("is_billable", "Whether the line is to be charged on to a customer."),
		schema.ID("customer_id", "Identifier of the customer whom the line is charged on to."),
		schema.Text("customer_name", "Name of the customer whom the line is charged on to.").Is(schema.Company),
		schema.Decimal("markup_percent", "Rate put on top when the line is charged on, in percent."),
		schema.Decimal("sales_rate", "Selling price of one unit when the line is charged on; no source says in which currency."),
		schema.ID("invoice_id", "Identifier of the invoice that charged the line on."),
		schema.ID("invoice_number", "Number of the invoice that charged the line on."),
		schema.ID("purchaseorder_id", "Identifier of the purchase order that the line answers."),
		schema.ID("receive_id", "Identifier of the receipt of goods that the line charges."),
		schema.ID("receipt_line_item_id", "Identifier of the line of that receipt."),
		schema.Decimal("quantity_received", "Units of the line that were received."),
		schema.JSON("storages", "Bins that the goods went to, kept as JSON because no answer shows their shape.").Is(schema.Plain),
	)
}

// liveBillLineTaxes are the keys of a line's taxes that live services send beyond the documents.
func liveBillLineTaxes() []schema.Column {
	return live(
		schema.Text("itc_eligibility", "Whether the tax of the line can be reclaimed in India.").Is(schema.Plain),
		schema.Text("gst_treatment_code", "Why the line is outside of Indian GST.").Is(schema.Plain),
		schema.Text("tax_treatment_code", "Why the line is outside of VAT in the Gulf states.").Is(schema.Plain),
		schema.Text("tds_tax_name", "Name of the tax withheld at source in India.").Is(schema.Plain),
		schema.Decimal("tds_tax_percentage", "Rate of the tax withheld at source in India, in percent."),
		schema.Decimal("tds_tax_amount", "Tax withheld at source on the line in India, in the bill's currency."),
		schema.ID("acquisition_vat_id", "Identifier of the VAT on acquisitions in the UK and the EU."),
		schema.Text("acquisition_vat_name", "Name of the VAT on acquisitions.").Is(schema.Plain),
		schema.Decimal("acquisition_vat_percentage", "Rate of the VAT on acquisitions, in percent."),
		schema.Decimal("acquisition_vat_amount", "VAT on acquisitions, in the bill's currency."),
		schema.ID("reverse_charge_vat_id", "Identifier of the VAT that the organization owes in place of the vendor in the UK and the EU."),
		schema.Text("reverse_charge_vat_name", "Name of the VAT owed in place of the vendor.").Is(schema.Plain),
		schema.Decimal("reverse_charge_vat_percentage", "Rate of the VAT owed in place of the vendor, in percent."),
		schema.Decimal("reverse_charge_vat_amount", "VAT owed in place of the vendor, in the bill's currency."),
	)
}
