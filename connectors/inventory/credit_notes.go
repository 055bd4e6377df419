package inventory

import "sluice/schema"

// creditNotes declares the list of credit notes. Source: docs/upstream.md U223 to U227; the list
// key: U224; the two keys of the modification time: U231. The document shows no exchange rate, so
// totals do not decide which single record is read first.
func creditNotes() schema.Resource {
	return schema.Resource{
		Name:     "credit_notes",
		Doc:      "What the organization owes a customer back, for a return or a mistake.",
		Path:     "/creditnotes",
		Key:      "creditnotes",
		ID:       "creditnote_id",
		Scope:    "creditnotes",
		Single:   &schema.Single{Path: "/creditnotes/{id}", Key: "creditnote", Assumed: true},
		Details:  &schema.Details{Marker: "line_items", Value: &schema.Value{Open: &schema.Open{Column: "status", Is: []string{"open"}}}},
		Cursor:   schema.FullScan{Modified: "updated_time", Created: "created_time", Sort: "created_time"},
		Complete: "The list answers Status.All unless asked otherwise (docs/upstream.md U104).",
		Every:    "6h",
		Columns: []schema.Column{
			schema.ID("creditnote_id", "Identifier of the credit note; unique within the organization."),
			schema.ID("creditnote_number", "Number of the credit note as the customer sees it."),
			schema.ID("reference_number", "Number that the credit note refers to, such as that of an order."),
			schema.Date("date", "Day of the credit note."),
			schema.Text("status", "Where the credit note stands: draft, open, closed or void.").OneOf("draft", "open", "closed", "void"),
			schema.ID("customer_id", "Identifier of the customer who is credited."),
			schema.Text("customer_name", "Name of the customer who is credited."),
			schema.Text("email", "Address that the credit note is sent to."),
			schema.Decimal("total", "Amount credited with tax, in the currency of the credit note."),
			schema.Decimal("balance", "Part of the credit that is not used yet, in the currency of the credit note."),
			schema.ID("currency_code", "ISO code of the currency of the credit note."),
			schema.Text("currency_symbol", "Symbol of the currency of the credit note, for display."),
			schema.ID("location_id", "Identifier of the location of the organization that the credit note is booked for."),
			schema.Text("location_name", "Name of the location that the credit note is booked for."),
			schema.Bool("is_pre_gst", "Whether the credit note dates from before Indian GST."),
			schema.Text("place_of_supply", "Place that the goods were supplied to, for GST or VAT."),
			schema.Text("gst_treatment", "How the customer stands to Indian GST: business_gst, business_none, overseas or consumer.").
				OneOf("business_gst", "business_none", "overseas", "consumer"),
			schema.ID("gst_no", "Indian GST number of the customer."),
			schema.Text("vat_treatment", "How the customer stands to UK VAT, such as overseas.").
				OneOf("uk", "eu_vat_registered", "overseas", "eu_vat_not_registered", "non_eu"),
			schema.ID("vat_reg_no", "VAT number of the customer."),
			schema.Text("tax_treatment", "How the customer stands to VAT in the Gulf states or in Mexico.").
				OneOf("vat_registered", "vat_not_registered", "gcc_vat_registered", "gcc_vat_not_registered", "non_gcc",
					"dz_vat_registered", "dz_vat_not_registered", "home_country_mexico", "border_region_mexico", "non_mexico"),
			schema.Text("cfdi_usage", "What the customer uses the goods for, by the Mexican list of purposes.").OneOf(cfdiUsages()...),
			schema.Text("cfdi_reference_type", "How the credit note relates to an earlier Mexican invoice.").
				OneOf("cfdi_for_advance", "credit_note", "debit_note", "invoice_generated_from_order", "return_of_merchandise",
					"substitution_previous_cfdi", "transfer_of_goods"),
			schema.ID("template_id", "Identifier of the layout that the credit note is printed with."),
			schema.Text("template_name", "Name of the layout that the credit note is printed with."),
			schema.Text("notes", "Free note on the credit note."),
			schema.Text("terms", "Terms and conditions of the credit note."),
			schema.Time("created_time", "When the credit note was entered."),
			schema.Time("updated_time", "When the credit note last changed.").OrAs("last_modified_time"),
		},
		Children: creditNoteChildren(),
		Assumed: []string{
			"The list answers under the key creditnotes.",
			"The list leaves out lines, taxes, invoices, addresses and custom fields, which only the single record has.",
			"The answer to one credit note, its path and its key are not shown.",
		},
	}
}

