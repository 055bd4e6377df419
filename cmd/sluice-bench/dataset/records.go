package dataset

import "sluice/schema"

// record is the content of a resource's records, or of the elements of an array.
type record struct {
	name, doc, key string
	fields         []field
	arrays         []record
	// loose are arrays of raw records that no table holds.
	loose []record
	// many returns the number of elements of this array in record number n.
	many func(n int) int
}

// items have the 45 leaves of an item (docs/upstream.md U219) as columns; its arrays are in raw
// records only.
var items = record{name: "items", doc: "Wide rows.", key: "items", loose: []record{
	{name: "documents", many: func(int) int { return 0 }},
	{name: "locations", many: once, fields: []field{
		other("location_id", 20), few("location_name", "Head Office", "Mill Lane", "North Yard"), few("status", "active", "inactive"),
		truth("is_primary"), amount("location_stock_on_hand"), amount("location_available_stock"), amount("location_actual_available_stock"),
	}},
	{name: "item_tax_preferences", many: once, fields: []field{other("tax_id", 20), few("tax_specification", "intra", "inter")}},
	{name: "custom_fields", many: once, fields: []field{other("customfield_id", 40), words("value", 2)}},
}, fields: []field{
	own("item_id"), other("group_id", 900), words("group_name", 1), words("name", 4), few("unit", "pcs", "kg", "box", "m"),
	few("item_type", "inventory", "sales", "purchases", "sales_and_purchases"), few("product_type", "goods", "goods", "service"),
	truth("is_taxable"), other("tax_id", 20), words("description", 5), few("tax_name", "GST18", "GST5", "GST12", "VAT20"),
	amount("tax_percentage"), few("tax_type", "tax", "compound_tax"), other("purchase_account_id", 40),
	few("purchase_account_name", "Cost of Goods Sold", "Freight", "Job Costing"), few("account_name", "Sales", "Other Income", "Shipping Charge"),
	other("inventory_account_id", 10), other("attribute_id1", 30), few("attribute_name1", "Colour", "Size", "Finish"),
	other("attribute_option_id1", 300), words("attribute_option_name1", 1), few("status", "active", "active", "inactive"),
	few("source", "user", "csv"), truth("is_linked_with_zohocrm"), truth("is_combo_product"), amount("rate"), amount("pricebook_rate"),
	amount("purchase_rate"), amount("reorder_level"), other("vendor_id", 2000), words("vendor_name", 3), code("sku", "SB-", 6),
	code("upc", "036", 9), code("ean", "4006", 9), code("isbn", "978", 10), code("part_number", "PN-", 4), other("image_id", 100_000),
	words("image_name", 1), few("image_type", "png", "jpeg"), words("purchase_description", 3), code("hsn_or_sac", "", 8),
	few("sat_item_key_code", ""), few("unitkey_code", ""), instant("created_time"), edited("last_modified_time"),
}}

