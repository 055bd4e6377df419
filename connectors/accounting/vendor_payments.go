package accounting

import "sluice/schema"

// vendorPayments declares the list of payments made. Source: docs/upstream.md U171 to U175; that it
// carries headers: U87; filters: U104 to U106.
func vendorPayments() schema.Resource {
	return schema.Resource{
		Name:     "vendor_payments",
		Doc:      "A payment to a vendor, for one bill, for several, or in advance.",
		Path:     "/vendorpayments",
		Key:      "vendorpayments",
		ID:       "payment_id",
		Scope:    "vendorpayments",
		Single:   &schema.Single{Path: "/vendorpayments/{id}", Key: "vendorpayment", Assumed: true},
		Details:  &schema.Details{Marker: "bills", Value: &schema.Value{Amounts: []string{"amount"}, Rate: "exchange_rate"}},
		Window:   &schema.Window{Column: "date", From: "date_start", To: "date_end"},
		Cursor:   schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "created_time", Assumed: true},
		Complete: "The list answers PaymentMode.All unless asked otherwise (docs/upstream.md U104).",
		Every:    "15m",
		Columns: []schema.Column{
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
		},
		Children: vendorPaymentChildren(),
		Assumed: []string{
			"The list answers under the key vendorpayments.",
			"The list filters by last_modified_time.",
			"The filters date_start and date_end let through the days that they name.",
			"The list leaves out bills, refunds, address and custom fields, which only the single record has.",
			"The answer to one payment, its path and its key are not shown.",
		},
	}
}

func vendorPaymentChildren() []schema.Child {
	return []schema.Child{
		{
			Name: "bills",
			Doc:  "A bill that a payment settles, in whole or in part.",
			Columns: []schema.Column{
				schema.ID("bill_payment_id", "Identifier of the settlement: this payment on this bill."),
				schema.ID("bill_id", "Identifier of the bill that is settled."),
				schema.ID("bill_number", "Number of the bill as the vendor wrote it."),
				schema.Date("date", "Day of the bill."),
				schema.Date("due_date", "Day on which the bill is due."),
				schema.Decimal("amount_applied", "Part of the payment that settles this bill, in the bill's currency."),
				schema.Decimal("tax_amount_withheld", "Tax withheld on this bill, in the bill's currency."),
				schema.Decimal("total", "Total of the bill, in its currency."),
				schema.Decimal("balance", "What is left to pay on the bill, in its currency."),
				schema.Int("price_precision", "Decimals that prices on the bill are shown with."),
			},
		},
		{
			Name: "vendorpayment_refunds",
			Doc:  "Money that the vendor paid back out of a payment.",
			Columns: []schema.Column{
				schema.ID("vendorpayment_refund_id", "Identifier of the refund."),
				schema.Date("date", "Day of the refund."),
				schema.Text("refund_mode", "How it was paid back, such as cash or bank transfer.").Is(schema.Plain),
				schema.ID("reference_number", "Number that identifies the refund at the bank or the vendor."),
				schema.Text("description", "Free note on the refund.").Is(schema.FreeText),
				schema.Decimal("amount_bcy", "Amount paid back, in the base currency of the organization."),
				schema.Decimal("amount_fcy", "Amount paid back, in the currency of the payment."),
			},
		},
		{
			Name:   "check_details",
			Doc:    "The check that a payment was made by.",
			Object: true,
			Columns: []schema.Column{
				schema.ID("check_id", "Identifier of the check."),
				schema.ID("check_number", "Number printed on the check.").Is(schema.Bank),
				schema.Text("check_status", "What happened to the check, such as printed or void.").Is(schema.Plain),
				schema.Text("amount_in_words", "Amount as it is spelled out on the check.").Is(schema.Plain),
				schema.Text("memo", "Note printed on the check.").Is(schema.FreeText),
			},
		},
		{
			Name:   "billing_address",
			Doc:    "The address of the vendor as it stood on the payment.",
			Object: true,
			Columns: []schema.Column{
				schema.Text("attention", "Person or department that it is addressed to.").Is(schema.Person),
				schema.Text("address", "Street and number.").Is(schema.Address),
				schema.Text("city", "City or town.").Is(schema.Plain),
				schema.Text("state", "State, canton or province.").Is(schema.Plain),
				schema.ID("zip", "Postal code, leading zeros kept.").Is(schema.Address),
				schema.Text("country", "Country by name.").Is(schema.Plain),
				schema.ID("fax", "Fax number as it was entered.").Is(schema.Contact),
			},
		},
		{
			Name: "custom_fields",
			Doc:  "A field that the organization added to its payments, with its value on one payment.",
			Columns: []schema.Column{
				schema.ID("custom_field_id", "Identifier of the field; the same on every payment."),
				schema.Int("index", "Place of the field among the organization's own, from 1."),
				schema.Text("label", "Name of the field as the organization shows it.").Is(schema.Plain),
				schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field.").Is(schema.FreeText),
			},
		},
	}
}
