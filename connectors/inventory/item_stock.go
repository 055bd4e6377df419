package inventory

import "sluice/schema"

// itemChildren declares the arrays of an item. Source: docs/upstream.md U216 to U219; what live
// services add: U310, U383 and U384.
func itemChildren() []schema.Child {
	return []schema.Child{
		{
			Name: "locations",
			Doc:  "The stock of an item at one location of the organization.",
			Columns: all([]schema.Column{
				schema.ID("location_id", "Identifier of the location, a branch or a warehouse."),
				schema.Text("location_name", "Name of the location.").Is(schema.Plain),
				schema.Text("status", "Whether the location is in use: active or inactive.").Is(schema.Plain).OneOf("active", "inactive"),
				schema.Bool("is_primary", "Whether it is the main location of the organization."),
				schema.Decimal("location_stock_on_hand", "Units at the location by the books."),
				schema.Decimal("location_available_stock", "Units at the location that the books leave for new orders."),
				schema.Decimal("location_actual_available_stock", "Units at the location that are really there for new orders, "+
					"after what is shipped and received."),
			}, liveItemLocation()),
		},
		{
			Name: "item_tax_preferences",
			Doc:  "The tax on an item for sales within a state or across states.",
			Columns: []schema.Column{
				schema.ID("tax_id", "Identifier of the tax that applies."),
				schema.Text("tax_specification", "Which sales it applies to: intra (within a state) or inter (across states).").Is(schema.Plain).
					OneOf("intra", "inter"),
			},
		},
		{
			Name: "custom_fields",
			Doc:  "A field that the organization added to its items, with its value on one item.",
			Columns: all([]schema.Column{
				schema.ID("customfield_id", "Identifier of the field; the same on every item."),
				schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field.").Is(schema.FreeText),
			}, fieldPlace(), fieldKind()),
			Ignored: fieldSettings(),
		},
		tags("A reporting tag of an item."),
		packageDetails("How large and heavy one unit of an item is, packed."),
		{
			Name: "preferred_vendors",
			Doc:  "A vendor whom an item can be bought from, in the order of preference.",
			Columns: live(
				schema.ID("vendor_id", "Identifier of the vendor."),
				schema.Text("vendor_name", "Name of the vendor.").Is(schema.Company),
				schema.Bool("is_primary", "Whether it is the vendor to buy from first."),
				schema.Decimal("item_price", "Buying price of one unit from the vendor; no source says in which currency."),
				schema.Decimal("item_stock", "Units that the vendor has in stock."),
				schema.Time("last_modified_time", "When the entry of the vendor last changed."),
			),
		},
		{
			Name: "unit_conversions",
			Doc:  "Another unit that quantities of an item can be counted in.",
			Columns: live(
				schema.ID("unit_conversion_id", "Identifier of the conversion."),
				schema.ID("target_unit_id", "Identifier of the other unit."),
				schema.Text("target_unit", "Name of the other unit.").Is(schema.Plain),
				schema.Int("quantity_decimal_place", "Decimals that quantities in the other unit are shown with."),
				schema.Decimal("conversion_rate", "Number by which quantities are multiplied to get the other unit."),
			),
		},
	}
}

// liveItemLocation are the keys of the stock at a location that live services send beyond the
// documents. Source: docs/upstream.md U383.
func liveItemLocation() []schema.Column {
	return live(
		schema.Decimal("location_committed_stock", "Units at the location that the books promise to orders."),
		schema.Decimal("location_actual_committed_stock", "Units at the location that are really promised to orders."),
		schema.Decimal("location_available_for_sale_stock", "Units at the location by the books less promised ones."),
		schema.Decimal("location_actual_available_for_sale_stock", "Units at the location that are really there, less promised ones."),
		schema.Decimal("location_quantity_in_transit", "Units on their way to the location."),
		schema.Decimal("location_asset_value", "Value of the stock at the location, in the base currency."),
		schema.Decimal("initial_stock", "Units at the location when the item was entered."),
		schema.Decimal("initial_stock_rate", "Value of one unit of that first stock, in the base currency."),
		schema.Bool("is_primary_location", "Whether it is the main location of the organization, like is_primary."),
		schema.Bool("is_item_mapped", "Whether the item is kept at the location."),
		schema.Bool("is_storage_location_enabled", "Whether the location is divided into bins."),
		schema.Bool("is_general_location", "Whether all kinds of documents can be booked for the location."),
		schema.JSON("serial_numbers", "Serial numbers of the units at the location, kept as JSON because no answer shows their shape.").Is(schema.Plain),
		schema.JSON("batches", "Batches at the location, kept as JSON because no answer shows their shape.").Is(schema.Plain),
		schema.JSON("storages", "Bins of the location with their stock, kept as JSON because no answer shows their shape.").Is(schema.Plain),
	)
}
