package connectors

import "sluice/schema"

// organizations declares the list of businesses that a token may act for. Four services answer it
// alike, each under its own root, so it is declared once. Source: docs/upstream.md U150 and U151.
// That it comes without pages: U82.
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
		Columns: []schema.Column{
			schema.ID("organization_id", "Identifier of the organization that the row describes; the organization that asked is in "+
				"organization_id.").As("id"),
			schema.Text("name", "Name of the organization as it stands on documents.").Is(schema.Company),
			schema.Text("contact_name", "Name of the person who speaks for the organization.").Is(schema.Person),
			schema.Text("email", "Address of the person who speaks for the organization.").Is(schema.Contact),
			schema.Bool("is_default_org", "Whether it is the organization that the user's web client opens with."),
			schema.Bool("is_org_active", "Whether the organization can still be worked with."),
			schema.Text("language_code", "Language of the organization, such as en; texts of answers are in it.").Is(schema.Plain),
			schema.Int("fiscal_year_start_month", "Month in which its fiscal year begins, as upstream counts months; from 0 or from 1 is not documented."),
			schema.Date("account_created_date", "Day on which the organization was set up in the service."),
			schema.Text("time_zone", "Time zone of the organization by its name; times without an offset are read in it.").Is(schema.Plain),
			schema.ID("currency_id", "Identifier of the base currency: the one that the books are kept in."),
			schema.ID("currency_code", "ISO code of the base currency."),
			schema.Text("currency_symbol", "Symbol of the base currency, for display.").Is(schema.Plain),
			schema.Text("currency_format", "How amounts in the base currency are written, such as 1,234,567.89.").Is(schema.Plain),
			schema.Int("price_precision", "Decimals that prices in the base currency are shown with."),
		},
		Assumed: []string{
			"The list comes whole, without pages.",
			"The area of the scope is not shown; settings is assumed.",
		},
	}
}
