package accounting

import "sluice/schema"

// vendorPaymentChildren returns the arrays and objects of a payment. Source: docs/upstream.md U172
// and U173; what live services add: U310, U311 and U334.
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
				schema.Date("apply_date", "Day on which the payment was set against the bill.").Assume(),
				schema.Decimal("unprocessed_payment_amount", "Part for this bill that is still under way at the bank, in the bill's currency.").Assume(),
				schema.Bool("is_opening_balance", "Whether the bill came over from earlier books.").Assume(),
				schema.Decimal("total_payment_amount", "Part for this bill plus tax withheld on it, in the bill's currency; in India.").Assume(),
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
				schema.ID("vendorpayment_id", "Identifier of the payment that was paid back from.").Assume(),
				schema.ID("to_account_id", "Identifier of the account that the money came back to.").Assume(),
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
				schema.Date("expiry_date", "Last day on which the check can be cashed.").Assume(),
				schema.ID("clearance_account_id", "Identifier of the account that holds the check until it clears.").Assume(),
				schema.Text("clearance_account_name", "Name of the account that holds the check until it clears.").Is(schema.Plain).Assume(),
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
				schema.Text("street2", "Second line of the street.").Is(schema.Address).Assume(),
				schema.ID("phone", "Telephone number as it was entered.").Is(schema.Contact).Assume(),
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
		tags("a payment"),
	}
}
