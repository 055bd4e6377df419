package inventory

import "sluice/schema"

// billChildren declares the arrays of a bill. Source: docs/upstream.md U221; what live services
// add: U310, U311, U319, U320 and U381.
func billChildren() []schema.Child {
	return all(billSettlements(), billTaxSummaries(), billOrders(), []schema.Child{
		tags("A reporting tag of a bill."),
		documents("A file attached to a bill."),
		comments("An entry of the history of a bill."),
	})
}

// billSettlements declares the arrays of a bill that the documents show.
func billSettlements() []schema.Child {
	return []schema.Child{
		billLines(),
		{
			Name: "taxes",
			Doc:  "The sum of one tax over all lines of a bill.",
			Columns: []schema.Column{
				schema.Text("tax_name", "Name of the tax with its rate.").Is(schema.Plain),
				schema.Decimal("tax_amount", "Sum of the tax, in the bill's currency."),
				schema.ID("tax_id", "Identifier of the tax.").Assume(),
			},
		},
		billPayments(),
		{
			Name: "vendor_credits",
			Doc:  "A credit of the vendor that settles a part of a bill.",
			Columns: []schema.Column{
				schema.ID("vendor_credit_id", "Identifier of the credit."),
				schema.ID("vendor_credit_bill_id", "Identifier of the settlement: this credit on this bill."),
				schema.ID("vendor_credit_number", "Number of the credit as the organization shows it."),
				schema.Date("date", "Day on which the credit was used."),
				schema.Decimal("amount", "Part of the credit that settles this bill, in the bill's currency."),
			},
		},
		{
			Name:   "billing_address",
			Doc:    "The address of the vendor as it stood on the bill.",
			Object: true,
			Columns: []schema.Column{
				schema.Text("address", "Street and number.").Is(schema.Address),
				schema.Text("city", "City or town.").Is(schema.Plain),
				schema.Text("state", "State, canton or province.").Is(schema.Plain),
				schema.ID("zip", "Postal code, leading zeros kept.").Is(schema.Address),
				schema.Text("country", "Country by name.").Is(schema.Plain),
				schema.ID("fax", "Fax number as it was entered.").Is(schema.Contact),
				schema.Text("street2", "Second line of the street, such as a floor.").Is(schema.Address).Assume(),
				schema.Text("attention", "Person or department that it is addressed to.").Is(schema.Person).Assume(),
				schema.ID("phone", "Phone number as it was entered, leading zeros kept.").Is(schema.Contact).Assume(),
			},
		},
		{
			Name: "custom_fields",
			Doc:  "A field that the organization added to its bills, with its value on one bill.",
			Columns: all([]schema.Column{
				schema.ID("customfield_id", "Identifier of the field; the same on every bill."),
				schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field.").Is(schema.FreeText),
			}, fieldPlace(), fieldKind()),
			Ignored: fieldSettings(),
		},
	}
}

// billPayments declares the payments that settle a bill. Source: docs/upstream.md U221.
func billPayments() schema.Child {
	return schema.Child{
		Name: "payments",
		Doc:  "A payment that settles a bill, in whole or in part.",
		Columns: all([]schema.Column{
			schema.ID("bill_payment_id", "Identifier of the settlement: this payment on this bill."),
			schema.ID("payment_id", "Identifier of the payment."),
			schema.ID("bill_id", "Identifier of the bill that is settled, the same as that of the bill."),
			schema.ID("payment_number", "Running number of the payment as the organization shows it."),
			schema.Text("payment_mode", "How it was paid, such as cash, check or bank transfer.").Is(schema.Plain),
			schema.Text("description", "Free note on the payment.").Is(schema.FreeText),
			schema.Date("date", "Day of the payment."),
			schema.ID("reference_number", "Number that the payer gave the payment."),
			schema.Decimal("exchange_rate", "Price of one unit of the payment's currency in the base currency."),
			schema.Decimal("amount", "Part of the payment that settles this bill, in the bill's currency."),
			schema.ID("paid_through_account_id", "Identifier of the account that the money left."),
			schema.Text("paid_through_account_name", "Name of the account that the money left.").Is(schema.Plain),
			schema.Bool("is_single_bill_payment", "Whether the payment settles this bill only."),
		}, liveBillPayment()),
	}
}

