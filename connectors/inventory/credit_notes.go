package inventory

import "sluice/schema"

// creditNotes declares the list of credit notes. Source: docs/upstream.md U223 to U227; the list
// key: U224; the two keys of the modification time: U231. The document shows no exchange rate, so
// totals do not decide which single record is read first. The filter by day: U94. What live services send beside the
// documented keys: U310 to U312, U321, U382 and U385 to U387. A custom_field_hash, which repeats
// custom_fields, stays undeclared.
func creditNotes() schema.Resource {
	return schema.Resource{
		Name:    "credit_notes",
		Doc:     "What the organization owes a customer back, for a return or a mistake.",
		Path:    "/creditnotes",
		Key:     "creditnotes",
		ID:      "creditnote_id",
		Scope:   "creditnotes",
		Single:  &schema.Single{Path: "/creditnotes/{id}", Key: "creditnote", Assumed: true},
		Details: &schema.Details{Marker: "line_items", Value: &schema.Value{Open: &schema.Open{Column: "status", Is: []string{"open"}}}},
		Window:  &schema.Window{Column: "date", From: "date_start", To: "date_end", Assumed: true},
		Dated: &schema.Dated{
			On: "date", Figures: []string{"sub_total", "tax_total", "total"}, Currency: "currency_code", Rate: "exchange_rate",
			State: "status", Out: []string{"draft", "void"}, With: []string{"creditnote_number", "customer_id"},
			Lines: "line_items", LineColumns: []string{"line_item_id", "account_id", "quantity", "rate", "item_total", "tax_id"},
		},
		Cursor:   schema.FullScan{Modified: "updated_time", Created: "created_time", Sort: "created_time"},
		Complete: "The list answers Status.All unless asked otherwise (docs/upstream.md U104).",
		Every:    "6h",
		Columns:  all(creditNoteColumns(), liveCreditNoteColumns()),
		Children: creditNoteChildren(),
		Ignored:  transactionNoise(),
		Assumed: []string{
			"The list answers under the key creditnotes.",
			"The list leaves out lines, taxes, invoices, addresses and custom fields, which only the single record has.",
			"The answer to one credit note, its path and its key are not shown.",
		},
	}
}