func creditNoteChildren() []schema.Child {
	return []schema.Child{
		{
			Name:    "line_items",
			Doc:     "One line of a credit note: what is credited.",
			Columns: creditNoteLine(),
			Children: []schema.Child{{
				Name:   "serial_numbers",
				Doc:    "The serial number of one unit that was returned.",
				Scalar: true,
				Columns: []schema.Column{
					schema.ID("serial_number", "Serial number of the unit, leading zeros kept."),
				},
			}},
		},
		{
			Name: "invoices",
			Doc:  "An invoice that a credit note settles a part of.",
			Columns: []schema.Column{
				schema.ID("invoice_id", "Identifier of the invoice."),
				schema.ID("invoice_number", "Number of the invoice as the customer sees it."),
				schema.Decimal("amount", "Part of the credit used on the invoice, in the currency of the credit note."),
			},
		},
		{
			Name: "taxes",
			Doc:  "The sum of one tax over all lines of a credit note.",
			Columns: []schema.Column{
				schema.ID("tax_id", "Identifier of the tax."),
				schema.Text("tax_name", "Name of the tax with its rate."),
				schema.Decimal("tax_amount", "Sum of the tax, in the currency of the credit note."),
			},
		},
		{
			Name: "custom_fields",
			Doc:  "A field that the organization added to its credit notes, with its value on one of them.",
			Columns: []schema.Column{
				schema.Int("index", "Place of the field among the organization's own, from 1."),
				schema.Text("label", "Name of the field as the organization shows it."),
				schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field."),
			},
		},
		{
			Name: "billing_address", Doc: "The address that the credit note is made out to.", Object: true,
			Columns: creditNoteAddress(),
		},
		{
			Name: "shipping_address", Doc: "The address that the goods had been sent to.", Object: true,
			Columns: creditNoteAddress(),
		},
	}
}

func creditNoteAddress() []schema.Column {
	return []schema.Column{
		schema.Text("address", "Street and number."),
		schema.Text("street2", "Second line of the street, such as a floor."),
		schema.Text("city", "City or town."),
		schema.Text("state", "State, canton or province."),
		schema.ID("zip", "Postal code, leading zeros kept."),
		schema.Text("country", "Country by name."),
		schema.ID("fax", "Fax number as it was entered."),
	}
}

func creditNoteLine() []schema.Column {
	return []schema.Column{
		schema.ID("line_item_id", "Identifier of the line."),
		schema.ID("item_id", "Identifier of the item that is credited; null for a line of free text."),
		schema.Int("item_order", "Place of the line on the credit note, as the user sorted it."),
		schema.Text("name", "Name of what is credited."),
		schema.Text("description", "Text of the line."),
		schema.Text("product_type", "Whether the line is a thing or work: goods or service."),
		schema.ID("account_id", "Identifier of the account that the line is booked on."),
		schema.Decimal("quantity", "Number of units credited."),
		schema.Text("unit", "Unit that the quantity is counted in."),
		schema.Decimal("rate", "Price of one unit, in the currency of the credit note."),
		schema.JSON("discount", "Discount on the line, kept as JSON because it is an amount or a text with a percent sign."),
		schema.ID("tax_id", "Identifier of the tax on the line."),
		schema.ID("tds_tax_id", "Identifier of the tax withheld at source."),
		schema.ID("tax_exemption_id", "Identifier of the reason why the line is not taxed."),
		schema.ID("tax_exemption_code", "Code of the reason why the line is not taxed."),
		schema.ID("avatax_use_code", "Why the customer is exempt, by the code of the Avalara tax service."),
		schema.ID("avatax_tax_code", "What kind of goods it is, by the code of the Avalara tax service."),
		schema.ID("hsn_or_sac", "Code of the goods or services for Indian GST."),
		schema.ID("sat_item_key_code", "Code of the goods or services for Mexican invoices."),
		schema.ID("unitkey_code", "Code of the unit for Mexican invoices."),
		schema.ID("location_id", "Identifier of the location that takes the goods back."),
		schema.Text("location_name", "Name of the location that takes the goods back."),
		schema.ID("invoice_id", "Identifier of the invoice that the line takes back."),
		schema.ID("invoice_item_id", "Identifier of the line of that invoice."),
		schema.Bool("is_item_shipped", "Whether the goods had been shipped to the customer."),
		schema.Bool("is_returned_to_stock", "Whether the goods went back to stock."),
		schema.ID("salesreturn_item_id", "Identifier of the line of the return of goods that is credited."),
		schema.JSON("item_custom_fields", "Fields that the organization added to lines, kept as JSON because the documents "+
			"name the key but not its shape."),
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
