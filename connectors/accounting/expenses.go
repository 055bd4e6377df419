package accounting

import "sluice/schema"

// expenses declares the list of expenses. The document shows how to write one and what an answer
// holds, but no list: it is read only where the configuration enables it. Source: docs/upstream.md
// U185 to U188; what live services add: U315 and U335. Types that the document does not state
// follow its conventions: what ends in _id or is a code is an identifier. Codes of supply have no
// closed list: the document gives those of the Gulf states only, and the Indian edition uses
// others.
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
		Window:      &schema.Window{Column: "date", From: "date_start", To: "date_end", Assumed: true},
		Dated: &schema.Dated{
			On: "date", Figures: []string{"sub_total", "tax_amount", "total"}, Currency: "currency_code", Rate: "exchange_rate",
			With:  []string{"account_id", "paid_through_account_id", "vendor_id", "tax_id"},
			Lines: "line_items", LineColumns: []string{"line_item_id", "account_id", "amount", "tax_id"},
		},
		Cursor:   schema.FullScan{Modified: "last_modified_time"},
		Every:    "6h",
		Columns:  expenseColumns(),
		Children: expenseChildren(),
		Ignored:  noise(),
		Assumed: []string{
			"The list, its path and its key are not shown.",
			"The answer to one expense, its path and its key are not shown.",
			"What the fields of an expense hold beside their names is not shown for most of them.",
		},
	}
}

func expenseColumns() []schema.Column {
	columns := append(expenseCore(), expenseTax()...)
	columns = append(columns, expenseMileage()...)
	return append(columns, expenseLive()...)
}

func expenseCore() []schema.Column {
	return []schema.Column{
		schema.ID("expense_id", "Identifier of the expense; unique within the organization."),
		schema.ID("expense_item_id", "Identifier of the only line of an expense that is not split into lines."),
		schema.ID("transaction_id", "Identifier of the booking that the expense is."),
		schema.Text("transaction_type", "Kind of the booking, such as expense.").Is(schema.Plain),
		schema.Text("expense_type", "Kind of the expense as upstream tells them apart; values are not documented.").Is(schema.Plain),
		schema.Text("status", "Whether the expense was charged to a customer or paid back; unbilled is the only state documented, the "+
			"others come from live services.").Is(schema.Plain).OneOf("unbilled", "nonbillable", "invoiced", "reimbursed", "billable"),
		schema.Date("date", "Day on which the money was spent."),
		schema.ID("account_id", "Identifier of the account that the expense is booked on."),
		schema.Text("account_name", "Name of the account that the expense is booked on.").Is(schema.Plain),
		schema.ID("paid_through_account_id", "Identifier of the account that the money left."),
		schema.Text("paid_through_account_name", "Name of the account that the money left.").Is(schema.Plain),
		schema.ID("vendor_id", "Identifier of the vendor whom the money went to."),
		schema.ID("customer_id", "Identifier of the customer whom the expense was made for."),
		schema.Text("customer_name", "Name of the customer whom the expense was made for.").Is(schema.Company),
		schema.ID("project_id", "Identifier of the project that the expense was made for."),
		schema.Text("project_name", "Name of the project that the expense was made for.").Is(schema.Plain),
		schema.ID("employee_id", "Identifier of the employee who spent the money."),
		schema.ID("reference_number", "Number that the expense is filed under, such as that of a receipt."),
		schema.Text("description", "Free note on the expense.").Is(schema.FreeText),
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
		schema.Text("location_name", "Name of the location that the expense is booked for.").Is(schema.Plain),
		schema.Text("expense_receipt_name", "File name of the receipt that is attached.").Is(schema.FreeText),
		schema.Text("expense_receipt_type", "File type of the receipt that is attached, such as pdf.").Is(schema.Plain),
		schema.JSON("custom_fields", "Fields that the organization added to its expenses, kept as JSON because the documents name the "+
			"key but not its shape.").Is(schema.FreeText),
		schema.Time("last_modified_time", "When the expense last changed."),
	}
}

