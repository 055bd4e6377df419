package inventory

import "sluice/schema"

// locations declares the list of branches and warehouses. Source: docs/upstream.md U205 to U207;
// that it comes without pages: U82; what live services send beside the documented keys: U324.
func locations() schema.Resource {
	return schema.Resource{
		Name:   "locations",
		Doc:    "A branch or a warehouse of the organization.",
		Path:   "/locations",
		Paging: schema.PagingWhole,
		Key:    "locations",
		ID:     "location_id",
		Scope:  "settings",
		Cursor: schema.FullScan{},
		Every:  "12h",
		Columns: []schema.Column{
			schema.ID("location_id", "Identifier of the location; unique within the organization."),
			schema.Text("location_name", "Name of the location.").Is(schema.Plain),
			schema.Text("type", "What the location is for: general, or line_item_only for one that only lines can be booked for.").Is(schema.Plain).
				OneOf("general", "line_item_only"),
			schema.Text("status", "Whether the location is in use: active or inactive.").Is(schema.Plain).OneOf("active", "inactive"),
			schema.Bool("is_primary", "Whether it is the main location of the organization."),
			schema.ID("parent_location_id", "Identifier of the location that this one is a part of; null at the top."),
			schema.Text("email", "Address of the location for mail.").Is(schema.Contact),
			schema.ID("phone", "Phone number as it was entered, leading zeros kept.").Is(schema.Contact),
			schema.ID("auto_number_generation_id", "Identifier of the numbering that new documents of the location get by default."),
			schema.ID("tax_settings_id", "Identifier of the tax registration that the location belongs to."),
			schema.Bool("is_location_active", "Whether the location is in use; some organizations get it in place of status.").Assume(),
			schema.Bool("is_primary_location", "Whether it is the main location; some organizations get it in place of is_primary.").Assume(),
			schema.ID("tax_reg_no", "Tax number of the location in India.").Is(schema.TaxNumber).Assume(),
		},
		Children: []schema.Child{
			{
				Name:   "address",
				Doc:    "The postal address of a location.",
				Object: true,
				Columns: []schema.Column{
					schema.Text("attention", "Person or department that it is addressed to.").Is(schema.Person),
					schema.Text("street_address1", "Street and number.").Is(schema.Address),
					schema.Text("street_address2", "Second line of the street, such as a floor.").Is(schema.Address),
					schema.Text("city", "City or town.").Is(schema.Plain),
					schema.Text("state", "State, canton or province by name.").Is(schema.Plain),
					schema.ID("state_code", "Code of the state, canton or province."),
					schema.Text("country", "Country by name.").Is(schema.Plain),
				},
			},
			{
				Name:    "associated_series_ids",
				Doc:     "A numbering series that documents of a location can take their numbers from.",
				Scalar:  true,
				Columns: []schema.Column{schema.ID("series_id", "Identifier of the numbering series.")},
			},
			{
				Name: "associated_users",
				Doc:  "A user who may work for a location.",
				Columns: []schema.Column{
					schema.ID("user_id", "Identifier of the user."),
					schema.Text("user_name", "Name of the user.").Is(schema.Person),
				},
			},
		},
		Ignored: map[string]string{
			"is_all_users_selected": "an instruction to the service; who may work for a location is in associated_users",
			"user_ids":              "an instruction to the service; who may work for a location is in associated_users",
		},
		Assumed: []string{"The list comes whole, without pages."},
	}
}
