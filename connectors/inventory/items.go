package inventory

import "sluice/schema"

// itemsAtOnce is how many items one call of /itemdetails takes. Source: docs/upstream.md U218.
const itemsAtOnce = 100

// items declares the list of items. Source: docs/upstream.md U216 to U219; the filter: U106.
func items() schema.Resource {
	return schema.Resource{
		Name:   "items",
		Doc:    "Something that the organization buys, keeps in stock or sells.",
		Path:   "/items",
		Key:    "items",
		ID:     "item_id",
		Scope:  "items",
		Single: &schema.Single{Path: "/items/{id}", Key: "item", Assumed: true},
		Details: &schema.Details{
			Marker: "locations",
			Batch:  &schema.Batch{Path: "/itemdetails", Key: "items", Param: "item_ids", Size: itemsAtOnce},
		},
		Cursor:   schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "created_time", Assumed: true},
		Complete: "The list answers Status.All unless asked otherwise (docs/upstream.md U104).",
		Every:    "15m",
		Columns: []schema.Column{
			schema.ID("item_id", "Identifier of the item; unique within the organization."),
			schema.Text("name", "Name of the item as it stands on documents."),
			schema.ID("sku", "Stock keeping unit: the organization's own code of the item."),
			schema.ID("group_id", "Identifier of the group whose variants include the item; null without a group."),
			schema.Text("group_name", "Name of the group whose variants include the item."),
			schema.Text("status", "Whether the item can still be used: active or inactive.").OneOf("active", "inactive"),
			schema.Text("item_type", "What the item is used for: inventory, sales, purchases, or sales_and_purchases.").
				OneOf("inventory", "sales", "purchases", "sales_and_purchases"),
			schema.Text("product_type", "Whether the item is a thing or work: goods or service.").OneOf("goods", "service"),
			schema.Text("source", "Where the item came into the service from, such as user or csv."),
			schema.Text("unit", "Unit that quantities of the item are counted in."),
			schema.Text("description", "Text about the item on documents to customers."),
			schema.Text("purchase_description", "Text about the item on documents to vendors."),
			schema.Decimal("rate", "Selling price of one unit, in the base currency."),
			schema.Decimal("pricebook_rate", "Selling price of one unit by the price list in force, in the base currency."),
			schema.Decimal("purchase_rate", "Buying price of one unit, in the base currency."),
			schema.Decimal("reorder_level", "Stock below which the item should be ordered again, in units."),
			schema.Bool("is_taxable", "Whether sales of the item are taxed."),
			schema.ID("tax_id", "Identifier of the tax on sales of the item."),
			schema.Text("tax_name", "Name of the tax on sales of the item."),
			schema.Decimal("tax_percentage", "Rate of the tax on sales of the item, in percent."),
			schema.Text("tax_type", "Whether the tax is a simple or a compound one."),
			schema.Text("account_name", "Name of the account that sales of the item are booked on."),
			schema.ID("purchase_account_id", "Identifier of the account that purchases of the item are booked on."),
			schema.Text("purchase_account_name", "Name of the account that purchases of the item are booked on."),
			schema.ID("inventory_account_id", "Identifier of the account that the stock of the item is valued on."),
			schema.ID("vendor_id", "Identifier of the vendor whom the item is usually bought from."),
			schema.Text("vendor_name", "Name of the vendor whom the item is usually bought from."),
			schema.ID("attribute_id1", "Identifier of the attribute that tells variants of the group apart."),
			schema.Text("attribute_name1", "Name of the attribute that tells variants apart, such as size."),
			schema.ID("attribute_option_id1", "Identifier of this variant's value of the attribute."),
			schema.Text("attribute_option_name1", "This variant's value of the attribute, such as small."),
			schema.ID("upc", "Universal product code: twelve digits of the barcode, leading zeros kept."),
			schema.ID("ean", "European article number: the barcode's digits, leading zeros kept."),
			schema.ID("isbn", "International standard book number, where the item is a book."),
			schema.ID("part_number", "Number that the manufacturer gave the part."),
			schema.ID("hsn_or_sac", "Code of the goods or services for Indian GST."),
			schema.ID("sat_item_key_code", "Code of the goods or services for Mexican invoices."),
			schema.ID("unitkey_code", "Code of the unit for Mexican invoices."),
			schema.ID("image_id", "Identifier of the picture of the item."),
			schema.Text("image_name", "File name of the picture of the item."),
			schema.Text("image_type", "File type of the picture of the item, such as png."),
			schema.Bool("is_combo_product", "Whether the item is a bundle of other items."),
			schema.Bool("is_linked_with_zohocrm", "Whether the item is kept equal with a product of the vendor's CRM service."),
			schema.JSON("documents", "Attached files, kept as JSON because the documents do not show their shape."),
			schema.Time("created_time", "When the item was created."),
			schema.Time("last_modified_time", "When the item itself last changed; movements of stock do not change it."),
		},
		Children: []schema.Child{
			{
				Name: "locations",
				Doc:  "The stock of an item at one location of the organization.",
				Columns: []schema.Column{
					schema.ID("location_id", "Identifier of the location, a branch or a warehouse."),
					schema.Text("location_name", "Name of the location."),
					schema.Text("status", "Whether the location is in use: active or inactive.").OneOf("active", "inactive"),
					schema.Bool("is_primary", "Whether it is the main location of the organization."),
					schema.Decimal("location_stock_on_hand", "Units at the location by the books."),
					schema.Decimal("location_available_stock", "Units at the location that the books leave for new orders."),
					schema.Decimal("location_actual_available_stock", "Units at the location that are really there for new orders, "+
						"after what is shipped and received."),
				},
			},
			{
				Name: "item_tax_preferences",
				Doc:  "The tax on an item for sales within a state or across states.",
				Columns: []schema.Column{
					schema.ID("tax_id", "Identifier of the tax that applies."),
					schema.Text("tax_specification", "Which sales it applies to: intra (within a state) or inter (across states).").
						OneOf("intra", "inter"),
				},
			},
			{
				Name: "custom_fields",
				Doc:  "A field that the organization added to its items, with its value on one item.",
				Columns: []schema.Column{
					schema.ID("customfield_id", "Identifier of the field; the same on every item."),
					schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field."),
				},
			},
		},
		Assumed: []string{
			"The list filters by last_modified_time.",
			"Rows come newest created first.",
			"The list can leave out stock by location, which /itemdetails and the single record have.",
			"One call of /itemdetails takes about 100 identifiers.",
			"The answer to one item, its path and its key are not shown.",
		},
	}
}
