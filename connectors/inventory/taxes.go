package inventory

import "sluice/schema"

// taxes is the list of taxes. Source: docs/upstream.md U212 to U215; that inactive ones must be
// asked for: U103.
func taxes() schema.Resource {
	return schema.Resource{
		Name:     "taxes",
		Doc:      "A tax with its rate, as it is put on items and lines.",
		Path:     "/settings/taxes",
		Key:      "taxes",
		Params:   map[string]string{"filter_by": "Taxes.All"},
		ID:       "tax_id",
		Scope:    "settings",
		Single:   &schema.Single{Path: "/settings/taxes/{id}", Key: "tax"},
		Cursor:   schema.FullScan{},
		Complete: "The filter Taxes.All is asked for (docs/upstream.md U103).",
		Every:    "12h",
		Columns: []schema.Column{
			schema.ID("tax_id", "Identifier of the tax; unique within the organization."),
			schema.Text("tax_name", "Name of the tax, often with its rate."),
			schema.Decimal("tax_percentage", "Rate of the tax, in percent."),
			schema.Text("tax_type", "Whether it is a simple tax or a compound_tax, one on top of another.").OneOf("tax", "compound_tax"),
			schema.Text("tax_factor", "What the tax is worked out from; rate is the value used."),
			schema.Text("tax_specific_type", "Kind of the tax by law: igst, cgst, sgst, nil or cess in India, isr, iva or ieps in Mexico.").
				OneOf("igst", "cgst", "sgst", "nil", "cess", "isr", "iva", "ieps"),
			schema.Bool("is_value_added", "Whether it is a value added tax."),
			schema.Bool("is_default_tax", "Whether new items get the tax by default."),
			schema.ID("tax_authority_id", "Identifier of the authority that the tax is owed to."),
			schema.Text("tax_authority_name", "Name of the authority that the tax is owed to."),
			schema.Text("country", "Country that the tax is owed in, by name."),
			schema.ID("country_code", "Code of the country that the tax is owed in."),
			schema.ID("tax_account_id", "Identifier of the account that tax on sales is booked on."),
			schema.Text("output_tax_account_name", "Name of the account that tax on sales is booked on."),
			schema.ID("purchase_tax_account_id", "Identifier of the account that tax on purchases is booked on."),
			schema.Text("purchase_tax_account_name", "Name of the account that tax on purchases is booked on."),
			schema.ID("purchase_tax_expense_account_id", "Identifier of the account that tax on purchases is booked on where it cannot be reclaimed."),
			schema.ID("tds_payable_account_id", "Identifier of the account that tax withheld at source is booked on."),
		},
		Ignored: map[string]string{
			"is_editable":          "an instruction to the service, and no property of the tax",
			"update_draft_invoice": "an instruction to the service, and no property of the tax",
			"update_draft_so":      "an instruction to the service, and no property of the tax",
		},
		Assumed: []string{
			"The list hides inactive taxes unless filter_by asks for Taxes.All.",
		},
	}
}
