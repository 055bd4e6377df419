package inventory

import "sluice/schema"

// itemColumns are the keys of an item that the documents show. Source: docs/upstream.md U216 to
// U219.
func itemColumns() []schema.Column {
	return []schema.Column{
		schema.ID("item_id", "Identifier of the item; unique within the organization."),
		schema.Text("name", "Name of the item as it stands on documents.").Is(schema.Plain),
		schema.ID("sku", "Stock keeping unit: the organization's own code of the item."),
		schema.ID("group_id", "Identifier of the group whose variants include the item; null without a group."),
		schema.Text("group_name", "Name of the group whose variants include the item.").Is(schema.Plain),
		schema.Text("status", "Whether the item can still be used: active or inactive.").Is(schema.Plain).OneOf("active", "inactive"),
		schema.Text("item_type", "What the item is used for: inventory, sales, purchases, or sales_and_purchases.").Is(schema.Plain).
			OneOf("inventory", "sales", "purchases", "sales_and_purchases"),
		schema.Text("product_type", "Whether the item is a thing or work: goods or service.").Is(schema.Plain).OneOf("goods", "service"),
		schema.Text("source", "Where the item came into the service from, such as user or csv.").Is(schema.Plain),
		schema.Text("unit", "Unit that quantities of the item are counted in.").Is(schema.Plain),
		schema.Text("description", "Text about the item on documents to customers.").Is(schema.FreeText),
		schema.Text("purchase_description", "Text about the item on documents to vendors.").Is(schema.FreeText),
		schema.Decimal("rate", "Selling price of one unit, in the base currency."),
		schema.Decimal("pricebook_rate", "Selling price of one unit by the price list in force, in the base currency."),
		schema.Decimal("purchase_rate", "Buying price of one unit, in the base currency."),
		schema.Decimal("reorder_level", "Stock below which the item should be ordered again, in units."),
		schema.Bool("is_taxable", "Whether sales of the item are taxed."),
		schema.ID("tax_id", "Identifier of the tax on sales of the item."),
		schema.Text("tax_name", "Name of the tax on sales of the item.").Is(schema.Plain),
		schema.Decimal("tax_percentage", "Rate of the tax on sales of the item, in percent."),
		schema.Text("tax_type", "Whether the tax is a simple or a compound one.").Is(schema.Plain),
		schema.Text("account_name", "Name of the account that sales of the item are booked on.").Is(schema.Plain),
		schema.ID("purchase_account_id", "Identifier of the account that purchases of the item are booked on."),
		schema.Text("purchase_account_name", "Name of the account that purchases of the item are booked on.").Is(schema.Plain),
		schema.ID("inventory_account_id", "Identifier of the account that the stock of the item is valued on."),
		schema.ID("vendor_id", "Identifier of the vendor whom the item is usually bought from."),
		schema.Text("vendor_name", "Name of the vendor whom the item is usually bought from.").Is(schema.Company),
		schema.ID("attribute_id1", "Identifier of the attribute that tells variants of the group apart."),
		schema.Text("attribute_name1", "Name of the attribute that tells variants apart, such as size.").Is(schema.Plain),
		schema.ID("attribute_option_id1", "Identifier of this variant's value of the attribute."),
		schema.Text("attribute_option_name1", "This variant's value of the attribute, such as small.").Is(schema.Plain),
		schema.ID("upc", "Universal product code: twelve digits of the barcode, leading zeros kept."),
		schema.ID("ean", "European article number: the barcode's digits, leading zeros kept."),
		schema.ID("isbn", "International standard book number, where the item is a book."),
		schema.ID("part_number", "Number that the manufacturer gave the part."),
		schema.ID("hsn_or_sac", "Code of the goods or services for Indian GST."),
		schema.ID("sat_item_key_code", "Code of the goods or services for Mexican invoices."),
		schema.ID("unitkey_code", "Code of the unit for Mexican invoices."),
		schema.ID("image_id", "Identifier of the picture of the item."),
		schema.Text("image_name", "File name of the picture of the item.").Is(schema.FreeText),
		schema.Text("image_type", "File type of the picture of the item, such as png.").Is(schema.Plain),
		schema.Bool("is_combo_product", "Whether the item is a bundle of other items."),
		schema.Bool("is_linked_with_zohocrm", "Whether the item is kept equal with a product of the vendor's CRM service."),
		schema.JSON("documents", "Attached files, kept as JSON because the documents do not show their shape.").Is(schema.FreeText),
		schema.Time("created_time", "When the item was created."),
		schema.Time("last_modified_time", "When the item itself last changed; movements of stock do not change it."),
	}
}

