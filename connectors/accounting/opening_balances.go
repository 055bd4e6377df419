package accounting

import "sluice/schema"

// openingBalances declares the balance that the books began with: one object, at most one an
// organization. Source: docs/upstream.md U162 to U164; the spelling of acount_split_id is the
// document's.
func openingBalances() schema.Resource {
	return schema.Resource{
		Name:   "opening_balances",
		Doc:    "What stood on the accounts when the organization began to keep its books here; at most one an organization.",
		Path:   "/settings/openingbalances",
		Paging: schema.PagingWhole,
		Key:    "opening_balance",
		ID:     "opening_balance_id",
		Scope:  "settings",
		Cursor: schema.Snapshot{},
		Dated: &schema.Dated{
			On: "date", Figures: []string{"total"},
			Lines: "accounts", LineColumns: []string{"account_id", "debit_or_credit", "amount", "bcy_amount", "currency_code"},
		},
		Every: "24h",
		Columns: []schema.Column{
			schema.ID("opening_balance_id", "Identifier of the opening balance; unique within the organization."),
			schema.Date("date", "Day on which the balances stood."),
			schema.Int("price_precision", "Decimals that the amounts are shown with."),
			schema.Decimal("total", "Total of the opening balance as the service gives it, in the base currency."),
		},
		Children: []schema.Child{{
			Name: "accounts",
			Doc:  "One line of the opening balance: what stood on one account in one currency.",
			Columns: []schema.Column{
				schema.ID("acount_split_id", "Identifier of the line; the spelling is that of the service."),
				schema.ID("account_id", "Identifier of the account that the amount stood on."),
				schema.Text("account_name", "Name of the account that the amount stood on.").Is(schema.Plain),
				schema.Text("debit_or_credit", "The side of the account that the amount stood on: debit or credit.").Is(schema.Plain).OneOf("debit", "credit"),
				schema.Decimal("amount", "Amount that stood on the account, in the currency of the line."),
				schema.Decimal("bcy_amount", "The same amount in the base currency of the organization."),
				schema.Decimal("exchange_rate", "Price of one unit of the line's currency in the base currency."),
				schema.ID("currency_id", "Identifier of the currency of the line."),
				schema.ID("currency_code", "ISO code of the currency of the line."),
				schema.ID("location_id", "Identifier of the location of the organization that the line is booked for."),
				schema.Text("location_name", "Name of the location that the line is booked for.").Is(schema.Plain),
			},
		}},
	}
}
