package inventory

import "sluice/schema"

// creditNoteColumns are the keys of a credit note that the documents show. Source: docs/upstream.md
// U223 to U227 and U231.
func creditNoteColumns() []schema.Column {
	return []schema.Column{
		schema.ID("creditnote_id", "Identifier of the credit note; unique within the organization."),
		schema.ID("creditnote_number", "Number of the credit note as the customer sees it."),
		schema.ID("reference_number", "Number that the credit note refers to, such as that of an order."),
		schema.Date("date", "Day of the credit note."),
		schema.Text("status", "Where the credit note stands: draft, open, closed or void.").Is(schema.Plain).OneOf("draft", "open", "closed", "void"),
		schema.ID("customer_id", "Identifier of the customer who is credited."),
		schema.Text("customer_name", "Name of the customer who is credited.").Is(schema.Company),
		schema.Text("email", "Address that the credit note is sent to.").Is(schema.Contact),
		schema.Decimal("total", "Amount credited with tax, in the currency of the credit note."),
		schema.Decimal("balance", "Part of the credit that is not used yet, in the currency of the credit note."),
		schema.ID("currency_code", "ISO code of the currency of the credit note."),
		schema.Text("currency_symbol", "Symbol of the currency of the credit note, for display.").Is(schema.Plain),
		schema.ID("location_id", "Identifier of the location of the organization that the credit note is booked for."),
		schema.Text("location_name", "Name of the location that the credit note is booked for.").Is(schema.Plain),
		schema.Bool("is_pre_gst", "Whether the credit note dates from before Indian GST."),
		schema.Text("place_of_supply", "Place that the goods were supplied to, for GST or VAT.").Is(schema.Plain),
		schema.Text("gst_treatment", "How the customer stands to Indian GST: business_gst, business_none, overseas or consumer.").Is(schema.Plain).
			OneOf("business_gst", "business_none", "overseas", "consumer"),
		schema.ID("gst_no", "Indian GST number of the customer.").Is(schema.TaxNumber),
		schema.Text("vat_treatment", "How the customer stands to UK VAT, such as overseas.").Is(schema.Plain).
			OneOf("uk", "eu_vat_registered", "overseas", "eu_vat_not_registered", "non_eu"),
		schema.ID("vat_reg_no", "VAT number of the customer.").Is(schema.TaxNumber),
		schema.Text("tax_treatment", "How the customer stands to VAT in the Gulf states or in Mexico.").Is(schema.Plain).
			OneOf("vat_registered", "vat_not_registered", "gcc_vat_registered", "gcc_vat_not_registered", "non_gcc",
				"dz_vat_registered", "dz_vat_not_registered", "home_country_mexico", "border_region_mexico", "non_mexico"),
		schema.Text("cfdi_usage", "What the customer uses the goods for, by the Mexican list of purposes.").Is(schema.Plain).OneOf(cfdiUsages()...),
		schema.Text("cfdi_reference_type", "How the credit note relates to an earlier Mexican invoice.").Is(schema.Plain).
			OneOf("cfdi_for_advance", "credit_note", "debit_note", "invoice_generated_from_order", "return_of_merchandise",
				"substitution_previous_cfdi", "transfer_of_goods"),
		schema.ID("template_id", "Identifier of the layout that the credit note is printed with."),
		schema.Text("template_name", "Name of the layout that the credit note is printed with.").Is(schema.Plain),
		schema.Text("notes", "Free note on the credit note.").Is(schema.FreeText),
		schema.Text("terms", "Terms and conditions of the credit note.").Is(schema.FreeText),
		schema.Time("created_time", "When the credit note was entered."),
		schema.Time("updated_time", "When the credit note last changed.").OrAs("last_modified_time"),
	}
}

// cfdiUsages returns the purposes that the document lists, spelled as it spells them. Source:
// docs/upstream.md U227.
func cfdiUsages() []string {
	return []string{
		"acquisition_of_merchandise", "buildings", "computer_equipmentdye_molds_tools", "contribution_sar",
		"deposit_saving_account", "donation", "funeral_expense", "furniture_office_equipment", "general_expense",
		"hospital_expense", "interest_mortage_loans", //nolint:misspell // the document's spelling
		"medical_expense_disability", "medical_expense_insurance_pormium",
		"no_tax_effect", "other_machinery_equipment", "payment", "payment_educational_service", "payroll",
		"return_discount_bonus", "satellite_communication", "school_transportation_expense", "telephone_communication",
		"transport_equipment",
	}
}

// liveCreditNoteColumns are the keys of a credit note that live services send beyond the documents.
// Source: docs/upstream.md U321, U385 and U386.
func liveCreditNoteColumns() []schema.Column {
	return all(liveCreditNoteState(), liveCreditNoteAmounts(), liveShipping())
}

