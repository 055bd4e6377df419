package inventory

import "sluice/schema"

// billColumns are the keys of a bill that the documents show, and its total. Source:
// docs/upstream.md U220, U221 and U319.
func billColumns() []schema.Column {
	return []schema.Column{
		schema.ID("bill_id", "Identifier of the bill; unique within the organization."),
		schema.ID("bill_number", "Number of the bill as the vendor wrote it."),
		schema.ID("reference_number", "Number that the organization files the bill under."),
		schema.ID("reference_id", "Identifier of the record that the bill refers to."),
		schema.ID("purchaseorder_id", "Identifier of the purchase order that the bill answers."),
		schema.ID("vendor_id", "Identifier of the vendor who sent the bill."),
		schema.Text("vendor_name", "Name of the vendor who sent the bill.").Is(schema.Company),
		schema.Text("status", "Where the bill stands, such as open, overdue or paid; the documents show paid only.").Is(schema.Plain),
		schema.Date("date", "Day of the bill."),
		schema.Date("due_date", "Day on which the bill is due."),
		schema.Int("due_by_days", "Days left until the bill is due; negative once it is overdue."),
		schema.ID("currency_id", "Identifier of the currency of the bill."),
		schema.ID("currency_code", "ISO code of the currency of the bill."),
		schema.Text("currency_symbol", "Symbol of the currency of the bill, for display.").Is(schema.Plain),
		schema.Int("price_precision", "Decimals that prices on the bill are shown with."),
		schema.Decimal("exchange_rate", "Price of one unit of the bill's currency in the base currency."),
		schema.Decimal("sub_total", "Sum of the lines before tax, in the bill's currency."),
		schema.Decimal("tax_total", "Sum of the taxes, in the bill's currency."),
		schema.Decimal("total", "What the vendor charged with tax, in the bill's currency.").Assume(),
		schema.Decimal("balance", "What is left to pay, in the bill's currency."),
		schema.Decimal("unused_credits_payable_amount", "Credit with the vendor that could still settle the bill, in the bill's currency."),
		schema.Bool("is_item_level_tax_calc", "Whether tax is worked out line by line and not on the sum."),
		schema.ID("location_id", "Identifier of the location of the organization that the bill is booked for."),
		schema.Text("location_name", "Name of the location that the bill is booked for.").Is(schema.Plain),
		schema.Text("notes", "Free note on the bill.").Is(schema.FreeText),
		schema.Text("terms", "Terms and conditions of the bill.").Is(schema.FreeText),
		schema.Text("attachment_name", "File name of the scan of the bill.").Is(schema.FreeText),
		schema.Int("open_purchaseorders_count", "Number of purchase orders of the vendor that are still open."),
		schema.Text("gst_treatment", "How the vendor stands to Indian GST: business_gst, business_none, overseas or consumer.").Is(schema.Plain).
			OneOf("business_gst", "business_none", "overseas", "consumer"),
		schema.ID("gst_no", "Indian GST number of the vendor.").Is(schema.TaxNumber),
		schema.Text("source_of_supply", "Place that the goods were supplied from, for GST or VAT.").Is(schema.Plain),
		schema.Text("destination_of_supply", "Place that the goods were supplied to, for GST or VAT.").Is(schema.Plain),
		schema.Bool("is_pre_gst", "Whether the bill dates from before Indian GST."),
		schema.Bool("is_reverse_charge_applied", "Whether the organization owes the tax in place of the vendor."),
		schema.JSON("vendor_credits_applied", "Credits already used on the bill: a number from live services, kept as JSON because "+
			"the documents name the key but not its shape.").Is(schema.Plain),
		schema.Time("created_time", "When the bill was entered."),
		schema.Time("last_modified_time", "When the bill last changed."),
	}
}

// liveBillColumns are the keys of a bill that live services send beyond the documents. Source:
// docs/upstream.md U319, U320, U380 and U381.
func liveBillColumns() []schema.Column {
	return all(liveBillState(), liveBillAmounts(), liveBillTaxes())
}