func expenseTax() []schema.Column {
	return []schema.Column{
		schema.Bool("is_inclusive_tax", "Whether the amount was entered with tax in it."),
		schema.ID("tax_id", "Identifier of the tax on the expense."),
		schema.Text("tax_name", "Name of the tax on the expense.").Is(schema.Plain),
		schema.Decimal("tax_percentage", "Rate of the tax on the expense, in percent."),
		schema.Decimal("tax_amount", "Tax in the expense, in its currency."),
		schema.Text("gst_treatment", "How the vendor stands to Indian GST: business_gst, business_none, overseas or consumer.").Is(schema.Plain).
			OneOf("business_gst", "business_none", "overseas", "consumer"),
		schema.ID("gst_no", "Indian GST number of the vendor.").Is(schema.TaxNumber),
		schema.Bool("is_pre_gst", "Whether the expense dates from before Indian GST."),
		schema.ID("hsn_or_sac", "Code of the goods or services for Indian GST."),
		schema.Text("tax_treatment", "How the vendor stands to VAT in the Gulf states, in Kenya or in South Africa.").Is(schema.Plain).
			OneOf("vat_registered", "vat_not_registered", "gcc_vat_registered", "gcc_vat_not_registered", "non_gcc",
				"dz_vat_registered", "dz_vat_not_registered", "non_kenya", "overseas"),
		schema.Text("vat_treatment", "How the vendor stands to UK VAT, such as uk or overseas.").Is(schema.Plain).
			OneOf("uk", "eu_vat_registered", "overseas", "eu_vat_not_registered", "non_eu"),
		schema.ID("vat_reg_no", "VAT number of the vendor.").Is(schema.TaxNumber),
		schema.Text("product_type", "What was bought: goods or service, and kinds of them that editions add.").Is(schema.Plain).OneOf(productTypes()...),
		schema.ID("place_of_supply", "Code of the place of supply for VAT, such as AE or DU."),
		schema.ID("source_of_supply", "Code of the place that was supplied from, for GST or VAT."),
		schema.ID("destination_of_supply", "Code of the place that was supplied to, for GST or VAT."),
		schema.Text("destination_of_supply_state", "State that was supplied to, for Indian GST.").Is(schema.Plain),
		schema.ID("acquisition_vat_id", "Identifier of the VAT on what was acquired from the EU; UK edition only."),
		schema.Decimal("acquisition_vat_total", "Sum of the VAT on acquisitions, in the expense's currency."),
		schema.JSON("acquisition_vat_summary", "VAT on acquisitions by rate, kept as JSON because the documents name the key but not its shape.").Is(schema.Plain),
		schema.ID("reverse_charge_vat_id", "Identifier of the VAT that the organization owes in place of the vendor."),
		schema.Decimal("reverse_charge_vat_total", "Sum of the VAT owed in place of the vendor, in the expense's currency."),
		schema.JSON("reverse_charge_vat_summary", "VAT owed in place of the vendor by rate, kept as JSON because the documents name the key "+
			"but not its shape.").Is(schema.Plain),
		schema.ID("reverse_charge_tax_id", "Identifier of the tax that the organization owes in place of the vendor."),
		schema.Text("reverse_charge_tax_name", "Name of the tax that the organization owes in place of the vendor.").Is(schema.Plain),
		schema.Decimal("reverse_charge_tax_percentage", "Rate of that tax, in percent."),
		schema.Decimal("reverse_charge_tax_amount", "Amount of that tax, in the expense's currency."),
	}
}

func expenseMileage() []schema.Column {
	return []schema.Column{
		schema.Text("mileage_type", "How the distance was taken: odometer, manual, or non_mileage for an expense that is none of a drive.").Is(schema.Plain).
			OneOf("odometer", "manual", "non_mileage"),
		schema.Decimal("start_reading", "Reading of the odometer before the drive, in the mileage unit."),
		schema.Decimal("end_reading", "Reading of the odometer after the drive, in the mileage unit."),
		schema.Decimal("distance", "Distance driven, in the mileage unit."),
		schema.Text("mileage_unit", "Unit of distance and rate: km or mile.").Is(schema.Plain).OneOf("km", "mile"),
		schema.Decimal("mileage_rate", "Amount paid for one unit of distance, in the expense's currency."),
		schema.Text("vehicle_type", "What was driven: car, van, motorcycle or bike.").Is(schema.Plain).OneOf("car", "van", "motorcycle", "bike"),
		schema.Text("fuel_type", "What the vehicle ran on: petrol, lpg or diesel.").Is(schema.Plain).OneOf("petrol", "lpg", "diesel"),
		schema.Text("engine_capacity_range", "Size class of the engine, which the VAT that can be reclaimed depends on; UK edition only.").Is(schema.Plain).
			OneOf("less_than_1400cc", "between_1400cc_and_1600cc", "between_1600cc_and_2000cc", "more_than_2000cc"),
		schema.Bool("can_reclaim_vat_on_mileage", "Whether VAT on the fuel can be reclaimed; UK edition only."),
	}
}

