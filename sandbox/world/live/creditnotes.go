package live

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/world/words"
)

// creditNotes is the form of credit notes. Arrays and the modification time have other names than
// in the documents (docs/upstream.md U231 and U321).
func creditNotes() *form {
	return &form{
		headers: true,
		fields:  slices.Concat(noteFields(), noteShipping(), noteRest(), noise(), tradeNoise()),
		arrays: []array{
			customFields(), {"line_items", append(noteLine(), lineNoise()...)},
			address("billing_address", "attention", "phone"), address("shipping_address", "attention", "phone"),
		},
		reshape: func(r record) {
			if r.view != Merged {
				r.Set("last_modified_time", r.Get("updated_time"))
				r.Drop("updated_time")
			}
		},
		listOmits: []string{
			"line_items", "taxes", "custom_fields", "billing_address", "shipping_address", "notes", "terms", "currency_symbol", "template_name",
		},
		never: []string{"invoices", "email"},
	}
}

func noteFields() []field {
	return []field{
		{"currency_id", both, noteCurrency}, {"exchange_rate", both, noteRate},
		{"issued_date", both, same("date")},
		{"salesperson_id", both, salesperson(user(0), text("-1"))}, {"salesperson_name", both, salesperson(username(0), text("Others"))},
		{"current_sub_status", both, same("status")}, {"current_sub_status_id", both, rareID(ids.GroupCategory)},
		{"invoices_credited", single, credited}, {"creditnote_refunds", single, refunds},
		{"sub_total", single, beforeTax}, {"tax_total", single, total("taxes", "tax_amount")},
		{"total_credits_used", single, sum("total", "-balance")}, {"total_refunded_amount", single, refunded},
		{"invoice_id", single, firstInvoice},
		{"account_id", single, account("accounts_receivable")}, {"account_name", single, accountName("accounts_receivable")},
		{"created_by_id", single, user(0)}, {"last_modified_by_id", single, user(1)}, {"created_by_name", single, username(0)},
		{"discount", single, zero()}, {"discount_applied_on_amount", single, zero()}, {"is_discount_before_tax", single, yes()},
		{"discount_type", single, text("item_level")},
		{"discount_account_id", single, rare(account("income"))}, {"discount_account_name", single, rare(accountName("income"))},
		{"adjustment", single, zero()}, {"adjustment_description", single, text("Adjustment")},
		{"adjustment_account_id", single, rare(account("income"))}, {"adjustment_account_name", single, rare(accountName("income"))},
		{"tags", both, tags}, {"documents", single, documents},
	}
}

func noteShipping() []field {
	return []field{
		{"shipping_charge", single, zero()}, {"shipping_charge_exclusive_of_tax", single, zero()}, {"shipping_charge_inclusive_of_tax", single, zero()},
		{"shipping_charge_account_id", single, rare(account("income"))}, {"shipping_charge_account_name", single, rare(accountName("income"))},
		{"shipping_charge_tax_id", single, rareID(ids.GroupTax)}, {"shipping_charge_tax_name", single, rareText("GST18")},
		{"shipping_charge_tax_type", single, rareText("tax")}, {"shipping_charge_tax_percentage", single, rare(raw("18"))},
		{"shipping_charge_tax", single, rareZero()},
		{"shipping_charge_taxes", single, rarely(`{"tax_id":"460000000200000000","tax_name":"GST18","tax_amount":0.00}`)},
	}
}

func noteRest() []field {
	return []field{
		{"price_precision", both, raw("2")}, {"rounding_mode", both, text("round_half_up")}, {"roundoff_value", single, zero()},
		{"transaction_rounding_type", single, text("no_rounding")}, {"bcy_rounding_mode", single, text("round_half_up")},
		{"sub_total_inclusive_of_tax", single, zero()}, {"is_inclusive_tax", single, no()}, {"tax_rounding", single, text("entity_level")},
		{"is_emailed", both, no()}, {"has_attachment", list, given(func(r record) bool { return r.i%5 == 0 }, yes(), no())},
		{"applied_invoices", list, invoiceNumbers},
		{"is_viewed_by_client", both, no()}, {"client_viewed_time", both, rare(modified)},
		{"subject_content", single, rareText("Scratched brackets")}, {"sales_channel", single, text("direct_sales")},
		{"exceptions", single, rarely(`{"code":"1","message":"rejected"}`)},
		{"contact_persons", single, rare(raw(`["` + ids.Of(ids.ContactPersons, 0) + `"]`))},
		{"contact_persons_associated", single, rarely(`{"contact_person_id":"` + ids.Of(ids.ContactPersons, 0) +
			`","contact_person_name":"Asha Rao","contact_person_email":"person1@contact.example","phone":"+91 20 555 0000","mobile":"+91 98220 50000"}`)},
		{"contact_category", single, same("gst_treatment")}, {"tds_calculation_type", single, text("tds_item_level")},
		{"is_reverse_charge_applied", single, no()},
	}
}

