package live

import (
	"encoding/json"
	"slices"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/world/wire"
)

// tags are reporting tags: one record in three has one (docs/upstream.md U310).
func tags(r record) json.RawMessage {
	if (r.i+r.n)%3 > 0 {
		return empty
	}
	region := [...]string{"North", "South"}[r.i%2]
	return slices.Concat([]byte("["), object(func(o *wire.Writer) {
		o.ID("tag_id", ids.FixedNumber(ids.GroupTag, 0))
		o.Text("tag_name", "Region")
		o.ID("tag_option_id", ids.FixedNumber(ids.GroupTag, 1+r.i%2))
		o.Text("tag_option_name", region)
		o.Flag("is_tag_mandatory", false)
	}), []byte("]"))
}

// documents are attached files: one record in five has one, whose size is a text.
func documents(r record) json.RawMessage {
	if r.i%5 > 0 {
		return empty
	}
	return slices.Concat([]byte("["), object(func(o *wire.Writer) {
		o.ID("document_id", ids.FixedNumber(ids.GroupDocument, r.i))
		o.Text("file_name", "scan.pdf")
		o.Text("file_type", "pdf")
		o.Text("file_size", "48213")
		o.Whole("attachment_order", 1)
		o.Text("source", "desktop")
		o.Text("uploaded_by", "Asha Rao")
		o.ID("uploaded_by_id", ids.FixedNumber(ids.GroupUser, 0))
		o.Text("uploaded_on", r.a.DisplayTime(r.a.Created(r.kind, r.i)))
	}), []byte("]"))
}

// comments are what the service noted of the record: that it was entered.
func comments(name string) value {
	return func(r record) json.RawMessage {
		at := r.a.Created(r.kind, r.i)
		return slices.Concat([]byte("["), object(func(o *wire.Writer) {
			o.ID("comment_id", ids.ChildNumber(r.kind, r.i, 900)) // behind the lines.
			o.Text("description", name+" created")
			o.ID("commented_by_id", ids.FixedNumber(ids.GroupUser, 0))
			o.Text("commented_by", "Asha Rao")
			o.Text("comment_type", "system")
			o.Text("operation_type", "Added")
			o.Text("date", r.a.Day(at, 0))
			o.Text("time", r.a.DisplayTime(at))
			o.ID("transaction_id", ids.Number(r.kind, r.i))
			o.Text("transaction_type", name)
		}), []byte("]"))
	}
}

// customFields are the further keys of an element of custom_fields.
func customFields() array {
	fields := []field{
		{"customfield_id", single, func(r record) json.RawMessage {
			if r.Has("custom_field_id") { // composite items show both.
				return r.Get("custom_field_id")
			}
			return quoted(ids.Fixed(ids.GroupCustomField, int(r.kind)*10+r.n)) // ten per kind, as package parts has them.
		}},
		{"index", single, func(r record) json.RawMessage { return json.RawMessage{byte('1' + r.n)} }},
		{"label", single, func(r record) json.RawMessage { return quoted([...]string{"Cost centre", "Project"}[r.n%2]) }},
		{"api_name", single, func(r record) json.RawMessage { return quoted([...]string{"cf_cost_centre", "cf_project"}[r.n%2]) }},
		{"data_type", single, text("string")},
		{"search_entity", single, text("record")},
	}
	return array{"custom_fields", fields}
}

// customFieldHash repeats the custom fields by name.
func customFieldHash(r record) json.RawMessage {
	hash := overlay.NewObject()
	for n, element := range r.List("custom_fields") {
		name := [...]string{"cf_cost_centre", "cf_project"}[n%2]
		hash.Set(name, element.Get("value"))
		hash.Set(name+"_unformatted", element.Get("value"))
	}
	return hash.Append(nil)
}

// address is some further keys of an address.
func address(name string, keys ...string) array {
	values := map[string]string{"street2": "Second floor", "attention": "Accounts", "phone": "+91 20 555 0100"}
	block := array{name: name}
	for _, key := range keys {
		block.fields = append(block.fields, field{key, single, text(values[key])})
	}
	return block
}