// liveCreditNoteState are the keys of where a credit note stands and what it refers to.
func liveCreditNoteState() []schema.Column {
	return live(
		schema.Date("issued_date", "Day on which the credit note was issued, beside date."),
		schema.Text("current_sub_status", "The organization's own finer state of the credit note; repeats status without any.").Is(schema.Plain),
		schema.ID("current_sub_status_id", "Identifier of the organization's own finer state."),
		schema.ID("invoice_id", "Identifier of the invoice that the credit note was made from."),
		schema.JSON("applied_invoices", "Invoices that the credit settles, kept as JSON because it is a text in lists and an array elsewhere.").Is(schema.FreeText),
		schema.ID("salesperson_id", "Identifier of the seller; -1 stands for none."),
		schema.Text("salesperson_name", "Name of the seller; Others stands for none.").Is(schema.Person),
		schema.Text("sales_channel", "Shop that the credit note came from.").Is(schema.Plain),
		schema.Text("subject_content", "Subject line of the credit note.").Is(schema.FreeText),
		schema.ID("account_id", "Identifier of the receivables account that the credit note is booked on."),
		schema.Text("account_name", "Name of the receivables account that the credit note is booked on.").Is(schema.Plain),
		schema.ID("created_by_id", "Identifier of the user who entered the credit note."),
		schema.Text("created_by_name", "Name of the user who entered the credit note.").Is(schema.Person),
		schema.ID("last_modified_by_id", "Identifier of the user who last changed the credit note."),
		schema.Bool("is_emailed", "Whether the credit note was sent by mail."),
		schema.Bool("is_viewed_by_client", "Whether the customer opened the credit note in the portal."),
		schema.Time("client_viewed_time", "When the customer opened the credit note in the portal."),
		schema.Bool("has_attachment", "Whether a file is attached to the credit note."),
		schema.JSON("exceptions", "Errors of an electronic submission, kept as JSON because no answer shows their shape.").Is(schema.FreeText),
		schema.Text("contact_category", "How the customer stands to tax, in India and in editions with VAT.").Is(schema.Plain),
		schema.Text("tds_calculation_type", "Whether tax is withheld line by line or on the whole credit note.").Is(schema.Plain),
		schema.Bool("is_reverse_charge_applied", "Whether the customer owes the tax in South Africa."),
	)
}

// liveCreditNoteAmounts are the keys of money and of rounding.
func liveCreditNoteAmounts() []schema.Column {
	return live(
		schema.ID("currency_id", "Identifier of the currency of the credit note."),
		schema.Decimal("exchange_rate", "Price of one unit of the credit note's currency in the base currency."),
		schema.Int("price_precision", "Decimals that prices on the credit note are shown with."),
		schema.Decimal("sub_total", "Sum of the lines before tax, in the currency of the credit note."),
		schema.Decimal("sub_total_inclusive_of_tax", "Sum of the lines with tax, in the currency of the credit note."),
		schema.Decimal("tax_total", "Sum of the taxes, in the currency of the credit note."),
		schema.Bool("is_inclusive_tax", "Whether the prices of the lines hold the tax."),
		schema.Text("tax_rounding", "Whether tax is rounded for the whole credit note or line by line: entity_level or item_level.").Is(schema.Plain),
		schema.Decimal("total_credits_used", "Part of the credit that is used on invoices, in the currency of the credit note."),
		schema.Decimal("total_refunded_amount", "Part of the credit that was paid back, in the currency of the credit note."),
		schema.JSON("discount", "Discount as it was entered, kept as JSON because it is an amount or a text with a percent sign.").Is(schema.Plain),
		schema.Decimal("discount_applied_on_amount", "Sum that the discount is taken from, in the currency of the credit note."),
		schema.Bool("is_discount_before_tax", "Whether the discount lowers the tax."),
		schema.Text("discount_type", "Whether the discount is on the whole credit note (entity_level) or on lines (item_level).").Is(schema.Plain),
		schema.ID("discount_account_id", "Identifier of the account that discounts are booked on."),
		schema.Text("discount_account_name", "Name of the account that discounts are booked on.").Is(schema.Plain),
		schema.Decimal("adjustment", "Free correction of the total, in the currency of the credit note."),
		schema.Text("adjustment_description", "Reason of the correction.").Is(schema.FreeText),
		schema.ID("adjustment_account_id", "Identifier of the account that the correction is booked on."),
		schema.Text("adjustment_account_name", "Name of the account that the correction is booked on.").Is(schema.Plain),
		schema.Text("rounding_mode", "How amounts of the credit note are rounded.").Is(schema.Plain),
		schema.Text("bcy_rounding_mode", "How amounts in the base currency are rounded.").Is(schema.Plain),
		schema.Text("transaction_rounding_type", "Whether and how the total is rounded.").Is(schema.Plain),
		schema.Decimal("roundoff_value", "What rounding added to the total, in the currency of the credit note."),
	)
}

// liveShipping are the keys of the freight.
func liveShipping() []schema.Column {
	return live(
		schema.Decimal("shipping_charge", "Freight that is credited, in the currency of the credit note."),
		schema.Decimal("shipping_charge_exclusive_of_tax", "Freight without tax, in the currency of the credit note."),
		schema.Decimal("shipping_charge_inclusive_of_tax", "Freight with tax, in the currency of the credit note."),
		schema.ID("shipping_charge_account_id", "Identifier of the account that freight is booked on."),
		schema.Text("shipping_charge_account_name", "Name of the account that freight is booked on.").Is(schema.Plain),
		schema.ID("shipping_charge_tax_id", "Identifier of the tax on the freight."),
		schema.Text("shipping_charge_tax_name", "Name of the tax on the freight.").Is(schema.Plain),
		schema.Text("shipping_charge_tax_type", "Whether that tax is a simple or a compound one.").Is(schema.Plain),
		schema.Decimal("shipping_charge_tax_percentage", "Rate of the tax on the freight, in percent."),
		schema.Decimal("shipping_charge_tax", "Tax on the freight, in the currency of the credit note."),
		schema.JSON("shipping_charge_taxes", "Taxes on the freight one by one, kept as JSON because no answer shows their shape.").Is(schema.Plain),
	)
}
