package accounting

import "sluice/schema"

// expenses declares the list of expenses. The document shows how to write one and what an answer
// holds, but no list: it is read only where the configuration enables it. Source: docs/upstream.md
// U185 to U188. Types that the document does not state follow its conventions: what ends in _id or
// is a code is an identifier. Codes of supply have no closed list: the document gives those of the
// Gulf states only, and the Indian edition uses others.
func expenses() schema.Resource {
	return schema.Resource{
		Name:        "expenses",
		Doc:         "Money spent for the organization, such as a fare or a purchase without a bill.",
		Path:        "/expenses",
		AssumedPath: true,
		Optional:    true,
		Key:         "expenses",
		ID:          "expense_id",
		Scope:       "expenses",
		Single:      &schema.Single{Path: "/expenses/{id}", Key: "expense", Assumed: true},
		Details:     &schema.Details{Marker: "line_items", Value: &schema.Value{Amounts: []string{"bcy_total"}, Base: true}}, // U315
		Cursor:      schema.FullScan{Modified: "last_modified_time"},
		Every:       "6h",
		Columns:     expenseColumns(),
		Children:    expenseChildren(),
		Assumed: []string{
			"The list, its path and its key are not shown.",
			"The answer to one expense, its path and its key are not shown.",
			"What the fields of an expense hold beside their names is not shown for most of them.",
		},
	}
}

func expenseColumns() []schema.Column {
	columns := append(expenseCore(), expenseTax()...)
	return append(columns, expenseMileage()...)
}

func expenseCore() []schema.Column {
	return []schema.Column{
		schema.ID("expense_id", "Identifier of the expense; unique within the organization."),
		schema.ID("expense_item_id", "Identifier of the only line of an expense that is not split into lines."),
		schema.ID("transaction_id", "Identifier of the booking that the expense is."),
		schema.Text("transaction_type", "Kind of the booking, such as expense."),
		schema.Text("expense_type", "Kind of the expense as upstream tells them apart; values are not documented."),
		schema.Text("status", "Whether the expense was charged to a customer; unbilled is the only state documented.").OneOf("unbilled"),
		schema.Date("date", "Day on which the money was spent."),
		schema.ID("account_id", "Identifier of the account that the expense is booked on."),
		schema.Text("account_name", "Name of the account that the expense is booked on."),
		schema.ID("paid_through_account_id", "Identifier of the account that the money left."),
		schema.Text("paid_through_account_name", "Name of the account that the money left."),
		schema.ID("vendor_id", "Identifier of the vendor whom the money went to."),
		schema.ID("customer_id", "Identifier of the customer whom the expense was made for."),
		schema.Text("customer_name", "Name of the customer whom the expense was made for."),
		schema.ID("project_id", "Identifier of the project that the expense was made for."),
		schema.Text("project_name", "Name of the project that the expense was made for."),
		schema.ID("employee_id", "Identifier of the employee who spent the money."),
		schema.ID("reference_number", "Number that the expense is filed under, such as that of a receipt."),
		schema.Text("description", "Free note on the expense."),
		schema.ID("currency_id", "Identifier of the currency of the expense."),
		schema.ID("currency_code", "ISO code of the currency of the expense."),
		schema.Decimal("exchange_rate", "Price of one unit of the expense's currency in the base currency."),
		schema.Decimal("amount", "Amount as it was entered, in the expense's currency; is_inclusive_tax says whether with tax."),
		schema.Decimal("sub_total", "Amount before tax, in the expense's currency."),
		schema.Decimal("total", "Amount with tax, in the expense's currency."),
		schema.Decimal("bcy_total", "Amount with tax, in the base currency."),
		schema.Bool("is_billable", "Whether the expense is to be charged to the customer."),
		schema.Bool("is_personal", "Whether the employee spent the money on personal things."),
		schema.Bool("is_itemized_expense", "Whether the expense is split into several lines."),
		schema.ID("invoice_id", "Identifier of the invoice that charged the expense to the customer."),
		schema.ID("invoice_number", "Number of the invoice that charged the expense to the customer."),
		schema.ID("trip_id", "Identifier of the trip that the expense was made on."),
		schema.ID("trip_number", "Number of the trip that the expense was made on."),
		schema.ID("location_id", "Identifier of the location of the organization that the expense is booked for."),
		schema.Text("location_name", "Name of the location that the expense is booked for."),
		schema.Text("expense_receipt_name", "File name of the receipt that is attached."),
		schema.Text("expense_receipt_type", "File type of the receipt that is attached, such as pdf."),
		schema.JSON("custom_fields", "Fields that the organization added to its expenses, kept as JSON because the documents name the "+
			"key but not its shape."),
		schema.Time("last_modified_time", "When the expense last changed."),
	}
}