// liveItemColumns are the keys of an item that live services send beyond the documents. Source:
// docs/upstream.md U318, U383 and U384.
func liveItemColumns() []schema.Column {
	return all(liveItemKind(), liveItemStock(), liveItemPrices(), packageSizes(), liveItemVariants())
}

// liveItemKind are the keys of what an item is and where it is shown.
func liveItemKind() []schema.Column {
	return live(
		schema.Text("item_name", "The name a second time, in lists.").Is(schema.Plain),
		schema.ID("category_id", "Identifier of the category in the tree of categories; null or -1 without."),
		schema.Text("category_name", "Name of the category.").Is(schema.Plain),
		schema.Text("brand", "Brand of the item.").Is(schema.Plain),
		schema.Text("manufacturer", "Maker of the item.").Is(schema.Plain),
		schema.Text("product_subtype", "Finer kind of goods or service that some editions ask for.").Is(schema.Plain),
		schema.Text("purpose_of_use", "Purpose of the item that some editions ask for.").Is(schema.Plain),
		schema.Text("combo_type", "Kind of bundle: assembly (made to stock) or kit (sold as parts); empty for a plain item.").Is(schema.Plain),
		schema.Bool("can_be_sold", "Whether the item may stand on sales."),
		schema.Bool("can_be_purchased", "Whether the item may stand on purchases."),
		schema.Bool("is_returnable", "Whether customers may send the item back."),
		schema.Bool("is_fulfillable", "Whether the item has to be shipped."),
		schema.Bool("has_attachment", "Whether a file is attached to the item."),
		schema.ID("image_document_id", "Identifier of the file of the picture, the successor of image_id."),
		schema.ID("unit_id", "Identifier of the unit that quantities of the item are counted in."),
		schema.ID("unit_group_id", "Identifier of the group of units that convert into each other."),
		schema.Text("unit_group_name", "Name of the group of units that convert into each other.").Is(schema.Plain),
		schema.ID("default_sales_unit_conversion_id", "Identifier of the conversion that sales use by default."),
		schema.ID("default_purchase_unit_conversion_id", "Identifier of the conversion that purchases use by default."),
		schema.ID("zcrm_product_id", "Identifier of the product of the CRM service that the item is kept equal with."),
		schema.ID("crm_owner_id", "Identifier of the user who owns the product in the CRM service."),
		schema.Bool("show_in_storefront", "Whether a shop shows the item."),
		schema.JSON("sales_channels", "Shops that list the item, kept as JSON because no answer shows their shape.").Is(schema.FreeText),
		schema.JSON("integration_references", "Applications that list the item, kept as JSON because no answer shows their shape.").Is(schema.FreeText),
		schema.Date("created_at", "Day on which the item was created, on single records."),
	)
}

// liveItemStock are the keys of the stock over all locations.
func liveItemStock() []schema.Column {
	return live(
		schema.Bool("track_inventory", "Whether the stock of the item is counted."),
		schema.Bool("track_serial_number", "Whether units are told apart by serial number."),
		schema.Bool("track_batch_number", "Whether units are told apart by batch."),
		schema.Bool("is_storage_location_enabled", "Whether the stock is kept in bins."),
		schema.Decimal("stock_on_hand", "Units in stock by the books, over all locations."),
		schema.Decimal("available_stock", "Units that the books leave for new orders, over all locations."),
		schema.Decimal("actual_available_stock", "Units that are really there for new orders, over all locations."),
		schema.Decimal("committed_stock", "Units that the books promise to orders."),
		schema.Decimal("actual_committed_stock", "Units that are really promised to orders."),
		schema.Decimal("available_for_sale_stock", "Units by the books less promised ones: what a shop can still sell."),
		schema.Decimal("actual_available_for_sale_stock", "Units that are really there, less promised ones."),
		schema.Decimal("initial_stock", "Units that were in stock when the item was entered."),
		schema.Decimal("initial_stock_rate", "Value of one unit of that first stock, in the base currency."),
		schema.Decimal("total_initial_stock", "Units that were in stock when the item was entered, over all locations."),
		schema.Decimal("asset_value", "Value of the stock, in the base currency."),
		schema.Text("inventory_valuation_method", "How the stock is valued, such as fifo.").Is(schema.Plain),
		schema.Text("inventory_account_name", "Name of the account that the stock of the item is valued on.").Is(schema.Plain),
		schema.Decimal("minimum_order_quantity", "Fewest units of one order."),
		schema.Decimal("maximum_order_quantity", "Most units of one order."),
	)
}

