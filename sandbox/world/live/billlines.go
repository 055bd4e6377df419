package live

import (
	"encoding/json"

	"sluice/sandbox/world/ids"
)

// billLine is the keys of a line of a bill that all editions send.
func billLine() []field {
	return []field{
		{"item_id", single, itemOfLine}, {"line_item_taxes", single, lineTaxes("item_total")},
		{"discount", single, zero()}, {"is_billable", single, given(billed, yes(), no())},
		{"customer_id", single, given(billed, identifierOf(ids.GroupCustomer, 0), none())},
		{"customer_name", single, given(billed, func(r record) json.RawMessage { return quoted(r.a.Words.CustomerName(0)) }, none())},
		{"project_id", single, given(billed, identifierOf(ids.GroupProject, 0), none())},
		{"project_name", single, given(billed, text("Shop fitting"), none())},
		{"sku", single, skuOfLine}, {"tags", single, tags},
		{"item_type", single, given(hasItem, text("inventory"), none())}, {"product_type", single, text("goods")}, {"account_code", single, text("A-1002")},
		{"discounts", single, rarely(discount)}, {"discount_account_id", single, rare(account("cost_of_goods_sold"))},
		{"discount_account_name", single, rare(accountName("cost_of_goods_sold"))},
		{"markup_percent", single, zero()}, {"sales_rate", single, same("rate")}, {"item_total_inclusive_of_tax", single, zero()},
		{"purchaseorder_id", single, whole("purchaseorder_id")}, {"receive_id", single, rareID(ids.GroupPurchase)},
		{"receipt_line_item_id", single, rareID(ids.GroupPurchase)}, {"quantity_received", single, same("quantity")},
		{"header_id", single, rareID(ids.GroupCategory)}, {"header_name", single, rareText("Materials")},
		{"pricebook_id", single, rareID(ids.GroupPriceList)},
		{"invoice_id", single, rareID(ids.GroupInvoice)}, {"invoice_number", single, rareText("INV-00310")},
	}
}

// billLineEditions is the keys that some editions send, or that few businesses fill.
func billLineEditions() []field {
	return []field{
		{"itc_eligibility", single, text("eligible")}, {"tds_tax_percentage", single, rare(raw("2.00"))}, {"tds_tax_amount", single, rareZero()},
		{"tds_tax_name", single, rareText("Contractors")}, {"gst_treatment_code", single, rareText("out_of_scope")},
		{"tax_treatment_code", single, rareText("uae_others")},
		{"acquisition_vat_id", single, rareID(ids.GroupTax)}, {"acquisition_vat_name", single, rareText("VAT20")},
		{"acquisition_vat_percentage", single, rare(raw("20"))}, {"acquisition_vat_amount", single, rareZero()},
		{"reverse_charge_vat_id", single, rareID(ids.GroupTax)}, {"reverse_charge_vat_name", single, rareText("VAT20")},
		{"reverse_charge_vat_percentage", single, rare(raw("20"))}, {"reverse_charge_vat_amount", single, rareZero()},
		{"serial_numbers", single, rarely(`"SN-000417"`)},
		{"batches", single, rarely(`{"batch_id":"460000002400000009","batch_number":"B-1","external_batch_number":"X-1",` +
			`"manufacturer_date":"2025-10-01","expiry_date":"2027-10-01","in_quantity":5.00}`)},
		{"storages", single, rarely(storage)},
		{"item_custom_fields", single, rarely(`{"customfield_id":"460000000600000300","index":1,"label":"Colour",` +
			`"api_name":"cf_colour","data_type":"string","value":"Grey","search_entity":"item"}`)},
	}
}

// billed reports whether a line is to be charged to a customer: one in nine is.
func billed(r record) bool { return (r.i+r.n)%9 == 3 }

// item returns the item of a line; false for lines of free text, and for lines written through the
// API that name another one.
func (r record) item() (int, bool) {
	lines := r.a.BillAt(r.i, r.a.Edits(r.kind, r.i)).Lines
	if r.n >= len(lines) || r.Text("name") != r.a.ItemName(lines[r.n].Item) {
		return 0, false
	}
	return lines[r.n].Item, true
}

func hasItem(r record) bool {
	_, found := r.item()
	return found
}

func itemOfLine(r record) json.RawMessage {
	item, found := r.item()
	if !found {
		return absent
	}
	return quoted(ids.Of(ids.Items, item))
}

func skuOfLine(r record) json.RawMessage {
	item, found := r.item()
	if !found {
		return absent
	}
	return quoted(sku(item))
}
