package inventory

import "sluice/schema"

// compositeItemChildren declares the arrays of a bundle. Source: docs/upstream.md U208 to U210;
// what live services add: U310, U384 and U388.
func compositeItemChildren() []schema.Child {
	return []schema.Child{
		{Name: "mapped_items", Doc: "An item of a bundle: what it is, and how many of it are in one.", Columns: mappedItem()},
		{
			Name: "item_tax_preferences",
			Doc:  "The tax on a bundle for sales within a state or across states.",
			Columns: []schema.Column{
				schema.ID("tax_id", "Identifier of the tax that applies."),
				schema.Text("tax_specification", "Which sales it applies to: intra (within a state) or inter (across states).").Is(schema.Plain).
					OneOf("intra", "inter"),
			},
		},
		{
			Name: "custom_fields",
			Doc:  "A field that the organization added to its items, with its value on one bundle.",
			Columns: all([]schema.Column{
				schema.ID("custom_field_id", "Identifier of the field; the same on every bundle."),
				schema.Int("index", "Place of the field among the organization's own, from 1."),
				schema.Text("label", "Name of the field as the organization shows it.").Is(schema.Plain),
				schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field.").Is(schema.FreeText),
			}, live(schema.ID("customfield_id", "Identifier of the field, as live services spell custom_field_id.")), fieldKind()),
			Ignored: fieldSettings(),
		},
		tags("A reporting tag of a bundle."),
		documents("A file attached to a bundle."),
		packageDetails("How large and heavy one bundle is, packed."),
		bundleWarehouses(),
		{
			Name:    "composite_component_items",
			Doc:     "An item of a bundle, as live services send it beside or in place of mapped_items.",
			Columns: component(),
		},
		{
			Name:    "composite_service_items",
			Doc:     "A service of a bundle, as live services send it beside or in place of mapped_items.",
			Columns: component(),
		},
	}
}

// mappedItem are the keys of an item of a bundle. Source: docs/upstream.md U210.
func mappedItem() []schema.Column {
	return []schema.Column{
		schema.ID("line_item_id", "Identifier of the line of the bundle."),
		schema.ID("item_id", "Identifier of the item that is in the bundle."),
		schema.Text("name", "Name of the item.").Is(schema.Plain),
		schema.ID("sku", "Stock keeping unit: the organization's own code of the item."),
		schema.Decimal("quantity", "Number of units of the item in one bundle."),
		schema.Text("unit", "Unit that the quantity is counted in.").Is(schema.Plain),
		schema.Text("description", "Text about the item on documents to customers.").Is(schema.FreeText),
		schema.Text("purchase_description", "Text about the item on documents to vendors.").Is(schema.FreeText),
		schema.Decimal("rate", "Selling price of one unit of the item, in the base currency."),
		schema.Decimal("purchase_rate", "Buying price of one unit of the item, in the base currency."),
		schema.Decimal("stock_on_hand", "Units of the item in stock by the books."),
		schema.Decimal("available_stock", "Units of the item that the books leave for new orders."),
		schema.Decimal("actual_available_stock", "Units of the item that are really there for new orders."),
		schema.Bool("is_combo_product", "Whether the item is a bundle itself."),
		schema.ID("image_id", "Identifier of the picture of the item."),
		schema.Text("image_name", "File name of the picture of the item.").Is(schema.FreeText),
		schema.Text("image_type", "File type of the picture of the item, such as png.").Is(schema.Plain),
		schema.Int("item_order", "Place of the item in the bundle.").Assume(),
	}
}

// component are the keys of an item or of a service of a bundle, as live services send them.
// Source: docs/upstream.md U388.
func component() []schema.Column {
	return live(
		schema.ID("mapped_item_id", "Identifier of the line of the bundle."),
		schema.ID("item_id", "Identifier of the item that is in the bundle."),
		schema.Int("item_order", "Place of the item in the bundle."),
		schema.Text("name", "Name of the item.").Is(schema.Plain),
		schema.ID("sku", "Stock keeping unit: the organization's own code of the item."),
		schema.Text("product_type", "Whether the item is a thing or work: goods or service.").Is(schema.Plain),
		schema.Decimal("quantity", "Number of units of the item in one bundle."),
		schema.Text("unit", "Unit that the quantity is counted in.").Is(schema.Plain),
		schema.Text("description", "Text about the item on documents to customers.").Is(schema.FreeText),
		schema.Text("purchase_description", "Text about the item on documents to vendors.").Is(schema.FreeText),
		schema.Decimal("rate", "Selling price of one unit of the item, in the base currency."),
		schema.Decimal("purchase_rate", "Buying price of one unit of the item, in the base currency."),
		schema.Decimal("stock_on_hand", "Units of the item in stock by the books."),
		schema.Decimal("available_stock", "Units of the item that the books leave for new orders."),
		schema.Decimal("actual_available_stock", "Units of the item that are really there for new orders."),
		schema.Bool("is_combo_product", "Whether the item is a bundle itself."),
		schema.ID("image_document_id", "Identifier of the file of the picture of the item."),
		schema.Text("image_name", "File name of the picture of the item.").Is(schema.FreeText),
		schema.Text("image_type", "File type of the picture of the item, such as png.").Is(schema.Plain),
	)
}

// bundleWarehouses declares the stock of a bundle by warehouse. Source: docs/upstream.md U388.
func bundleWarehouses() schema.Child {
	return schema.Child{
		Name: "warehouses",
		Doc:  "The stock of a bundle at one warehouse of the organization.",
		Columns: live(
			schema.ID("warehouse_id", "Identifier of the warehouse."),
			schema.Text("warehouse_name", "Name of the warehouse.").Is(schema.Plain),
			schema.Text("status", "Whether the warehouse is in use: active or inactive.").Is(schema.Plain),
			schema.Bool("is_primary", "Whether it is the main warehouse of the organization."),
			schema.Decimal("warehouse_stock_on_hand", "Units at the warehouse by the books."),
			schema.Decimal("warehouse_available_stock", "Units at the warehouse that the books leave for new orders."),
			schema.Decimal("warehouse_actual_available_stock", "Units at the warehouse that are really there for new orders."),
			schema.Decimal("warehouse_committed_stock", "Units at the warehouse that the books promise to orders."),
			schema.Decimal("warehouse_actual_committed_stock", "Units at the warehouse that are really promised to orders."),
			schema.Decimal("warehouse_available_for_sale_stock", "Units at the warehouse by the books less promised ones."),
			schema.Decimal("warehouse_actual_available_for_sale_stock", "Units at the warehouse that are really there, less promised ones."),
			schema.Decimal("initial_stock", "Units at the warehouse when the bundle was entered."),
			schema.Decimal("initial_stock_rate", "Value of one unit of that first stock, in the base currency."),
		),
	}
}