// asObject turns an array of one object, or of none, into that object, or into "".
func asObject(r record, name string) {
	elements := r.List(name)
	if len(elements) > 0 {
		r.Set(name, elements[0].Append(nil))
	} else if _, err := overlay.Parse(r.Get(name)); err != nil && r.Has(name) {
		r.Set(name, absent)
	}
}

// withFiles replaces the array of files, which the documents show without elements.
func withFiles(r record) {
	r.Set("documents", documents(r))
}

// noise is what documents carry for the web client and for print (docs/upstream.md U312). Display
// twins of amounts and dates are left out.
func noise() []field {
	return []field{
		{"template_id", single, identifierOf(ids.GroupTemplate, 0)}, {"template_name", single, text("Standard Template")},
		{"template_type", single, text("standard")}, {"page_width", single, text("8.27in")}, {"page_height", single, text("11.69in")},
		{"orientation", single, text("portrait")}, {"can_send_in_mail", single, yes()}, {"color_code", both, rareText("ff0000")},
		{"sub_statuses", single, rarely(`{"status_id":"1","display_name":"Checked"}`)}, {"lock_details", single, rare(raw(`{"is_locked":false}`))},
		{"lock_detail", single, rare(raw(`{"is_locked":false}`))}, {"locked_actions", single, rarely(`"delete"`)},
		{"locked_fields", single, rarely(`"date"`)}, {"can_amend_transaction", single, yes()}, {"is_bulk_update_supported", single, no()},
		{"is_recurring_applicable", single, no()}, {"tax_override_preference", single, text("no_override")},
		{"tds_override_preference", single, text("no_override")}, {"computation_type", single, text("basic")},
		{"integration_references", single, rarely(`{"reference_id":"1"}`)},
		{"offline_created_date_with_time", single, rareText("2025-11-03T09:00:00+0530")},
		{"approvers_list", single, rarely(`{"approver_id":"1","order":1}`)}, {"approver_id", single, rare(user(0))},
		{"submitter_id", single, rare(user(1))}, {"is_approval_required", single, no()}, {"date_description", both, text("On the day")},
	}
}

// tradeNoise is that of bills and credit notes.
func tradeNoise() []field {
	return []field{
		{"track_discount_in_account", single, yes()}, {"invoice_conversion_type", single, text("invoice")},
		{"item_matching_type", single, rareText("two_way")}, {"registration_details", single, rare(raw(`{"number":"1"}`))},
	}
}

// billNoise is that of bills alone.
func billNoise() []field {
	return []field{
		{"warn_create_vendor_credits", single, no()}, {"un_billed_items", single, rare(raw(`{"count":1}`))},
		{"is_uber_bill", both, no()}, {"is_tally_bill", both, no()}, {"is_bill_reconciliation_violated", single, no()},
		{"bill_order_type", single, rareText("purchase_order")},
		{"purchase_request_items", single, rarely(`{"item_id":"1"}`)}, {"receive_line_items", single, rarely(`{"item_id":"1"}`)},
	}
}

// lineNoise is that of lines.
func lineNoise() []field {
	return []field{{"line_item_category", single, rareText("item")}, {"item_code", single, rareText("IT-1")}}
}

// storage is a bin, discount a part of a line's discount, tdsShare the tax withheld by one rate.
const (
	tdsShare = `{"tds_tax_id":"460000000200000001","tds_name":"Contractors","tds_percentage":2.00,"tds_amount":0.00}`
	storage  = `{"storage_id":"460000002400000010","storage_name":"A-1","in_quantity":5.00}`
	discount = `{"discount_id":"460000002400000011","discount":"0%","discount_amount":0.00}`
)

// identifierOf is the identifier of thing n of a group.
func identifierOf(group, n int) value { return text(ids.Fixed(group, n)) }
