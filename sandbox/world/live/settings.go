package live

import (
	"encoding/json"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/ids"
)

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
