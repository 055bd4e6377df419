package accounting

import "sluice/schema"

// vendorPayments declares the list of payments made. Source: docs/upstream.md U171 to U175; that it
// carries headers: U87; filters: U104 to U106; what live services add: U314.
func vendorPayments() schema.Resource {
	return schema.Resource{
		Name:    "vendor_payments",
		Doc:     "A payment to a vendor, for one bill, for several, or in advance.",
		Path:    "/vendorpayments",
		Key:     "vendorpayments",
		ID:      "payment_id",
		Scope:   "vendorpayments",
		Single:  &schema.Single{Path: "/vendorpayments/{id}", Key: "vendorpayment", Assumed: true},
		Details: &schema.Details{Marker: "bills", Value: &schema.Value{Amounts: []string{"amount"}, Rate: "exchange_rate"}},
		Dated: &schema.Dated{
			On: "date", Figures: []string{"amount", "tax_amount_withheld", "bank_charges"}, Currency: "currency_code", Rate: "exchange_rate",
			State: "status", Out: []string{"draft", "void"}, With: []string{"payment_number", "vendor_id", "paid_through_account_id"},
		},
		Window:   &schema.Window{Column: "date", From: "date_start", To: "date_end"},
		Cursor:   schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "created_time", Assumed: true},
		Complete: "The list answers PaymentMode.All unless asked otherwise (docs/upstream.md U104).",
		Every:    "15m",
		Columns:  append(vendorPaymentColumns(), vendorPaymentLive()...),
		Children: vendorPaymentChildren(),
		Ignored:  vendorPaymentNoise(),
		Assumed: []string{
			"The list answers under the key vendorpayments.",
			"The list filters by last_modified_time.",
			"The filters date_start and date_end let through the days that they name.",
			"The list leaves out bills, refunds, address and custom fields, which only the single record has.",
			"The answer to one payment, its path and its key are not shown.",
		},
	}
}

func vendorPaymentColumns() []schema.Column {
	return []schema.Column{
		schema.ID("payment_id", "Identifier of the payment; unique within the organization."),
		schema.ID("payment_number", "Running number of the payment as the organization shows it."),
		schema.ID("vendor_id", "Identifier of the vendor who was paid."),
		schema.Text("vendor_name", "Name of the vendor who was paid.").Is(schema.Company),
		schema.Date("date", "Day of the payment."),
		schema.Text("payment_mode", "How it was paid, such as cash, check or bank transfer; organizations add their own.").Is(schema.Plain),
		schema.ID("reference_number", "Number that the payer gave the payment, such as that of the transfer."),
		schema.Text("description", "Free note on the payment.").Is(schema.FreeText),
		schema.Decimal("amount", "Amount paid, in the currency of the payment."),
		schema.Decimal("balance", "Part of the amount that no bill was settled with yet, in the currency of the payment."),
		schema.Decimal("exchange_rate", "Price of one unit of the payment's currency in the base currency."),
		schema.ID("currency_id", "Identifier of the currency of the payment."),
		schema.Text("currency_symbol", "Symbol of the currency of the payment, for display.").Is(schema.Plain),
		schema.ID("paid_through_account_id", "Identifier of the account that the money left."),
		schema.Text("paid_through_account_name", "Name of the account that the money left.").Is(schema.Plain),
		schema.Text("paid_through_account_type", "Kind of the account that the money left, such as bank or cash.").Is(schema.Plain),
		schema.Bool("is_paid_via_print_check", "Whether it was paid by a check printed from the service."),
		schema.Bool("is_ach_payment", "Whether it was paid by direct bank debit (ACH)."),
		schema.Text("ach_payment_status", "How far the direct bank debit got.").Is(schema.Plain),
		schema.Text("tax_account_name", "Name of the account that withheld tax is booked on.").Is(schema.Plain),
		schema.Decimal("tax_amount_withheld", "Tax withheld from the payment, in its currency."),
		schema.ID("location_id", "Identifier of the location of the organization that the payment is booked for."),
		schema.Text("location_name", "Name of the location that the payment is booked for.").Is(schema.Plain),
		schema.JSON("comments", "History and remarks, kept as JSON because the documents do not show their shape.").Is(schema.FreeText),
		schema.JSON("imported_transactions", "Bank lines matched with the payment, kept as JSON because the documents do not "+
			"show their shape.").Is(schema.FreeText),
		schema.JSON("documents", "Attached files, kept as JSON because the documents do not show their shape.").Is(schema.FreeText),
		schema.Time("created_time", "When the payment was entered."),
		schema.Time("last_modified_time", "When the payment last changed."),
	}
}

