package live

import (
	"encoding/json"
	"strings"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/words"
)

// payments is the form of vendor payments (docs/upstream.md U314).
func payments() *form {
	return &form{
		headers: true,
		fields:  append(append(paymentFields(), paymentEditions()...), noise()...),
		arrays: []array{
			address("billing_address", "street2", "phone"),
			{"bills", []field{
				{"apply_date", single, given(func(r record) bool { return r.n == 0 }, whole("date"), none())},
				{"unprocessed_payment_amount", single, zero()}, {"is_opening_balance", single, no()},
				{"total_payment_amount", single, sum("amount_applied", "tax_amount_withheld")},
			}},
			{"check_details", []field{
				{"expiry_date", single, rareText("2026-06-30")}, {"clearance_account_id", single, rare(account("bank"))},
				{"clearance_account_name", single, rare(accountName("bank"))},
			}},
			{"vendorpayment_refunds", []field{{"vendorpayment_id", single, whole("payment_id")}, {"to_account_id", single, account("bank")}}},
		},
		reshape: func(r record) {
			asObject(r, "check_details")
			asObject(r, "billing_address")
			withFiles(r)
			r.Set("comments", comments("vendor_payment")(r))
		},
		listOmits: []string{
			"bills", "check_details", "billing_address", "comments", "custom_fields", "imported_transactions", "documents", "vendorpayment_refunds",
		},
	}
}

func paymentFields() []field {
	return []field{
		{"status", both, text("paid")},
		{"currency_code", both, currencyCode},
		{"bcy_amount", list, based("amount")}, {"bcy_balance", list, based("balance")},
		{"bill_numbers", list, billNumbers},
		{"offset_account_id", single, account("accounts_payable")}, {"offset_account_name", single, accountName("accounts_payable")},
		{"created_by_id", single, user(0)}, {"created_by_name", single, username(0)},
		{"bank_charges", single, zero()},
		{"bank_charges_account_id", single, rare(account("expense"))}, {"bank_charges_account_name", single, rare(accountName("expense"))},
		{"has_attachment", list, given(func(r record) bool { return r.i%5 == 0 }, yes(), no())},
		{"ach_gw_transaction_id", list, rareID(ids.GroupReport)}, {"gw_reference_number", both, rareText("GW-77")},
		{"is_online_payment", single, no()}, {"transfer_type", single, rareText("neft")},
		{"payment_number_prefix", single, rareText("VP-")}, {"payment_number_suffix", single, same("payment_number")},
		{"tags", both, tags}, {"custom_field_hash", single, customFieldHash},
	}
}

// paymentEditions are keys that some editions send.
func paymentEditions() []field {
	return []field{
		{"purpose_code", single, rareText("P0103")},
		{"credit_account_id", single, rare(account("credit_card"))}, {"tax_account_id", single, rare(account("long_term_liability"))},
		{"tds_tax_id", single, rareID(ids.GroupTax)}, {"tds_calculation_type", single, rareText("tds_item_level")},
		{"is_tds_amount_in_percent", single, no()},
		{"total_payment_amount", single, sum("amount", "tax_amount_withheld")},
		{"is_advance_payment", both, given(filled("bills"), no(), yes())}, {"product_description", both, rareText("Spare parts")},
		{"is_pre_gst", single, no()},
		{"indirect_tds_tax_id", single, rareID(ids.GroupTax)}, {"indirect_tds_tax_amount", single, rareZero()},
		{"indirect_tcs_tax_id", single, rareID(ids.GroupTax)}, {"indirect_tcs_tax_amount", single, rareZero()},
		{"tds_summary", single, rarely(tdsShare)},
	}
}

// currencyCode is the code of the currency that currency_id names.
func currencyCode(r record) json.RawMessage {
	n, known := ids.Index(ids.Currencies, r.Text("currency_id"))
	if !known || n > mostTaxes {
		return absent
	}
	return quoted(words.CurrencyAt(n).Code)
}

// billNumbers are the numbers of the settled bills in one text.
func billNumbers(r record) json.RawMessage {
	var numbers []string
	for _, bill := range r.List("bills") {
		numbers = append(numbers, bill.Text("bill_number"))
	}
	return quoted(strings.Join(numbers, ", "))
}
