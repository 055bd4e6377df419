package inventory

import "sluice/schema"

// taxes is the list of taxes. Source: docs/upstream.md U212 to U215; that inactive ones must be
// asked for: U103; what live services send beside the documented keys: U325.
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
		Cursor:   schema.FullScan{Modified: "last_modified_time"},
		Complete: "The filter Taxes.All is asked for (docs/upstream.md U103).",
		Every:    "12h",
		Columns: []schema.Column{
			schema.ID("tax_id", "Identifier of the tax; unique within the organization."),
			schema.Text("tax_name", "Name of the tax, often with its rate.").Is(schema.Plain),
			schema.Decimal("tax_percentage", "Rate of the tax, in percent."),
			schema.Text("tax_type", "Whether it is a simple tax, a compound_tax (one on top of another) or a tax_group of several.").Is(schema.Plain).
				OneOf("tax", "compound_tax", "tax_group"),
			schema.Text("tax_factor", "What the tax is worked out from; rate is the value used.").Is(schema.Plain),
			schema.Text("tax_specific_type", "Kind of the tax by law: igst, cgst, sgst, nil or cess in India, isr, iva or ieps in Mexico.").Is(schema.Plain).
				OneOf("igst", "cgst", "sgst", "nil", "cess", "isr", "iva", "ieps"),
			schema.Bool("is_value_added", "Whether it is a value added tax."),
			schema.Bool("is_default_tax", "Whether new items get the tax by default."),
			schema.ID("tax_authority_id", "Identifier of the authority that the tax is owed to."),
			schema.Text("tax_authority_name", "Name of the authority that the tax is owed to.").Is(schema.Plain),
			schema.Text("country", "Country that the tax is owed in, by name.").Is(schema.Plain),
			schema.ID("country_code", "Code of the country that the tax is owed in."),
			schema.ID("tax_account_id", "Identifier of the account that tax on sales is booked on."),
			schema.Text("output_tax_account_name", "Name of the account that tax on sales is booked on.").Is(schema.Plain),
			schema.ID("purchase_tax_account_id", "Identifier of the account that tax on purchases is booked on."),
			schema.Text("purchase_tax_account_name", "Name of the account that tax on purchases is booked on.").Is(schema.Plain),
			schema.ID("purchase_tax_expense_account_id", "Identifier of the account that tax on purchases is booked on where it cannot be reclaimed."),
			schema.ID("tds_payable_account_id", "Identifier of the account that tax withheld at source is booked on."),
			schema.Text("status", "Whether the tax can still be used: Active or Inactive.").Is(schema.Plain).Assume(),
			schema.Bool("is_inactive", "Whether the tax can no longer be used; the same as a truth value.").Assume(),
			schema.Time("last_modified_time", "When the tax last changed.").Assume(),
			schema.Text("tax_specification", "Which sales it applies to in India: intra (within a state) or inter (across states).").Is(schema.Plain).Assume(),
			schema.Date("start_date", "First day on which the tax applies; null without a first one.").Assume(),
			schema.Date("end_date", "Last day on which the tax applies; null without a last one.").Assume(),
			schema.Text("diff_rate_reason", "Why the rate differs from the usual one in India.").Is(schema.FreeText).Assume(),
			schema.Text("tax_display_name", "Name of the tax as it is printed.").Is(schema.Plain).Assume(),
			schema.Text("description", "Free note on the tax.").Is(schema.FreeText).Assume(),
			schema.ID("reference_id", "Identifier of the entry in the default catalogue of taxes.").Assume(),
			schema.Bool("is_state_cess", "Whether it is the cess of an Indian state.").Assume(),
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