// liveItemPrices are the keys of prices, accounts and taxes.
func liveItemPrices() []schema.Column {
	return live(
		schema.ID("account_id", "Identifier of the account that sales of the item are booked on."),
		schema.Decimal("sales_rate", "Selling price of one unit as it was entered, in the base currency; rate can be that of a price list."),
		schema.Decimal("sales_margin", "Margin on sales, in percent."),
		schema.Decimal("label_rate", "Retail price printed on the pack in India, in the base currency."),
		schema.Text("pricing_scheme", "Whether the price is the same for every quantity or goes by brackets.").Is(schema.Plain),
		schema.JSON("price_brackets", "Prices by quantity of the price list in force, kept as JSON because their shape depends on the scheme.").Is(schema.Plain),
		schema.JSON("default_price_brackets", "Prices by quantity without a price list, kept as JSON because their shape depends on the scheme.").Is(schema.Plain),
		schema.Bool("is_default_tax_applied", "Whether the default tax stands in for one of the item's own."),
		schema.ID("purchase_tax_id", "Identifier of the tax on purchases of the item."),
		schema.Text("purchase_tax_name", "Name of the tax on purchases of the item.").Is(schema.Plain),
		schema.Text("purchase_tax_type", "Whether that tax is a simple or a compound one.").Is(schema.Plain),
		schema.Decimal("purchase_tax_percentage", "Rate of the tax on purchases of the item, in percent."),
		schema.Text("tax_status", "Whether the tax on sales is still in use.").Is(schema.Plain),
		schema.ID("tax_country_code", "Code of the country that the tax on sales is owed in."),
		schema.ID("tax_exemption_id", "Identifier of the reason why the item is not taxed in the US or India."),
		schema.ID("tax_exemption_code", "Code of the reason why the item is not taxed in the US or India."),
		schema.ID("sales_tax_rule_id", "Identifier of the rule that picks the tax on sales in Mexico, Kenya or South Africa."),
		schema.Text("sales_tax_rule_name", "Name of the rule that picks the tax on sales.").Is(schema.Plain),
		schema.ID("purchase_tax_rule_id", "Identifier of the rule that picks the tax on purchases in Mexico, Kenya or South Africa."),
		schema.Text("purchase_tax_rule_name", "Name of the rule that picks the tax on purchases.").Is(schema.Plain),
	)
}

// liveItemVariants are the keys of what tells variants of a group apart, beyond the documented
// first attribute.
func liveItemVariants() []schema.Column {
	return live(
		schema.Text("attribute_type1", "Kind of the attribute that tells variants of the group apart.").Is(schema.Plain),
		schema.Text("attribute_option_data1", "Swatch or code of this variant's value of the attribute.").Is(schema.Plain),
		schema.ID("attribute_id2", "Identifier of the second attribute that tells variants apart."),
		schema.Text("attribute_name2", "Name of the second attribute, such as colour.").Is(schema.Plain),
		schema.Text("attribute_type2", "Kind of the second attribute.").Is(schema.Plain),
		schema.ID("attribute_option_id2", "Identifier of this variant's value of the second attribute."),
		schema.Text("attribute_option_name2", "This variant's value of the second attribute, such as blue.").Is(schema.Plain),
		schema.Text("attribute_option_data2", "Swatch or code of this variant's value of the second attribute.").Is(schema.Plain),
		schema.ID("attribute_id3", "Identifier of the third attribute that tells variants apart."),
		schema.Text("attribute_name3", "Name of the third attribute.").Is(schema.Plain),
		schema.Text("attribute_type3", "Kind of the third attribute.").Is(schema.Plain),
		schema.ID("attribute_option_id3", "Identifier of this variant's value of the third attribute."),
		schema.Text("attribute_option_name3", "This variant's value of the third attribute.").Is(schema.Plain),
		schema.Text("attribute_option_data3", "Swatch or code of this variant's value of the third attribute.").Is(schema.Plain),
	)
}
