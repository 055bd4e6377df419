package accounting

import "sluice/schema"

// tags declares the reporting tags of a record or a line; of says whose they are. Source:
// docs/upstream.md U310 and U332.
func tags(of string) schema.Child {
	return schema.Child{
		Name: "tags",
		Doc:  "A reporting tag of " + of + ": one dimension of the organization's own reports, with the option chosen.",
		Columns: []schema.Column{
			schema.ID("tag_id", "Identifier of the tag, such as the one for cost centers.").Assume(),
			schema.Text("tag_name", "Name of the tag.").Is(schema.Plain).Assume(),
			schema.ID("tag_option_id", "Identifier of the option that was chosen.").Assume(),
			schema.Text("tag_option_name", "Name of the option that was chosen.").Is(schema.Plain).Assume(),
			schema.Bool("is_tag_mandatory", "Whether the organization demands an option of this tag.").Assume(),
		},
	}
}

// noise names keys of live answers that say nothing of a booking, each with the reason. Source:
// docs/upstream.md U312.
func noise() map[string]string {
	keys := map[string]string{}
	for reason, group := range map[string][]string{
		"text for display": {"date_description"},
		"how the document is printed": {
			"template_id", "template_name", "template_type", "page_width", "page_height", "orientation", "can_send_in_mail",
		},
		"state of the web client": {
			"color_code", "sub_statuses", "lock_details", "lock_detail", "locked_actions", "locked_fields", "can_amend_transaction",
			"is_bulk_update_supported", "is_recurring_applicable", "line_item_category",
		},
		"a setting of the form":      {"tax_override_preference", "tds_override_preference", "computation_type"},
		"a feed of another service":  {"integration_references"},
		"always empty where it came": {"offline_created_date_with_time"},
	} {
		for _, key := range group {
			keys[key] = reason
		}
	}
	return keys
}
