package live

import (
	"encoding/json"

	"sluice/sandbox/world/ids"
)

// expenses is the form of expenses: the list carries names, the rest comes with the single record
// (docs/upstream.md U315).
func expenses() *form {
	return &form{
		headers: true,
		fields:  append(expenseFields(), expenseEditions()...),
		arrays: []array{{"line_items", []field{
			{"account_name", single, whole("account_name")},
			{"item_total", single, same("amount")}, {"tax_amount", single, levied("amount")},
			{"tax_name", single, taxOf(taxName)}, {"tax_type", single, text("tax")}, {"tax_percentage", single, taxOf(taxPercent)},
			{"hsn_or_sac", single, whole("hsn_or_sac")}, {"reverse_charge_tax_name", single, whole("reverse_charge_tax_name")},
			{"reverse_charge_tax_percentage", single, whole("reverse_charge_tax_percentage")},
			{"reverse_charge_tax_amount", single, rareZero()},
			{"tags", single, tags}, {"line_item_taxes", single, lineTaxes("amount")},
		}}},
		listOmits: []string{
			"account_id", "paid_through_account_id", "amount", "sub_total", "tax_id", "tax_name", "tax_percentage", "tax_amount", "project_id",
			"project_name", "employee_id", "line_items", "taxes", "custom_fields", "is_inclusive_tax", "is_pre_gst", "expense_item_id", "hsn_or_sac",
			"source_of_supply", "destination_of_supply", "destination_of_supply_state", "place_of_supply", "gst_no", "gst_treatment",
			"vat_treatment", "vat_reg_no", "tax_treatment", "acquisition_vat_id", "acquisition_vat_total", "acquisition_vat_summary",
			"reverse_charge_vat_id", "reverse_charge_vat_total", "reverse_charge_vat_summary", "reverse_charge_tax_id", "reverse_charge_tax_name",
			"reverse_charge_tax_percentage", "reverse_charge_tax_amount", "invoice_id", "invoice_number", "transaction_type", "vehicle_type",
			"fuel_type", "engine_capacity_range", "can_reclaim_vat_on_mileage", "trip_id", "trip_number", "expense_receipt_type",
		},
		never: []string{"transaction_id", "is_itemized_expense", "product_type"},
	}
}

func expenseFields() []field {
	return []field{
		{"created_time", both, created},
		{"vendor_name", both, vendorName},
		{"total_without_tax", list, sum("total", "-tax_amount")}, {"bcy_total_without_tax", list, untaxed},
		{"user_name", both, username(0)}, {"user_id", single, user(0)}, {"user_email", single, usermail(0)},
		{"report_id", both, every(4, identifier(ids.GroupReport))}, {"report_number", both, every(4, text("ER-00001"))},
		{"report_name", both, every(4, text("Fair in Pune"))}, {"report_status", single, every(4, text("approved"))},
		{"is_reimbursable", single, given(func(r record) bool { return r.i%4 == 0 }, yes(), no())},
		{"payment_mode", single, text("Cash")},
		{"merchant_id", single, every(5, identifier(ids.GroupMerchant))}, {"merchant_name", single, every(5, text("Station Café"))},
		{"created_by_id", single, user(0)}, {"last_modified_by_id", single, user(1)},
		{"employee_name", single, username(0)}, {"employee_email", single, usermail(0)},
		{"has_attachment", list, given(func(r record) bool { return r.i%5 == 0 }, yes(), no())},
		{"custom_fields_list", list, rareText("North")}, {"location", single, every(3, text("Pune"))},
		{"tags", both, tags}, {"documents", single, documents},
	}
}

// expenseEditions are keys that few businesses fill.
func expenseEditions() []field {
	return []field{
		{"approver_id", single, rare(user(2))}, {"approver_name", single, rare(username(2))}, {"approver_email", single, rare(usermail(2))},
		{"markup_percent", single, zero()},
		{"vehicle_id", single, rareID(ids.GroupTrip)}, {"vehicle_name", single, rareText("Van 2")},
		{"is_surcharge_applicable", single, no()}, {"fcy_surcharge_amount", single, zero()}, {"bcy_surcharge_amount", single, zero()},
		{"zcrm_potential_id", single, rareID(ids.GroupDeal)}, {"zcrm_potential_name", single, rareText("Shop refit")},
		{"imported_transactions", single, rarely(`{"imported_transaction_id":"1","date":"2025-11-03","amount":10.00}`)},
	}
}

// untaxed is the amount before tax in the base currency.
func untaxed(r record) json.RawMessage {
	before := r.Number("total")
	before.Sub(before, r.Number("tax_amount"))
	return amount(before.Mul(before, r.Number("exchange_rate")))
}

// vendorName is the name of the vendor that vendor_id names.
func vendorName(r record) json.RawMessage {
	n, known := ids.FixedIndex(ids.GroupVendor, r.Text("vendor_id"))
	if !known || n >= r.a.Vendors() {
		return absent
	}
	return quoted(r.a.Words.VendorName(n))
}
