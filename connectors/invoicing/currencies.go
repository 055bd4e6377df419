package invoicing

import "sluice/schema"

// currencies declares the list of currencies. Source: docs/upstream.md U197 to U199; what live
// services add: U326 and U338. The list shows the rate in force only: what it was before is kept
// from one read to the next.
func currencies() schema.Resource {
	return schema.Resource{
		Name:     "currencies",
		Doc:      "A currency that the organization trades in, with its exchange rate in force.",
		Path:     "/settings/currencies",
		Key:      "currencies",
		ID:       "currency_id",
		Scope:    "settings",
		Single:   &schema.Single{Path: "/settings/currencies/{id}", Key: "currency"},
		History:  []string{"exchange_rate", "effective_date"},
		Cursor:   schema.FullScan{},
		Complete: "The one filter there is leaves out the base currency, and has to be asked for (docs/upstream.md U197).",
		Every:    "6h",
		Columns: []schema.Column{
			schema.ID("currency_id", "Identifier of the currency; unique within the organization."),
			schema.ID("currency_code", "ISO code of the currency."),
			schema.Text("currency_name", "Name of the currency, with its code.").Is(schema.Plain),
			schema.Text("currency_symbol", "Symbol of the currency, for display.").Is(schema.Plain),
			schema.Int("price_precision", "Decimals that prices in the currency are shown with."),
			schema.Text("currency_format", "How amounts in the currency are written, such as 1,234,567.89.").Is(schema.Plain),
			schema.Bool("is_base_currency", "Whether it is the currency that the organization keeps its books in."),
			schema.Decimal("exchange_rate", "Price of one unit of the currency in the base currency, at the time of the last read."),
			schema.Date("effective_date", "Day from which the exchange rate counts."),
			schema.Bool("auto_exchange_rate_enabled", "Whether the exchange rate follows a feed by itself.").Assume(),
			schema.Text("currency_name_formatted", "Code and name of the currency; where it comes, currency_name is the bare name.").Is(schema.Plain).Assume(),
		},
		Assumed: []string{
			"The list takes page and per_page like the others; no page_context is shown, and without one the first page is all.",
			"The key of the answer to one currency is not shown.",
		},
	}
}