// vendorPaymentLive returns what no document names. Source: docs/upstream.md U310, U314 and U334.
func vendorPaymentLive() []schema.Column {
	return []schema.Column{
		schema.Text("status", "Where the payment stands; paid is the value seen.").Is(schema.Plain).Assume(),
		schema.ID("currency_code", "ISO code of the currency of the payment.").Assume(),
		schema.Decimal("bcy_amount", "Amount paid, in the base currency; the list alone has it.").Assume(),
		schema.Decimal("bcy_balance", "Part of the amount that no bill was settled with yet, in the base currency; the list alone has it.").Assume(),
		schema.Text("bill_numbers", "Numbers of the bills that the payment settles, in one text; the list alone has it.").Is(schema.Plain).Assume(),
		schema.ID("offset_account_id", "Identifier of the account on the other side: payables, or prepaid expenses for an advance.").Assume(),
		schema.Text("offset_account_name", "Name of the account on the other side.").Is(schema.Plain).Assume(),
		schema.ID("created_by_id", "Identifier of the user who entered the payment.").Assume(),
		schema.Text("created_by_name", "Name of the user who entered the payment.").Is(schema.Person).Assume(),
		schema.Bool("has_attachment", "Whether a file is attached to the payment; the list alone has it.").Assume(),
		schema.Decimal("bank_charges", "Fee that the bank took for the payment, in the currency of the payment.").Assume(),
		schema.ID("bank_charges_account_id", "Identifier of the account that the fee is booked on.").Assume(),
		schema.Text("bank_charges_account_name", "Name of the account that the fee is booked on.").Is(schema.Plain).Assume(),
		schema.ID("ach_gw_transaction_id", "Identifier of the direct bank debit (ACH) at the gateway; US edition only.").Assume(),
		schema.ID("gw_reference_number", "Number that the gateway gave the payment.").Assume(),
		schema.Bool("is_online_payment", "Whether a connected gateway paid it.").Assume(),
		schema.Text("transfer_type", "Kind of the bank transfer.").Is(schema.Plain).Assume(),
		schema.Text("payment_number_prefix", "Beginning of payment_number, before the part that counts up.").Is(schema.Plain).Assume(),
		schema.Text("payment_number_suffix", "The part of payment_number that counts up.").Is(schema.Plain).Assume(),
		schema.ID("purpose_code", "Code of the purpose that banks ask for on transfers abroad.").Assume(),
		schema.ID("credit_account_id", "Identifier of the account of a credit that paid in place of money.").Assume(),
		schema.ID("tax_account_id", "Identifier of the account that withheld tax is booked on.").Assume(),
		schema.ID("tds_tax_id", "Identifier of the tax that was withheld at source.").Assume(),
		schema.Text("tds_calculation_type", "Whether tax was withheld by line or for the whole payment.").Is(schema.Plain).Assume(),
		schema.Bool("is_tds_amount_in_percent", "Whether the withheld tax was entered as a rate.").Assume(),
		schema.Decimal("total_payment_amount", "Amount paid plus tax withheld, in the currency of the payment; in India.").Assume(),
		schema.Bool("is_advance_payment", "Whether it was paid before any bill; in India.").Assume(),
		schema.Text("product_description", "What was paid for in advance, in the user's words; in India.").Is(schema.FreeText).Assume(),
		schema.Bool("is_pre_gst", "Whether the payment dates from before GST; in India.").Assume(),
		schema.ID("indirect_tds_tax_id", "Identifier of the tax withheld on top of the payment; in India.").Assume(),
		schema.Decimal("indirect_tds_tax_amount", "Tax withheld on top of the payment, in its currency; in India.").Assume(),
		schema.ID("indirect_tcs_tax_id", "Identifier of the tax collected on top of the payment; in India.").Assume(),
		schema.Decimal("indirect_tcs_tax_amount", "Tax collected on top of the payment, in its currency; in India.").Assume(),
		schema.JSON("tds_summary", "Tax withheld at source by tax, kept as JSON because no source shows its shape; in India.").
			Is(schema.Plain).Assume(),
		schema.JSON("custom_field_hash", "Values of the organization's own fields by name, the same as in custom_fields, kept as JSON because the names are the organization's.").
			Is(schema.FreeText).Assume(),
	}
}

// vendorPaymentNoise returns the keys that are not copied. Source: docs/upstream.md U312.
func vendorPaymentNoise() map[string]string {
	keys := noise()
	for _, key := range []string{"approvers_list", "approver_id", "submitter_id", "is_approval_required"} {
		keys[key] = "a step of an approval, and no property of the payment"
	}
	return keys
}