func noteLine() []field {
	return []field{
		{"item_total", single, lineTotal}, {"account_name", single, accountName("income")}, {"bcy_rate", single, same("rate")},
		{"discount_amount", single, zero()},
		{"tax_name", single, taxOf(taxName)}, {"tax_type", single, text("tax")}, {"tax_percentage", single, taxOf(taxPercent)},
		{"line_item_taxes", single, func(r record) json.RawMessage { return lineTaxes("item_total")(r) }}, {"tags", single, tags},
		{"project_id", single, every(6, identifierOf(ids.GroupProject, 0))}, {"project_name", single, every(6, text("Shop fitting"))},
		{"discounts", single, rarely(discount)}, {"discount_account_id", single, rare(account("income"))},
		{"discount_account_name", single, rare(accountName("income"))},
		{"item_type", single, text("inventory")}, {"internal_name", single, same("name")}, {"pricing_scheme", single, text("unit")},
		{"pricebook_id", single, rareID(ids.GroupPriceList)}, {"sales_margin", single, rare(raw("31.03"))},
		{"code", single, rareText("IT-1")}, {"type", single, raw("1")},
		{"is_combo_product", single, no()}, {"combo_type", single, rareText("kit")},
		{"mapped_items", single, rarely(`{"item_id":"460030000000001000","name":"Bolt M8","quantity":1.00}`)},
		{"can_skip_stock_tracking", single, no()}, {"is_credit_only_item", single, no()}, {"tax_treatment_code", single, rareText("uae_others")},
		{"item_custom_fields", single, raw("[]")},
	}
}

// currencyOf returns the currency of a note, which the documents name by its code.
func currencyOf(r record) words.Currency {
	for n := range r.a.Initial[ids.Currencies] {
		if money := words.CurrencyAt(n); money.Code == r.Text("currency_code") {
			return money
		}
	}
	return words.CurrencyAt(0)
}

func noteCurrency(r record) json.RawMessage { return quoted(currencyOf(r).ID) }

func noteRate(r record) json.RawMessage {
	return json.RawMessage(big.NewRat(currencyOf(r).Rate, words.Millionths).FloatString(6)) // as other rates.
}

// salesperson is a value of one note in two, and that of none in the others.
func salesperson(one, none value) value {
	return given(func(r record) bool { return r.i%2 == 0 }, one, none)
}

// lineTotal is quantity times rate.
func lineTotal(r record) json.RawMessage {
	product := r.Number("quantity")
	return amount(product.Mul(product, r.Number("rate")))
}

func beforeTax(r record) json.RawMessage {
	before := r.Number("total")
	return amount(before.Sub(before, r.over("taxes", "tax_amount")))
}

// credited are the settled invoices. Live services name the array and its amount otherwise.
func credited(r record) json.RawMessage {
	var all []*overlay.Object
	for n, invoice := range r.List("invoices") {
		one := overlay.NewObject()
		one.SetText("creditnote_invoice_id", ids.Child(r.kind, r.i, creditedChild+n))
		one.Set("invoice_id", invoice.Get("invoice_id"))
		one.Set("invoice_number", invoice.Get("invoice_number"))
		one.Set("date", r.Get("date"))
		one.Set("credited_amount", invoice.Get("amount"))
		one.Set("invoice_date", r.Get("date"))
		one.Set("amount_applied", invoice.Get("amount"))
		all = append(all, one)
	}
	made := overlay.NewObject()
	made.SetList("all", all)
	return made.Get("all")
}

// creditedChild is the own number of the first settled invoice, refundChild that of the refund.
const creditedChild, refundChild = 700, 800

// refunds shows a refund of nothing in rare records: notes of the sandbox are used on invoices
// alone, and their balance says so.
func refunds(r record) json.RawMessage {
	if !r.rare() {
		return empty
	}
	return fmt.Appendf(nil, `[{"creditnote_refund_id":%q,"date":%s,"refund_mode":"cash","reference_number":"RF-1","description":"Paid back",`+
		`"amount_bcy":0.00,"amount_fcy":0.00}]`, ids.Child(r.kind, r.i, refundChild), r.Get("date"))
}

func refunded(record) json.RawMessage { return json.RawMessage("0.00") }

func firstInvoice(r record) json.RawMessage {
	if invoices := r.List("invoices"); len(invoices) > 0 {
		return invoices[0].Get("invoice_id")
	}
	return absent
}

// invoiceNumbers is a text in lists.
func invoiceNumbers(r record) json.RawMessage {
	if invoices := r.List("invoices"); len(invoices) > 0 {
		return invoices[0].Get("invoice_number")
	}
	return absent
}
