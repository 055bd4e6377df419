package inventory

import "sluice/schema"

// live marks columns that no API document names, and that live services send.
func live(columns ...schema.Column) []schema.Column {
	for i := range columns {
		columns[i] = columns[i].Assume()
	}
	return columns
}

// tags declares the reporting tags of a record or of a line. Source: docs/upstream.md U310 and
// U332.
func tags(doc string) schema.Child {
	return schema.Child{
		Name: "tags",
		Doc:  doc,
		Columns: live(
			schema.ID("tag_id", "Identifier of the tag, such as that of a cost centre."),
			schema.Text("tag_name", "Name of the tag.").Is(schema.Plain),
			schema.ID("tag_option_id", "Identifier of the option that was chosen."),
			schema.Text("tag_option_name", "Name of the option that was chosen.").Is(schema.Plain),
			schema.Bool("is_tag_mandatory", "Whether the organization asks for the tag everywhere."),
		),
	}
}

// documents declares the files attached to a record. Source: docs/upstream.md U310 and U333.
func documents(doc string) schema.Child {
	return schema.Child{
		Name: "documents",
		Doc:  doc,
		Columns: live(
			schema.ID("document_id", "Identifier of the file."),
			schema.Text("file_name", "Name of the file.").Is(schema.FreeText),
			schema.Text("file_type", "Type of the file, such as pdf.").Is(schema.Plain),
			schema.Int("file_size", "Size of the file, in bytes."),
			schema.Int("attachment_order", "Place of the file among those of the record."),
			schema.Text("source", "Where the file came from, such as a computer or mail.").Is(schema.Plain),
			schema.Text("uploaded_by", "Name of the user who attached the file.").Is(schema.Person),
			schema.ID("uploaded_by_id", "Identifier of the user who attached the file."),
			schema.Text("uploaded_on", "When the file was attached, written by the organization's settings, for display only.").Is(schema.Plain),
		),
	}
}

// comments declares the history of a record. Source: docs/upstream.md U310 and U389.
func comments(doc string) schema.Child {
	return schema.Child{
		Name: "comments",
		Doc:  doc,
		Columns: live(
			schema.ID("comment_id", "Identifier of the entry."),
			schema.Text("description", "Text of the entry.").Is(schema.FreeText),
			schema.ID("commented_by_id", "Identifier of the user who made the entry."),
			schema.Text("commented_by", "Name of the user who made the entry.").Is(schema.Person),
			schema.Text("comment_type", "Kind of the entry: by the service itself, or by a user.").Is(schema.Plain),
			schema.Text("operation_type", "What was done, such as Added or Updated.").Is(schema.Plain),
			schema.Date("date", "Day of the entry."),
			schema.Text("time", "Time of the entry, written by the organization's settings, for display only.").Is(schema.Plain),
			schema.ID("transaction_id", "Identifier of the record that the entry is about."),
			schema.Text("transaction_type", "Kind of the record that the entry is about.").Is(schema.Plain),
		),
	}
}

// lineTaxes declares the taxes of a line. Source: docs/upstream.md U311.
func lineTaxes(doc, currency string) schema.Child {
	return schema.Child{
		Name: "line_item_taxes",
		Doc:  doc,
		Columns: live(
			schema.ID("tax_id", "Identifier of the tax."),
			schema.Text("tax_name", "Name of the tax with its rate.").Is(schema.Plain),
			schema.Decimal("tax_amount", "Amount of the tax on the line, in the "+currency+"."),
		),
	}
}

// fieldKind are keys of a custom field that tell what it is. Source: docs/upstream.md U310.
func fieldKind() []schema.Column {
	return live(
		schema.ID("api_name", "Name of the field for programs: cf_ and the name of the field."),
		schema.Text("data_type", "Type of the field, such as string, date or dropdown.").Is(schema.Plain),
		schema.Text("search_entity", "Kind of record that the field belongs to.").Is(schema.Plain),
	)
}

