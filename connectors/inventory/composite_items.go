package inventory

import "sluice/schema"

// compositeItems declares the list of bundles. Source: docs/upstream.md U208 to U210; the filter by
// modification time: U106. What the document calls input (product_type) is not in an answer.
func compositeItems() schema.Resource {
	return schema.Resource{
		Name:     "composite_items",
		Doc:      "A bundle of items that is kept in stock and sold as one.",
		Path:     "/compositeitems",
		Key:      "composite_items",
		Params:   map[string]string{"filter_by": "Status.All"},
		ID:       "composite_item_id",
		Scope:    "compositeitems",
		Single:   &schema.Single{Path: "/compositeitems/{id}", Key: "composite_item", Assumed: true},
		Details:  &schema.Details{Marker: "mapped_items"},
		Cursor:   schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "created_time", Assumed: true},
		Complete: "The filter Status.All is asked for (docs/upstream.md U208).",
		Every:    "1h",
		Columns:  compositeItemColumns(),
		Children: compositeItemChildren(),
		Ignored: map[string]string{
			"product_type": "an instruction on creation; a bundle of goods is always kept in stock",
		},
		Assumed: []string{
			"The list filters by last_modified_time.",
			"Rows come newest created first.",
			"The filter that asks for inactive ones, too, is the parameter filter_by.",
			"The list can leave out the items of a bundle, which the single record has.",
			"The answer to one composite item, its path and its key are not shown.",
		},
	}
}

func compositeItemColumns() []schema.Column {
	return []schema.Column{
		schema.ID("composite_item_id", "Identifier of the bundle; unique within the organization."),
		schema.Text("name", "Name of the bundle as it stands on documents."),
		schema.ID("sku", "Stock keeping unit: the organization's own code of the bundle."),
		schema.Text("status", "Whether the bundle can still be used: active or inactive.").OneOf("active", "inactive"),
		schema.Text("item_type", "What the bundle is used for; always inventory.").OneOf("inventory"),
		schema.Text("source", "Where the bundle came into the service from, such as user or csv."),
		schema.Bool("is_combo_product", "Whether it is a bundle of other items; always true here."),
		schema.Text("unit", "Unit that quantities of the bundle are counted in."),
		schema.Text("description", "Text about the bundle on documents to customers."),
		schema.Text("purchase_description", "Text about the bundle on documents to vendors."),
		schema.Decimal("rate", "Selling price of one bundle, in the base currency."),
		schema.Decimal("pricebook_rate", "Selling price of one bundle by the price list in force, in the base currency."),
		schema.Decimal("purchase_rate", "Buying price of one bundle, in the base currency."),
		schema.Decimal("reorder_level", "Stock below which the bundle should be made or ordered again, in units."),
		schema.Decimal("initial_stock", "Units that were in stock when the bundle was entered."),
		schema.Decimal("initial_stock_rate", "Value of one unit of that first stock, in the base currency."),
		schema.Decimal("stock_on_hand", "Units in stock by the books."),
		schema.Decimal("available_stock", "Units that the books leave for new orders."),
		schema.Decimal("actual_available_stock", "Units that are really there for new orders, after what is shipped and received."),
		schema.Decimal("asset_value", "Value of the stock, in the base currency."),
		schema.Bool("is_taxable", "Whether sales of the bundle are taxed."),
		schema.ID("tax_id", "Identifier of the tax on sales of the bundle."),
		schema.Text("tax_name", "Name of the tax on sales of the bundle."),
		schema.Decimal("tax_percentage", "Rate of the tax on sales of the bundle, in percent."),
		schema.Text("tax_type", "Whether the tax is a simple or a compound one."),
		schema.ID("account_id", "Identifier of the account that sales of the bundle are booked on."),
		schema.Text("account_name", "Name of the account that sales of the bundle are booked on."),
		schema.ID("purchase_account_id", "Identifier of the account that purchases of the bundle are booked on."),
		schema.Text("purchase_account_name", "Name of the account that purchases of the bundle are booked on."),
		schema.ID("inventory_account_id", "Identifier of the account that the stock of the bundle is valued on."),
		schema.Text("inventory_account_name", "Name of the account that the stock of the bundle is valued on."),
		schema.ID("vendor_id", "Identifier of the vendor whom the bundle is usually bought from."),
		schema.Text("vendor_name", "Name of the vendor whom the bundle is usually bought from."),
		schema.ID("upc", "Universal product code: twelve digits of the barcode, leading zeros kept."),
		schema.ID("ean", "European article number: the barcode's digits, leading zeros kept."),
		schema.ID("isbn", "International standard book number, where the bundle is one of books."),
		schema.ID("part_number", "Number that the manufacturer gave the bundle."),
		schema.ID("hsn_or_sac", "Code of the goods for Indian GST."),
		schema.ID("image_id", "Identifier of the picture of the bundle."),
		schema.Text("image_name", "File name of the picture of the bundle."),
		schema.Time("created_time", "When the bundle was created."),
		schema.Time("last_modified_time", "When the bundle itself last changed; movements of stock do not change it."),
	}
}

func compositeItemChildren() []schema.Child {
	return []schema.Child{
		{Name: "mapped_items", Doc: "An item of a bundle: what it is, and how many of it are in one.", Columns: mappedItem()},
		{
			Name: "item_tax_preferences",
			Doc:  "The tax on a bundle for sales within a state or across states.",
			Columns: []schema.Column{
				schema.ID("tax_id", "Identifier of the tax that applies."),
				schema.Text("tax_specification", "Which sales it applies to: intra (within a state) or inter (across states).").
					OneOf("intra", "inter"),
			},
		},
		{
			Name: "custom_fields",
			Doc:  "A field that the organization added to its items, with its value on one bundle.",
			Columns: []schema.Column{
				schema.ID("custom_field_id", "Identifier of the field; the same on every bundle."),
				schema.Int("index", "Place of the field among the organization's own, from 1."),
				schema.Text("label", "Name of the field as the organization shows it."),
				schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field."),
			},
		},
	}
}

func mappedItem() []schema.Column {
	return []schema.Column{
		schema.ID("line_item_id", "Identifier of the line of the bundle."),
		schema.ID("item_id", "Identifier of the item that is in the bundle."),
		schema.Text("name", "Name of the item."),
		schema.ID("sku", "Stock keeping unit: the organization's own code of the item."),
		schema.Decimal("quantity", "Number of units of the item in one bundle."),
		schema.Text("unit", "Unit that the quantity is counted in."),
		schema.Text("description", "Text about the item on documents to customers."),
		schema.Text("purchase_description", "Text about the item on documents to vendors."),
		schema.Decimal("rate", "Selling price of one unit of the item, in the base currency."),
		schema.Decimal("purchase_rate", "Buying price of one unit of the item, in the base currency."),
		schema.Decimal("stock_on_hand", "Units of the item in stock by the books."),
		schema.Decimal("available_stock", "Units of the item that the books leave for new orders."),
		schema.Decimal("actual_available_stock", "Units of the item that are really there for new orders."),
		schema.Bool("is_combo_product", "Whether the item is a bundle itself."),
		schema.ID("image_id", "Identifier of the picture of the item."),
		schema.Text("image_name", "File name of the picture of the item."),
		schema.Text("image_type", "File type of the picture of the item, such as png."),
	}
}
