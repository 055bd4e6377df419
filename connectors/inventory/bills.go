package inventory

import "sluice/schema"

// bills declares the list of bills. Source: docs/upstream.md U220 and U221; the total: U319; the
// sort: U100 and U113.
func bills() schema.Resource {
	return schema.Resource{
		Name:     "bills",
		Doc:      "What a vendor charged the organization for a delivery.",
		Path:     "/bills",
		Key:      "bills",
		ID:       "bill_id",
		Scope:    "bills",
		Single:   &schema.Single{Path: "/bills/{id}", Key: "bill", Assumed: true},
		Details:  &schema.Details{Marker: "line_items", Value: billValue()},
		Cursor:   schema.NewestFirst{Column: "last_modified_time", Sort: "last_modified_time", Created: "created_time", Assumed: true},
		Complete: "The list answers Status.All unless asked otherwise (docs/upstream.md U104).",
		Every:    "15m",
		Columns: []schema.Column{
			schema.ID("bill_id", "Identifier of the bill; unique within the organization."),
			schema.ID("bill_number", "Number of the bill as the vendor wrote it."),
			schema.ID("reference_number", "Number that the organization files the bill under."),
			schema.ID("reference_id", "Identifier of the record that the bill refers to."),
			schema.ID("purchaseorder_id", "Identifier of the purchase order that the bill answers."),
			schema.ID("vendor_id", "Identifier of the vendor who sent the bill."),
			schema.Text("vendor_name", "Name of the vendor who sent the bill."),
			schema.Text("status", "Where the bill stands, such as open, overdue or paid; the documents show paid only."),
			schema.Date("date", "Day of the bill."),
			schema.Date("due_date", "Day on which the bill is due."),
			schema.Int("due_by_days", "Days left until the bill is due; negative once it is overdue."),
			schema.ID("currency_id", "Identifier of the currency of the bill."),
			schema.ID("currency_code", "ISO code of the currency of the bill."),
			schema.Text("currency_symbol", "Symbol of the currency of the bill, for display."),
			schema.Int("price_precision", "Decimals that prices on the bill are shown with."),
			schema.Decimal("exchange_rate", "Price of one unit of the bill's currency in the base currency."),
			schema.Decimal("sub_total", "Sum of the lines before tax, in the bill's currency."),
			schema.Decimal("tax_total", "Sum of the taxes, in the bill's currency."),
			schema.Decimal("total", "What the vendor charged with tax, in the bill's currency.").Assume(),
			schema.Decimal("balance", "What is left to pay, in the bill's currency."),
			schema.Decimal("unused_credits_payable_amount", "Credit with the vendor that could still settle the bill, in the bill's currency."),
			schema.Bool("is_item_level_tax_calc", "Whether tax is worked out line by line and not on the sum."),
			schema.ID("location_id", "Identifier of the location of the organization that the bill is booked for."),
			schema.Text("location_name", "Name of the location that the bill is booked for."),
			schema.Text("notes", "Free note on the bill."),
			schema.Text("terms", "Terms and conditions of the bill."),
			schema.Text("attachment_name", "File name of the scan of the bill."),
			schema.Int("open_purchaseorders_count", "Number of purchase orders of the vendor that are still open."),
			schema.Text("gst_treatment", "How the vendor stands to Indian GST: business_gst, business_none, overseas or consumer.").
				OneOf("business_gst", "business_none", "overseas", "consumer"),
			schema.ID("gst_no", "Indian GST number of the vendor."),
			schema.Text("source_of_supply", "Place that the goods were supplied from, for GST or VAT."),
			schema.Text("destination_of_supply", "Place that the goods were supplied to, for GST or VAT."),
			schema.Bool("is_pre_gst", "Whether the bill dates from before Indian GST."),
			schema.Bool("is_reverse_charge_applied", "Whether the organization owes the tax in place of the vendor."),
			schema.JSON("vendor_credits_applied", "Credits already used on the bill, kept as JSON because the documents name the "+
				"key but not its shape."),
			schema.Time("created_time", "When the bill was entered."),
			schema.Time("last_modified_time", "When the bill last changed."),
		},
		Children: billChildren(),
		Assumed: []string{
			"The list sorts by last_modified_time.",
			"The list leaves out lines, taxes, payments, address and custom fields, which only the single record has.",
			"The answer to one bill, its path and its key are not shown.",
		},
	}
}

// billValue reads single records by the total, or by the sum of the lines where lists show no
// total. Source: docs/upstream.md U319 and, for values of the status, U320.
func billValue() *schema.Value {
	return &schema.Value{
		Amounts: []string{"total", "sub_total"}, Rate: "exchange_rate",
		Open: &schema.Open{Column: "status", Is: []string{"open", "overdue", "partially_paid"}},
	}
}