// fieldPlace are keys of a custom field that the documents show for some resources only. Source:
// docs/upstream.md U310.
func fieldPlace() []schema.Column {
	return live(
		schema.Int("index", "Place of the field among the organization's own, from 1."),
		schema.Text("label", "Name of the field as the organization shows it.").Is(schema.Plain),
	)
}

// fieldSettings are keys of a custom field that are not copied. Source: docs/upstream.md U389.
func fieldSettings() map[string]string {
	const display = "says where the field is shown or edited, and nothing of its value"
	return map[string]string{
		"value_formatted":    "the same value, written by the organization's settings",
		"field_id":           "the same identifier a second time",
		"is_active":          display,
		"is_dependent_field": display,
		"placeholder":        display,
		"show_on_pdf":        display,
		"show_in_all_pdf":    display,
		"show_in_portal":     display,
		"show_in_store":      display,
		"edit_on_portal":     display,
		"edit_on_store":      display,
	}
}

// packageDetails declares how large and heavy the parcel of an item or of a bundle is. Source:
// docs/upstream.md U384.
func packageDetails(doc string) schema.Child {
	return schema.Child{Name: "package_details", Doc: doc, Object: true, Columns: packageSizes()}
}

func packageSizes() []schema.Column {
	return live(
		schema.Decimal("length", "Length of the parcel, in the unit of dimension_unit."),
		schema.Decimal("width", "Width of the parcel, in the unit of dimension_unit."),
		schema.Decimal("height", "Height of the parcel, in the unit of dimension_unit."),
		schema.Decimal("weight", "Weight of the parcel, in the unit of weight_unit."),
		schema.Text("weight_unit", "Unit of the weight, such as kg.").Is(schema.Plain),
		schema.Text("dimension_unit", "Unit of length, width and height, such as cm.").Is(schema.Plain),
	)
}

// transactionNoise are keys of bills and credit notes that are not copied. Source: docs/upstream.md
// U312.
func transactionNoise() map[string]string {
	const (
		layout   = "says how the document is printed"
		client   = "state of the web client"
		form     = "a setting of the entry form"
		feed     = "a mark of a feed, and no property of the document"
		approval = "a step of the approval, whose outcome is the status"
		twin     = "the same value, written by the organization's settings"
	)
	return map[string]string{
		"template_type": layout, "page_width": layout, "page_height": layout, "orientation": layout, "can_send_in_mail": layout,
		"date_description": twin, "currency_name_formatted": twin,
		"color_code": client, "sub_statuses": client, "lock_details": client, "lock_detail": client, "locked_actions": client,
		"locked_fields": client, "can_amend_transaction": client, "warn_create_vendor_credits": client, "un_billed_items": client,
		"is_bulk_update_supported": client, "is_recurring_applicable": client,
		"tax_override_preference": form, "tds_override_preference": form, "computation_type": form,
		"track_discount_in_account": form, "invoice_conversion_type": form, "item_matching_type": form,
		"is_uber_bill": feed, "is_tally_bill": feed, "is_bill_reconciliation_violated": feed, "bill_order_type": feed,
		"integration_references": feed,
		"registration_details":   "an empty shell", "purchase_request_items": "an empty shell", "receive_line_items": "an empty shell",
		"offline_created_date_with_time": "an empty shell",
		"approvers_list":                 approval, "approver_id": approval, "submitter_id": approval, "is_approval_required": approval,
		"submitted_by": approval, "submitted_by_name": approval, "submitted_by_email": approval, "submitted_date": approval,
	}
}

// lineNoise are keys of lines that are not copied. Source: docs/upstream.md U312.
func lineNoise() map[string]string {
	return map[string]string{
		"line_item_category": "state of the web client",
		"item_code":          "an empty shell",
	}
}

// all returns the columns or arrays of all parts, in their order.
func all[T any](parts ...[]T) []T {
	var whole []T
	for _, part := range parts {
		whole = append(whole, part...)
	}
	return whole
}
