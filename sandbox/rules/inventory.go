package rules

import "slices"

const inventory = "/inventory/v1"

// settings returns the rules of locations and taxes.
func settings() []Rule {
	const (
		locations = inventory + "/locations"
		location  = "docs/upstream.md U207, 'Location'"
		taxes     = inventory + "/settings/taxes"
		tax       = "docs/upstream.md U213, 'Tax'"
	)
	site := slices.Concat(
		chosen("type", "general line_item_only"), of(Text, "email phone location_name"),
		[]Field{{Name: "address", Type: Object, Fields: of(Text, "city state country attention state_code street_address1 street_address2")}},
		of(ID, "tax_settings_id parent_location_id auto_number_generation_id"), of(List, "associated_series_ids"),
		of(Flag, "is_all_users_selected"), of(IDs, "user_ids"))
	levy := slices.Concat(
		of(Text, "tax_name tax_authority_name country_code"), of(Number, "tax_percentage"), chosen("tax_type", "tax compound_tax"),
		chosen("tax_factor", "rate"), more("tax_specific_type", "igst cgst sgst nil cess", "isr iva ieps"),
		of(ID, "tax_authority_id purchase_tax_expense_account_id"), of(Flag, "is_value_added update_draft_invoice update_draft_so is_editable"))
	return []Rule{
		{Method: post, Path: inventory + "/settings/locations/enable", Passage: "docs/upstream.md U206, POST /settings/locations/enable: request 'none'"},
		{Method: post, Path: locations, Passage: location, Fields: site, Needed: []string{"location_name"}},
		{Method: put, Path: locations + one, Passage: location + ", 'same fields as create'", Fields: site},
		{Method: post, Path: taxes, Passage: tax, Fields: levy, Needed: []string{"tax_name", "tax_percentage"}},
		{
			Method: put, Path: taxes + one, Passage: tax + ", 'create fields plus tds_payable_account_id'",
			Fields: slices.Concat(levy, of(ID, "tds_payable_account_id")),
		},
	}
}

// stock returns the rules of items and composite items.
func stock() []Rule {
	const (
		composites = inventory + "/compositeitems"
		composite  = "docs/upstream.md U209, 'Composite item'"
	)
	bundle := slices.Concat(
		itemFields(), chosen("item_type", "inventory"), of(Flag, "is_combo_product"),
		list("mapped_items", of(Number, "quantity"), of(ID, "item_id line_item_id")),
		list("custom_fields", of(ID, "custom_field_id"), of(Free, "value")))
	item := slices.Concat(
		itemFields(), chosen("item_type", "inventory sales purchases sales_and_purchases"), of(Flag, "is_taxable"),
		of(ID, "group_id attribute_id1 attribute_option_id1"), of(Text, "group_name attribute_name1 attribute_option_name1 sat_item_key_code unitkey_code"),
		list("locations", of(ID, "location_id"), of(Number, "initial_stock initial_stock_rate")),
		list("custom_fields", of(ID, "customfield_id"), of(Free, "value")))
	return []Rule{
		{Method: post, Path: composites, Passage: composite + ", 'Create input', item_type 'always inventory'", Fields: bundle, Needed: []string{"name"}},
		{
			Method: post, Path: composites + one + "/image",
			Passage: composite + ", 'images: gif, png, jpeg, jpg, bmp'; 'form-data part image (file)'",
			Upload:  Upload{Part: "image", Extensions: images(), Required: true},
		},
		{Method: put, Path: composites + one, Passage: composite, Fields: bundle},
		{
			Method: post, Path: inventory + "/items",
			Passage: "docs/upstream.md U219, 'Item', item_type 'must be inventory when the item belongs to a group'", Fields: item,
			Needed: []string{"name"}, whole: grouped,
		},
	}
}

func grouped(body Body, _ bool) []Problem {
	kind := body.Text("item_type")
	if body.Text("group_id")+body.Text("group_name") == "" || kind == "" || kind == "inventory" {
		return nil
	}
	return []Problem{{"item_type", "must be inventory when the item belongs to a group"}}
}

// trade returns the rules of bills and credit notes.
func trade() []Rule {
	const (
		bill = "docs/upstream.md U222, 'Bill' with 'Line item', 'Create input adds is_inclusive_tax and tax_treatment'; 'Attachment extensions'"
		note = "docs/upstream.md U227, 'Credit note', 'Create input' and 'Allowed values'"
	)
	return []Rule{
		{
			Method: post, Path: inventory + "/bills", Passage: bill, Fields: slices.Concat(billFields(), billLine()), Needed: []string{"vendor_id"},
			Upload: Upload{Part: "attachment", Extensions: append(images(), "pdf")},
		},
		{Method: post, Path: inventory + "/creditnotes", Passage: note, Fields: slices.Concat(noteFields(), noteLine()), Needed: []string{"customer_id"}},
	}
}

func billFields() []Field {
	address := of(Text, "address city state zip country fax")
	return slices.Concat(
		of(ID, "purchaseorder_id vendor_id currency_id location_id reference_id"), of(Day, "date due_date"), of(Number, "exchange_rate"),
		of(Text, "bill_number reference_number notes terms gst_no source_of_supply destination_of_supply"),
		of(Flag, "is_item_level_tax_calc is_inclusive_tax is_pre_gst is_reverse_charge_applied"), gstTreatment(), taxTreatment(),
		list("custom_fields", of(ID, "customfield_id"), of(Free, "value")), list("billing_address", address))
}

func billLine() []Field {
	return list("line_items",
		of(ID, `purchaseorder_item_id receive_item_id line_item_id item_id account_id tax_id tds_tax_id image_id reverse_charge_tax_id
			tax_exemption_id location_id`),
		of(Text, "name description unit hsn_or_sac tax_exemption_code"), of(Number, "rate quantity"), of(Whole, "item_order"))
}

func noteFields() []Field {
	return slices.Concat(
		of(ID, "customer_id location_id template_id tax_id tax_authority_id tax_exemption_id"), of(List, "contact_persons"), of(Day, "date"),
		of(Flag, "is_draft ignore_auto_number_generation is_inclusive_tax"), of(Number, "exchange_rate"),
		of(Text, "creditnote_number gst_no reference_number notes terms avatax_use_code avatax_exempt_no avatax_tax_code"),
		of(Text, "place_of_supply"), gstTreatment(), taxTreatment(), vatTreatment(),
		chosen("cfdi_usage", "acquisition_of_merchandise buildings computer_equipmentdye_molds_tools contribution_sar "+
			"deposit_saving_account donation funeral_expense furniture_office_equipment general_expense hospital_expense "+
			"interest_mortage_loans "+ //nolint:misspell // the document spells it so.
			"medical_expense_disability medical_expense_insurance_pormium no_tax_effect other_machinery_equipment payment "+
			"payment_educational_service payroll return_discount_bonus satellite_communication "+
			"school_transportation_expense telephone_communication transport_equipment"),
		chosen("cfdi_reference_type", `cfdi_for_advance credit_note debit_note invoice_generated_from_order return_of_merchandise
			substitution_previous_cfdi transfer_of_goods`),
		list("custom_fields", of(ID, "customfield_id"), of(Whole, "index"), of(Text, "label"), of(Free, "value")))
}

func noteLine() []Field {
	return list("line_items",
		of(ID, "item_id account_id tax_id tds_tax_id location_id invoice_id invoice_item_id salesreturn_item_id"),
		of(Text, "description code name type account_name product_type sat_item_key_code unitkey_code"), of(Number, "quantity rate"),
		of(List, "serial_numbers"), of(Flag, "is_item_shipped is_returned_to_stock"))
}
