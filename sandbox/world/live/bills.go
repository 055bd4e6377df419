package live

import (
	"encoding/json"
	"slices"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// bills is the form of bills (docs/upstream.md U319 and U320).
func bills() *form {
	return &form{
		headers: true,
		fields:  slices.Concat(billFields(), billDiscounts(), billEditions(), billRest(), noise(), tradeNoise(), billNoise()),
		arrays: []array{
			customFields(), address("billing_address", "street2", "attention", "phone"),
			{"line_items", slices.Concat(billLine(), billLineEditions(), lineNoise())},
			{"taxes", []field{{"tax_id", single, taxNamed}}},
			{"payments", []field{
				{"apply_date", single, same("date")}, {"paid_through_account_type", single, text("bank")},
				{"credit_account_id", single, rare(account("credit_card"))}, {"is_paid_via_print_check", single, no()},
				{"check_details", single, rare(raw(`{"check_number":"000318","check_status":"issued"}`))},
				{"is_ach_payment", single, no()}, {"ach_payment_status", single, rareText("initiated")},
				{"ach_gw_transaction_id", single, rareID(ids.GroupReport)},
			}},
		},
		reshape: func(r record) { asObject(r, "billing_address") },
		listOmits: []string{
			"line_items", "taxes", "payments", "vendor_credits", "billing_address", "custom_fields", "notes", "terms", "currency_symbol", "due_by_days",
			"sub_total", "tax_total",
		},
		never: []string{"purchaseorder_id"},
	}
}

func billFields() []field {
	return []field{
		{"total", both, sum("sub_total", "tax_total")}, {"balance_due", list, same("balance")}, {"tds_total", list, zero()},
		{"current_sub_status", both, same("status")}, {"current_sub_status_id", both, rareID(ids.GroupCategory)},
		{"payment_terms", single, given(filled("due_date"), raw("30"), none())},
		{"payment_terms_label", single, given(filled("due_date"), text("Net 30"), none())},
		{"due_in_days", single, dueIn}, {"payment_expected_date", single, every(3, same("due_date"))},
		{"payment_made", single, sum("sub_total", "tax_total", "-balance", "-vendor_credits_applied")},
		{"account_id", single, account("accounts_payable")}, {"account_name", single, accountName("accounts_payable")},
		{"created_by_id", single, user(0)}, {"last_modified_id", single, user(1)},
		{"purchaseorder_ids", single, orderIDs}, {"purchaseorders", single, orders},
		{"recurring_bill_id", single, every(6, identifier(ids.GroupRecurring))},
		{"tags", both, tags}, {"documents", single, documents}, {"comments", single, comments("bill")},
	}
}

// billDiscounts are of nothing: the documents' sums know no discount.
func billDiscounts() []field {
	return []field{
		{"discount_total", single, zero()}, {"discount", single, zero()}, {"discount_percent", single, zero()}, {"discount_amount", single, zero()},
		{"discount_applied_on_amount", single, zero()}, {"is_discount_before_tax", single, yes()},
		{"discount_type", single, text("entity_level")}, {"discount_setting", single, text("flat")},
		{"discount_account_id", single, account("cost_of_goods_sold")}, {"discount_account_name", single, accountName("cost_of_goods_sold")},
		{"adjustment", single, zero()}, {"adjustment_description", single, text("Adjustment")},
		{"adjustment_account_id", single, rare(account("expense"))}, {"adjustment_account_name", single, rare(accountName("expense"))},
	}
}

// billEditions are keys that some editions send.
func billEditions() []field {
	return []field{
		{"tds_amount", single, zero()}, {"tds_percent", single, text("0.00")},
		{"tds_tax_id", single, rareID(ids.GroupTax)}, {"tds_tax_name", single, rareText("Contractors")}, {"tds_section", single, rareText("194C")},
		{"tax_account_id", single, rare(account("long_term_liability"))},
		{"tds_summary", single, rarely(tdsShare)},
		{"tds_calculation_type", single, text("tds_entity_level")}, {"is_tds_amount_in_percent", single, yes()}, {"is_tds_applied", both, no()},
		{"contact_category", single, same("gst_treatment")}, {"tax_treatment", single, same("gst_treatment")},
		{"vat_treatment", single, rareText("uk")}, {"vat_reg_no", single, rareText("GB123456789")},
		{"place_of_supply", single, rareText("DU")}, {"permit_number", single, rareText("P-7")}, {"is_abn_quoted", both, rareText("N")},
		{"gst_return_details", single, rare(raw(`{"return_period":"2025-11","status":"filed"}`))},
		{"reference_invoice_type", single, rareText("registered")},
		{"filed_in_vat_return_id", single, rareID(ids.GroupReturn)}, {"filed_in_vat_return_name", single, rareText("Q3")},
		{"filed_in_vat_return_type", single, rareText("quarterly")},
		{"acquisition_vat_total", single, zero()}, {"reverse_charge_vat_total", single, zero()},
		{"acquisition_vat_summary", single, rarely(`{"tax_name":"VAT20","tax_amount":0.00}`)},
		{"reverse_charge_vat_summary", single, rarely(`{"tax_name":"VAT20","tax_amount":0.00}`)},
	}
}

func billRest() []field {
	return []field{
		{"unprocessed_payment_amount", both, zero()}, {"due_days", list, dueWords},
		{"created_by", list, username(0)}, {"last_modified_by", list, username(1)},
		{"has_attachment", list, given(func(r record) bool { return r.i%5 == 0 }, yes(), no())}, {"entity_type", both, text("bill")},
		{"is_opening_balance", list, same("bill_id")}, // a fault upstream
		{"is_viewed_by_client", both, no()}, {"client_viewed_time", both, rare(modified)},
		{"source", single, text("Client")}, {"subject_content", single, rareText("Brackets")}, {"reference_bill_id", single, rareID(ids.GroupPurchase)},
		{"is_inclusive_tax", single, no()}, {"tax_rounding", single, text("entity_level")}, {"sub_total_inclusive_of_tax", single, zero()},
		{"is_line_item_invoiced", single, no()}, {"billing_address_id", single, identifier(ids.GroupVendor)},
		{"pricebook_id", single, rareID(ids.GroupPriceList)}, {"pricebook_name", single, rareText("Wholesale")},
		{"total_retention_amount", single, zero()}, {"retention_items", single, rarely(`{"retention_id":"1","amount":0.00}`)},
		{"allocated_landed_costs", single, rarely(`{"landed_cost_id":"1","amount":0.00}`)},
		{"unallocated_landed_costs", single, rarely(`{"landed_cost_id":"1","amount":0.00}`)},
		{"journal_credits", single, rarely(`{"journal_id":"1","amount":0.00}`)}, {"credit_notes", single, rarely(`{"creditnote_id":"1","amount":0.00}`)},
		{"invoices", single, rarely(`{"invoice_id":"1","invoice_number":"INV-00001"}`)},
	}
}

// dueIn is the days until a bill is due; absent once it is overdue.
func dueIn(r record) json.RawMessage {
	if r.Text("status") == "overdue" || r.Text("due_by_days") == "" || r.Number("due_by_days").Sign() < 0 {
		return absent
	}
	return r.Get("due_by_days")
}

func dueWords(r record) json.RawMessage {
	if days := dueIn(r); string(days) != `""` {
		return quoted("Due in " + string(days) + " days")
	}
	if r.Text("status") != "overdue" {
		return absent
	}
	return quoted("Overdue")
}

// orderIDs are the purchase orders that a bill answers; live services send no purchaseorder_id.
func orderIDs(r record) json.RawMessage {
	if r.Text("purchaseorder_id") == "" {
		return empty
	}
	return slices.Concat([]byte("["), r.Get("purchaseorder_id"), []byte("]"))
}

func orders(r record) json.RawMessage {
	if r.Text("purchaseorder_id") == "" {
		return empty
	}
	return slices.Concat([]byte("["), object(func(o *wire.Writer) {
		o.Text("purchaseorder_id", r.Text("purchaseorder_id"))
		o.Padded("purchaseorder_number", "PO-", r.i+1, 5) // PO-00001.
		o.Text("purchaseorder_status", "billed")
		o.Text("purchaseorder_date", r.a.DisplayTime(r.a.Created(r.kind, r.i)))
	}), []byte("]"))
}

// taxNamed is the identifier of the tax that a bill's taxes name.
func taxNamed(r record) json.RawMessage {
	for n := range r.a.Initial[ids.Taxes] {
		if tax := words.TaxAt(n); tax.Name == r.Text("tax_name") {
			return quoted(tax.ID)
		}
	}
	return absent
}
