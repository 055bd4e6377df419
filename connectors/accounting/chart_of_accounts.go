package accounting

import "sluice/schema"

// chartOfAccounts declares the list of accounts. Source: docs/upstream.md U165 to U169; that
// inactive accounts must be asked for: U103; what live services add: U313 and U336.
func chartOfAccounts() schema.Resource {
	return schema.Resource{
		Name:    "chart_of_accounts",
		Doc:     "An account of the ledger: where amounts are booked, with its balance.",
		Path:    "/chartofaccounts",
		Key:     "chartofaccounts",
		Unsized: 5000, // docs/upstream.md U83
		Params:  map[string]string{"showbalance": "true", "filter_by": "AccountType.All"},
		ID:      "account_id",
		Scope:   "accountants",
		Single:  &schema.Single{Path: "/chartofaccounts/{id}", Key: "chart_of_account", Assumed: true},
		// The live list lacks the fields that the organization added, and closing_balance: U313.
		Details:  &schema.Details{Marker: "custom_fields"},
		Cursor:   schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "created_time"},
		Complete: "The filter AccountType.All is asked for (docs/upstream.md U103 and U165).",
		Every:    "1h",
		Columns: append([]schema.Column{
			schema.ID("account_id", "Identifier of the account; unique within the organization."),
			schema.Text("account_name", "Name of the account as the organization shows it.").Is(schema.Plain),
			schema.ID("account_code", "Code that the organization gave the account, often its number in a statutory chart."),
			schema.Text("account_type", "Kind of the account, such as bank, expense or equity; more kinds occur than documented.").Is(schema.Plain).
				OneOf(append(accountTypes(), liveAccountTypes()...)...),
			schema.Bool("is_active", "Whether amounts can still be booked on the account."),
			schema.ID("currency_id", "Identifier of the currency that the account is kept in."),
			schema.ID("currency_code", "ISO code of the currency that the account is kept in."),
			schema.Text("description", "Free note on what is booked on the account.").Is(schema.FreeText),
			schema.Decimal("current_balance", "Balance at the time of the last read, in the currency of the account; moves "+
				"without the account being modified."),
			schema.ID("parent_account_id", "Identifier of the account that this one is a part of; null at the top."),
			schema.Text("parent_account_name", "Name of the account that this one is a part of.").Is(schema.Plain),
			schema.Int("depth", "Levels above the account in the tree of accounts; 0 at the top."),
			schema.Bool("is_child_present", "Whether other accounts are part of this one."),
			schema.Int("child_count", "Number of accounts directly below this one."),
			schema.Bool("is_standalone_account", "Whether the account is kept outside of the tree of accounts."),
			schema.Bool("is_system_account", "Whether the service created the account and needs it."),
			schema.Bool("is_user_created", "Whether a user of the organization created the account."),
			schema.Bool("is_involved_in_transaction", "Whether anything was ever booked on the account."),
			schema.Bool("has_attachment", "Whether files are attached to the account."),
			schema.Bool("can_show_in_ze", "Whether the expense application offers the account."),
			schema.Bool("include_in_vat_return", "Whether its amounts count for the VAT return; UK edition only."),
			schema.JSON("documents", "Attached files, kept as JSON because the documents do not show their shape.").Is(schema.FreeText),
			schema.Time("created_time", "When the account was created."),
			schema.Time("last_modified_time", "When the account itself last changed; bookings do not change it."),
		}, accountLive()...),
		Children: []schema.Child{{
			Name: "custom_fields",
			Doc:  "A field that the organization added to its accounts, with its value on one account.",
			Columns: []schema.Column{
				schema.ID("customfield_id", "Identifier of the field; the same on every account."),
				schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field.").Is(schema.FreeText),
			},
		}},
		Assumed: []string{
			"Rows come newest created first.",
			"The answer to one account, its path and its key are not shown.",
		},
	}
}

// accountTypes returns the kinds that the document lists. Source: docs/upstream.md U168.
func accountTypes() []string {
	return []string{
		"accounts_payable", "accounts_receivable", "bank", "cash", "contingent_asset", "contingent_liability",
		"contract_asset", "contract_liability", "cost_of_goods_sold", "credit_card", "depreciation_expense",
		"employee_benefit_expense", "employee_benefit_liability", "equity", "expense", "finance_expense", "finance_income",
		"financial_asset", "financial_liability", "fixed_asset", "impairment_expense", "income", "intangible_asset",
		"lease_expense", "lease_liability", "loans_and_borrowing", "long_term_liability", "manufacturing_expense",
		"other_asset", "other_comprehensive_income", "other_current_asset", "other_current_liability", "other_expense",
		"other_income", "other_liability", "refund_liability", "right_to_use_asset", "tax_expense",
	}
}

// liveAccountTypes returns the kinds that no document lists. Source: docs/upstream.md U336.
func liveAccountTypes() []string {
	return []string{
		"stock", "payment_clearing", "overseas_tax_payable", "output_tax", "deferred_tax_asset", "deferred_tax_liability",
		"capital_work_in_progress", "intangible_assets_under_development", "long_term_asset",
	}
}

// accountLive returns what no document names. Source: docs/upstream.md U313 and U336.
func accountLive() []schema.Column {
	return []schema.Column{
		schema.Decimal("closing_balance", "Balance at the time of the last read, in the currency of the account; the single record alone has it.").Assume(),
		schema.Bool("isdebit", "Whether the closing balance is a debit.").Assume(),
		schema.Text("status", "Whether amounts can still be booked on the account, in words; is_active says the same.").Is(schema.Plain).Assume(),
		schema.Text("placeholder", "Fixed name of an account that the service created (gl_ and a word), the same in every language; empty for "+
			"the organization's own.").Is(schema.Plain).Assume(),
		schema.Bool("show_on_dashboard", "Whether the account is in the list of the start page.").Assume(),
		schema.Bool("is_register_supported_account", "Whether the account can be shown as a running register, as bank accounts are.").Assume(),
		schema.Text("account_code_prefix", "Beginning of account_code, where the chart is numbered by rule.").Is(schema.Plain).Assume(),
		schema.Text("generation_number", "Part of account_code that counts up, where the chart is numbered by rule.").Is(schema.Plain).Assume(),
		schema.JSON("opening_balances", "Balance at the start of the books, kept as JSON because the list of opening balances has it in columns.").
			Is(schema.FreeText).Assume(),
		schema.JSON("transactions", "The latest few bookings, kept as JSON because they are a preview and no ledger.").Is(schema.FreeText).Assume(),
	}
}
