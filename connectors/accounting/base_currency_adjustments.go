package accounting

import "sluice/schema"

// baseCurrencyAdjustments declares the list of adjustments to new exchange rates. Source:
// docs/upstream.md U180 (with the name of the filter) and U181; that the list lacks the accounts:
// U182. A filter by modification time (U106, U329) exists, but records carry none that its answer
// could be held against.
func baseCurrencyAdjustments() schema.Resource {
	return schema.Resource{
		Name:    "base_currency_adjustments",
		Doc:     "What balances in a foreign currency gained or lost when its exchange rate was set anew.",
		Path:    "/basecurrencyadjustment",
		Key:     "base_currency_adjustments",
		Params:  map[string]string{"filter_by": "Date.All"},
		ID:      "base_currency_adjustment_id",
		Scope:   "accountants",
		Single:  &schema.Single{Path: "/basecurrencyadjustment/{id}", Key: "data"},
		Details: &schema.Details{Marker: "accounts", Value: &schema.Value{Amounts: []string{"gain_or_loss"}, Base: true}},
		Dated: &schema.Dated{
			On: "adjustment_date", Figures: []string{"gain_or_loss"}, With: []string{"currency_code", "exchange_rate"},
			Lines: "accounts", LineColumns: []string{"account_id", "gain_or_loss"},
		},
		Cursor:   schema.FullScan{},
		Complete: "The filter Date.All is asked for (docs/upstream.md U180).",
		Every:    "12h",
		Columns: []schema.Column{
			schema.ID("base_currency_adjustment_id", "Identifier of the adjustment; unique within the organization."),
			schema.Date("adjustment_date", "Day from which the new exchange rate counts."),
			schema.Decimal("exchange_rate", "The new price of one unit of the currency in the base currency."),
			schema.ID("currency_id", "Identifier of the currency that was adjusted."),
			schema.ID("currency_code", "ISO code of the currency that was adjusted."),
			schema.Text("notes", "Free note on the adjustment.").Is(schema.FreeText),
			schema.Decimal("gain_or_loss", "Gain of all accounts by the new rate, in the base currency; a loss is negative."),
		},
		Children: []schema.Child{{
			Name: "accounts",
			Doc:  "What the balance of one account gained or lost by an adjustment.",
			Columns: []schema.Column{
				schema.ID("account_id", "Identifier of the account whose balance was adjusted."),
				schema.Text("account_name", "Name of the account whose balance was adjusted.").Is(schema.Plain),
				schema.Decimal("bcy_balance", "Balance before the adjustment, in the base currency."),
				schema.Decimal("fcy_balance", "Balance of the account in the currency that was adjusted."),
				schema.Decimal("adjusted_balance", "Balance after the adjustment, in the base currency."),
				schema.Decimal("gain_or_loss", "Gain of the account by the new rate, in the base currency; a loss is negative."),
				schema.Int("gl_specific_type", "Number of the account's role in the ledger; its meaning is not documented."),
			},
		}},
		Assumed: []string{
			"The filter that asks for all dates is the parameter filter_by.",
			"The list leaves out the accounts, which only the single record has.",
			"The list calls the identifier base_currency_adjustment_id, which the endpoint table shortens to id.",
		},
	}
}

// baseCurrencyAdjustmentAccounts previews an adjustment before it is made. Source: docs/upstream.md
// U184; its answer is one of the gaps.
func baseCurrencyAdjustmentAccounts() schema.Read {
	return schema.Read{
		Name:  "base_currency_adjustment_accounts",
		Doc:   "Accounts with bookings that a new exchange rate of a currency would adjust, before it is set.",
		Path:  "/basecurrencyadjustment/accounts",
		Key:   "data",
		Scope: "accountants",
		Params: []schema.Param{
			{Name: "currency_id", Doc: "Identifier of the currency whose rate would be set.", Required: true},
			{Name: "adjustment_date", Doc: "Day from which the rate would count, as YYYY-MM-DD.", Required: true},
			{Name: "exchange_rate", Doc: "Price of one unit of the currency in the base currency.", Required: true},
			{Name: "notes", Doc: "Free note on the adjustment."},
		},
		Assumed: []string{
			"The answer is not shown; the key data is that of the single record.",
			"Which parameters must be given is not shown.",
		},
	}
}
