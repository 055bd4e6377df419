package accounting

import "sluice/schema"

// expenseChildren returns the arrays of an expense. Source: docs/upstream.md U186; what live
// services add: U310, U311, U333 and U335.
func expenseChildren() []schema.Child {
	return []schema.Child{
		{
			Name: "line_items",
			Doc:  "One line of an expense: what was bought and which account it is booked on.",
			Columns: []schema.Column{
				schema.ID("line_item_id", "Identifier of the line."),
				schema.Int("item_order", "Place of the line on the expense, as the user sorted it."),
				schema.ID("account_id", "Identifier of the account that the line is booked on."),
				schema.Text("description", "Text of the line.").Is(schema.FreeText),
				schema.Decimal("amount", "Amount of the line, in the expense's currency."),
				schema.Text("product_type", "What was bought: goods or service, and kinds of them that editions add.").Is(schema.Plain).OneOf(productTypes()...),
				schema.ID("tax_id", "Identifier of the tax on the line."),
				schema.ID("acquisition_vat_id", "Identifier of the VAT on what was acquired from the EU; UK edition only."),
				schema.ID("reverse_charge_vat_id", "Identifier of the VAT that the organization owes in place of the vendor."),
				schema.ID("reverse_charge_tax_id", "Identifier of the tax that the organization owes in place of the vendor."),
				schema.ID("tax_exemption_id", "Identifier of the reason why the line is not taxed."),
				schema.ID("tax_exemption_code", "Code of the reason why the line is not taxed."),
				schema.ID("location_id", "Identifier of the location of the organization that the line is booked for."),
				schema.Text("account_name", "Name of the account that the line is booked on.").Is(schema.Plain).Assume(),
				schema.Decimal("item_total", "Amount of the line before tax, in the expense's currency.").Assume(),
				schema.Decimal("tax_amount", "Tax on the line, in the expense's currency.").Assume(),
				schema.Text("tax_name", "Name of the tax on the line.").Is(schema.Plain).Assume(),
				schema.Text("tax_type", "Kind of the tax on the line.").Is(schema.Plain).Assume(),
				schema.Decimal("tax_percentage", "Rate of the tax on the line, in percent.").Assume(),
				schema.ID("hsn_or_sac", "Code of the goods or services of the line; in India and Kenya.").Assume(),
				schema.Text("reverse_charge_tax_name", "Name of the tax that the organization owes in place of the vendor; in India.").Is(schema.Plain).Assume(),
				schema.Decimal("reverse_charge_tax_percentage", "Rate of that tax, in percent; in India.").Assume(),
				schema.Decimal("reverse_charge_tax_amount", "Amount of that tax, in the expense's currency; in India.").Assume(),
			},
			Children: []schema.Child{tags("a line of an expense"), lineItemTaxes()},
		},
		{
			Name: "taxes",
			Doc:  "The sum of one tax over all lines of an expense.",
			Columns: []schema.Column{
				schema.ID("tax_id", "Identifier of the tax."),
				schema.Decimal("tax_amount", "Sum of the tax, in the expense's currency."),
			},
		},
		tags("an expense"),
		expenseDocuments(),
	}
}

func lineItemTaxes() schema.Child {
	return schema.Child{
		Name: "line_item_taxes",
		Doc:  "One tax on one line of an expense.",
		Columns: []schema.Column{
			schema.ID("tax_id", "Identifier of the tax.").Assume(),
			schema.Text("tax_name", "Name of the tax.").Is(schema.Plain).Assume(),
			schema.Decimal("tax_amount", "Tax on the line, in the expense's currency.").Assume(),
		},
	}
}

func expenseDocuments() schema.Child {
	return schema.Child{
		Name: "documents",
		Doc:  "A file that is attached to an expense, such as the picture of a receipt.",
		Columns: []schema.Column{
			schema.ID("document_id", "Identifier of the file.").Assume(),
			schema.Text("file_name", "Name of the file as it was uploaded.").Is(schema.FreeText).Assume(),
			schema.Text("file_type", "Kind of the file, such as pdf.").Is(schema.Plain).Assume(),
			schema.Int("file_size", "Size of the file, in bytes.").Assume(),
			schema.Int("attachment_order", "Place of the file among those of the expense.").Assume(),
			schema.Text("source", "How the file came to the service.").Is(schema.Plain).Assume(),
			schema.Text("uploaded_by", "Name of the user who uploaded the file.").Is(schema.Person).Assume(),
			schema.ID("uploaded_by_id", "Identifier of the user who uploaded the file.").Assume(),
			schema.Text("uploaded_on", "When the file was uploaded, as the organization's settings write it; for display only.").Is(schema.Plain).Assume(),
		},
	}
}

// productTypes returns those of all editions: digital_service is the UK's, the last two are South
// Africa's.
func productTypes() []string {
	return []string{"goods", "service", "digital_service", "capital_service", "capital_goods"}
}
