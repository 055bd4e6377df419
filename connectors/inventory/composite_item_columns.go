package inventory

import "sluice/schema"

// compositeItemColumns are the keys of a bundle that the documents show. Source: docs/upstream.md
// U208 to U210.
func compositeItemColumns() []schema.Column {
	return []schema.Column{
		schema.ID("composite_item_id", "Identifier of the bundle; unique within the organization."),
		schema.Text("name", "Name of the bundle as it stands on documents.").Is(schema.Plain),
		schema.ID("sku", "Stock keeping unit: the organization's own code of the bundle."),
		schema.Text("status", "Whether the bundle can still be used: active or inactive.").Is(schema.Plain).OneOf("active", "inactive"),
		schema.Text("item_type", "What the bundle is used for; always inventory.").Is(schema.Plain).OneOf("inventory"),
		schema.Text("source", "Where the bundle came into the service from, such as user or csv.").Is(schema.Plain),
		schema.Bool("is_combo_product", "Whether it is a bundle of other items; always true here."),
		schema.Text("unit", "Unit that quantities of the bundle are counted in.").Is(schema.Plain),
		schema.Text("description", "Text about the bundle on documents to customers.").Is(schema.FreeText),
		schema.Text("purchase_description", "Text about the bundle on documents to vendors.").Is(schema.FreeText),
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
		schema.Text("tax_name", "Name of the tax on sales of the bundle.").Is(schema.Plain),
		schema.Decimal("tax_percentage", "Rate of the tax on sales of the bundle, in percent."),
		schema.Text("tax_type", "Whether the tax is a simple or a compound one.").Is(schema.Plain),
		schema.ID("account_id", "Identifier of the account that sales of the bundle are booked on."),
		schema.Text("account_name", "Name of the account that sales of the bundle are booked on.").Is(schema.Plain),
		schema.ID("purchase_account_id", "Identifier of the account that purchases of the bundle are booked on."),
		schema.Text("purchase_account_name", "Name of the account that purchases of the bundle are booked on.").Is(schema.Plain),
		schema.ID("inventory_account_id", "Identifier of the account that the stock of the bundle is valued on."),
		schema.Text("inventory_account_name", "Name of the account that the stock of the bundle is valued on.").Is(schema.Plain),
		schema.ID("vendor_id", "Identifier of the vendor whom the bundle is usually bought from."),
		schema.Text("vendor_name", "Name of the vendor whom the bundle is usually bought from.").Is(schema.Company),
		schema.ID("upc", "Universal product code: twelve digits of the barcode, leading zeros kept."),
		schema.ID("ean", "European article number: the barcode's digits, leading zeros kept."),
		schema.ID("isbn", "International standard book number, where the bundle is one of books."),
		schema.ID("part_number", "Number that the manufacturer gave the bundle."),
		schema.ID("hsn_or_sac", "Code of the goods for Indian GST."),
		schema.ID("image_id", "Identifier of the picture of the bundle."),
		schema.Text("image_name", "File name of the picture of the bundle.").Is(schema.FreeText),
		schema.Time("created_time", "When the bundle was created."),
		schema.Time("last_modified_time", "When the bundle itself last changed; movements of stock do not change it."),
	}
}

// liveCompositeItemColumns are the keys of a bundle that live services send beyond the documents.
// Source: docs/upstream.md U322 and U388.
func liveCompositeItemColumns() []schema.Column {
	return all(liveBundleKind(), liveBundleStock(), liveBundleTaxes())
}

// liveBundleKind are the keys of what a bundle is and where it is shown.
func liveBundleKind() []schema.Column {
	return live(
		schema.Text("combo_type", "Kind of bundle: assembly (made to stock) or kit (sold as parts).").Is(schema.Plain),
		schema.Text("assembly_type", "How an assembly is made.").Is(schema.Plain),
		schema.Text("alias_name", "Second name of the bundle.").Is(schema.Plain),
		schema.ID("category_id", "Identifier of the category in the tree of categories."),
		schema.Text("category_name", "Name of the category.").Is(schema.Plain),
		schema.Text("brand", "Brand of the bundle.").Is(schema.Plain),
		schema.Text("manufacturer", "Maker of the bundle.").Is(schema.Plain),
		schema.Bool("can_be_sold", "Whether the bundle may stand on sales."),
		schema.Bool("can_be_purchased", "Whether the bundle may stand on purchases."),
		schema.Bool("is_returnable", "Whether customers may send the bundle back."),
		schema.Bool("is_linked_with_zohocrm", "Whether the bundle is kept equal with a product of the vendor's CRM service."),
		schema.Text("image_type", "File type of the picture of the bundle, such as png.").Is(schema.Plain),
		schema.ID("image_document_id", "Identifier of the file of the picture, the successor of image_id."),
		schema.Text("product_description", "Text about the bundle in a shop.").Is(schema.FreeText),
		schema.Text("product_short_description", "Short text about the bundle in a shop.").Is(schema.FreeText),
		schema.Text("url", "Address of the bundle in a shop.").Is(schema.Plain),
		schema.Bool("show_in_storefront", "Whether a shop shows the bundle."),
		schema.JSON("specifications", "Technical data, kept as JSON because no answer shows their shape.").Is(schema.FreeText),
		schema.ID("specificationset_id", "Identifier of the set of technical data."),
		schema.Text("specificationset_name", "Name of the set of technical data.").Is(schema.Plain),
		schema.JSON("sales_channels", "Shops that list the bundle, kept as JSON because no answer shows their shape.").Is(schema.FreeText),
		schema.JSON("preferred_vendors", "Vendors in the order of preference, kept as JSON because no answer shows their shape.").Is(schema.FreeText),
	)
}

// liveBundleStock are the keys of stock and price.
func liveBundleStock() []schema.Column {
	return live(
		schema.Bool("track_inventory", "Whether the stock of the bundle is counted."),
		schema.Bool("track_serial_number", "Whether units are told apart by serial number."),
		schema.Bool("track_batch_number", "Whether units are told apart by batch."),
		schema.Decimal("committed_stock", "Units that the books promise to orders."),
		schema.Decimal("actual_committed_stock", "Units that are really promised to orders."),
		schema.Decimal("available_for_sale_stock", "Units by the books less promised ones: what a shop can still sell."),
		schema.Decimal("actual_available_for_sale_stock", "Units that are really there, less promised ones."),
		schema.Decimal("total_initial_stock", "Units that were in stock when the bundle was entered, over all locations."),
		schema.Decimal("minimum_order_quantity", "Fewest units of one order."),
		schema.Decimal("maximum_order_quantity", "Most units of one order."),
		schema.Decimal("sales_rate", "Selling price of one bundle as it was entered, in the base currency."),
		schema.Decimal("label_rate", "Retail price printed on the pack in India, in the base currency."),
	)
}

// liveBundleTaxes are the keys of taxes.
func liveBundleTaxes() []schema.Column {
	return live(
		schema.ID("purchase_tax_id", "Identifier of the tax on purchases of the bundle."),
		schema.Text("purchase_tax_name", "Name of the tax on purchases of the bundle.").Is(schema.Plain),
		schema.Text("purchase_tax_type", "Whether that tax is a simple or a compound one.").Is(schema.Plain),
		schema.Decimal("purchase_tax_percentage", "Rate of the tax on purchases of the bundle, in percent."),
		schema.ID("tax_exemption_id", "Identifier of the reason why the bundle is not taxed."),
		schema.ID("tax_exemption_code", "Code of the reason why the bundle is not taxed."),
	)
}