// liveBillState are the keys of where a bill stands, what it refers to and what became of it.
func liveBillState() []schema.Column {
	return live(
		schema.Text("current_sub_status", "The organization's own finer state of the bill; repeats status without any.").Is(schema.Plain),
		schema.ID("current_sub_status_id", "Identifier of the organization's own finer state."),
		schema.Text("entity_type", "Kind of the document; always bill.").Is(schema.Plain),
		schema.Text("source", "Where the bill came into the service from, such as Client or Api.").Is(schema.Plain),
		schema.Text("subject_content", "Subject line of the bill.").Is(schema.FreeText),
		schema.Bool("has_attachment", "Whether a file is attached to the bill."),
		schema.Bool("is_viewed_by_client", "Whether the vendor opened the bill in the portal."),
		schema.Time("client_viewed_time", "When the vendor opened the bill in the portal."),
		schema.Text("is_opening_balance", "Lists send the bill's own identifier here, a fault upstream: it is no truth value.").Is(schema.Plain),
		schema.Int("payment_terms", "Days that the vendor granted for paying."),
		schema.Text("payment_terms_label", "What the organization calls those terms, such as Net 15.").Is(schema.Plain),
		schema.Int("due_in_days", "Days left until the bill is due; null once it is overdue, then due_by_days counts."),
		schema.Text("due_days", "The same in words of the user's language, such as Due in 30 days, for display only.").Is(schema.Plain),
		schema.Date("payment_expected_date", "Day on which the organization plans to pay the bill."),
		schema.ID("recurring_bill_id", "Identifier of the schedule that made the bill."),
		schema.ID("reference_bill_id", "Identifier of the bill that this one was derived from."),
		schema.ID("billing_address_id", "Identifier of the address that the billing address was taken from."),
		schema.ID("pricebook_id", "Identifier of the price list used."),
		schema.Text("pricebook_name", "Name of the price list used.").Is(schema.Plain),
		schema.ID("account_id", "Identifier of the payables account that the bill is booked on."),
		schema.Text("account_name", "Name of the payables account that the bill is booked on.").Is(schema.Plain),
		schema.Bool("is_line_item_invoiced", "Whether a line was charged on to a customer."),
		schema.ID("created_by_id", "Identifier of the user who entered the bill."),
		schema.Text("created_by", "Name of the user who entered the bill.").Is(schema.Person),
		schema.ID("last_modified_id", "Identifier of the user who last changed the bill."),
		schema.Text("last_modified_by", "Name of the user who last changed the bill.").Is(schema.Person),
		schema.JSON("journal_credits", "Journal entries that settle the bill, kept as JSON because no answer shows their shape.").Is(schema.FreeText),
		schema.JSON("credit_notes", "Credit notes that settle the bill, kept as JSON because no answer shows their shape.").Is(schema.FreeText),
		schema.JSON("invoices", "Invoices made of the bill, kept as JSON because no answer shows their shape.").Is(schema.FreeText),
	)
}

// liveBillAmounts are the keys of money.
func liveBillAmounts() []schema.Column {
	return live(
		schema.Decimal("balance_due", "What is left to pay, as lists call it, in the bill's currency."),
		schema.Decimal("payment_made", "What was paid so far, in the bill's currency."),
		schema.Decimal("unprocessed_payment_amount", "Payments still under way at the bank, in the bill's currency."),
		schema.Decimal("discount_total", "All discounts together, in the bill's currency."),
		schema.JSON("discount", "Discount as it was entered, kept as JSON because it is an amount or a text with a percent sign.").Is(schema.Plain),
		schema.Decimal("discount_percent", "Rate of the discount on the whole bill, in percent."),
		schema.Decimal("discount_amount", "Discount on the whole bill as an amount, in the bill's currency."),
		schema.Decimal("discount_applied_on_amount", "Sum that the discount is taken from, in the bill's currency."),
		schema.Bool("is_discount_before_tax", "Whether the discount lowers the tax."),
		schema.Text("discount_type", "Whether the discount is on the whole bill (entity_level) or on lines (item_level).").Is(schema.Plain),
		schema.Text("discount_setting", "Whether the discount is an amount (flat) or a rate (percent).").Is(schema.Plain),
		schema.ID("discount_account_id", "Identifier of the account that discounts are booked on."),
		schema.Text("discount_account_name", "Name of the account that discounts are booked on.").Is(schema.Plain),
		schema.Decimal("adjustment", "Free correction of the total, in the bill's currency."),
		schema.Text("adjustment_description", "Reason of the correction.").Is(schema.FreeText),
		schema.ID("adjustment_account_id", "Identifier of the account that the correction is booked on."),
		schema.Text("adjustment_account_name", "Name of the account that the correction is booked on.").Is(schema.Plain),
		schema.Decimal("sub_total_inclusive_of_tax", "Sum of the lines with tax, in the bill's currency."),
		schema.Decimal("total_retention_amount", "Part kept back until the work is accepted, in the bill's currency."),
		schema.JSON("retention_items", "The part kept back by line, kept as JSON because no answer shows its shape.").Is(schema.FreeText),
		schema.JSON("allocated_landed_costs", "Freight and duty spread over the items, kept as JSON because no answer shows their shape.").Is(schema.FreeText),
		schema.JSON("unallocated_landed_costs", "Freight and duty not spread yet, kept as JSON because no answer shows their shape.").Is(schema.FreeText),
	)
}

