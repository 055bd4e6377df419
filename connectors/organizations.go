package connectors

import "sluice/schema"

// organizations declares the list of businesses that a token may act for. Four services answer it
// alike, each under its own root, so it is declared once. Source: docs/upstream.md U150 and U151.
// That it comes without pages: U82; what live services add: U316 and U340. Industry, address, tax
// basis and tax numbers are not declared: they come with the single record alone, which is not
// read.
func organizations() schema.Resource {
	return schema.Resource{
		Name:   "organizations",
		Doc:    "A business that the credentials can act for, with its currency, time zone and language.",
		Path:   "/organizations",
		Paging: schema.PagingWhole,
		Key:    "organizations",
		ID:     "organization_id",
		Scope:  "settings",
		Cursor: schema.FullScan{},
		Every:  "24h",
		Columns: append([]schema.Column{
			schema.ID("organization_id", "Identifier of the organization that the row describes; the organization that asked is in "+
				"organization_id.").As("id"),
			schema.Text("name", "Name of the organization as it stands on documents.").Is(schema.Company),
			schema.Text("contact_name", "Name of the person who speaks for the organization.").Is(schema.Person),
			schema.Text("email", "Address of the person who speaks for the organization.").Is(schema.Contact),
			schema.Bool("is_default_org", "Whether it is the organization that the user's web client opens with."),
			schema.Bool("is_org_active", "Whether the organization can still be worked with."),
			schema.Text("language_code", "Language of the organization, such as en; texts of answers are in it.").Is(schema.Plain),
			schema.Int("fiscal_year_start_month", "Month in which its fiscal year begins; not documented how it is counted, live services count from 0, so "+
				"that 3 is April."),
			schema.Date("account_created_date", "Day on which the organization was set up in the service."),
			schema.Text("time_zone", "Time zone of the organization by its name; times without an offset are read in it.").Is(schema.Plain),
			schema.ID("currency_id", "Identifier of the base currency: the one that the books are kept in."),
			schema.ID("currency_code", "ISO code of the base currency."),
			schema.Text("currency_symbol", "Symbol of the base currency, for display.").Is(schema.Plain),
			schema.Text("currency_format", "How amounts in the base currency are written, such as 1,234,567.89.").Is(schema.Plain),
			schema.Int("price_precision", "Decimals that prices in the base currency are shown with."),
		}, organizationLive()...),
		Children: []schema.Child{
			{
				Name: "custom_fields",
				Doc:  "A field of the organization itself, with its value.",
				Columns: []schema.Column{
					schema.Int("index", "Place of the field among the organization's own, from 1.").Assume(),
					schema.Text("label", "Name of the field as the organization shows it.").Is(schema.Plain).Assume(),
					schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field.").Is(schema.FreeText).Assume(),
				},
			},
			{
				Name:    "org_joined_app_list",
				Doc:     "An application of the suite that the organization uses.",
				Scalar:  true,
				Columns: []schema.Column{schema.Text("application", "Name of the application.").Is(schema.Plain).Assume()},
			},
		},
		Assumed: []string{
			"The list comes whole, without pages.",
			"The area of the scope is not shown; settings is assumed.",
		},
	}
}

// organizationLive returns what no document names. Source: docs/upstream.md U316 and U340.
func organizationLive() []schema.Column {
	return append([]schema.Column{
		schema.Text("org_alias_name", "Second name of the organization.").Is(schema.Company).Assume(),
		schema.Text("country", "Country of the organization by name.").Is(schema.Plain).Assume(),
		schema.ID("country_code", "Code of the country of the organization.").Assume(),
		schema.Text("state", "State or province of the organization.").Is(schema.Plain).Assume(),
		schema.ID("state_code", "Code of the state or province.").Assume(),
		schema.ID("phone", "Telephone number of the organization as it was entered.").Is(schema.Contact).Assume(),
		schema.Text("version", "Edition of the service, such as that of a country: it decides which columns can have values.").Is(schema.Plain).Assume(),
		schema.Text("plan_name", "Plan that the organization subscribed to; the daily number of calls follows from it.").Is(schema.Plain).Assume(),
		schema.Text("plan_period", "Period that the plan is paid for.").Is(schema.Plain).Assume(),
		schema.Int("plan_type", "Number of the kind of plan; its meaning is not known.").Assume(),
		schema.Bool("is_trial_expired", "Whether a trial ran out.").Assume(),
		schema.Text("org_type", "Kind of the organization's account.").Is(schema.Plain).Assume(),
		schema.Text("mode", "Mode of the organization's account.").Is(schema.Plain).Assume(),
		schema.Int("source", "Number of the application that the organization was made in.").Assume(),
		schema.Int("user_status", "Number of the standing of the user whose credentials are used.").Assume(),
		schema.Bool("isOrgActive", "Second key of is_org_active, with the same value.").As("org_active").Assume(),
		schema.Bool("is_multientity_org", "Whether it is one of several entities under one roof.").Assume(),
		schema.Bool("is_multientity_enabled", "Whether several entities can be kept under one roof.").Assume(),
		schema.Bool("is_sku_enabled", "Whether items have stock keeping units (SKU).").Assume(),
		schema.Text("field_separator", "What stands between the fields of exported files, for display.").Is(schema.Plain).Assume(),
	}, organizationTax()...)
}

func organizationTax() []schema.Column {
	return []schema.Column{
		schema.Bool("is_tax_registered", "Whether the organization is registered for VAT, GST or sales tax.").Assume(),
		schema.Text("sales_tax_type", "How sales tax is set up.").Is(schema.Plain).Assume(),
		schema.Bool("tax_group_enabled", "Whether several taxes can be put together in a group.").Assume(),
		schema.Bool("is_sales_inclusive_tax_enabled", "Whether sales prices can be entered with tax in them.").Assume(),
		schema.Bool("is_registered_for_gst", "Whether the organization is registered for GST; in India.").Assume(),
		schema.Bool("is_gst_india_version", "Whether it is the edition for GST; in India.").Assume(),
		schema.Bool("is_registered_for_composite_scheme", "Whether the organization pays GST by the scheme for small businesses; in India.").Assume(),
		schema.Bool("is_hsn_or_sac_enabled", "Whether items have codes of goods and services for GST; in India.").Assume(),
		schema.Bool("is_sales_reverse_charge_enabled", "Whether customers can owe the tax on sales; in India.").Assume(),
		schema.Bool("is_export_with_payment_enabled", "Whether exports can be made with payment of GST; in India.").Assume(),
		schema.Bool("is_international_trade_enabled", "Whether the organization trades abroad.").Assume(),
		schema.Bool("is_designated_zone", "Whether it is in a zone with VAT rules of its own; in the Gulf states.").Assume(),
		schema.Bool("is_free_zone", "Whether it is in a free zone with VAT rules of its own; in the Gulf states.").Assume(),
	}
}