// expenseLive returns what no document names. Source: docs/upstream.md U315 and U335.
func expenseLive() []schema.Column {
	return append(expensePeople(), []schema.Column{
		schema.Time("created_time", "When the expense was entered.").Assume(),
		schema.Text("vendor_name", "Name of the vendor whom the money went to.").Is(schema.Company).Assume(),
		schema.Decimal("total_without_tax", "Amount before tax, in the expense's currency; the list alone has it.").Assume(),
		schema.Decimal("bcy_total_without_tax", "Amount before tax, in the base currency; the list alone has it.").Assume(),
		schema.ID("report_id", "Identifier of the expense report that the expense was handed in with.").Assume(),
		schema.ID("report_number", "Number of the expense report that the expense was handed in with.").Assume(),
		schema.Text("report_name", "Title of the expense report, in the words of its author.").Is(schema.FreeText).Assume(),
		schema.Text("report_status", "How far the expense report got.").Is(schema.Plain).Assume(),
		schema.Bool("is_reimbursable", "Whether the employee gets the money back.").Assume(),
		schema.Text("payment_mode", "How it was paid, such as Cash; organizations add their own.").Is(schema.Plain).Assume(),
		schema.ID("merchant_id", "Identifier of the shop, where a card feed or a scan showed it; not the vendor.").Assume(),
		schema.Text("merchant_name", "Name of the shop, where a card feed or a scan showed it; not the vendor.").Is(schema.Company).Assume(),
		schema.Bool("has_attachment", "Whether a receipt is attached; the list alone has it.").Assume(),
		schema.Text("custom_fields_list", "Fields of the organization that it shows in the list, in one text; empty mostly.").Is(schema.FreeText).Assume(),
		schema.Text("location", "Place where the money was spent, as the user wrote it; not the location of the organization.").
			Is(schema.FreeText).Assume(),
		schema.Decimal("markup_percent", "Rate put on top when the expense is charged to the customer, in percent.").Assume(),
		schema.ID("vehicle_id", "Identifier of the vehicle of a mileage expense.").Assume(),
		schema.Text("vehicle_name", "Name that a user gave the vehicle.").Is(schema.FreeText).Assume(),
		schema.Bool("is_surcharge_applicable", "Whether a surcharge for paying by card came on top.").Assume(),
		schema.Decimal("fcy_surcharge_amount", "Surcharge for paying by card, in the expense's currency.").Assume(),
		schema.Decimal("bcy_surcharge_amount", "Surcharge for paying by card, in the base currency.").Assume(),
		schema.ID("zcrm_potential_id", "Identifier of the deal in the CRM that the expense was made for.").Assume(),
		schema.Text("zcrm_potential_name", "Name of the deal in the CRM, often that of the customer.").Is(schema.Company).Assume(),
		schema.JSON("imported_transactions", "Bank lines matched with the expense, kept as JSON because no source shows their shape.").
			Is(schema.FreeText).Assume(),
	}...)
}

func expensePeople() []schema.Column {
	return []schema.Column{
		schema.ID("user_id", "Identifier of the user whose expense it is.").Assume(),
		schema.Text("user_name", "Name of the user whose expense it is.").Is(schema.Person).Assume(),
		schema.Text("user_email", "E-mail address of the user whose expense it is.").Is(schema.Contact).Assume(),
		schema.Text("employee_name", "Name of the employee who spent the money.").Is(schema.Person).Assume(),
		schema.Text("employee_email", "E-mail address of the employee who spent the money.").Is(schema.Contact).Assume(),
		schema.ID("created_by_id", "Identifier of the user who entered the expense.").Assume(),
		schema.ID("last_modified_by_id", "Identifier of the user who last changed the expense.").Assume(),
		schema.ID("approver_id", "Identifier of the user who has to approve the expense.").Assume(),
		schema.Text("approver_name", "Name of the user who has to approve the expense.").Is(schema.Person).Assume(),
		schema.Text("approver_email", "E-mail address of the user who has to approve the expense.").Is(schema.Contact).Assume(),
	}
}
