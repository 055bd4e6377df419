package inventory

import "sluice/schema"

// bills declares the list of bills. Source: docs/upstream.md U220 and U221; the total: U319; the
// sort: U100 and U113; what live services send beside the documented keys: U310 to U312, U319, U320
// and U380 to U382; the filter by day: U94. A custom_field_hash, which repeats custom_fields, stays undeclared.
func bills() schema.Resource {
	return schema.Resource{
		Name:     "bills",
		Doc:      "What a vendor charged the organization for a delivery.",
		Path:     "/bills",
		Key:      "bills",
		ID:       "bill_id",
		Scope:    "bills",
		Single:   &schema.Single{Path: "/bills/{id}", Key: "bill", Assumed: true},
		Details:  &schema.Details{Marker: "line_items", Value: billValue()},
		Window:   &schema.Window{Column: "date", From: "date_start", To: "date_end", Assumed: true},
		Dated:    billDated(),
		Cursor:   schema.NewestFirst{Column: "last_modified_time", Sort: "last_modified_time", Created: "created_time", Assumed: true},
		Complete: "The list answers Status.All unless asked otherwise (docs/upstream.md U104).",
		Every:    "15m",
		Columns:  all(billColumns(), liveBillColumns()),
		Children: billChildren(),
		Ignored:  billNoise(),
		Assumed: []string{
			"The list sorts by last_modified_time.",
			"The list leaves out lines, taxes, payments, address and custom fields, which only the single record has.",
			"The answer to one bill, its path and its key are not shown.",
		},
	}
}

// billValue reads single records by the total, or by the sum of the lines where lists show no
// total. Source: docs/upstream.md U319 and, for values of the status, U320.
func billValue() *schema.Value {
	return &schema.Value{
		Amounts: []string{"total", "sub_total"}, Rate: "exchange_rate",
		Open: &schema.Open{Column: "status", Is: []string{"open", "overdue", "partially_paid"}},
	}
}

// billDated leaves out what later payments and credits move. Source of the states: docs/upstream.md
// U320.
func billDated() *schema.Dated {
	return &schema.Dated{
		On: "date", Figures: []string{"sub_total", "tax_total", "total"}, Currency: "currency_code", Rate: "exchange_rate",
		State: "status", Out: []string{"draft", "void"}, With: []string{"bill_number", "vendor_id", "is_reverse_charge_applied"},
		Lines: "line_items", LineColumns: []string{"line_item_id", "account_id", "quantity", "rate", "item_total", "tax_id"},
	}
}

// billNoise are keys of a bill that are not copied. Source: docs/upstream.md U312.
func billNoise() map[string]string {
	noise := transactionNoise()
	noise["template_id"] = "says how the bill is printed"
	noise["template_name"] = "says how the bill is printed"
	return noise
}