// liveBillTaxes are the keys of taxes and of their returns, by edition.
func liveBillTaxes() []schema.Column {
	return live(
		schema.Bool("is_inclusive_tax", "Whether the prices of the lines hold the tax."),
		schema.Text("tax_rounding", "Whether tax is rounded for the whole bill or line by line: entity_level or item_level.").Is(schema.Plain),
		schema.Bool("is_tds_applied", "Whether tax is withheld at source, as in India and Australia."),
		schema.Decimal("tds_total", "Tax withheld at source on all lines, in the bill's currency, as lists call it."),
		schema.Decimal("tds_amount", "Tax withheld at source in India, in the bill's currency."),
		schema.Decimal("tds_percent", "Rate of the tax withheld in India, in percent."),
		schema.ID("tds_tax_id", "Identifier of the tax withheld in India."),
		schema.Text("tds_tax_name", "Name of the tax withheld in India.").Is(schema.Plain),
		schema.Text("tds_section", "Section of Indian law that the tax is withheld by.").Is(schema.Plain),
		schema.ID("tax_account_id", "Identifier of the account that tax withheld in India is booked on."),
		schema.Text("tds_calculation_type", "Whether tax is withheld line by line or on the whole bill.").Is(schema.Plain),
		schema.Bool("is_tds_amount_in_percent", "Whether the tax withheld was entered as a rate."),
		schema.Text("contact_category", "How the vendor stands to tax, in India and in editions with VAT; the same as gst_treatment in India.").Is(schema.Plain),
		schema.Text("tax_treatment", "How the vendor stands to VAT in the Gulf states, Mexico, Kenya or South Africa; repeats gst_treatment in India.").Is(schema.Plain),
		schema.Text("vat_treatment", "How the vendor stands to UK VAT.").Is(schema.Plain),
		schema.ID("vat_reg_no", "UK VAT number of the vendor.").Is(schema.TaxNumber),
		schema.Text("place_of_supply", "Emirate or state of the Gulf that the supply counts for.").Is(schema.Plain),
		schema.ID("permit_number", "Number of the permit that the authority gave in the Gulf states.").Is(schema.TaxNumber),
		schema.Text("is_abn_quoted", "Whether the vendor gave its business number in Australia, as a word.").Is(schema.Plain),
		schema.Text("reference_invoice_type", "Kind of invoice that the bill corrects in India.").Is(schema.Plain),
		schema.ID("filed_in_vat_return_id", "Identifier of the UK VAT return that the bill went into."),
		schema.Text("filed_in_vat_return_name", "Name of the UK VAT return that the bill went into.").Is(schema.Plain),
		schema.Text("filed_in_vat_return_type", "Kind of the UK VAT return that the bill went into.").Is(schema.Plain),
		schema.Decimal("acquisition_vat_total", "VAT on acquisitions in the UK and the EU, in the bill's currency."),
		schema.Decimal("reverse_charge_vat_total", "VAT that the organization owes in place of the vendor in the UK and the EU, in the bill's currency."),
	)
}
