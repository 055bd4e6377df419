package live

import (
	"encoding/json"
	"slices"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/wire"
)

// accounts is the form of accounts: balances and bookings come with the single record alone
// (docs/upstream.md U313).
func accounts() *form {
	return &form{
		headers: true,
		fields: []field{
			{"closing_balance", single, sum("current_balance")},
			{"isdebit", single, isDebit},
			{"status", single, given(is("is_active", "true"), text("active"), text("inactive"))},
			{"placeholder", both, given(is("is_system_account", "true"), placeholder, none())},
			{"show_on_dashboard", list, given(func(r record) bool { return r.i%4 == 0 }, yes(), no())},
			{"is_register_supported_account", both, given(is("account_type", "bank"), yes(), no())},
			{"account_code_prefix", single, rareText("A-")},
			{"generation_number", single, rareText("0001")},
			{"opening_balances", single, openingOf},
			{"transactions", single, bookings},
		},
		reshape: func(r record) {
			withFiles(r)
			if r.Text("child_count") == "0" {
				r.Set("child_count", absent)
			}
		},
		listOmits:   []string{"custom_fields", "is_involved_in_transaction", "documents"},
		singleOmits: []string{"current_balance", "created_time", "last_modified_time"},
		never:       []string{"include_in_vat_return"}, // of the UK.
	}
}

// isDebit says on which side the balance is.
func isDebit(r record) json.RawMessage {
	sign := r.Number("current_balance").Sign()
	switch r.Text("account_type") {
	case "accounts_payable", "long_term_liability", "credit_card", "equity", "income", "other_income":
		sign = -sign
	}
	if sign > 0 {
		return json.RawMessage("true")
	}
	return json.RawMessage("false")
}

func placeholder(r record) json.RawMessage { return quoted("gl_" + r.Text("account_type")) }

func openingOf(r record) json.RawMessage {
	if r.i%3 > 0 {
		return empty
	}
	return slices.Concat([]byte("["), object(func(o *wire.Writer) {
		o.Text("currency_code", r.Text("currency_code"))
		o.Text("debit_or_credit", "debit")
		o.Money("amount", 0)
	}), []byte("]"))
}

// bookings is the preview of the latest bookings.
func bookings(r record) json.RawMessage {
	at := r.a.Created(r.kind, r.i)
	return slices.Concat([]byte("["), object(func(o *wire.Writer) {
		o.ID("transaction_id", ids.ChildNumber(r.kind, r.i, 900)) // behind the other parts.
		o.Text("entity_type", "journal")
		o.Text("date", r.a.Day(at, 0))
		o.Money("debit", 10_000)
		o.Money("credit", 0)
	}), []byte("]"))
}

// locations is the form of locations: two keys have other names, beside the documented ones
// (docs/upstream.md U324).
func locations() *form {
	return &form{fields: []field{
		{"is_location_active", list, given(is("status", "active"), yes(), no())},
		{"is_primary_location", list, same("is_primary")},
		{"tax_reg_no", list, every(2, text("27AAACB1234F1Z5"))},
	}}
}

// taxes is the form of taxes (docs/upstream.md U325).
func taxes() *form {
	used := func(r record) bool { return books.TaxActive(r.i) }
	return &form{fields: []field{
		{"status", both, given(used, text("Active"), text("Inactive"))},
		{"is_inactive", both, given(used, no(), yes())},
		{"last_modified_time", list, modified},
		{"tax_specification", both, func(r record) json.RawMessage { return quoted([...]string{"intra", "inter"}[r.i%2]) }},
		{"start_date", both, every(2, text("2017-07-01"))}, {"end_date", both, every(4, text("2030-03-31"))},
		{"diff_rate_reason", both, every(5, text("reduced"))},
		{"tax_display_name", single, same("tax_name")}, {"description", single, text("As the law has it")},
		{"reference_id", single, identifier(ids.GroupAuthority)}, {"is_state_cess", single, no()},
	}}
}

// currencies is the form of currencies. The base currency never had a rate: 0 and ""
// (docs/upstream.md U326).
func currencies() *form {
	return &form{
		fields: []field{
			{"auto_exchange_rate_enabled", list, no()},
			{"currency_name_formatted", list, func(r record) json.RawMessage {
				return quoted(r.Text("currency_code") + "- " + r.Text("currency_name"))
			}},
		},
		reshape: func(r record) {
			if r.Text("exchange_rate") == "" {
				r.Set("exchange_rate", json.RawMessage("0"))
			}
		},
		singleOmits: []string{"exchange_rate", "effective_date"},
	}
}