// bills have the leaves of a bill (docs/upstream.md U221), five lines, two taxes, and every second
// one a payment. The document does not show the fields of a payment: they are those of the
// sandbox's witness.
var bills = record{
	name: "bills", doc: "Rows with arrays.", key: "bills", fields: []field{
		own("bill_id"), other("purchaseorder_id", 100_000), other("vendor_id", 2000), words("vendor_name", 3), amount("unused_credits_payable_amount"),
		few("status", "paid", "partially_paid", "open"), code("bill_number", "BILL-", 5), day("date"), day("due_date"),
		code("reference_number", "PO-", 4), whole("due_by_days", 60), other("currency_id", 5), few("currency_code", "INR", "EUR", "USD"),
		few("currency_symbol", "₹", "€", "$"), whole("price_precision", 3), amount("exchange_rate"), truth("is_item_level_tax_calc"),
		other("location_id", 20), few("location_name", "Head Office", "Mill Lane", "North Yard"), amount("vendor_credits_applied"),
		amount("sub_total"), amount("tax_total"), amount("balance"), instant("created_time"), edited("last_modified_time"),
		other("reference_id", 100_000), words("notes", 5), few("terms", "Net 30", "Net 15", "Due on Receipt"), code("attachment_name", "bill-", 4),
		whole("open_purchaseorders_count", 4), few("gst_treatment", "business_gst", "business_none"), code("gst_no", "27AAACB", 8),
		few("source_of_supply", "MH", "KA", "DL"), few("destination_of_supply", "MH", "KA", "DL"), truth("is_pre_gst"),
		truth("is_reverse_charge_applied"),
	},
	arrays: []record{
		{name: "line_items", doc: "What was billed.", many: func(int) int { return 5 }, fields: []field{
			other("purchaseorder_item_id", 100_000), other("receive_item_id", 100_000), own("line_item_id"), words("name", 4), other("account_id", 40),
			few("account_name", "Cost of Goods Sold", "Freight", "Job Costing"), words("description", 5), amount("bcy_rate"), amount("rate"),
			amount("quantity"), other("tax_id", 20), few("tds_tax_id", ""), few("tax_name", "GST18", "GST5", "GST12", "VAT20"),
			few("tax_type", "tax", "compound_tax"), amount("tax_percentage"), amount("item_total"), whole("item_order", 5),
			few("unit", "pcs", "kg", "box", "m"), few("image_id", ""), few("image_name", ""), few("image_type", ""),
			few("reverse_charge_tax_id", ""), few("reverse_charge_tax_name", ""), whole("reverse_charge_tax_percentage", 1),
			amount("reverse_charge_tax_amount"), code("hsn_or_sac", "", 8), few("tax_exemption_code", ""), few("tax_exemption_id", ""),
			other("location_id", 20), few("location_name", "Head Office", "Mill Lane", "North Yard"),
		}},
		{name: "taxes", doc: "What is due to whom.", many: func(int) int { return 2 }, fields: []field{
			few("tax_name", "GST18", "GST5", "GST12", "VAT20"), amount("tax_amount"),
		}},
		{name: "payments", doc: "What was paid.", many: func(n int) int { return n % 2 }, fields: []field{
			own("payment_id"), other("bill_id", 100_000), other("bill_payment_id", 100_000), few("payment_mode", "bank_transfer", "cash", "check"),
			code("payment_number", "", 4), words("description", 2), day("date"), code("reference_number", "REF-", 5), amount("exchange_rate"),
			amount("amount"), other("paid_through_account_id", 10), few("paid_through_account_name", "Current Account", "Petty Cash"),
			truth("is_single_bill_payment"),
		}},
	},
}

func once(int) int { return 1 }

// resource declares records whose first field is their key.
func (r *record) resource() schema.Resource {
	return schema.Resource{
		Name: r.name, Doc: r.doc, ID: r.fields[0].column.Wire, Key: r.key, Cursor: schema.Since{Column: "last_modified_time"},
		Columns: r.columns(), Children: r.children(), Ignored: r.ignored(),
	}
}

func (r *record) ignored() map[string]string {
	ignored := make(map[string]string, len(r.loose))
	for i := range r.loose {
		ignored[r.loose[i].name] = "bills show what arrays cost"
	}
	return ignored
}

func (r *record) children() []schema.Child {
	var children []schema.Child
	for i := range r.arrays {
		array := &r.arrays[i]
		children = append(children, schema.Child{Name: array.name, Doc: array.doc, Columns: array.columns()})
	}
	return children
}

func (r *record) columns() []schema.Column {
	columns := make([]schema.Column, len(r.fields))
	for i := range r.fields {
		columns[i] = r.fields[i].column
	}
	return columns
}

// append appends record number n in a version as an object.
func (r *record) append(buf []byte, n, version int) []byte {
	buf = append(buf, '{')
	for i := range r.fields {
		if i > 0 {
			buf = append(buf, ',')
		}
		field := &r.fields[i]
		buf = append(append(append(buf, '"'), field.column.Wire...), `":`...)
		buf = field.value(buf, seed{n: n, version: version, place: i})
	}
	for i := range r.arrays {
		buf = r.arrays[i].appendAll(buf, n, version)
	}
	for i := range r.loose {
		buf = r.loose[i].appendAll(buf, n, version)
	}
	return append(buf, '}')
}

// appendAll appends the elements that record number n has of an array.
func (r *record) appendAll(buf []byte, n, version int) []byte {
	buf = append(append(append(buf, `,"`...), r.name...), `":[`...)
	for at := range r.many(n) {
		if at > 0 {
			buf = append(buf, ',')
		}
		buf = r.append(buf, n*8+at, version) // no array has more than eight
	}
	return append(buf, ']')
}