func expenseTax() []schema.Column {
	return []schema.Column{
		schema.Bool("is_inclusive_tax", "Whether the amount was entered with tax in it."),
		schema.ID("tax_id", "Identifier of the tax on the expense."),
		schema.Text("tax_name", "Name of the tax on the expense."),
		schema.Decimal("tax_percentage", "Rate of the tax on the expense, in percent."),
		schema.Decimal("tax_amount", "Tax in the expense, in its currency."),
		schema.Text("gst_treatment", "How the vendor stands to Indian GST: business_gst, business_none, overseas or consumer.").
			OneOf("business_gst", "business_none", "overseas", "consumer"),
		schema.ID("gst_no", "Indian GST number of the vendor."),
		schema.Bool("is_pre_gst", "Whether the expense dates from before Indian GST."),
		schema.ID("hsn_or_sac", "Code of the goods or services for Indian GST."),
		schema.Text("tax_treatment", "How the vendor stands to VAT in the Gulf states, in Kenya or in South Africa.").
			OneOf("vat_registered", "vat_not_registered", "gcc_vat_registered", "gcc_vat_not_registered", "non_gcc",
				"dz_vat_registered", "dz_vat_not_registered", "non_kenya", "overseas"),
		schema.Text("vat_treatment", "How the vendor stands to UK VAT, such as uk or overseas.").
			OneOf("uk", "eu_vat_registered", "overseas", "eu_vat_not_registered", "non_eu"),
		schema.ID("vat_reg_no", "VAT number of the vendor."),
		schema.Text("product_type", "What was bought: goods or service, and kinds of them that editions add.").OneOf(productTypes()...),
		schema.ID("place_of_supply", "Code of the place of supply for VAT, such as AE or DU."),
		schema.ID("source_of_supply", "Code of the place that was supplied from, for GST or VAT."),
		schema.ID("destination_of_supply", "Code of the place that was supplied to, for GST or VAT."),
		schema.Text("destination_of_supply_state", "State that was supplied to, for Indian GST."),
		schema.ID("acquisition_vat_id", "Identifier of the VAT on what was acquired from the EU; UK edition only."),
		schema.Decimal("acquisition_vat_total", "Sum of the VAT on acquisitions, in the expense's currency."),
		schema.JSON("acquisition_vat_summary", "VAT on acquisitions by rate, kept as JSON because the documents name the key but not its shape."),
		schema.ID("reverse_charge_vat_id", "Identifier of the VAT that the organization owes in place of the vendor."),
		schema.Decimal("reverse_charge_vat_total", "Sum of the VAT owed in place of the vendor, in the expense's currency."),
		schema.JSON("reverse_charge_vat_summary", "VAT owed in place of the vendor by rate, kept as JSON because the documents name the key "+
			"but not its shape."),
		schema.ID("reverse_charge_tax_id", "Identifier of the tax that the organization owes in place of the vendor."),
		schema.Text("reverse_charge_tax_name", "Name of the tax that the organization owes in place of the vendor."),
		schema.Decimal("reverse_charge_tax_percentage", "Rate of that tax, in percent."),
		schema.Decimal("reverse_charge_tax_amount", "Amount of that tax, in the expense's currency."),
	}
}

func expenseMileage() []schema.Column {
	return []schema.Column{
		schema.Text("mileage_type", "How the distance was taken: odometer, manual, or non_mileage for an expense that is none of a drive.").
			OneOf("odometer", "manual", "non_mileage"),
		schema.Decimal("start_reading", "Reading of the odometer before the drive, in the mileage unit."),
		schema.Decimal("end_reading", "Reading of the odometer after the drive, in the mileage unit."),
		schema.Decimal("distance", "Distance driven, in the mileage unit."),
		schema.Text("mileage_unit", "Unit of distance and rate: km or mile.").OneOf("km", "mile"),
		schema.Decimal("mileage_rate", "Amount paid for one unit of distance, in the expense's currency."),
		schema.Text("vehicle_type", "What was driven: car, van, motorcycle or bike.").OneOf("car", "van", "motorcycle", "bike"),
		schema.Text("fuel_type", "What the vehicle ran on: petrol, lpg or diesel.").OneOf("petrol", "lpg", "diesel"),
		schema.Text("engine_capacity_range", "Size class of the engine, which the VAT that can be reclaimed depends on; UK edition only.").
			OneOf("less_than_1400cc", "between_1400cc_and_1600cc", "between_1600cc_and_2000cc", "more_than_2000cc"),
		schema.Bool("can_reclaim_vat_on_mileage", "Whether VAT on the fuel can be reclaimed; UK edition only."),
	}
}

func expenseChildren() []schema.Child {
	return []schema.Child{
		{
			Name: "line_items",
			Doc:  "One line of an expense: what was bought and which account it is booked on.",
			Columns: []schema.Column{
				schema.ID("line_item_id", "Identifier of the line."),
				schema.Int("item_order", "Place of the line on the expense, as the user sorted it."),
				schema.ID("account_id", "Identifier of the account that the line is booked on."),
				schema.Text("description", "Text of the line."),
				schema.Decimal("amount", "Amount of the line, in the expense's currency."),
				schema.Text("product_type", "What was bought: goods or service, and kinds of them that editions add.").OneOf(productTypes()...),
				schema.ID("tax_id", "Identifier of the tax on the line."),
				schema.ID("acquisition_vat_id", "Identifier of the VAT on what was acquired from the EU; UK edition only."),
				schema.ID("reverse_charge_vat_id", "Identifier of the VAT that the organization owes in place of the vendor."),
				schema.ID("reverse_charge_tax_id", "Identifier of the tax that the organization owes in place of the vendor."),
				schema.ID("tax_exemption_id", "Identifier of the reason why the line is not taxed."),
				schema.ID("tax_exemption_code", "Code of the reason why the line is not taxed."),
				schema.ID("location_id", "Identifier of the location of the organization that the line is booked for."),
			},
		},
		{
			Name: "taxes",
			Doc:  "The sum of one tax over all lines of an expense.",
			Columns: []schema.Column{
				schema.ID("tax_id", "Identifier of the tax."),
				schema.Decimal("tax_amount", "Sum of the tax, in the expense's currency."),
			},
		},
	}
}

// productTypes returns those of all editions: digital_service is the UK's, the last two are South
// Africa's.
func productTypes() []string {
	return []string{"goods", "service", "digital_service", "capital_service", "capital_goods"}
}