func billChildren() []schema.Child {
	return []schema.Child{
		{Name: "line_items", Doc: "One line of a bill: what was delivered and what it cost.", Columns: billLine()},
		{
			Name: "taxes",
			Doc:  "The sum of one tax over all lines of a bill.",
			Columns: []schema.Column{
				schema.Text("tax_name", "Name of the tax with its rate."),
				schema.Decimal("tax_amount", "Sum of the tax, in the bill's currency."),
			},
		},
		{
			Name: "payments",
			Doc:  "A payment that settles a bill, in whole or in part.",
			Columns: []schema.Column{
				schema.ID("bill_payment_id", "Identifier of the settlement: this payment on this bill."),
				schema.ID("payment_id", "Identifier of the payment."),
				schema.ID("bill_id", "Identifier of the bill that is settled, the same as that of the bill."),
				schema.ID("payment_number", "Running number of the payment as the organization shows it."),
				schema.Text("payment_mode", "How it was paid, such as cash, check or bank transfer."),
				schema.Text("description", "Free note on the payment."),
				schema.Date("date", "Day of the payment."),
				schema.ID("reference_number", "Number that the payer gave the payment."),
				schema.Decimal("exchange_rate", "Price of one unit of the payment's currency in the base currency."),
				schema.Decimal("amount", "Part of the payment that settles this bill, in the bill's currency."),
				schema.ID("paid_through_account_id", "Identifier of the account that the money left."),
				schema.Text("paid_through_account_name", "Name of the account that the money left."),
				schema.Bool("is_single_bill_payment", "Whether the payment settles this bill only."),
			},
		},
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
				schema.Text("address", "Street and number."),
				schema.Text("city", "City or town."),
				schema.Text("state", "State, canton or province."),
				schema.ID("zip", "Postal code, leading zeros kept."),
				schema.Text("country", "Country by name."),
				schema.ID("fax", "Fax number as it was entered."),
			},
		},
		{
			Name: "custom_fields",
			Doc:  "A field that the organization added to its bills, with its value on one bill.",
			Columns: []schema.Column{
				schema.ID("customfield_id", "Identifier of the field; the same on every bill."),
				schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field."),
			},
		},
	}
}

func billLine() []schema.Column {
	return []schema.Column{
		schema.ID("line_item_id", "Identifier of the line."),
		schema.ID("purchaseorder_item_id", "Identifier of the line of the purchase order that this line answers."),
		schema.ID("receive_item_id", "Identifier of the line of the receipt of goods that this line charges."),
		schema.Int("item_order", "Place of the line on the bill, as the user sorted it."),
		schema.Text("name", "Name of what was delivered."),
		schema.Text("description", "Text of the line."),
		schema.ID("account_id", "Identifier of the account that the line is booked on."),
		schema.Text("account_name", "Name of the account that the line is booked on."),
		schema.Decimal("quantity", "Number of units delivered."),
		schema.Text("unit", "Unit that the quantity is counted in."),
		schema.Decimal("rate", "Price of one unit, in the bill's currency."),
		schema.Decimal("bcy_rate", "Price of one unit, in the base currency."),
		schema.Decimal("item_total", "Quantity times rate before tax, in the bill's currency."),
		schema.ID("tax_id", "Identifier of the tax on the line."),
		schema.Text("tax_name", "Name of the tax on the line."),
		schema.Text("tax_type", "Whether the tax is a simple or a compound one."),
		schema.Decimal("tax_percentage", "Rate of the tax on the line, in percent."),
		schema.ID("tds_tax_id", "Identifier of the tax withheld at source."),
		schema.ID("tax_exemption_id", "Identifier of the reason why the line is not taxed."),
		schema.ID("tax_exemption_code", "Code of the reason why the line is not taxed."),
		schema.ID("reverse_charge_tax_id", "Identifier of the tax that the organization owes in place of the vendor."),
		schema.Text("reverse_charge_tax_name", "Name of the tax that the organization owes in place of the vendor."),
		schema.Decimal("reverse_charge_tax_percentage", "Rate of that tax, in percent."),
		schema.Decimal("reverse_charge_tax_amount", "Amount of that tax, in the bill's currency."),
		schema.ID("hsn_or_sac", "Code of the goods or services for Indian GST."),
		schema.ID("location_id", "Identifier of the location that the goods were delivered to."),
		schema.Text("location_name", "Name of the location that the goods were delivered to."),
		schema.ID("image_id", "Identifier of the picture of the item."),
		schema.Text("image_name", "File name of the picture of the item."),
		schema.Text("image_type", "File type of the picture of the item, such as png."),
	}
}