// liveBillPayment are the keys of a payment on a bill that live services send beyond the documents.
// Source: docs/upstream.md U381.
func liveBillPayment() []schema.Column {
	return live(
		schema.Date("apply_date", "Day on which the payment was set against the bill."),
		schema.Text("paid_through_account_type", "Kind of the account that the money left, such as bank or cash.").Is(schema.Plain),
		schema.ID("credit_account_id", "Identifier of the account of a credit that paid."),
		schema.Bool("is_paid_via_print_check", "Whether it was paid by a printed check in the US or Canada."),
		schema.JSON("check_details", "Number and state of the printed check, kept as JSON because no answer shows its shape.").Is(schema.Bank),
		schema.Bool("is_ach_payment", "Whether it was paid by bank debit in the US."),
		schema.Text("ach_payment_status", "Where the bank debit stands.").Is(schema.Plain),
		schema.ID("ach_gw_transaction_id", "Reference of the bank debit at the gateway."),
	)
}

// billTaxSummaries declares what a bill says about returns and taxes by rate, by edition. Source:
// docs/upstream.md U381.
func billTaxSummaries() []schema.Child {
	return []schema.Child{
		{
			Name: "tds_summary",
			Doc:  "The sum of one tax withheld at source over all lines of a bill in India.",
			Columns: live(
				schema.ID("tds_tax_id", "Identifier of the tax withheld."),
				schema.Text("tds_name", "Name of the tax withheld.").Is(schema.Plain),
				schema.Decimal("tds_percentage", "Rate of the tax withheld, in percent."),
				schema.Decimal("tds_amount", "Sum of the tax withheld, in the bill's currency."),
			),
		},
		{
			Name:   "gst_return_details",
			Doc:    "The Indian GST return that a bill went into.",
			Object: true,
			Columns: live(
				schema.Text("return_period", "Month or quarter of the return.").Is(schema.Plain),
				schema.Text("status", "Where the return stands.").Is(schema.Plain),
			),
		},
		{
			Name:    "acquisition_vat_summary",
			Doc:     "The sum of one VAT on acquisitions over all lines of a bill in the UK or the EU.",
			Columns: vatSum(),
		},
		{
			Name:    "reverse_charge_vat_summary",
			Doc:     "The sum of one VAT that the organization owes in place of the vendor, over all lines of a bill in the UK or the EU.",
			Columns: vatSum(),
		},
	}
}

func vatSum() []schema.Column {
	return live(
		schema.Text("tax_name", "Name of the VAT with its rate.").Is(schema.Plain),
		schema.Decimal("tax_amount", "Sum of the VAT, in the bill's currency."),
	)
}

// billOrders declares the purchase orders that a bill answers. Source: docs/upstream.md U320.
func billOrders() []schema.Child {
	return []schema.Child{
		{
			Name:    "purchaseorder_ids",
			Doc:     "A purchase order that a bill answers, by its identifier alone.",
			Scalar:  true,
			Columns: live(schema.ID("purchaseorder_id", "Identifier of the purchase order.")),
		},
		{
			Name: "purchaseorders",
			Doc:  "A purchase order that a bill answers.",
			Columns: live(
				schema.ID("purchaseorder_id", "Identifier of the purchase order."),
				schema.ID("purchaseorder_number", "Number of the purchase order as the vendor sees it."),
				schema.Text("purchaseorder_status", "Where the purchase order stands.").Is(schema.Plain),
				schema.Text("purchaseorder_date", "Day of the purchase order, written by the organization's settings, for display only.").Is(schema.Plain),
			),
		},
	}
}
