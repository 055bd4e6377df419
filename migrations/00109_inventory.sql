-- +goose Up
-- The tables of service inventory, as `sluice-dev draft` writes them from connectors/inventory: one per
-- resource, and one per array of its records. Written by pipeline/warehouse/rows.
--
-- Tables with a fill factor have no index but the key: an update that stays on its page writes none
-- (docs/decisions/0017-loading). Tables with an index of dates have it for analysts,
-- who ask by month.
--
-- Columns that live services send beyond the API documents stand last in their table
-- (docs/upstream.md U310 to U389).

CREATE SCHEMA IF NOT EXISTS "inventory";
COMMENT ON SCHEMA "inventory" IS 'What the organization buys, keeps and sells: items, bills of vendors, credit notes to customers.';

CREATE TABLE "inventory"."items" (
  "organization_id" text COLLATE "C" NOT NULL,
  "item_id" text COLLATE "C" NOT NULL,
  "name" text,
  "sku" text COLLATE "C",
  "group_id" text COLLATE "C",
  "group_name" text,
  "status" text,
  "item_type" text,
  "product_type" text,
  "source" text,
  "unit" text,
  "description" text,
  "purchase_description" text,
  "rate" numeric,
  "pricebook_rate" numeric,
  "purchase_rate" numeric,
  "reorder_level" numeric,
  "is_taxable" boolean,
  "tax_id" text COLLATE "C",
  "tax_name" text,
  "tax_percentage" numeric,
  "tax_type" text,
  "account_name" text,
  "purchase_account_id" text COLLATE "C",
  "purchase_account_name" text,
  "inventory_account_id" text COLLATE "C",
  "vendor_id" text COLLATE "C",
  "vendor_name" text,
  "attribute_id1" text COLLATE "C",
  "attribute_name1" text,
  "attribute_option_id1" text COLLATE "C",
  "attribute_option_name1" text,
  "upc" text COLLATE "C",
  "ean" text COLLATE "C",
  "isbn" text COLLATE "C",
  "part_number" text COLLATE "C",
  "hsn_or_sac" text COLLATE "C",
  "sat_item_key_code" text COLLATE "C",
  "unitkey_code" text COLLATE "C",
  "image_id" text COLLATE "C",
  "image_name" text,
  "image_type" text,
  "is_combo_product" boolean,
  "is_linked_with_zohocrm" boolean,
  "documents" jsonb,
  "created_time" timestamp with time zone,
  "last_modified_time" timestamp with time zone,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_detail_state" text NOT NULL DEFAULT 'none_needed' CHECK ("_detail_state" IN ('none_needed', 'pending', 'current', 'stale', 'failed')),
  "_detail_hash" bytea,
  "_detail_call_id" bigint,
  "_detail_raw_position" integer,
  "_detail_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  "item_name" text,
  "category_id" text COLLATE "C",
  "category_name" text,
  "brand" text,
  "manufacturer" text,
  "product_subtype" text,
  "purpose_of_use" text,
  "combo_type" text,
  "can_be_sold" boolean,
  "can_be_purchased" boolean,
  "is_returnable" boolean,
  "is_fulfillable" boolean,
  "has_attachment" boolean,
  "image_document_id" text COLLATE "C",
  "unit_id" text COLLATE "C",
  "unit_group_id" text COLLATE "C",
  "unit_group_name" text,
  "default_sales_unit_conversion_id" text COLLATE "C",
  "default_purchase_unit_conversion_id" text COLLATE "C",
  "zcrm_product_id" text COLLATE "C",
  "crm_owner_id" text COLLATE "C",
  "show_in_storefront" boolean,
  "sales_channels" jsonb,
  "integration_references" jsonb,
  "created_at" date,
  "track_inventory" boolean,
  "track_serial_number" boolean,
  "track_batch_number" boolean,
  "is_storage_location_enabled" boolean,
  "stock_on_hand" numeric,
  "available_stock" numeric,
  "actual_available_stock" numeric,
  "committed_stock" numeric,
  "actual_committed_stock" numeric,
  "available_for_sale_stock" numeric,
  "actual_available_for_sale_stock" numeric,
  "initial_stock" numeric,
  "initial_stock_rate" numeric,
  "total_initial_stock" numeric,
  "asset_value" numeric,
  "inventory_valuation_method" text,
  "inventory_account_name" text,
  "minimum_order_quantity" numeric,
  "maximum_order_quantity" numeric,
  "account_id" text COLLATE "C",
  "sales_rate" numeric,
  "sales_margin" numeric,
  "label_rate" numeric,
  "pricing_scheme" text,
  "price_brackets" jsonb,
  "default_price_brackets" jsonb,
  "is_default_tax_applied" boolean,
  "purchase_tax_id" text COLLATE "C",
  "purchase_tax_name" text,
  "purchase_tax_type" text,
  "purchase_tax_percentage" numeric,
  "tax_status" text,
  "tax_country_code" text COLLATE "C",
  "tax_exemption_id" text COLLATE "C",
  "tax_exemption_code" text COLLATE "C",
  "sales_tax_rule_id" text COLLATE "C",
  "sales_tax_rule_name" text,
  "purchase_tax_rule_id" text COLLATE "C",
  "purchase_tax_rule_name" text,
  "length" numeric,
  "width" numeric,
  "height" numeric,
  "weight" numeric,
  "weight_unit" text,
  "dimension_unit" text,
  "attribute_type1" text,
  "attribute_option_data1" text,
  "attribute_id2" text COLLATE "C",
  "attribute_name2" text,
  "attribute_type2" text,
  "attribute_option_id2" text COLLATE "C",
  "attribute_option_name2" text,
  "attribute_option_data2" text,
  "attribute_id3" text COLLATE "C",
  "attribute_name3" text,
  "attribute_type3" text,
  "attribute_option_id3" text COLLATE "C",
  "attribute_option_name3" text,
  "attribute_option_data3" text,
  PRIMARY KEY ("organization_id", "item_id")
);
COMMENT ON TABLE "inventory"."items" IS 'Something that the organization buys, keeps in stock or sells.';
COMMENT ON COLUMN "inventory"."items"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."items"."item_id" IS 'Identifier of the item; unique within the organization.';
COMMENT ON COLUMN "inventory"."items"."name" IS 'Name of the item as it stands on documents.';
COMMENT ON COLUMN "inventory"."items"."sku" IS 'Stock keeping unit: the organization''s own code of the item.';
COMMENT ON COLUMN "inventory"."items"."group_id" IS 'Identifier of the group whose variants include the item; null without a group.';
COMMENT ON COLUMN "inventory"."items"."group_name" IS 'Name of the group whose variants include the item.';
COMMENT ON COLUMN "inventory"."items"."status" IS 'Whether the item can still be used: active or inactive.';
COMMENT ON COLUMN "inventory"."items"."item_type" IS 'What the item is used for: inventory, sales, purchases, or sales_and_purchases.';
COMMENT ON COLUMN "inventory"."items"."product_type" IS 'Whether the item is a thing or work: goods or service.';
COMMENT ON COLUMN "inventory"."items"."source" IS 'Where the item came into the service from, such as user or csv.';
COMMENT ON COLUMN "inventory"."items"."unit" IS 'Unit that quantities of the item are counted in.';
COMMENT ON COLUMN "inventory"."items"."description" IS 'Text about the item on documents to customers.';
COMMENT ON COLUMN "inventory"."items"."purchase_description" IS 'Text about the item on documents to vendors.';
COMMENT ON COLUMN "inventory"."items"."rate" IS 'Selling price of one unit, in the base currency.';
COMMENT ON COLUMN "inventory"."items"."pricebook_rate" IS 'Selling price of one unit by the price list in force, in the base currency.';
COMMENT ON COLUMN "inventory"."items"."purchase_rate" IS 'Buying price of one unit, in the base currency.';
COMMENT ON COLUMN "inventory"."items"."reorder_level" IS 'Stock below which the item should be ordered again, in units.';
COMMENT ON COLUMN "inventory"."items"."is_taxable" IS 'Whether sales of the item are taxed.';
COMMENT ON COLUMN "inventory"."items"."tax_id" IS 'Identifier of the tax on sales of the item.';
COMMENT ON COLUMN "inventory"."items"."tax_name" IS 'Name of the tax on sales of the item.';
COMMENT ON COLUMN "inventory"."items"."tax_percentage" IS 'Rate of the tax on sales of the item, in percent.';
COMMENT ON COLUMN "inventory"."items"."tax_type" IS 'Whether the tax is a simple or a compound one.';
COMMENT ON COLUMN "inventory"."items"."account_name" IS 'Name of the account that sales of the item are booked on.';
COMMENT ON COLUMN "inventory"."items"."purchase_account_id" IS 'Identifier of the account that purchases of the item are booked on.';
COMMENT ON COLUMN "inventory"."items"."purchase_account_name" IS 'Name of the account that purchases of the item are booked on.';
COMMENT ON COLUMN "inventory"."items"."inventory_account_id" IS 'Identifier of the account that the stock of the item is valued on.';
COMMENT ON COLUMN "inventory"."items"."vendor_id" IS 'Identifier of the vendor whom the item is usually bought from.';
COMMENT ON COLUMN "inventory"."items"."vendor_name" IS 'Name of the vendor whom the item is usually bought from.';
COMMENT ON COLUMN "inventory"."items"."attribute_id1" IS 'Identifier of the attribute that tells variants of the group apart.';
COMMENT ON COLUMN "inventory"."items"."attribute_name1" IS 'Name of the attribute that tells variants apart, such as size.';
COMMENT ON COLUMN "inventory"."items"."attribute_option_id1" IS 'Identifier of this variant''s value of the attribute.';
COMMENT ON COLUMN "inventory"."items"."attribute_option_name1" IS 'This variant''s value of the attribute, such as small.';
COMMENT ON COLUMN "inventory"."items"."upc" IS 'Universal product code: twelve digits of the barcode, leading zeros kept.';
COMMENT ON COLUMN "inventory"."items"."ean" IS 'European article number: the barcode''s digits, leading zeros kept.';
COMMENT ON COLUMN "inventory"."items"."isbn" IS 'International standard book number, where the item is a book.';
COMMENT ON COLUMN "inventory"."items"."part_number" IS 'Number that the manufacturer gave the part.';
COMMENT ON COLUMN "inventory"."items"."hsn_or_sac" IS 'Code of the goods or services for Indian GST.';
COMMENT ON COLUMN "inventory"."items"."sat_item_key_code" IS 'Code of the goods or services for Mexican invoices.';
COMMENT ON COLUMN "inventory"."items"."unitkey_code" IS 'Code of the unit for Mexican invoices.';
COMMENT ON COLUMN "inventory"."items"."image_id" IS 'Identifier of the picture of the item.';
COMMENT ON COLUMN "inventory"."items"."image_name" IS 'File name of the picture of the item.';
COMMENT ON COLUMN "inventory"."items"."image_type" IS 'File type of the picture of the item, such as png.';
COMMENT ON COLUMN "inventory"."items"."is_combo_product" IS 'Whether the item is a bundle of other items.';
COMMENT ON COLUMN "inventory"."items"."is_linked_with_zohocrm" IS 'Whether the item is kept equal with a product of the vendor''s CRM service.';
COMMENT ON COLUMN "inventory"."items"."documents" IS 'Attached files, kept as JSON because the documents do not show their shape.';
COMMENT ON COLUMN "inventory"."items"."created_time" IS 'When the item was created.';
COMMENT ON COLUMN "inventory"."items"."last_modified_time" IS 'When the item itself last changed; movements of stock do not change it.';
COMMENT ON COLUMN "inventory"."items"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "inventory"."items"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."items"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."items"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."items"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."items"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."items"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "inventory"."items"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "inventory"."items"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "inventory"."items"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."items"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."items"."_detail_at" IS 'When the single record was last loaded or tried.';
COMMENT ON COLUMN "inventory"."items"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "inventory"."items"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "inventory"."items"."item_name" IS 'The name a second time, in lists.';
COMMENT ON COLUMN "inventory"."items"."category_id" IS 'Identifier of the category in the tree of categories; null or -1 without.';
COMMENT ON COLUMN "inventory"."items"."category_name" IS 'Name of the category.';
COMMENT ON COLUMN "inventory"."items"."brand" IS 'Brand of the item.';
COMMENT ON COLUMN "inventory"."items"."manufacturer" IS 'Maker of the item.';
COMMENT ON COLUMN "inventory"."items"."product_subtype" IS 'Finer kind of goods or service that some editions ask for.';
COMMENT ON COLUMN "inventory"."items"."purpose_of_use" IS 'Purpose of the item that some editions ask for.';
COMMENT ON COLUMN "inventory"."items"."combo_type" IS 'Kind of bundle: assembly (made to stock) or kit (sold as parts); empty for a plain item.';
COMMENT ON COLUMN "inventory"."items"."can_be_sold" IS 'Whether the item may stand on sales.';
COMMENT ON COLUMN "inventory"."items"."can_be_purchased" IS 'Whether the item may stand on purchases.';
COMMENT ON COLUMN "inventory"."items"."is_returnable" IS 'Whether customers may send the item back.';
COMMENT ON COLUMN "inventory"."items"."is_fulfillable" IS 'Whether the item has to be shipped.';
COMMENT ON COLUMN "inventory"."items"."has_attachment" IS 'Whether a file is attached to the item.';
COMMENT ON COLUMN "inventory"."items"."image_document_id" IS 'Identifier of the file of the picture, the successor of image_id.';
COMMENT ON COLUMN "inventory"."items"."unit_id" IS 'Identifier of the unit that quantities of the item are counted in.';
COMMENT ON COLUMN "inventory"."items"."unit_group_id" IS 'Identifier of the group of units that convert into each other.';
COMMENT ON COLUMN "inventory"."items"."unit_group_name" IS 'Name of the group of units that convert into each other.';
COMMENT ON COLUMN "inventory"."items"."default_sales_unit_conversion_id" IS 'Identifier of the conversion that sales use by default.';
COMMENT ON COLUMN "inventory"."items"."default_purchase_unit_conversion_id" IS 'Identifier of the conversion that purchases use by default.';
COMMENT ON COLUMN "inventory"."items"."zcrm_product_id" IS 'Identifier of the product of the CRM service that the item is kept equal with.';
COMMENT ON COLUMN "inventory"."items"."crm_owner_id" IS 'Identifier of the user who owns the product in the CRM service.';
COMMENT ON COLUMN "inventory"."items"."show_in_storefront" IS 'Whether a shop shows the item.';
COMMENT ON COLUMN "inventory"."items"."sales_channels" IS 'Shops that list the item, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."items"."integration_references" IS 'Applications that list the item, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."items"."created_at" IS 'Day on which the item was created, on single records.';
COMMENT ON COLUMN "inventory"."items"."track_inventory" IS 'Whether the stock of the item is counted.';
COMMENT ON COLUMN "inventory"."items"."track_serial_number" IS 'Whether units are told apart by serial number.';
COMMENT ON COLUMN "inventory"."items"."track_batch_number" IS 'Whether units are told apart by batch.';
COMMENT ON COLUMN "inventory"."items"."is_storage_location_enabled" IS 'Whether the stock is kept in bins.';
COMMENT ON COLUMN "inventory"."items"."stock_on_hand" IS 'Units in stock by the books, over all locations.';
COMMENT ON COLUMN "inventory"."items"."available_stock" IS 'Units that the books leave for new orders, over all locations.';
COMMENT ON COLUMN "inventory"."items"."actual_available_stock" IS 'Units that are really there for new orders, over all locations.';
COMMENT ON COLUMN "inventory"."items"."committed_stock" IS 'Units that the books promise to orders.';
COMMENT ON COLUMN "inventory"."items"."actual_committed_stock" IS 'Units that are really promised to orders.';
COMMENT ON COLUMN "inventory"."items"."available_for_sale_stock" IS 'Units by the books less promised ones: what a shop can still sell.';
COMMENT ON COLUMN "inventory"."items"."actual_available_for_sale_stock" IS 'Units that are really there, less promised ones.';
COMMENT ON COLUMN "inventory"."items"."initial_stock" IS 'Units that were in stock when the item was entered.';
COMMENT ON COLUMN "inventory"."items"."initial_stock_rate" IS 'Value of one unit of that first stock, in the base currency.';
COMMENT ON COLUMN "inventory"."items"."total_initial_stock" IS 'Units that were in stock when the item was entered, over all locations.';
COMMENT ON COLUMN "inventory"."items"."asset_value" IS 'Value of the stock, in the base currency.';
COMMENT ON COLUMN "inventory"."items"."inventory_valuation_method" IS 'How the stock is valued, such as fifo.';
COMMENT ON COLUMN "inventory"."items"."inventory_account_name" IS 'Name of the account that the stock of the item is valued on.';
COMMENT ON COLUMN "inventory"."items"."minimum_order_quantity" IS 'Fewest units of one order.';
COMMENT ON COLUMN "inventory"."items"."maximum_order_quantity" IS 'Most units of one order.';
COMMENT ON COLUMN "inventory"."items"."account_id" IS 'Identifier of the account that sales of the item are booked on.';
COMMENT ON COLUMN "inventory"."items"."sales_rate" IS 'Selling price of one unit as it was entered, in the base currency; rate can be that of a price list.';
COMMENT ON COLUMN "inventory"."items"."sales_margin" IS 'Margin on sales, in percent.';
COMMENT ON COLUMN "inventory"."items"."label_rate" IS 'Retail price printed on the pack in India, in the base currency.';
COMMENT ON COLUMN "inventory"."items"."pricing_scheme" IS 'Whether the price is the same for every quantity or goes by brackets.';
COMMENT ON COLUMN "inventory"."items"."price_brackets" IS 'Prices by quantity of the price list in force, kept as JSON because their shape depends on the scheme.';
COMMENT ON COLUMN "inventory"."items"."default_price_brackets" IS 'Prices by quantity without a price list, kept as JSON because their shape depends on the scheme.';
COMMENT ON COLUMN "inventory"."items"."is_default_tax_applied" IS 'Whether the default tax stands in for one of the item''s own.';
COMMENT ON COLUMN "inventory"."items"."purchase_tax_id" IS 'Identifier of the tax on purchases of the item.';
COMMENT ON COLUMN "inventory"."items"."purchase_tax_name" IS 'Name of the tax on purchases of the item.';
COMMENT ON COLUMN "inventory"."items"."purchase_tax_type" IS 'Whether that tax is a simple or a compound one.';
COMMENT ON COLUMN "inventory"."items"."purchase_tax_percentage" IS 'Rate of the tax on purchases of the item, in percent.';
COMMENT ON COLUMN "inventory"."items"."tax_status" IS 'Whether the tax on sales is still in use.';
COMMENT ON COLUMN "inventory"."items"."tax_country_code" IS 'Code of the country that the tax on sales is owed in.';
COMMENT ON COLUMN "inventory"."items"."tax_exemption_id" IS 'Identifier of the reason why the item is not taxed in the US or India.';
COMMENT ON COLUMN "inventory"."items"."tax_exemption_code" IS 'Code of the reason why the item is not taxed in the US or India.';
COMMENT ON COLUMN "inventory"."items"."sales_tax_rule_id" IS 'Identifier of the rule that picks the tax on sales in Mexico, Kenya or South Africa.';
COMMENT ON COLUMN "inventory"."items"."sales_tax_rule_name" IS 'Name of the rule that picks the tax on sales.';
COMMENT ON COLUMN "inventory"."items"."purchase_tax_rule_id" IS 'Identifier of the rule that picks the tax on purchases in Mexico, Kenya or South Africa.';
COMMENT ON COLUMN "inventory"."items"."purchase_tax_rule_name" IS 'Name of the rule that picks the tax on purchases.';
COMMENT ON COLUMN "inventory"."items"."length" IS 'Length of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."items"."width" IS 'Width of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."items"."height" IS 'Height of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."items"."weight" IS 'Weight of the parcel, in the unit of weight_unit.';
COMMENT ON COLUMN "inventory"."items"."weight_unit" IS 'Unit of the weight, such as kg.';
COMMENT ON COLUMN "inventory"."items"."dimension_unit" IS 'Unit of length, width and height, such as cm.';
COMMENT ON COLUMN "inventory"."items"."attribute_type1" IS 'Kind of the attribute that tells variants of the group apart.';
COMMENT ON COLUMN "inventory"."items"."attribute_option_data1" IS 'Swatch or code of this variant''s value of the attribute.';
COMMENT ON COLUMN "inventory"."items"."attribute_id2" IS 'Identifier of the second attribute that tells variants apart.';
COMMENT ON COLUMN "inventory"."items"."attribute_name2" IS 'Name of the second attribute, such as colour.';
COMMENT ON COLUMN "inventory"."items"."attribute_type2" IS 'Kind of the second attribute.';
COMMENT ON COLUMN "inventory"."items"."attribute_option_id2" IS 'Identifier of this variant''s value of the second attribute.';
COMMENT ON COLUMN "inventory"."items"."attribute_option_name2" IS 'This variant''s value of the second attribute, such as blue.';
COMMENT ON COLUMN "inventory"."items"."attribute_option_data2" IS 'Swatch or code of this variant''s value of the second attribute.';
COMMENT ON COLUMN "inventory"."items"."attribute_id3" IS 'Identifier of the third attribute that tells variants apart.';
COMMENT ON COLUMN "inventory"."items"."attribute_name3" IS 'Name of the third attribute.';
COMMENT ON COLUMN "inventory"."items"."attribute_type3" IS 'Kind of the third attribute.';
COMMENT ON COLUMN "inventory"."items"."attribute_option_id3" IS 'Identifier of this variant''s value of the third attribute.';
COMMENT ON COLUMN "inventory"."items"."attribute_option_name3" IS 'This variant''s value of the third attribute.';
COMMENT ON COLUMN "inventory"."items"."attribute_option_data3" IS 'Swatch or code of this variant''s value of the third attribute.';
CREATE INDEX "items_details" ON "inventory"."items" ("organization_id", "last_modified_time" DESC)
  WHERE "_detail_state" IN ('pending', 'stale', 'failed');

CREATE TABLE "inventory"."items_locations" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "location_id" text COLLATE "C",
  "location_name" text,
  "status" text,
  "is_primary" boolean,
  "location_stock_on_hand" numeric,
  "location_available_stock" numeric,
  "location_actual_available_stock" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."items" ("organization_id", "item_id") ON DELETE CASCADE,
  "location_committed_stock" numeric,
  "location_actual_committed_stock" numeric,
  "location_available_for_sale_stock" numeric,
  "location_actual_available_for_sale_stock" numeric,
  "location_quantity_in_transit" numeric,
  "location_asset_value" numeric,
  "initial_stock" numeric,
  "initial_stock_rate" numeric,
  "is_primary_location" boolean,
  "is_item_mapped" boolean,
  "is_storage_location_enabled" boolean,
  "is_general_location" boolean,
  "serial_numbers" jsonb,
  "batches" jsonb,
  "storages" jsonb
);
COMMENT ON TABLE "inventory"."items_locations" IS 'The stock of an item at one location of the organization.';
COMMENT ON COLUMN "inventory"."items_locations"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."items_locations"."_parent_id" IS 'Key of the record that the row belongs to, in items.';
COMMENT ON COLUMN "inventory"."items_locations"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."items_locations"."location_id" IS 'Identifier of the location, a branch or a warehouse.';
COMMENT ON COLUMN "inventory"."items_locations"."location_name" IS 'Name of the location.';
COMMENT ON COLUMN "inventory"."items_locations"."status" IS 'Whether the location is in use: active or inactive.';
COMMENT ON COLUMN "inventory"."items_locations"."is_primary" IS 'Whether it is the main location of the organization.';
COMMENT ON COLUMN "inventory"."items_locations"."location_stock_on_hand" IS 'Units at the location by the books.';
COMMENT ON COLUMN "inventory"."items_locations"."location_available_stock" IS 'Units at the location that the books leave for new orders.';
COMMENT ON COLUMN "inventory"."items_locations"."location_actual_available_stock" IS 'Units at the location that are really there for new orders, after what is shipped and received.';
COMMENT ON COLUMN "inventory"."items_locations"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."items_locations"."location_committed_stock" IS 'Units at the location that the books promise to orders.';
COMMENT ON COLUMN "inventory"."items_locations"."location_actual_committed_stock" IS 'Units at the location that are really promised to orders.';
COMMENT ON COLUMN "inventory"."items_locations"."location_available_for_sale_stock" IS 'Units at the location by the books less promised ones.';
COMMENT ON COLUMN "inventory"."items_locations"."location_actual_available_for_sale_stock" IS 'Units at the location that are really there, less promised ones.';
COMMENT ON COLUMN "inventory"."items_locations"."location_quantity_in_transit" IS 'Units on their way to the location.';
COMMENT ON COLUMN "inventory"."items_locations"."location_asset_value" IS 'Value of the stock at the location, in the base currency.';
COMMENT ON COLUMN "inventory"."items_locations"."initial_stock" IS 'Units at the location when the item was entered.';
COMMENT ON COLUMN "inventory"."items_locations"."initial_stock_rate" IS 'Value of one unit of that first stock, in the base currency.';
COMMENT ON COLUMN "inventory"."items_locations"."is_primary_location" IS 'Whether it is the main location of the organization, like is_primary.';
COMMENT ON COLUMN "inventory"."items_locations"."is_item_mapped" IS 'Whether the item is kept at the location.';
COMMENT ON COLUMN "inventory"."items_locations"."is_storage_location_enabled" IS 'Whether the location is divided into bins.';
COMMENT ON COLUMN "inventory"."items_locations"."is_general_location" IS 'Whether all kinds of documents can be booked for the location.';
COMMENT ON COLUMN "inventory"."items_locations"."serial_numbers" IS 'Serial numbers of the units at the location, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."items_locations"."batches" IS 'Batches at the location, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."items_locations"."storages" IS 'Bins of the location with their stock, kept as JSON because no answer shows their shape.';

CREATE TABLE "inventory"."items_item_tax_preferences" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_id" text COLLATE "C",
  "tax_specification" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."items" ("organization_id", "item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."items_item_tax_preferences" IS 'The tax on an item for sales within a state or across states.';
COMMENT ON COLUMN "inventory"."items_item_tax_preferences"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."items_item_tax_preferences"."_parent_id" IS 'Key of the record that the row belongs to, in items.';
COMMENT ON COLUMN "inventory"."items_item_tax_preferences"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."items_item_tax_preferences"."tax_id" IS 'Identifier of the tax that applies.';
COMMENT ON COLUMN "inventory"."items_item_tax_preferences"."tax_specification" IS 'Which sales it applies to: intra (within a state) or inter (across states).';
COMMENT ON COLUMN "inventory"."items_item_tax_preferences"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."items_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "customfield_id" text COLLATE "C",
  "value" jsonb,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."items" ("organization_id", "item_id") ON DELETE CASCADE,
  "index" bigint,
  "label" text,
  "api_name" text COLLATE "C",
  "data_type" text,
  "search_entity" text
);
COMMENT ON TABLE "inventory"."items_custom_fields" IS 'A field that the organization added to its items, with its value on one item.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in items.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."customfield_id" IS 'Identifier of the field; the same on every item.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."api_name" IS 'Name of the field for programs: cf_ and the name of the field.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."data_type" IS 'Type of the field, such as string, date or dropdown.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."search_entity" IS 'Kind of record that the field belongs to.';

CREATE TABLE "inventory"."items_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."items" ("organization_id", "item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."items_tags" IS 'A reporting tag of an item.';
COMMENT ON COLUMN "inventory"."items_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."items_tags"."_parent_id" IS 'Key of the record that the row belongs to, in items.';
COMMENT ON COLUMN "inventory"."items_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."items_tags"."tag_id" IS 'Identifier of the tag, such as that of a cost centre.';
COMMENT ON COLUMN "inventory"."items_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "inventory"."items_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "inventory"."items_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "inventory"."items_tags"."is_tag_mandatory" IS 'Whether the organization asks for the tag everywhere.';
COMMENT ON COLUMN "inventory"."items_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."items_package_details" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "length" numeric,
  "width" numeric,
  "height" numeric,
  "weight" numeric,
  "weight_unit" text,
  "dimension_unit" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."items" ("organization_id", "item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."items_package_details" IS 'How large and heavy one unit of an item is, packed.';
COMMENT ON COLUMN "inventory"."items_package_details"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."items_package_details"."_parent_id" IS 'Key of the record that the row belongs to, in items.';
COMMENT ON COLUMN "inventory"."items_package_details"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."items_package_details"."length" IS 'Length of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."items_package_details"."width" IS 'Width of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."items_package_details"."height" IS 'Height of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."items_package_details"."weight" IS 'Weight of the parcel, in the unit of weight_unit.';
COMMENT ON COLUMN "inventory"."items_package_details"."weight_unit" IS 'Unit of the weight, such as kg.';
COMMENT ON COLUMN "inventory"."items_package_details"."dimension_unit" IS 'Unit of length, width and height, such as cm.';
COMMENT ON COLUMN "inventory"."items_package_details"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."items_preferred_vendors" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "vendor_id" text COLLATE "C",
  "vendor_name" text,
  "is_primary" boolean,
  "item_price" numeric,
  "item_stock" numeric,
  "last_modified_time" timestamp with time zone,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."items" ("organization_id", "item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."items_preferred_vendors" IS 'A vendor whom an item can be bought from, in the order of preference.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."_parent_id" IS 'Key of the record that the row belongs to, in items.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."vendor_id" IS 'Identifier of the vendor.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."vendor_name" IS 'Name of the vendor.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."is_primary" IS 'Whether it is the vendor to buy from first.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."item_price" IS 'Buying price of one unit from the vendor; no source says in which currency.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."item_stock" IS 'Units that the vendor has in stock.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."last_modified_time" IS 'When the entry of the vendor last changed.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."items_unit_conversions" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "unit_conversion_id" text COLLATE "C",
  "target_unit_id" text COLLATE "C",
  "target_unit" text,
  "quantity_decimal_place" bigint,
  "conversion_rate" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."items" ("organization_id", "item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."items_unit_conversions" IS 'Another unit that quantities of an item can be counted in.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."_parent_id" IS 'Key of the record that the row belongs to, in items.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."unit_conversion_id" IS 'Identifier of the conversion.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."target_unit_id" IS 'Identifier of the other unit.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."target_unit" IS 'Name of the other unit.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."quantity_decimal_place" IS 'Decimals that quantities in the other unit are shown with.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."conversion_rate" IS 'Number by which quantities are multiplied to get the other unit.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills" (
  "organization_id" text COLLATE "C" NOT NULL,
  "bill_id" text COLLATE "C" NOT NULL,
  "bill_number" text COLLATE "C",
  "reference_number" text COLLATE "C",
  "reference_id" text COLLATE "C",
  "purchaseorder_id" text COLLATE "C",
  "vendor_id" text COLLATE "C",
  "vendor_name" text,
  "status" text,
  "date" date,
  "due_date" date,
  "due_by_days" bigint,
  "currency_id" text COLLATE "C",
  "currency_code" text COLLATE "C",
  "currency_symbol" text,
  "price_precision" bigint,
  "exchange_rate" numeric,
  "sub_total" numeric,
  "tax_total" numeric,
  "balance" numeric,
  "unused_credits_payable_amount" numeric,
  "is_item_level_tax_calc" boolean,
  "location_id" text COLLATE "C",
  "location_name" text,
  "notes" text,
  "terms" text,
  "attachment_name" text,
  "open_purchaseorders_count" bigint,
  "gst_treatment" text,
  "gst_no" text COLLATE "C",
  "source_of_supply" text,
  "destination_of_supply" text,
  "is_pre_gst" boolean,
  "is_reverse_charge_applied" boolean,
  "vendor_credits_applied" jsonb,
  "created_time" timestamp with time zone,
  "last_modified_time" timestamp with time zone,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_detail_state" text NOT NULL DEFAULT 'none_needed' CHECK ("_detail_state" IN ('none_needed', 'pending', 'current', 'stale', 'failed')),
  "_detail_hash" bytea,
  "_detail_call_id" bigint,
  "_detail_raw_position" integer,
  "_detail_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  "total" numeric,
  "current_sub_status" text,
  "current_sub_status_id" text COLLATE "C",
  "entity_type" text,
  "source" text,
  "subject_content" text,
  "has_attachment" boolean,
  "is_viewed_by_client" boolean,
  "client_viewed_time" timestamp with time zone,
  "is_opening_balance" text,
  "payment_terms" bigint,
  "payment_terms_label" text,
  "due_in_days" bigint,
  "due_days" text,
  "payment_expected_date" date,
  "recurring_bill_id" text COLLATE "C",
  "reference_bill_id" text COLLATE "C",
  "billing_address_id" text COLLATE "C",
  "pricebook_id" text COLLATE "C",
  "pricebook_name" text,
  "account_id" text COLLATE "C",
  "account_name" text,
  "is_line_item_invoiced" boolean,
  "created_by_id" text COLLATE "C",
  "created_by" text,
  "last_modified_id" text COLLATE "C",
  "last_modified_by" text,
  "journal_credits" jsonb,
  "credit_notes" jsonb,
  "invoices" jsonb,
  "balance_due" numeric,
  "payment_made" numeric,
  "unprocessed_payment_amount" numeric,
  "discount_total" numeric,
  "discount" jsonb,
  "discount_percent" numeric,
  "discount_amount" numeric,
  "discount_applied_on_amount" numeric,
  "is_discount_before_tax" boolean,
  "discount_type" text,
  "discount_setting" text,
  "discount_account_id" text COLLATE "C",
  "discount_account_name" text,
  "adjustment" numeric,
  "adjustment_description" text,
  "adjustment_account_id" text COLLATE "C",
  "adjustment_account_name" text,
  "sub_total_inclusive_of_tax" numeric,
  "total_retention_amount" numeric,
  "retention_items" jsonb,
  "allocated_landed_costs" jsonb,
  "unallocated_landed_costs" jsonb,
  "is_inclusive_tax" boolean,
  "tax_rounding" text,
  "is_tds_applied" boolean,
  "tds_total" numeric,
  "tds_amount" numeric,
  "tds_percent" numeric,
  "tds_tax_id" text COLLATE "C",
  "tds_tax_name" text,
  "tds_section" text,
  "tax_account_id" text COLLATE "C",
  "tds_calculation_type" text,
  "is_tds_amount_in_percent" boolean,
  "contact_category" text,
  "tax_treatment" text,
  "vat_treatment" text,
  "vat_reg_no" text COLLATE "C",
  "place_of_supply" text,
  "permit_number" text COLLATE "C",
  "is_abn_quoted" text,
  "reference_invoice_type" text,
  "filed_in_vat_return_id" text COLLATE "C",
  "filed_in_vat_return_name" text,
  "filed_in_vat_return_type" text,
  "acquisition_vat_total" numeric,
  "reverse_charge_vat_total" numeric,
  PRIMARY KEY ("organization_id", "bill_id")
);
CREATE INDEX "bills_date" ON "inventory"."bills" ("organization_id", "date");
COMMENT ON TABLE "inventory"."bills" IS 'What a vendor charged the organization for a delivery.';
COMMENT ON COLUMN "inventory"."bills"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills"."bill_id" IS 'Identifier of the bill; unique within the organization.';
COMMENT ON COLUMN "inventory"."bills"."bill_number" IS 'Number of the bill as the vendor wrote it.';
COMMENT ON COLUMN "inventory"."bills"."reference_number" IS 'Number that the organization files the bill under.';
COMMENT ON COLUMN "inventory"."bills"."reference_id" IS 'Identifier of the record that the bill refers to.';
COMMENT ON COLUMN "inventory"."bills"."purchaseorder_id" IS 'Identifier of the purchase order that the bill answers.';
COMMENT ON COLUMN "inventory"."bills"."vendor_id" IS 'Identifier of the vendor who sent the bill.';
COMMENT ON COLUMN "inventory"."bills"."vendor_name" IS 'Name of the vendor who sent the bill.';
COMMENT ON COLUMN "inventory"."bills"."status" IS 'Where the bill stands, such as open, overdue or paid; the documents show paid only.';
COMMENT ON COLUMN "inventory"."bills"."date" IS 'Day of the bill.';
COMMENT ON COLUMN "inventory"."bills"."due_date" IS 'Day on which the bill is due.';
COMMENT ON COLUMN "inventory"."bills"."due_by_days" IS 'Days left until the bill is due; negative once it is overdue.';
COMMENT ON COLUMN "inventory"."bills"."currency_id" IS 'Identifier of the currency of the bill.';
COMMENT ON COLUMN "inventory"."bills"."currency_code" IS 'ISO code of the currency of the bill.';
COMMENT ON COLUMN "inventory"."bills"."currency_symbol" IS 'Symbol of the currency of the bill, for display.';
COMMENT ON COLUMN "inventory"."bills"."price_precision" IS 'Decimals that prices on the bill are shown with.';
COMMENT ON COLUMN "inventory"."bills"."exchange_rate" IS 'Price of one unit of the bill''s currency in the base currency.';
COMMENT ON COLUMN "inventory"."bills"."sub_total" IS 'Sum of the lines before tax, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."tax_total" IS 'Sum of the taxes, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."balance" IS 'What is left to pay, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."unused_credits_payable_amount" IS 'Credit with the vendor that could still settle the bill, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."is_item_level_tax_calc" IS 'Whether tax is worked out line by line and not on the sum.';
COMMENT ON COLUMN "inventory"."bills"."location_id" IS 'Identifier of the location of the organization that the bill is booked for.';
COMMENT ON COLUMN "inventory"."bills"."location_name" IS 'Name of the location that the bill is booked for.';
COMMENT ON COLUMN "inventory"."bills"."notes" IS 'Free note on the bill.';
COMMENT ON COLUMN "inventory"."bills"."terms" IS 'Terms and conditions of the bill.';
COMMENT ON COLUMN "inventory"."bills"."attachment_name" IS 'File name of the scan of the bill.';
COMMENT ON COLUMN "inventory"."bills"."open_purchaseorders_count" IS 'Number of purchase orders of the vendor that are still open.';
COMMENT ON COLUMN "inventory"."bills"."gst_treatment" IS 'How the vendor stands to Indian GST: business_gst, business_none, overseas or consumer.';
COMMENT ON COLUMN "inventory"."bills"."gst_no" IS 'Indian GST number of the vendor.';
COMMENT ON COLUMN "inventory"."bills"."source_of_supply" IS 'Place that the goods were supplied from, for GST or VAT.';
COMMENT ON COLUMN "inventory"."bills"."destination_of_supply" IS 'Place that the goods were supplied to, for GST or VAT.';
COMMENT ON COLUMN "inventory"."bills"."is_pre_gst" IS 'Whether the bill dates from before Indian GST.';
COMMENT ON COLUMN "inventory"."bills"."is_reverse_charge_applied" IS 'Whether the organization owes the tax in place of the vendor.';
COMMENT ON COLUMN "inventory"."bills"."vendor_credits_applied" IS 'Credits already used on the bill: a number from live services, kept as JSON because the documents name the key but not its shape.';
COMMENT ON COLUMN "inventory"."bills"."created_time" IS 'When the bill was entered.';
COMMENT ON COLUMN "inventory"."bills"."last_modified_time" IS 'When the bill last changed.';
COMMENT ON COLUMN "inventory"."bills"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "inventory"."bills"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."bills"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."bills"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."bills"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."bills"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."bills"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "inventory"."bills"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "inventory"."bills"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "inventory"."bills"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."bills"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."bills"."_detail_at" IS 'When the single record was last loaded or tried.';
COMMENT ON COLUMN "inventory"."bills"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "inventory"."bills"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "inventory"."bills"."total" IS 'What the vendor charged with tax, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."current_sub_status" IS 'The organization''s own finer state of the bill; repeats status without any.';
COMMENT ON COLUMN "inventory"."bills"."current_sub_status_id" IS 'Identifier of the organization''s own finer state.';
COMMENT ON COLUMN "inventory"."bills"."entity_type" IS 'Kind of the document; always bill.';
COMMENT ON COLUMN "inventory"."bills"."source" IS 'Where the bill came into the service from, such as Client or Api.';
COMMENT ON COLUMN "inventory"."bills"."subject_content" IS 'Subject line of the bill.';
COMMENT ON COLUMN "inventory"."bills"."has_attachment" IS 'Whether a file is attached to the bill.';
COMMENT ON COLUMN "inventory"."bills"."is_viewed_by_client" IS 'Whether the vendor opened the bill in the portal.';
COMMENT ON COLUMN "inventory"."bills"."client_viewed_time" IS 'When the vendor opened the bill in the portal.';
COMMENT ON COLUMN "inventory"."bills"."is_opening_balance" IS 'Lists send the bill''s own identifier here, a fault upstream: it is no truth value.';
COMMENT ON COLUMN "inventory"."bills"."payment_terms" IS 'Days that the vendor granted for paying.';
COMMENT ON COLUMN "inventory"."bills"."payment_terms_label" IS 'What the organization calls those terms, such as Net 15.';
COMMENT ON COLUMN "inventory"."bills"."due_in_days" IS 'Days left until the bill is due; null once it is overdue, then due_by_days counts.';
COMMENT ON COLUMN "inventory"."bills"."due_days" IS 'The same in words of the user''s language, such as Due in 30 days, for display only.';
COMMENT ON COLUMN "inventory"."bills"."payment_expected_date" IS 'Day on which the organization plans to pay the bill.';
COMMENT ON COLUMN "inventory"."bills"."recurring_bill_id" IS 'Identifier of the schedule that made the bill.';
COMMENT ON COLUMN "inventory"."bills"."reference_bill_id" IS 'Identifier of the bill that this one was derived from.';
COMMENT ON COLUMN "inventory"."bills"."billing_address_id" IS 'Identifier of the address that the billing address was taken from.';
COMMENT ON COLUMN "inventory"."bills"."pricebook_id" IS 'Identifier of the price list used.';
COMMENT ON COLUMN "inventory"."bills"."pricebook_name" IS 'Name of the price list used.';
COMMENT ON COLUMN "inventory"."bills"."account_id" IS 'Identifier of the payables account that the bill is booked on.';
COMMENT ON COLUMN "inventory"."bills"."account_name" IS 'Name of the payables account that the bill is booked on.';
COMMENT ON COLUMN "inventory"."bills"."is_line_item_invoiced" IS 'Whether a line was charged on to a customer.';
COMMENT ON COLUMN "inventory"."bills"."created_by_id" IS 'Identifier of the user who entered the bill.';
COMMENT ON COLUMN "inventory"."bills"."created_by" IS 'Name of the user who entered the bill.';
COMMENT ON COLUMN "inventory"."bills"."last_modified_id" IS 'Identifier of the user who last changed the bill.';
COMMENT ON COLUMN "inventory"."bills"."last_modified_by" IS 'Name of the user who last changed the bill.';
COMMENT ON COLUMN "inventory"."bills"."journal_credits" IS 'Journal entries that settle the bill, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."bills"."credit_notes" IS 'Credit notes that settle the bill, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."bills"."invoices" IS 'Invoices made of the bill, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."bills"."balance_due" IS 'What is left to pay, as lists call it, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."payment_made" IS 'What was paid so far, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."unprocessed_payment_amount" IS 'Payments still under way at the bank, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."discount_total" IS 'All discounts together, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."discount" IS 'Discount as it was entered, kept as JSON because it is an amount or a text with a percent sign.';
COMMENT ON COLUMN "inventory"."bills"."discount_percent" IS 'Rate of the discount on the whole bill, in percent.';
COMMENT ON COLUMN "inventory"."bills"."discount_amount" IS 'Discount on the whole bill as an amount, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."discount_applied_on_amount" IS 'Sum that the discount is taken from, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."is_discount_before_tax" IS 'Whether the discount lowers the tax.';
COMMENT ON COLUMN "inventory"."bills"."discount_type" IS 'Whether the discount is on the whole bill (entity_level) or on lines (item_level).';
COMMENT ON COLUMN "inventory"."bills"."discount_setting" IS 'Whether the discount is an amount (flat) or a rate (percent).';
COMMENT ON COLUMN "inventory"."bills"."discount_account_id" IS 'Identifier of the account that discounts are booked on.';
COMMENT ON COLUMN "inventory"."bills"."discount_account_name" IS 'Name of the account that discounts are booked on.';
COMMENT ON COLUMN "inventory"."bills"."adjustment" IS 'Free correction of the total, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."adjustment_description" IS 'Reason of the correction.';
COMMENT ON COLUMN "inventory"."bills"."adjustment_account_id" IS 'Identifier of the account that the correction is booked on.';
COMMENT ON COLUMN "inventory"."bills"."adjustment_account_name" IS 'Name of the account that the correction is booked on.';
COMMENT ON COLUMN "inventory"."bills"."sub_total_inclusive_of_tax" IS 'Sum of the lines with tax, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."total_retention_amount" IS 'Part kept back until the work is accepted, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."retention_items" IS 'The part kept back by line, kept as JSON because no answer shows its shape.';
COMMENT ON COLUMN "inventory"."bills"."allocated_landed_costs" IS 'Freight and duty spread over the items, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."bills"."unallocated_landed_costs" IS 'Freight and duty not spread yet, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."bills"."is_inclusive_tax" IS 'Whether the prices of the lines hold the tax.';
COMMENT ON COLUMN "inventory"."bills"."tax_rounding" IS 'Whether tax is rounded for the whole bill or line by line: entity_level or item_level.';
COMMENT ON COLUMN "inventory"."bills"."is_tds_applied" IS 'Whether tax is withheld at source, as in India and Australia.';
COMMENT ON COLUMN "inventory"."bills"."tds_total" IS 'Tax withheld at source on all lines, in the bill''s currency, as lists call it.';
COMMENT ON COLUMN "inventory"."bills"."tds_amount" IS 'Tax withheld at source in India, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."tds_percent" IS 'Rate of the tax withheld in India, in percent.';
COMMENT ON COLUMN "inventory"."bills"."tds_tax_id" IS 'Identifier of the tax withheld in India.';
COMMENT ON COLUMN "inventory"."bills"."tds_tax_name" IS 'Name of the tax withheld in India.';
COMMENT ON COLUMN "inventory"."bills"."tds_section" IS 'Section of Indian law that the tax is withheld by.';
COMMENT ON COLUMN "inventory"."bills"."tax_account_id" IS 'Identifier of the account that tax withheld in India is booked on.';
COMMENT ON COLUMN "inventory"."bills"."tds_calculation_type" IS 'Whether tax is withheld line by line or on the whole bill.';
COMMENT ON COLUMN "inventory"."bills"."is_tds_amount_in_percent" IS 'Whether the tax withheld was entered as a rate.';
COMMENT ON COLUMN "inventory"."bills"."contact_category" IS 'How the vendor stands to tax, in India and in editions with VAT; the same as gst_treatment in India.';
COMMENT ON COLUMN "inventory"."bills"."tax_treatment" IS 'How the vendor stands to VAT in the Gulf states, Mexico, Kenya or South Africa; repeats gst_treatment in India.';
COMMENT ON COLUMN "inventory"."bills"."vat_treatment" IS 'How the vendor stands to UK VAT.';
COMMENT ON COLUMN "inventory"."bills"."vat_reg_no" IS 'UK VAT number of the vendor.';
COMMENT ON COLUMN "inventory"."bills"."place_of_supply" IS 'Emirate or state of the Gulf that the supply counts for.';
COMMENT ON COLUMN "inventory"."bills"."permit_number" IS 'Number of the permit that the authority gave in the Gulf states.';
COMMENT ON COLUMN "inventory"."bills"."is_abn_quoted" IS 'Whether the vendor gave its business number in Australia, as a word.';
COMMENT ON COLUMN "inventory"."bills"."reference_invoice_type" IS 'Kind of invoice that the bill corrects in India.';
COMMENT ON COLUMN "inventory"."bills"."filed_in_vat_return_id" IS 'Identifier of the UK VAT return that the bill went into.';
COMMENT ON COLUMN "inventory"."bills"."filed_in_vat_return_name" IS 'Name of the UK VAT return that the bill went into.';
COMMENT ON COLUMN "inventory"."bills"."filed_in_vat_return_type" IS 'Kind of the UK VAT return that the bill went into.';
COMMENT ON COLUMN "inventory"."bills"."acquisition_vat_total" IS 'VAT on acquisitions in the UK and the EU, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills"."reverse_charge_vat_total" IS 'VAT that the organization owes in place of the vendor in the UK and the EU, in the bill''s currency.';
CREATE INDEX "bills_details" ON "inventory"."bills" ("organization_id", "last_modified_time" DESC)
  WHERE "_detail_state" IN ('pending', 'stale', 'failed');

CREATE TABLE "inventory"."bills_line_items" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "line_item_id" text COLLATE "C",
  "purchaseorder_item_id" text COLLATE "C",
  "receive_item_id" text COLLATE "C",
  "item_order" bigint,
  "name" text,
  "description" text,
  "account_id" text COLLATE "C",
  "account_name" text,
  "quantity" numeric,
  "unit" text,
  "rate" numeric,
  "bcy_rate" numeric,
  "item_total" numeric,
  "tax_id" text COLLATE "C",
  "tax_name" text,
  "tax_type" text,
  "tax_percentage" numeric,
  "tds_tax_id" text COLLATE "C",
  "tax_exemption_id" text COLLATE "C",
  "tax_exemption_code" text COLLATE "C",
  "reverse_charge_tax_id" text COLLATE "C",
  "reverse_charge_tax_name" text,
  "reverse_charge_tax_percentage" numeric,
  "reverse_charge_tax_amount" numeric,
  "hsn_or_sac" text COLLATE "C",
  "location_id" text COLLATE "C",
  "location_name" text,
  "image_id" text COLLATE "C",
  "image_name" text,
  "image_type" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE,
  "item_id" text COLLATE "C",
  "sku" text COLLATE "C",
  "item_type" text,
  "product_type" text,
  "header_id" text COLLATE "C",
  "header_name" text,
  "account_code" text COLLATE "C",
  "pricebook_id" text COLLATE "C",
  "discount" jsonb,
  "discounts" jsonb,
  "discount_account_id" text COLLATE "C",
  "discount_account_name" text,
  "item_total_inclusive_of_tax" numeric,
  "project_id" text COLLATE "C",
  "project_name" text,
  "is_billable" boolean,
  "customer_id" text COLLATE "C",
  "customer_name" text,
  "markup_percent" numeric,
  "sales_rate" numeric,
  "invoice_id" text COLLATE "C",
  "invoice_number" text COLLATE "C",
  "purchaseorder_id" text COLLATE "C",
  "receive_id" text COLLATE "C",
  "receipt_line_item_id" text COLLATE "C",
  "quantity_received" numeric,
  "storages" jsonb,
  "itc_eligibility" text,
  "gst_treatment_code" text,
  "tax_treatment_code" text,
  "tds_tax_name" text,
  "tds_tax_percentage" numeric,
  "tds_tax_amount" numeric,
  "acquisition_vat_id" text COLLATE "C",
  "acquisition_vat_name" text,
  "acquisition_vat_percentage" numeric,
  "acquisition_vat_amount" numeric,
  "reverse_charge_vat_id" text COLLATE "C",
  "reverse_charge_vat_name" text,
  "reverse_charge_vat_percentage" numeric,
  "reverse_charge_vat_amount" numeric
);
COMMENT ON TABLE "inventory"."bills_line_items" IS 'One line of a bill: what was delivered and what it cost.';
COMMENT ON COLUMN "inventory"."bills_line_items"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_line_items"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_line_items"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_line_items"."line_item_id" IS 'Identifier of the line.';
COMMENT ON COLUMN "inventory"."bills_line_items"."purchaseorder_item_id" IS 'Identifier of the line of the purchase order that this line answers.';
COMMENT ON COLUMN "inventory"."bills_line_items"."receive_item_id" IS 'Identifier of the line of the receipt of goods that this line charges.';
COMMENT ON COLUMN "inventory"."bills_line_items"."item_order" IS 'Place of the line on the bill, as the user sorted it.';
COMMENT ON COLUMN "inventory"."bills_line_items"."name" IS 'Name of what was delivered.';
COMMENT ON COLUMN "inventory"."bills_line_items"."description" IS 'Text of the line.';
COMMENT ON COLUMN "inventory"."bills_line_items"."account_id" IS 'Identifier of the account that the line is booked on.';
COMMENT ON COLUMN "inventory"."bills_line_items"."account_name" IS 'Name of the account that the line is booked on.';
COMMENT ON COLUMN "inventory"."bills_line_items"."quantity" IS 'Number of units delivered.';
COMMENT ON COLUMN "inventory"."bills_line_items"."unit" IS 'Unit that the quantity is counted in.';
COMMENT ON COLUMN "inventory"."bills_line_items"."rate" IS 'Price of one unit, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_line_items"."bcy_rate" IS 'Price of one unit, in the base currency.';
COMMENT ON COLUMN "inventory"."bills_line_items"."item_total" IS 'Quantity times rate before tax, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_line_items"."tax_id" IS 'Identifier of the tax on the line.';
COMMENT ON COLUMN "inventory"."bills_line_items"."tax_name" IS 'Name of the tax on the line.';
COMMENT ON COLUMN "inventory"."bills_line_items"."tax_type" IS 'Whether the tax is a simple or a compound one.';
COMMENT ON COLUMN "inventory"."bills_line_items"."tax_percentage" IS 'Rate of the tax on the line, in percent.';
COMMENT ON COLUMN "inventory"."bills_line_items"."tds_tax_id" IS 'Identifier of the tax withheld at source.';
COMMENT ON COLUMN "inventory"."bills_line_items"."tax_exemption_id" IS 'Identifier of the reason why the line is not taxed.';
COMMENT ON COLUMN "inventory"."bills_line_items"."tax_exemption_code" IS 'Code of the reason why the line is not taxed.';
COMMENT ON COLUMN "inventory"."bills_line_items"."reverse_charge_tax_id" IS 'Identifier of the tax that the organization owes in place of the vendor.';
COMMENT ON COLUMN "inventory"."bills_line_items"."reverse_charge_tax_name" IS 'Name of the tax that the organization owes in place of the vendor.';
COMMENT ON COLUMN "inventory"."bills_line_items"."reverse_charge_tax_percentage" IS 'Rate of that tax, in percent.';
COMMENT ON COLUMN "inventory"."bills_line_items"."reverse_charge_tax_amount" IS 'Amount of that tax, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_line_items"."hsn_or_sac" IS 'Code of the goods or services for Indian GST.';
COMMENT ON COLUMN "inventory"."bills_line_items"."location_id" IS 'Identifier of the location that the goods were delivered to.';
COMMENT ON COLUMN "inventory"."bills_line_items"."location_name" IS 'Name of the location that the goods were delivered to.';
COMMENT ON COLUMN "inventory"."bills_line_items"."image_id" IS 'Identifier of the picture of the item.';
COMMENT ON COLUMN "inventory"."bills_line_items"."image_name" IS 'File name of the picture of the item.';
COMMENT ON COLUMN "inventory"."bills_line_items"."image_type" IS 'File type of the picture of the item, such as png.';
COMMENT ON COLUMN "inventory"."bills_line_items"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."bills_line_items"."item_id" IS 'Identifier of the item that was delivered; null for a line of free text.';
COMMENT ON COLUMN "inventory"."bills_line_items"."sku" IS 'Stock keeping unit: the organization''s own code of the item.';
COMMENT ON COLUMN "inventory"."bills_line_items"."item_type" IS 'What the item is used for, such as inventory or purchases.';
COMMENT ON COLUMN "inventory"."bills_line_items"."product_type" IS 'Whether the line is a thing or work: goods or service.';
COMMENT ON COLUMN "inventory"."bills_line_items"."header_id" IS 'Identifier of the heading that the line stands under.';
COMMENT ON COLUMN "inventory"."bills_line_items"."header_name" IS 'Heading that the line stands under.';
COMMENT ON COLUMN "inventory"."bills_line_items"."account_code" IS 'Code of the account that the line is booked on.';
COMMENT ON COLUMN "inventory"."bills_line_items"."pricebook_id" IS 'Identifier of the price list used.';
COMMENT ON COLUMN "inventory"."bills_line_items"."discount" IS 'Discount on the line, kept as JSON because it is an amount or a text with a percent sign.';
COMMENT ON COLUMN "inventory"."bills_line_items"."discounts" IS 'The parts of the discount, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."bills_line_items"."discount_account_id" IS 'Identifier of the account that the discount is booked on.';
COMMENT ON COLUMN "inventory"."bills_line_items"."discount_account_name" IS 'Name of the account that the discount is booked on.';
COMMENT ON COLUMN "inventory"."bills_line_items"."item_total_inclusive_of_tax" IS 'Sum of the line with tax, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_line_items"."project_id" IS 'Identifier of the project that it was bought for.';
COMMENT ON COLUMN "inventory"."bills_line_items"."project_name" IS 'Name of the project that it was bought for.';
COMMENT ON COLUMN "inventory"."bills_line_items"."is_billable" IS 'Whether the line is to be charged on to a customer.';
COMMENT ON COLUMN "inventory"."bills_line_items"."customer_id" IS 'Identifier of the customer whom the line is charged on to.';
COMMENT ON COLUMN "inventory"."bills_line_items"."customer_name" IS 'Name of the customer whom the line is charged on to.';
COMMENT ON COLUMN "inventory"."bills_line_items"."markup_percent" IS 'Rate put on top when the line is charged on, in percent.';
COMMENT ON COLUMN "inventory"."bills_line_items"."sales_rate" IS 'Selling price of one unit when the line is charged on; no source says in which currency.';
COMMENT ON COLUMN "inventory"."bills_line_items"."invoice_id" IS 'Identifier of the invoice that charged the line on.';
COMMENT ON COLUMN "inventory"."bills_line_items"."invoice_number" IS 'Number of the invoice that charged the line on.';
COMMENT ON COLUMN "inventory"."bills_line_items"."purchaseorder_id" IS 'Identifier of the purchase order that the line answers.';
COMMENT ON COLUMN "inventory"."bills_line_items"."receive_id" IS 'Identifier of the receipt of goods that the line charges.';
COMMENT ON COLUMN "inventory"."bills_line_items"."receipt_line_item_id" IS 'Identifier of the line of that receipt.';
COMMENT ON COLUMN "inventory"."bills_line_items"."quantity_received" IS 'Units of the line that were received.';
COMMENT ON COLUMN "inventory"."bills_line_items"."storages" IS 'Bins that the goods went to, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."bills_line_items"."itc_eligibility" IS 'Whether the tax of the line can be reclaimed in India.';
COMMENT ON COLUMN "inventory"."bills_line_items"."gst_treatment_code" IS 'Why the line is outside of Indian GST.';
COMMENT ON COLUMN "inventory"."bills_line_items"."tax_treatment_code" IS 'Why the line is outside of VAT in the Gulf states.';
COMMENT ON COLUMN "inventory"."bills_line_items"."tds_tax_name" IS 'Name of the tax withheld at source in India.';
COMMENT ON COLUMN "inventory"."bills_line_items"."tds_tax_percentage" IS 'Rate of the tax withheld at source in India, in percent.';
COMMENT ON COLUMN "inventory"."bills_line_items"."tds_tax_amount" IS 'Tax withheld at source on the line in India, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_line_items"."acquisition_vat_id" IS 'Identifier of the VAT on acquisitions in the UK and the EU.';
COMMENT ON COLUMN "inventory"."bills_line_items"."acquisition_vat_name" IS 'Name of the VAT on acquisitions.';
COMMENT ON COLUMN "inventory"."bills_line_items"."acquisition_vat_percentage" IS 'Rate of the VAT on acquisitions, in percent.';
COMMENT ON COLUMN "inventory"."bills_line_items"."acquisition_vat_amount" IS 'VAT on acquisitions, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_line_items"."reverse_charge_vat_id" IS 'Identifier of the VAT that the organization owes in place of the vendor in the UK and the EU.';
COMMENT ON COLUMN "inventory"."bills_line_items"."reverse_charge_vat_name" IS 'Name of the VAT owed in place of the vendor.';
COMMENT ON COLUMN "inventory"."bills_line_items"."reverse_charge_vat_percentage" IS 'Rate of the VAT owed in place of the vendor, in percent.';
COMMENT ON COLUMN "inventory"."bills_line_items"."reverse_charge_vat_amount" IS 'VAT owed in place of the vendor, in the bill''s currency.';

CREATE TABLE "inventory"."bills_line_items_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."bills_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_line_items_tags" IS 'A reporting tag of a line of a bill.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."_parent_position" IS 'Position of the element that the row belongs to, in bills_line_items.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."tag_id" IS 'Identifier of the tag, such as that of a cost centre.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."is_tag_mandatory" IS 'Whether the organization asks for the tag everywhere.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_line_items_line_item_taxes" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "tax_id" text COLLATE "C",
  "tax_name" text,
  "tax_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."bills_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_line_items_line_item_taxes" IS 'One tax on a line of a bill.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."_parent_position" IS 'Position of the element that the row belongs to, in bills_line_items.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."tax_id" IS 'Identifier of the tax.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."tax_name" IS 'Name of the tax with its rate.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."tax_amount" IS 'Amount of the tax on the line, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_line_items_serial_numbers" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "serial_number" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."bills_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_line_items_serial_numbers" IS 'The serial number of one unit that was received with a line of a bill.';
COMMENT ON COLUMN "inventory"."bills_line_items_serial_numbers"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_line_items_serial_numbers"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_line_items_serial_numbers"."_parent_position" IS 'Position of the element that the row belongs to, in bills_line_items.';
COMMENT ON COLUMN "inventory"."bills_line_items_serial_numbers"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_line_items_serial_numbers"."serial_number" IS 'Serial number of the unit, leading zeros kept.';
COMMENT ON COLUMN "inventory"."bills_line_items_serial_numbers"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_line_items_batches" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "batch_id" text COLLATE "C",
  "batch_number" text COLLATE "C",
  "external_batch_number" text COLLATE "C",
  "manufacturer_date" date,
  "expiry_date" date,
  "in_quantity" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."bills_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_line_items_batches" IS 'A batch of goods that was received with a line of a bill.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."_parent_position" IS 'Position of the element that the row belongs to, in bills_line_items.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."batch_id" IS 'Identifier of the batch.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."batch_number" IS 'Number of the batch as the organization shows it.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."external_batch_number" IS 'Number that the manufacturer gave the batch.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."manufacturer_date" IS 'Day on which the batch was made.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."expiry_date" IS 'Day on which the batch expires.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."in_quantity" IS 'Units of the batch that were received.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_line_items_item_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "customfield_id" text COLLATE "C",
  "index" bigint,
  "label" text,
  "value" jsonb,
  "api_name" text COLLATE "C",
  "data_type" text,
  "search_entity" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."bills_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_line_items_item_custom_fields" IS 'A field that the organization added to lines, with its value on a line of a bill.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."_parent_position" IS 'Position of the element that the row belongs to, in bills_line_items.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."customfield_id" IS 'Identifier of the field; the same on every line.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."api_name" IS 'Name of the field for programs: cf_ and the name of the field.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."data_type" IS 'Type of the field, such as string, date or dropdown.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."search_entity" IS 'Kind of record that the field belongs to.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_taxes" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_name" text,
  "tax_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE,
  "tax_id" text COLLATE "C"
);
COMMENT ON TABLE "inventory"."bills_taxes" IS 'The sum of one tax over all lines of a bill.';
COMMENT ON COLUMN "inventory"."bills_taxes"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_taxes"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_taxes"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_taxes"."tax_name" IS 'Name of the tax with its rate.';
COMMENT ON COLUMN "inventory"."bills_taxes"."tax_amount" IS 'Sum of the tax, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_taxes"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."bills_taxes"."tax_id" IS 'Identifier of the tax.';

CREATE TABLE "inventory"."bills_payments" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "bill_payment_id" text COLLATE "C",
  "payment_id" text COLLATE "C",
  "bill_id" text COLLATE "C",
  "payment_number" text COLLATE "C",
  "payment_mode" text,
  "description" text,
  "date" date,
  "reference_number" text COLLATE "C",
  "exchange_rate" numeric,
  "amount" numeric,
  "paid_through_account_id" text COLLATE "C",
  "paid_through_account_name" text,
  "is_single_bill_payment" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE,
  "apply_date" date,
  "paid_through_account_type" text,
  "credit_account_id" text COLLATE "C",
  "is_paid_via_print_check" boolean,
  "check_details" jsonb,
  "is_ach_payment" boolean,
  "ach_payment_status" text,
  "ach_gw_transaction_id" text COLLATE "C"
);
COMMENT ON TABLE "inventory"."bills_payments" IS 'A payment that settles a bill, in whole or in part.';
COMMENT ON COLUMN "inventory"."bills_payments"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_payments"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_payments"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_payments"."bill_payment_id" IS 'Identifier of the settlement: this payment on this bill.';
COMMENT ON COLUMN "inventory"."bills_payments"."payment_id" IS 'Identifier of the payment.';
COMMENT ON COLUMN "inventory"."bills_payments"."bill_id" IS 'Identifier of the bill that is settled, the same as that of the bill.';
COMMENT ON COLUMN "inventory"."bills_payments"."payment_number" IS 'Running number of the payment as the organization shows it.';
COMMENT ON COLUMN "inventory"."bills_payments"."payment_mode" IS 'How it was paid, such as cash, check or bank transfer.';
COMMENT ON COLUMN "inventory"."bills_payments"."description" IS 'Free note on the payment.';
COMMENT ON COLUMN "inventory"."bills_payments"."date" IS 'Day of the payment.';
COMMENT ON COLUMN "inventory"."bills_payments"."reference_number" IS 'Number that the payer gave the payment.';
COMMENT ON COLUMN "inventory"."bills_payments"."exchange_rate" IS 'Price of one unit of the payment''s currency in the base currency.';
COMMENT ON COLUMN "inventory"."bills_payments"."amount" IS 'Part of the payment that settles this bill, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_payments"."paid_through_account_id" IS 'Identifier of the account that the money left.';
COMMENT ON COLUMN "inventory"."bills_payments"."paid_through_account_name" IS 'Name of the account that the money left.';
COMMENT ON COLUMN "inventory"."bills_payments"."is_single_bill_payment" IS 'Whether the payment settles this bill only.';
COMMENT ON COLUMN "inventory"."bills_payments"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."bills_payments"."apply_date" IS 'Day on which the payment was set against the bill.';
COMMENT ON COLUMN "inventory"."bills_payments"."paid_through_account_type" IS 'Kind of the account that the money left, such as bank or cash.';
COMMENT ON COLUMN "inventory"."bills_payments"."credit_account_id" IS 'Identifier of the account of a credit that paid.';
COMMENT ON COLUMN "inventory"."bills_payments"."is_paid_via_print_check" IS 'Whether it was paid by a printed check in the US or Canada.';
COMMENT ON COLUMN "inventory"."bills_payments"."check_details" IS 'Number and state of the printed check, kept as JSON because no answer shows its shape.';
COMMENT ON COLUMN "inventory"."bills_payments"."is_ach_payment" IS 'Whether it was paid by bank debit in the US.';
COMMENT ON COLUMN "inventory"."bills_payments"."ach_payment_status" IS 'Where the bank debit stands.';
COMMENT ON COLUMN "inventory"."bills_payments"."ach_gw_transaction_id" IS 'Reference of the bank debit at the gateway.';

CREATE TABLE "inventory"."bills_vendor_credits" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "vendor_credit_id" text COLLATE "C",
  "vendor_credit_bill_id" text COLLATE "C",
  "vendor_credit_number" text COLLATE "C",
  "date" date,
  "amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_vendor_credits" IS 'A credit of the vendor that settles a part of a bill.';
COMMENT ON COLUMN "inventory"."bills_vendor_credits"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_vendor_credits"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_vendor_credits"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_vendor_credits"."vendor_credit_id" IS 'Identifier of the credit.';
COMMENT ON COLUMN "inventory"."bills_vendor_credits"."vendor_credit_bill_id" IS 'Identifier of the settlement: this credit on this bill.';
COMMENT ON COLUMN "inventory"."bills_vendor_credits"."vendor_credit_number" IS 'Number of the credit as the organization shows it.';
COMMENT ON COLUMN "inventory"."bills_vendor_credits"."date" IS 'Day on which the credit was used.';
COMMENT ON COLUMN "inventory"."bills_vendor_credits"."amount" IS 'Part of the credit that settles this bill, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_vendor_credits"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_billing_address" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "address" text,
  "city" text,
  "state" text,
  "zip" text COLLATE "C",
  "country" text,
  "fax" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE,
  "street2" text,
  "attention" text,
  "phone" text COLLATE "C"
);
COMMENT ON TABLE "inventory"."bills_billing_address" IS 'The address of the vendor as it stood on the bill.';
COMMENT ON COLUMN "inventory"."bills_billing_address"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_billing_address"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_billing_address"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_billing_address"."address" IS 'Street and number.';
COMMENT ON COLUMN "inventory"."bills_billing_address"."city" IS 'City or town.';
COMMENT ON COLUMN "inventory"."bills_billing_address"."state" IS 'State, canton or province.';
COMMENT ON COLUMN "inventory"."bills_billing_address"."zip" IS 'Postal code, leading zeros kept.';
COMMENT ON COLUMN "inventory"."bills_billing_address"."country" IS 'Country by name.';
COMMENT ON COLUMN "inventory"."bills_billing_address"."fax" IS 'Fax number as it was entered.';
COMMENT ON COLUMN "inventory"."bills_billing_address"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."bills_billing_address"."street2" IS 'Second line of the street, such as a floor.';
COMMENT ON COLUMN "inventory"."bills_billing_address"."attention" IS 'Person or department that it is addressed to.';
COMMENT ON COLUMN "inventory"."bills_billing_address"."phone" IS 'Phone number as it was entered, leading zeros kept.';

CREATE TABLE "inventory"."bills_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "customfield_id" text COLLATE "C",
  "value" jsonb,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE,
  "index" bigint,
  "label" text,
  "api_name" text COLLATE "C",
  "data_type" text,
  "search_entity" text
);
COMMENT ON TABLE "inventory"."bills_custom_fields" IS 'A field that the organization added to its bills, with its value on one bill.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."customfield_id" IS 'Identifier of the field; the same on every bill.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."api_name" IS 'Name of the field for programs: cf_ and the name of the field.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."data_type" IS 'Type of the field, such as string, date or dropdown.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."search_entity" IS 'Kind of record that the field belongs to.';

CREATE TABLE "inventory"."bills_tds_summary" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tds_tax_id" text COLLATE "C",
  "tds_name" text,
  "tds_percentage" numeric,
  "tds_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_tds_summary" IS 'The sum of one tax withheld at source over all lines of a bill in India.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."tds_tax_id" IS 'Identifier of the tax withheld.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."tds_name" IS 'Name of the tax withheld.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."tds_percentage" IS 'Rate of the tax withheld, in percent.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."tds_amount" IS 'Sum of the tax withheld, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_gst_return_details" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "return_period" text,
  "status" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_gst_return_details" IS 'The Indian GST return that a bill went into.';
COMMENT ON COLUMN "inventory"."bills_gst_return_details"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_gst_return_details"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_gst_return_details"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_gst_return_details"."return_period" IS 'Month or quarter of the return.';
COMMENT ON COLUMN "inventory"."bills_gst_return_details"."status" IS 'Where the return stands.';
COMMENT ON COLUMN "inventory"."bills_gst_return_details"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_acquisition_vat_summary" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_name" text,
  "tax_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_acquisition_vat_summary" IS 'The sum of one VAT on acquisitions over all lines of a bill in the UK or the EU.';
COMMENT ON COLUMN "inventory"."bills_acquisition_vat_summary"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_acquisition_vat_summary"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_acquisition_vat_summary"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_acquisition_vat_summary"."tax_name" IS 'Name of the VAT with its rate.';
COMMENT ON COLUMN "inventory"."bills_acquisition_vat_summary"."tax_amount" IS 'Sum of the VAT, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_acquisition_vat_summary"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_reverse_charge_vat_summary" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_name" text,
  "tax_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_reverse_charge_vat_summary" IS 'The sum of one VAT that the organization owes in place of the vendor, over all lines of a bill in the UK or the EU.';
COMMENT ON COLUMN "inventory"."bills_reverse_charge_vat_summary"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_reverse_charge_vat_summary"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_reverse_charge_vat_summary"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_reverse_charge_vat_summary"."tax_name" IS 'Name of the VAT with its rate.';
COMMENT ON COLUMN "inventory"."bills_reverse_charge_vat_summary"."tax_amount" IS 'Sum of the VAT, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_reverse_charge_vat_summary"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_purchaseorder_ids" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "purchaseorder_id" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_purchaseorder_ids" IS 'A purchase order that a bill answers, by its identifier alone.';
COMMENT ON COLUMN "inventory"."bills_purchaseorder_ids"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_purchaseorder_ids"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_purchaseorder_ids"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_purchaseorder_ids"."purchaseorder_id" IS 'Identifier of the purchase order.';
COMMENT ON COLUMN "inventory"."bills_purchaseorder_ids"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_purchaseorders" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "purchaseorder_id" text COLLATE "C",
  "purchaseorder_number" text COLLATE "C",
  "purchaseorder_status" text,
  "purchaseorder_date" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_purchaseorders" IS 'A purchase order that a bill answers.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."purchaseorder_id" IS 'Identifier of the purchase order.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."purchaseorder_number" IS 'Number of the purchase order as the vendor sees it.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."purchaseorder_status" IS 'Where the purchase order stands.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."purchaseorder_date" IS 'Day of the purchase order, written by the organization''s settings, for display only.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_tags" IS 'A reporting tag of a bill.';
COMMENT ON COLUMN "inventory"."bills_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_tags"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_tags"."tag_id" IS 'Identifier of the tag, such as that of a cost centre.';
COMMENT ON COLUMN "inventory"."bills_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "inventory"."bills_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "inventory"."bills_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "inventory"."bills_tags"."is_tag_mandatory" IS 'Whether the organization asks for the tag everywhere.';
COMMENT ON COLUMN "inventory"."bills_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_documents" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "document_id" text COLLATE "C",
  "file_name" text,
  "file_type" text,
  "file_size" bigint,
  "attachment_order" bigint,
  "source" text,
  "uploaded_by" text,
  "uploaded_by_id" text COLLATE "C",
  "uploaded_on" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_documents" IS 'A file attached to a bill.';
COMMENT ON COLUMN "inventory"."bills_documents"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_documents"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_documents"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_documents"."document_id" IS 'Identifier of the file.';
COMMENT ON COLUMN "inventory"."bills_documents"."file_name" IS 'Name of the file.';
COMMENT ON COLUMN "inventory"."bills_documents"."file_type" IS 'Type of the file, such as pdf.';
COMMENT ON COLUMN "inventory"."bills_documents"."file_size" IS 'Size of the file, in bytes.';
COMMENT ON COLUMN "inventory"."bills_documents"."attachment_order" IS 'Place of the file among those of the record.';
COMMENT ON COLUMN "inventory"."bills_documents"."source" IS 'Where the file came from, such as a computer or mail.';
COMMENT ON COLUMN "inventory"."bills_documents"."uploaded_by" IS 'Name of the user who attached the file.';
COMMENT ON COLUMN "inventory"."bills_documents"."uploaded_by_id" IS 'Identifier of the user who attached the file.';
COMMENT ON COLUMN "inventory"."bills_documents"."uploaded_on" IS 'When the file was attached, written by the organization''s settings, for display only.';
COMMENT ON COLUMN "inventory"."bills_documents"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_comments" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "comment_id" text COLLATE "C",
  "description" text,
  "commented_by_id" text COLLATE "C",
  "commented_by" text,
  "comment_type" text,
  "operation_type" text,
  "date" date,
  "time" text,
  "transaction_id" text COLLATE "C",
  "transaction_type" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_comments" IS 'An entry of the history of a bill.';
COMMENT ON COLUMN "inventory"."bills_comments"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_comments"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_comments"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_comments"."comment_id" IS 'Identifier of the entry.';
COMMENT ON COLUMN "inventory"."bills_comments"."description" IS 'Text of the entry.';
COMMENT ON COLUMN "inventory"."bills_comments"."commented_by_id" IS 'Identifier of the user who made the entry.';
COMMENT ON COLUMN "inventory"."bills_comments"."commented_by" IS 'Name of the user who made the entry.';
COMMENT ON COLUMN "inventory"."bills_comments"."comment_type" IS 'Kind of the entry: by the service itself, or by a user.';
COMMENT ON COLUMN "inventory"."bills_comments"."operation_type" IS 'What was done, such as Added or Updated.';
COMMENT ON COLUMN "inventory"."bills_comments"."date" IS 'Day of the entry.';
COMMENT ON COLUMN "inventory"."bills_comments"."time" IS 'Time of the entry, written by the organization''s settings, for display only.';
COMMENT ON COLUMN "inventory"."bills_comments"."transaction_id" IS 'Identifier of the record that the entry is about.';
COMMENT ON COLUMN "inventory"."bills_comments"."transaction_type" IS 'Kind of the record that the entry is about.';
COMMENT ON COLUMN "inventory"."bills_comments"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes" (
  "organization_id" text COLLATE "C" NOT NULL,
  "creditnote_id" text COLLATE "C" NOT NULL,
  "creditnote_number" text COLLATE "C",
  "reference_number" text COLLATE "C",
  "date" date,
  "status" text,
  "customer_id" text COLLATE "C",
  "customer_name" text,
  "email" text,
  "total" numeric,
  "balance" numeric,
  "currency_code" text COLLATE "C",
  "currency_symbol" text,
  "location_id" text COLLATE "C",
  "location_name" text,
  "is_pre_gst" boolean,
  "place_of_supply" text,
  "gst_treatment" text,
  "gst_no" text COLLATE "C",
  "vat_treatment" text,
  "vat_reg_no" text COLLATE "C",
  "tax_treatment" text,
  "cfdi_usage" text,
  "cfdi_reference_type" text,
  "template_id" text COLLATE "C",
  "template_name" text,
  "notes" text,
  "terms" text,
  "created_time" timestamp with time zone,
  "updated_time" timestamp with time zone,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_detail_state" text NOT NULL DEFAULT 'none_needed' CHECK ("_detail_state" IN ('none_needed', 'pending', 'current', 'stale', 'failed')),
  "_detail_hash" bytea,
  "_detail_call_id" bigint,
  "_detail_raw_position" integer,
  "_detail_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  "issued_date" date,
  "current_sub_status" text,
  "current_sub_status_id" text COLLATE "C",
  "invoice_id" text COLLATE "C",
  "applied_invoices" jsonb,
  "salesperson_id" text COLLATE "C",
  "salesperson_name" text,
  "sales_channel" text,
  "subject_content" text,
  "account_id" text COLLATE "C",
  "account_name" text,
  "created_by_id" text COLLATE "C",
  "created_by_name" text,
  "last_modified_by_id" text COLLATE "C",
  "is_emailed" boolean,
  "is_viewed_by_client" boolean,
  "client_viewed_time" timestamp with time zone,
  "has_attachment" boolean,
  "exceptions" jsonb,
  "contact_category" text,
  "tds_calculation_type" text,
  "is_reverse_charge_applied" boolean,
  "currency_id" text COLLATE "C",
  "exchange_rate" numeric,
  "price_precision" bigint,
  "sub_total" numeric,
  "sub_total_inclusive_of_tax" numeric,
  "tax_total" numeric,
  "is_inclusive_tax" boolean,
  "tax_rounding" text,
  "total_credits_used" numeric,
  "total_refunded_amount" numeric,
  "discount" jsonb,
  "discount_applied_on_amount" numeric,
  "is_discount_before_tax" boolean,
  "discount_type" text,
  "discount_account_id" text COLLATE "C",
  "discount_account_name" text,
  "adjustment" numeric,
  "adjustment_description" text,
  "adjustment_account_id" text COLLATE "C",
  "adjustment_account_name" text,
  "rounding_mode" text,
  "bcy_rounding_mode" text,
  "transaction_rounding_type" text,
  "roundoff_value" numeric,
  "shipping_charge" numeric,
  "shipping_charge_exclusive_of_tax" numeric,
  "shipping_charge_inclusive_of_tax" numeric,
  "shipping_charge_account_id" text COLLATE "C",
  "shipping_charge_account_name" text,
  "shipping_charge_tax_id" text COLLATE "C",
  "shipping_charge_tax_name" text,
  "shipping_charge_tax_type" text,
  "shipping_charge_tax_percentage" numeric,
  "shipping_charge_tax" numeric,
  "shipping_charge_taxes" jsonb,
  PRIMARY KEY ("organization_id", "creditnote_id")
);
COMMENT ON TABLE "inventory"."credit_notes" IS 'What the organization owes a customer back, for a return or a mistake.';
COMMENT ON COLUMN "inventory"."credit_notes"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes"."creditnote_id" IS 'Identifier of the credit note; unique within the organization.';
COMMENT ON COLUMN "inventory"."credit_notes"."creditnote_number" IS 'Number of the credit note as the customer sees it.';
COMMENT ON COLUMN "inventory"."credit_notes"."reference_number" IS 'Number that the credit note refers to, such as that of an order.';
COMMENT ON COLUMN "inventory"."credit_notes"."date" IS 'Day of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."status" IS 'Where the credit note stands: draft, open, closed or void.';
COMMENT ON COLUMN "inventory"."credit_notes"."customer_id" IS 'Identifier of the customer who is credited.';
COMMENT ON COLUMN "inventory"."credit_notes"."customer_name" IS 'Name of the customer who is credited.';
COMMENT ON COLUMN "inventory"."credit_notes"."email" IS 'Address that the credit note is sent to.';
COMMENT ON COLUMN "inventory"."credit_notes"."total" IS 'Amount credited with tax, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."balance" IS 'Part of the credit that is not used yet, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."currency_code" IS 'ISO code of the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."currency_symbol" IS 'Symbol of the currency of the credit note, for display.';
COMMENT ON COLUMN "inventory"."credit_notes"."location_id" IS 'Identifier of the location of the organization that the credit note is booked for.';
COMMENT ON COLUMN "inventory"."credit_notes"."location_name" IS 'Name of the location that the credit note is booked for.';
COMMENT ON COLUMN "inventory"."credit_notes"."is_pre_gst" IS 'Whether the credit note dates from before Indian GST.';
COMMENT ON COLUMN "inventory"."credit_notes"."place_of_supply" IS 'Place that the goods were supplied to, for GST or VAT.';
COMMENT ON COLUMN "inventory"."credit_notes"."gst_treatment" IS 'How the customer stands to Indian GST: business_gst, business_none, overseas or consumer.';
COMMENT ON COLUMN "inventory"."credit_notes"."gst_no" IS 'Indian GST number of the customer.';
COMMENT ON COLUMN "inventory"."credit_notes"."vat_treatment" IS 'How the customer stands to UK VAT, such as overseas.';
COMMENT ON COLUMN "inventory"."credit_notes"."vat_reg_no" IS 'VAT number of the customer.';
COMMENT ON COLUMN "inventory"."credit_notes"."tax_treatment" IS 'How the customer stands to VAT in the Gulf states or in Mexico.';
COMMENT ON COLUMN "inventory"."credit_notes"."cfdi_usage" IS 'What the customer uses the goods for, by the Mexican list of purposes.';
COMMENT ON COLUMN "inventory"."credit_notes"."cfdi_reference_type" IS 'How the credit note relates to an earlier Mexican invoice.';
COMMENT ON COLUMN "inventory"."credit_notes"."template_id" IS 'Identifier of the layout that the credit note is printed with.';
COMMENT ON COLUMN "inventory"."credit_notes"."template_name" IS 'Name of the layout that the credit note is printed with.';
COMMENT ON COLUMN "inventory"."credit_notes"."notes" IS 'Free note on the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."terms" IS 'Terms and conditions of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."created_time" IS 'When the credit note was entered.';
COMMENT ON COLUMN "inventory"."credit_notes"."updated_time" IS 'When the credit note last changed.';
COMMENT ON COLUMN "inventory"."credit_notes"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "inventory"."credit_notes"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."credit_notes"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."credit_notes"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."credit_notes"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."credit_notes"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "inventory"."credit_notes"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "inventory"."credit_notes"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "inventory"."credit_notes"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."credit_notes"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes"."_detail_at" IS 'When the single record was last loaded or tried.';
COMMENT ON COLUMN "inventory"."credit_notes"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "inventory"."credit_notes"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "inventory"."credit_notes"."issued_date" IS 'Day on which the credit note was issued, beside date.';
COMMENT ON COLUMN "inventory"."credit_notes"."current_sub_status" IS 'The organization''s own finer state of the credit note; repeats status without any.';
COMMENT ON COLUMN "inventory"."credit_notes"."current_sub_status_id" IS 'Identifier of the organization''s own finer state.';
COMMENT ON COLUMN "inventory"."credit_notes"."invoice_id" IS 'Identifier of the invoice that the credit note was made from.';
COMMENT ON COLUMN "inventory"."credit_notes"."applied_invoices" IS 'Invoices that the credit settles, kept as JSON because it is a text in lists and an array elsewhere.';
COMMENT ON COLUMN "inventory"."credit_notes"."salesperson_id" IS 'Identifier of the seller; -1 stands for none.';
COMMENT ON COLUMN "inventory"."credit_notes"."salesperson_name" IS 'Name of the seller; Others stands for none.';
COMMENT ON COLUMN "inventory"."credit_notes"."sales_channel" IS 'Shop that the credit note came from.';
COMMENT ON COLUMN "inventory"."credit_notes"."subject_content" IS 'Subject line of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."account_id" IS 'Identifier of the receivables account that the credit note is booked on.';
COMMENT ON COLUMN "inventory"."credit_notes"."account_name" IS 'Name of the receivables account that the credit note is booked on.';
COMMENT ON COLUMN "inventory"."credit_notes"."created_by_id" IS 'Identifier of the user who entered the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."created_by_name" IS 'Name of the user who entered the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."last_modified_by_id" IS 'Identifier of the user who last changed the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."is_emailed" IS 'Whether the credit note was sent by mail.';
COMMENT ON COLUMN "inventory"."credit_notes"."is_viewed_by_client" IS 'Whether the customer opened the credit note in the portal.';
COMMENT ON COLUMN "inventory"."credit_notes"."client_viewed_time" IS 'When the customer opened the credit note in the portal.';
COMMENT ON COLUMN "inventory"."credit_notes"."has_attachment" IS 'Whether a file is attached to the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."exceptions" IS 'Errors of an electronic submission, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."credit_notes"."contact_category" IS 'How the customer stands to tax, in India and in editions with VAT.';
COMMENT ON COLUMN "inventory"."credit_notes"."tds_calculation_type" IS 'Whether tax is withheld line by line or on the whole credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."is_reverse_charge_applied" IS 'Whether the customer owes the tax in South Africa.';
COMMENT ON COLUMN "inventory"."credit_notes"."currency_id" IS 'Identifier of the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."exchange_rate" IS 'Price of one unit of the credit note''s currency in the base currency.';
COMMENT ON COLUMN "inventory"."credit_notes"."price_precision" IS 'Decimals that prices on the credit note are shown with.';
COMMENT ON COLUMN "inventory"."credit_notes"."sub_total" IS 'Sum of the lines before tax, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."sub_total_inclusive_of_tax" IS 'Sum of the lines with tax, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."tax_total" IS 'Sum of the taxes, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."is_inclusive_tax" IS 'Whether the prices of the lines hold the tax.';
COMMENT ON COLUMN "inventory"."credit_notes"."tax_rounding" IS 'Whether tax is rounded for the whole credit note or line by line: entity_level or item_level.';
COMMENT ON COLUMN "inventory"."credit_notes"."total_credits_used" IS 'Part of the credit that is used on invoices, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."total_refunded_amount" IS 'Part of the credit that was paid back, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."discount" IS 'Discount as it was entered, kept as JSON because it is an amount or a text with a percent sign.';
COMMENT ON COLUMN "inventory"."credit_notes"."discount_applied_on_amount" IS 'Sum that the discount is taken from, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."is_discount_before_tax" IS 'Whether the discount lowers the tax.';
COMMENT ON COLUMN "inventory"."credit_notes"."discount_type" IS 'Whether the discount is on the whole credit note (entity_level) or on lines (item_level).';
COMMENT ON COLUMN "inventory"."credit_notes"."discount_account_id" IS 'Identifier of the account that discounts are booked on.';
COMMENT ON COLUMN "inventory"."credit_notes"."discount_account_name" IS 'Name of the account that discounts are booked on.';
COMMENT ON COLUMN "inventory"."credit_notes"."adjustment" IS 'Free correction of the total, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."adjustment_description" IS 'Reason of the correction.';
COMMENT ON COLUMN "inventory"."credit_notes"."adjustment_account_id" IS 'Identifier of the account that the correction is booked on.';
COMMENT ON COLUMN "inventory"."credit_notes"."adjustment_account_name" IS 'Name of the account that the correction is booked on.';
COMMENT ON COLUMN "inventory"."credit_notes"."rounding_mode" IS 'How amounts of the credit note are rounded.';
COMMENT ON COLUMN "inventory"."credit_notes"."bcy_rounding_mode" IS 'How amounts in the base currency are rounded.';
COMMENT ON COLUMN "inventory"."credit_notes"."transaction_rounding_type" IS 'Whether and how the total is rounded.';
COMMENT ON COLUMN "inventory"."credit_notes"."roundoff_value" IS 'What rounding added to the total, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge" IS 'Freight that is credited, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_exclusive_of_tax" IS 'Freight without tax, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_inclusive_of_tax" IS 'Freight with tax, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_account_id" IS 'Identifier of the account that freight is booked on.';
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_account_name" IS 'Name of the account that freight is booked on.';
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_tax_id" IS 'Identifier of the tax on the freight.';
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_tax_name" IS 'Name of the tax on the freight.';
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_tax_type" IS 'Whether that tax is a simple or a compound one.';
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_tax_percentage" IS 'Rate of the tax on the freight, in percent.';
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_tax" IS 'Tax on the freight, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_taxes" IS 'Taxes on the freight one by one, kept as JSON because no answer shows their shape.';
CREATE INDEX "credit_notes_details" ON "inventory"."credit_notes" ("organization_id", "updated_time" DESC)
  WHERE "_detail_state" IN ('pending', 'stale', 'failed');

CREATE TABLE "inventory"."credit_notes_line_items" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "line_item_id" text COLLATE "C",
  "item_id" text COLLATE "C",
  "item_order" bigint,
  "name" text,
  "description" text,
  "product_type" text,
  "account_id" text COLLATE "C",
  "quantity" numeric,
  "unit" text,
  "rate" numeric,
  "discount" jsonb,
  "tax_id" text COLLATE "C",
  "tds_tax_id" text COLLATE "C",
  "tax_exemption_id" text COLLATE "C",
  "tax_exemption_code" text COLLATE "C",
  "avatax_use_code" text COLLATE "C",
  "avatax_tax_code" text COLLATE "C",
  "hsn_or_sac" text COLLATE "C",
  "sat_item_key_code" text COLLATE "C",
  "unitkey_code" text COLLATE "C",
  "location_id" text COLLATE "C",
  "location_name" text,
  "invoice_id" text COLLATE "C",
  "invoice_item_id" text COLLATE "C",
  "is_item_shipped" boolean,
  "is_returned_to_stock" boolean,
  "salesreturn_item_id" text COLLATE "C",
  "item_custom_fields" jsonb,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE,
  "item_total" numeric,
  "bcy_rate" numeric,
  "account_name" text,
  "discount_amount" numeric,
  "discounts" jsonb,
  "discount_account_id" text COLLATE "C",
  "discount_account_name" text,
  "tax_name" text,
  "tax_type" text,
  "tax_percentage" numeric,
  "tax_treatment_code" text,
  "project_id" text COLLATE "C",
  "project_name" text,
  "item_type" text,
  "internal_name" text,
  "code" text COLLATE "C",
  "type" bigint,
  "pricing_scheme" text,
  "pricebook_id" text COLLATE "C",
  "sales_margin" numeric,
  "is_combo_product" boolean,
  "combo_type" text,
  "mapped_items" jsonb,
  "can_skip_stock_tracking" boolean,
  "is_credit_only_item" boolean
);
COMMENT ON TABLE "inventory"."credit_notes_line_items" IS 'One line of a credit note: what is credited.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."line_item_id" IS 'Identifier of the line.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."item_id" IS 'Identifier of the item that is credited; null for a line of free text.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."item_order" IS 'Place of the line on the credit note, as the user sorted it.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."name" IS 'Name of what is credited.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."description" IS 'Text of the line.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."product_type" IS 'Whether the line is a thing or work: goods or service.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."account_id" IS 'Identifier of the account that the line is booked on.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."quantity" IS 'Number of units credited.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."unit" IS 'Unit that the quantity is counted in.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."rate" IS 'Price of one unit, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."discount" IS 'Discount on the line, kept as JSON because it is an amount or a text with a percent sign.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."tax_id" IS 'Identifier of the tax on the line.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."tds_tax_id" IS 'Identifier of the tax withheld at source.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."tax_exemption_id" IS 'Identifier of the reason why the line is not taxed.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."tax_exemption_code" IS 'Code of the reason why the line is not taxed.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."avatax_use_code" IS 'Why the customer is exempt, by the code of the Avalara tax service.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."avatax_tax_code" IS 'What kind of goods it is, by the code of the Avalara tax service.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."hsn_or_sac" IS 'Code of the goods or services for Indian GST.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."sat_item_key_code" IS 'Code of the goods or services for Mexican invoices.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."unitkey_code" IS 'Code of the unit for Mexican invoices.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."location_id" IS 'Identifier of the location that takes the goods back.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."location_name" IS 'Name of the location that takes the goods back.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."invoice_id" IS 'Identifier of the invoice that the line takes back.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."invoice_item_id" IS 'Identifier of the line of that invoice.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."is_item_shipped" IS 'Whether the goods had been shipped to the customer.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."is_returned_to_stock" IS 'Whether the goods went back to stock.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."salesreturn_item_id" IS 'Identifier of the line of the return of goods that is credited.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."item_custom_fields" IS 'Fields that the organization added to lines, kept as JSON because the documents name the key but not its shape.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."item_total" IS 'Quantity times rate less discount before tax, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."bcy_rate" IS 'Price of one unit, in the base currency.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."account_name" IS 'Name of the account that the line is booked on.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."discount_amount" IS 'Discount on the line as an amount, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."discounts" IS 'The parts of the discount, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."discount_account_id" IS 'Identifier of the account that the discount is booked on.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."discount_account_name" IS 'Name of the account that the discount is booked on.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."tax_name" IS 'Name of the tax on the line.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."tax_type" IS 'Whether the tax is a simple or a compound one.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."tax_percentage" IS 'Rate of the tax on the line, in percent.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."tax_treatment_code" IS 'Why the line is outside of VAT in the Gulf states.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."project_id" IS 'Identifier of the project that the line belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."project_name" IS 'Name of the project that the line belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."item_type" IS 'What the item is used for, such as inventory or sales; empty for a line of free text.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."internal_name" IS 'Name of the item inside the organization.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."code" IS 'Code of the item or of the plan.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."type" IS 'Kind of the line, as a number that no source explains.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."pricing_scheme" IS 'Whether the price is by unit or by volume.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."pricebook_id" IS 'Identifier of the price list used.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."sales_margin" IS 'Margin on the line, in percent.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."is_combo_product" IS 'Whether the item is a bundle of other items.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."combo_type" IS 'Kind of bundle: assembly (made to stock) or kit (sold as parts).';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."mapped_items" IS 'Items of the bundle, kept as JSON because they nest.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."can_skip_stock_tracking" IS 'Whether the line leaves the stock alone.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."is_credit_only_item" IS 'Whether the line credits money and no goods.';

CREATE TABLE "inventory"."credit_notes_line_items_serial_numbers" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "serial_number" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."credit_notes_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_line_items_serial_numbers" IS 'The serial number of one unit that was returned.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_serial_numbers"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_serial_numbers"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_serial_numbers"."_parent_position" IS 'Position of the element that the row belongs to, in credit_notes_line_items.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_serial_numbers"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_serial_numbers"."serial_number" IS 'Serial number of the unit, leading zeros kept.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_serial_numbers"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_line_items_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."credit_notes_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_line_items_tags" IS 'A reporting tag of a line of a credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."_parent_position" IS 'Position of the element that the row belongs to, in credit_notes_line_items.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."tag_id" IS 'Identifier of the tag, such as that of a cost centre.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."is_tag_mandatory" IS 'Whether the organization asks for the tag everywhere.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_line_items_line_item_taxes" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "tax_id" text COLLATE "C",
  "tax_name" text,
  "tax_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."credit_notes_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_line_items_line_item_taxes" IS 'One tax on a line of a credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."_parent_position" IS 'Position of the element that the row belongs to, in credit_notes_line_items.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."tax_id" IS 'Identifier of the tax.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."tax_name" IS 'Name of the tax with its rate.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."tax_amount" IS 'Amount of the tax on the line, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_invoices" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "invoice_id" text COLLATE "C",
  "invoice_number" text COLLATE "C",
  "amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_invoices" IS 'An invoice that a credit note settles a part of.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices"."invoice_id" IS 'Identifier of the invoice.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices"."invoice_number" IS 'Number of the invoice as the customer sees it.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices"."amount" IS 'Part of the credit used on the invoice, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_invoices_credited" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "creditnote_invoice_id" text COLLATE "C",
  "invoice_id" text COLLATE "C",
  "invoice_number" text COLLATE "C",
  "date" date,
  "credited_amount" numeric,
  "invoice_date" date,
  "amount_applied" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_invoices_credited" IS 'An invoice that a credit note settles a part of, as live services send it in place of invoices.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."creditnote_invoice_id" IS 'Identifier of the settlement: this credit note on this invoice.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."invoice_id" IS 'Identifier of the invoice.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."invoice_number" IS 'Number of the invoice as the customer sees it.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."date" IS 'Day on which the credit was used.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."credited_amount" IS 'Part of the credit used on the invoice, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."invoice_date" IS 'Day of the invoice; some organizations get it.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."amount_applied" IS 'Part of the credit used on the invoice, in the currency of the credit note; some organizations get it in place of credited_amount.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_taxes" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_id" text COLLATE "C",
  "tax_name" text,
  "tax_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_taxes" IS 'The sum of one tax over all lines of a credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_taxes"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_taxes"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_taxes"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_taxes"."tax_id" IS 'Identifier of the tax.';
COMMENT ON COLUMN "inventory"."credit_notes_taxes"."tax_name" IS 'Name of the tax with its rate.';
COMMENT ON COLUMN "inventory"."credit_notes_taxes"."tax_amount" IS 'Sum of the tax, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_taxes"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "index" bigint,
  "label" text,
  "value" jsonb,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE,
  "customfield_id" text COLLATE "C",
  "api_name" text COLLATE "C",
  "data_type" text,
  "search_entity" text
);
COMMENT ON TABLE "inventory"."credit_notes_custom_fields" IS 'A field that the organization added to its credit notes, with its value on one of them.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."customfield_id" IS 'Identifier of the field; the same on every credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."api_name" IS 'Name of the field for programs: cf_ and the name of the field.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."data_type" IS 'Type of the field, such as string, date or dropdown.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."search_entity" IS 'Kind of record that the field belongs to.';

CREATE TABLE "inventory"."credit_notes_billing_address" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "address" text,
  "street2" text,
  "city" text,
  "state" text,
  "zip" text COLLATE "C",
  "country" text,
  "fax" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE,
  "attention" text,
  "phone" text COLLATE "C"
);
COMMENT ON TABLE "inventory"."credit_notes_billing_address" IS 'The address that the credit note is made out to.';
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."address" IS 'Street and number.';
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."street2" IS 'Second line of the street, such as a floor.';
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."city" IS 'City or town.';
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."state" IS 'State, canton or province.';
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."zip" IS 'Postal code, leading zeros kept.';
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."country" IS 'Country by name.';
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."fax" IS 'Fax number as it was entered.';
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."attention" IS 'Person or department that it is addressed to.';
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."phone" IS 'Phone number as it was entered, leading zeros kept.';

CREATE TABLE "inventory"."credit_notes_shipping_address" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "address" text,
  "street2" text,
  "city" text,
  "state" text,
  "zip" text COLLATE "C",
  "country" text,
  "fax" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE,
  "attention" text,
  "phone" text COLLATE "C"
);
COMMENT ON TABLE "inventory"."credit_notes_shipping_address" IS 'The address that the goods had been sent to.';
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."address" IS 'Street and number.';
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."street2" IS 'Second line of the street, such as a floor.';
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."city" IS 'City or town.';
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."state" IS 'State, canton or province.';
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."zip" IS 'Postal code, leading zeros kept.';
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."country" IS 'Country by name.';
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."fax" IS 'Fax number as it was entered.';
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."attention" IS 'Person or department that it is addressed to.';
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."phone" IS 'Phone number as it was entered, leading zeros kept.';

CREATE TABLE "inventory"."credit_notes_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_tags" IS 'A reporting tag of a credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."tag_id" IS 'Identifier of the tag, such as that of a cost centre.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."is_tag_mandatory" IS 'Whether the organization asks for the tag everywhere.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_documents" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "document_id" text COLLATE "C",
  "file_name" text,
  "file_type" text,
  "file_size" bigint,
  "attachment_order" bigint,
  "source" text,
  "uploaded_by" text,
  "uploaded_by_id" text COLLATE "C",
  "uploaded_on" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_documents" IS 'A file attached to a credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."document_id" IS 'Identifier of the file.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."file_name" IS 'Name of the file.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."file_type" IS 'Type of the file, such as pdf.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."file_size" IS 'Size of the file, in bytes.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."attachment_order" IS 'Place of the file among those of the record.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."source" IS 'Where the file came from, such as a computer or mail.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."uploaded_by" IS 'Name of the user who attached the file.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."uploaded_by_id" IS 'Identifier of the user who attached the file.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."uploaded_on" IS 'When the file was attached, written by the organization''s settings, for display only.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_creditnote_refunds" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "creditnote_refund_id" text COLLATE "C",
  "date" date,
  "refund_mode" text,
  "reference_number" text COLLATE "C",
  "description" text,
  "amount_bcy" numeric,
  "amount_fcy" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_creditnote_refunds" IS 'Money of a credit note that was paid back to the customer.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."creditnote_refund_id" IS 'Identifier of the refund.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."date" IS 'Day of the refund.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."refund_mode" IS 'How it was paid back, such as cash or bank transfer.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."reference_number" IS 'Number that the organization gave the refund.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."description" IS 'Free note on the refund.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."amount_bcy" IS 'Amount paid back, in the base currency.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."amount_fcy" IS 'Amount paid back, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_contact_persons" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "contact_person_id" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_contact_persons" IS 'A person that a credit note goes to, by the identifier alone.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons"."contact_person_id" IS 'Identifier of the person.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_contact_persons_associated" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "contact_person_id" text COLLATE "C",
  "contact_person_name" text,
  "contact_person_email" text,
  "phone" text COLLATE "C",
  "mobile" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_contact_persons_associated" IS 'A person that a credit note goes to.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."contact_person_id" IS 'Identifier of the person.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."contact_person_name" IS 'Name of the person.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."contact_person_email" IS 'Address of the person for mail.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."phone" IS 'Landline number as it was entered, leading zeros kept.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."mobile" IS 'Mobile number as it was entered, leading zeros kept.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."composite_items" (
  "organization_id" text COLLATE "C" NOT NULL,
  "composite_item_id" text COLLATE "C" NOT NULL,
  "name" text,
  "sku" text COLLATE "C",
  "status" text,
  "item_type" text,
  "source" text,
  "is_combo_product" boolean,
  "unit" text,
  "description" text,
  "purchase_description" text,
  "rate" numeric,
  "pricebook_rate" numeric,
  "purchase_rate" numeric,
  "reorder_level" numeric,
  "initial_stock" numeric,
  "initial_stock_rate" numeric,
  "stock_on_hand" numeric,
  "available_stock" numeric,
  "actual_available_stock" numeric,
  "asset_value" numeric,
  "is_taxable" boolean,
  "tax_id" text COLLATE "C",
  "tax_name" text,
  "tax_percentage" numeric,
  "tax_type" text,
  "account_id" text COLLATE "C",
  "account_name" text,
  "purchase_account_id" text COLLATE "C",
  "purchase_account_name" text,
  "inventory_account_id" text COLLATE "C",
  "inventory_account_name" text,
  "vendor_id" text COLLATE "C",
  "vendor_name" text,
  "upc" text COLLATE "C",
  "ean" text COLLATE "C",
  "isbn" text COLLATE "C",
  "part_number" text COLLATE "C",
  "hsn_or_sac" text COLLATE "C",
  "image_id" text COLLATE "C",
  "image_name" text,
  "created_time" timestamp with time zone,
  "last_modified_time" timestamp with time zone,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_detail_state" text NOT NULL DEFAULT 'none_needed' CHECK ("_detail_state" IN ('none_needed', 'pending', 'current', 'stale', 'failed')),
  "_detail_hash" bytea,
  "_detail_call_id" bigint,
  "_detail_raw_position" integer,
  "_detail_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  "combo_type" text,
  "assembly_type" text,
  "alias_name" text,
  "category_id" text COLLATE "C",
  "category_name" text,
  "brand" text,
  "manufacturer" text,
  "can_be_sold" boolean,
  "can_be_purchased" boolean,
  "is_returnable" boolean,
  "is_linked_with_zohocrm" boolean,
  "image_type" text,
  "image_document_id" text COLLATE "C",
  "product_description" text,
  "product_short_description" text,
  "url" text,
  "show_in_storefront" boolean,
  "specifications" jsonb,
  "specificationset_id" text COLLATE "C",
  "specificationset_name" text,
  "sales_channels" jsonb,
  "preferred_vendors" jsonb,
  "track_inventory" boolean,
  "track_serial_number" boolean,
  "track_batch_number" boolean,
  "committed_stock" numeric,
  "actual_committed_stock" numeric,
  "available_for_sale_stock" numeric,
  "actual_available_for_sale_stock" numeric,
  "total_initial_stock" numeric,
  "minimum_order_quantity" numeric,
  "maximum_order_quantity" numeric,
  "sales_rate" numeric,
  "label_rate" numeric,
  "purchase_tax_id" text COLLATE "C",
  "purchase_tax_name" text,
  "purchase_tax_type" text,
  "purchase_tax_percentage" numeric,
  "tax_exemption_id" text COLLATE "C",
  "tax_exemption_code" text COLLATE "C",
  PRIMARY KEY ("organization_id", "composite_item_id")
);
COMMENT ON TABLE "inventory"."composite_items" IS 'A bundle of items that is kept in stock and sold as one.';
COMMENT ON COLUMN "inventory"."composite_items"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items"."composite_item_id" IS 'Identifier of the bundle; unique within the organization.';
COMMENT ON COLUMN "inventory"."composite_items"."name" IS 'Name of the bundle as it stands on documents.';
COMMENT ON COLUMN "inventory"."composite_items"."sku" IS 'Stock keeping unit: the organization''s own code of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items"."status" IS 'Whether the bundle can still be used: active or inactive.';
COMMENT ON COLUMN "inventory"."composite_items"."item_type" IS 'What the bundle is used for; always inventory.';
COMMENT ON COLUMN "inventory"."composite_items"."source" IS 'Where the bundle came into the service from, such as user or csv.';
COMMENT ON COLUMN "inventory"."composite_items"."is_combo_product" IS 'Whether it is a bundle of other items; always true here.';
COMMENT ON COLUMN "inventory"."composite_items"."unit" IS 'Unit that quantities of the bundle are counted in.';
COMMENT ON COLUMN "inventory"."composite_items"."description" IS 'Text about the bundle on documents to customers.';
COMMENT ON COLUMN "inventory"."composite_items"."purchase_description" IS 'Text about the bundle on documents to vendors.';
COMMENT ON COLUMN "inventory"."composite_items"."rate" IS 'Selling price of one bundle, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items"."pricebook_rate" IS 'Selling price of one bundle by the price list in force, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items"."purchase_rate" IS 'Buying price of one bundle, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items"."reorder_level" IS 'Stock below which the bundle should be made or ordered again, in units.';
COMMENT ON COLUMN "inventory"."composite_items"."initial_stock" IS 'Units that were in stock when the bundle was entered.';
COMMENT ON COLUMN "inventory"."composite_items"."initial_stock_rate" IS 'Value of one unit of that first stock, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items"."stock_on_hand" IS 'Units in stock by the books.';
COMMENT ON COLUMN "inventory"."composite_items"."available_stock" IS 'Units that the books leave for new orders.';
COMMENT ON COLUMN "inventory"."composite_items"."actual_available_stock" IS 'Units that are really there for new orders, after what is shipped and received.';
COMMENT ON COLUMN "inventory"."composite_items"."asset_value" IS 'Value of the stock, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items"."is_taxable" IS 'Whether sales of the bundle are taxed.';
COMMENT ON COLUMN "inventory"."composite_items"."tax_id" IS 'Identifier of the tax on sales of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items"."tax_name" IS 'Name of the tax on sales of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items"."tax_percentage" IS 'Rate of the tax on sales of the bundle, in percent.';
COMMENT ON COLUMN "inventory"."composite_items"."tax_type" IS 'Whether the tax is a simple or a compound one.';
COMMENT ON COLUMN "inventory"."composite_items"."account_id" IS 'Identifier of the account that sales of the bundle are booked on.';
COMMENT ON COLUMN "inventory"."composite_items"."account_name" IS 'Name of the account that sales of the bundle are booked on.';
COMMENT ON COLUMN "inventory"."composite_items"."purchase_account_id" IS 'Identifier of the account that purchases of the bundle are booked on.';
COMMENT ON COLUMN "inventory"."composite_items"."purchase_account_name" IS 'Name of the account that purchases of the bundle are booked on.';
COMMENT ON COLUMN "inventory"."composite_items"."inventory_account_id" IS 'Identifier of the account that the stock of the bundle is valued on.';
COMMENT ON COLUMN "inventory"."composite_items"."inventory_account_name" IS 'Name of the account that the stock of the bundle is valued on.';
COMMENT ON COLUMN "inventory"."composite_items"."vendor_id" IS 'Identifier of the vendor whom the bundle is usually bought from.';
COMMENT ON COLUMN "inventory"."composite_items"."vendor_name" IS 'Name of the vendor whom the bundle is usually bought from.';
COMMENT ON COLUMN "inventory"."composite_items"."upc" IS 'Universal product code: twelve digits of the barcode, leading zeros kept.';
COMMENT ON COLUMN "inventory"."composite_items"."ean" IS 'European article number: the barcode''s digits, leading zeros kept.';
COMMENT ON COLUMN "inventory"."composite_items"."isbn" IS 'International standard book number, where the bundle is one of books.';
COMMENT ON COLUMN "inventory"."composite_items"."part_number" IS 'Number that the manufacturer gave the bundle.';
COMMENT ON COLUMN "inventory"."composite_items"."hsn_or_sac" IS 'Code of the goods for Indian GST.';
COMMENT ON COLUMN "inventory"."composite_items"."image_id" IS 'Identifier of the picture of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items"."image_name" IS 'File name of the picture of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items"."created_time" IS 'When the bundle was created.';
COMMENT ON COLUMN "inventory"."composite_items"."last_modified_time" IS 'When the bundle itself last changed; movements of stock do not change it.';
COMMENT ON COLUMN "inventory"."composite_items"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "inventory"."composite_items"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."composite_items"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."composite_items"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."composite_items"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."composite_items"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."composite_items"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "inventory"."composite_items"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "inventory"."composite_items"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "inventory"."composite_items"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."composite_items"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."composite_items"."_detail_at" IS 'When the single record was last loaded or tried.';
COMMENT ON COLUMN "inventory"."composite_items"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "inventory"."composite_items"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "inventory"."composite_items"."combo_type" IS 'Kind of bundle: assembly (made to stock) or kit (sold as parts).';
COMMENT ON COLUMN "inventory"."composite_items"."assembly_type" IS 'How an assembly is made.';
COMMENT ON COLUMN "inventory"."composite_items"."alias_name" IS 'Second name of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items"."category_id" IS 'Identifier of the category in the tree of categories.';
COMMENT ON COLUMN "inventory"."composite_items"."category_name" IS 'Name of the category.';
COMMENT ON COLUMN "inventory"."composite_items"."brand" IS 'Brand of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items"."manufacturer" IS 'Maker of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items"."can_be_sold" IS 'Whether the bundle may stand on sales.';
COMMENT ON COLUMN "inventory"."composite_items"."can_be_purchased" IS 'Whether the bundle may stand on purchases.';
COMMENT ON COLUMN "inventory"."composite_items"."is_returnable" IS 'Whether customers may send the bundle back.';
COMMENT ON COLUMN "inventory"."composite_items"."is_linked_with_zohocrm" IS 'Whether the bundle is kept equal with a product of the vendor''s CRM service.';
COMMENT ON COLUMN "inventory"."composite_items"."image_type" IS 'File type of the picture of the bundle, such as png.';
COMMENT ON COLUMN "inventory"."composite_items"."image_document_id" IS 'Identifier of the file of the picture, the successor of image_id.';
COMMENT ON COLUMN "inventory"."composite_items"."product_description" IS 'Text about the bundle in a shop.';
COMMENT ON COLUMN "inventory"."composite_items"."product_short_description" IS 'Short text about the bundle in a shop.';
COMMENT ON COLUMN "inventory"."composite_items"."url" IS 'Address of the bundle in a shop.';
COMMENT ON COLUMN "inventory"."composite_items"."show_in_storefront" IS 'Whether a shop shows the bundle.';
COMMENT ON COLUMN "inventory"."composite_items"."specifications" IS 'Technical data, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."composite_items"."specificationset_id" IS 'Identifier of the set of technical data.';
COMMENT ON COLUMN "inventory"."composite_items"."specificationset_name" IS 'Name of the set of technical data.';
COMMENT ON COLUMN "inventory"."composite_items"."sales_channels" IS 'Shops that list the bundle, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."composite_items"."preferred_vendors" IS 'Vendors in the order of preference, kept as JSON because no answer shows their shape.';
COMMENT ON COLUMN "inventory"."composite_items"."track_inventory" IS 'Whether the stock of the bundle is counted.';
COMMENT ON COLUMN "inventory"."composite_items"."track_serial_number" IS 'Whether units are told apart by serial number.';
COMMENT ON COLUMN "inventory"."composite_items"."track_batch_number" IS 'Whether units are told apart by batch.';
COMMENT ON COLUMN "inventory"."composite_items"."committed_stock" IS 'Units that the books promise to orders.';
COMMENT ON COLUMN "inventory"."composite_items"."actual_committed_stock" IS 'Units that are really promised to orders.';
COMMENT ON COLUMN "inventory"."composite_items"."available_for_sale_stock" IS 'Units by the books less promised ones: what a shop can still sell.';
COMMENT ON COLUMN "inventory"."composite_items"."actual_available_for_sale_stock" IS 'Units that are really there, less promised ones.';
COMMENT ON COLUMN "inventory"."composite_items"."total_initial_stock" IS 'Units that were in stock when the bundle was entered, over all locations.';
COMMENT ON COLUMN "inventory"."composite_items"."minimum_order_quantity" IS 'Fewest units of one order.';
COMMENT ON COLUMN "inventory"."composite_items"."maximum_order_quantity" IS 'Most units of one order.';
COMMENT ON COLUMN "inventory"."composite_items"."sales_rate" IS 'Selling price of one bundle as it was entered, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items"."label_rate" IS 'Retail price printed on the pack in India, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items"."purchase_tax_id" IS 'Identifier of the tax on purchases of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items"."purchase_tax_name" IS 'Name of the tax on purchases of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items"."purchase_tax_type" IS 'Whether that tax is a simple or a compound one.';
COMMENT ON COLUMN "inventory"."composite_items"."purchase_tax_percentage" IS 'Rate of the tax on purchases of the bundle, in percent.';
COMMENT ON COLUMN "inventory"."composite_items"."tax_exemption_id" IS 'Identifier of the reason why the bundle is not taxed.';
COMMENT ON COLUMN "inventory"."composite_items"."tax_exemption_code" IS 'Code of the reason why the bundle is not taxed.';
CREATE INDEX "composite_items_details" ON "inventory"."composite_items" ("organization_id", "last_modified_time" DESC)
  WHERE "_detail_state" IN ('pending', 'stale', 'failed');

CREATE TABLE "inventory"."composite_items_mapped_items" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "line_item_id" text COLLATE "C",
  "item_id" text COLLATE "C",
  "name" text,
  "sku" text COLLATE "C",
  "quantity" numeric,
  "unit" text,
  "description" text,
  "purchase_description" text,
  "rate" numeric,
  "purchase_rate" numeric,
  "stock_on_hand" numeric,
  "available_stock" numeric,
  "actual_available_stock" numeric,
  "is_combo_product" boolean,
  "image_id" text COLLATE "C",
  "image_name" text,
  "image_type" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE,
  "item_order" bigint
);
COMMENT ON TABLE "inventory"."composite_items_mapped_items" IS 'An item of a bundle: what it is, and how many of it are in one.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."line_item_id" IS 'Identifier of the line of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."item_id" IS 'Identifier of the item that is in the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."name" IS 'Name of the item.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."sku" IS 'Stock keeping unit: the organization''s own code of the item.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."quantity" IS 'Number of units of the item in one bundle.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."unit" IS 'Unit that the quantity is counted in.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."description" IS 'Text about the item on documents to customers.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."purchase_description" IS 'Text about the item on documents to vendors.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."rate" IS 'Selling price of one unit of the item, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."purchase_rate" IS 'Buying price of one unit of the item, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."stock_on_hand" IS 'Units of the item in stock by the books.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."available_stock" IS 'Units of the item that the books leave for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."actual_available_stock" IS 'Units of the item that are really there for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."is_combo_product" IS 'Whether the item is a bundle itself.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."image_id" IS 'Identifier of the picture of the item.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."image_name" IS 'File name of the picture of the item.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."image_type" IS 'File type of the picture of the item, such as png.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."item_order" IS 'Place of the item in the bundle.';

CREATE TABLE "inventory"."composite_items_item_tax_preferences" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_id" text COLLATE "C",
  "tax_specification" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."composite_items_item_tax_preferences" IS 'The tax on a bundle for sales within a state or across states.';
COMMENT ON COLUMN "inventory"."composite_items_item_tax_preferences"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_item_tax_preferences"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_item_tax_preferences"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_item_tax_preferences"."tax_id" IS 'Identifier of the tax that applies.';
COMMENT ON COLUMN "inventory"."composite_items_item_tax_preferences"."tax_specification" IS 'Which sales it applies to: intra (within a state) or inter (across states).';
COMMENT ON COLUMN "inventory"."composite_items_item_tax_preferences"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."composite_items_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "custom_field_id" text COLLATE "C",
  "index" bigint,
  "label" text,
  "value" jsonb,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE,
  "customfield_id" text COLLATE "C",
  "api_name" text COLLATE "C",
  "data_type" text,
  "search_entity" text
);
COMMENT ON TABLE "inventory"."composite_items_custom_fields" IS 'A field that the organization added to its items, with its value on one bundle.';
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."custom_field_id" IS 'Identifier of the field; the same on every bundle.';
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."customfield_id" IS 'Identifier of the field, as live services spell custom_field_id.';
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."api_name" IS 'Name of the field for programs: cf_ and the name of the field.';
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."data_type" IS 'Type of the field, such as string, date or dropdown.';
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."search_entity" IS 'Kind of record that the field belongs to.';

CREATE TABLE "inventory"."composite_items_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."composite_items_tags" IS 'A reporting tag of a bundle.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."tag_id" IS 'Identifier of the tag, such as that of a cost centre.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."is_tag_mandatory" IS 'Whether the organization asks for the tag everywhere.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."composite_items_documents" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "document_id" text COLLATE "C",
  "file_name" text,
  "file_type" text,
  "file_size" bigint,
  "attachment_order" bigint,
  "source" text,
  "uploaded_by" text,
  "uploaded_by_id" text COLLATE "C",
  "uploaded_on" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."composite_items_documents" IS 'A file attached to a bundle.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."document_id" IS 'Identifier of the file.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."file_name" IS 'Name of the file.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."file_type" IS 'Type of the file, such as pdf.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."file_size" IS 'Size of the file, in bytes.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."attachment_order" IS 'Place of the file among those of the record.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."source" IS 'Where the file came from, such as a computer or mail.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."uploaded_by" IS 'Name of the user who attached the file.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."uploaded_by_id" IS 'Identifier of the user who attached the file.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."uploaded_on" IS 'When the file was attached, written by the organization''s settings, for display only.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."composite_items_package_details" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "length" numeric,
  "width" numeric,
  "height" numeric,
  "weight" numeric,
  "weight_unit" text,
  "dimension_unit" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."composite_items_package_details" IS 'How large and heavy one bundle is, packed.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."length" IS 'Length of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."width" IS 'Width of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."height" IS 'Height of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."weight" IS 'Weight of the parcel, in the unit of weight_unit.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."weight_unit" IS 'Unit of the weight, such as kg.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."dimension_unit" IS 'Unit of length, width and height, such as cm.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."composite_items_warehouses" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "warehouse_id" text COLLATE "C",
  "warehouse_name" text,
  "status" text,
  "is_primary" boolean,
  "warehouse_stock_on_hand" numeric,
  "warehouse_available_stock" numeric,
  "warehouse_actual_available_stock" numeric,
  "warehouse_committed_stock" numeric,
  "warehouse_actual_committed_stock" numeric,
  "warehouse_available_for_sale_stock" numeric,
  "warehouse_actual_available_for_sale_stock" numeric,
  "initial_stock" numeric,
  "initial_stock_rate" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."composite_items_warehouses" IS 'The stock of a bundle at one warehouse of the organization.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_id" IS 'Identifier of the warehouse.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_name" IS 'Name of the warehouse.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."status" IS 'Whether the warehouse is in use: active or inactive.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."is_primary" IS 'Whether it is the main warehouse of the organization.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_stock_on_hand" IS 'Units at the warehouse by the books.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_available_stock" IS 'Units at the warehouse that the books leave for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_actual_available_stock" IS 'Units at the warehouse that are really there for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_committed_stock" IS 'Units at the warehouse that the books promise to orders.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_actual_committed_stock" IS 'Units at the warehouse that are really promised to orders.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_available_for_sale_stock" IS 'Units at the warehouse by the books less promised ones.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_actual_available_for_sale_stock" IS 'Units at the warehouse that are really there, less promised ones.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."initial_stock" IS 'Units at the warehouse when the bundle was entered.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."initial_stock_rate" IS 'Value of one unit of that first stock, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."composite_items_composite_component_items" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "mapped_item_id" text COLLATE "C",
  "item_id" text COLLATE "C",
  "item_order" bigint,
  "name" text,
  "sku" text COLLATE "C",
  "product_type" text,
  "quantity" numeric,
  "unit" text,
  "description" text,
  "purchase_description" text,
  "rate" numeric,
  "purchase_rate" numeric,
  "stock_on_hand" numeric,
  "available_stock" numeric,
  "actual_available_stock" numeric,
  "is_combo_product" boolean,
  "image_document_id" text COLLATE "C",
  "image_name" text,
  "image_type" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."composite_items_composite_component_items" IS 'An item of a bundle, as live services send it beside or in place of mapped_items.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."mapped_item_id" IS 'Identifier of the line of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."item_id" IS 'Identifier of the item that is in the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."item_order" IS 'Place of the item in the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."name" IS 'Name of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."sku" IS 'Stock keeping unit: the organization''s own code of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."product_type" IS 'Whether the item is a thing or work: goods or service.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."quantity" IS 'Number of units of the item in one bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."unit" IS 'Unit that the quantity is counted in.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."description" IS 'Text about the item on documents to customers.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."purchase_description" IS 'Text about the item on documents to vendors.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."rate" IS 'Selling price of one unit of the item, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."purchase_rate" IS 'Buying price of one unit of the item, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."stock_on_hand" IS 'Units of the item in stock by the books.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."available_stock" IS 'Units of the item that the books leave for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."actual_available_stock" IS 'Units of the item that are really there for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."is_combo_product" IS 'Whether the item is a bundle itself.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."image_document_id" IS 'Identifier of the file of the picture of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."image_name" IS 'File name of the picture of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."image_type" IS 'File type of the picture of the item, such as png.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."composite_items_composite_service_items" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "mapped_item_id" text COLLATE "C",
  "item_id" text COLLATE "C",
  "item_order" bigint,
  "name" text,
  "sku" text COLLATE "C",
  "product_type" text,
  "quantity" numeric,
  "unit" text,
  "description" text,
  "purchase_description" text,
  "rate" numeric,
  "purchase_rate" numeric,
  "stock_on_hand" numeric,
  "available_stock" numeric,
  "actual_available_stock" numeric,
  "is_combo_product" boolean,
  "image_document_id" text COLLATE "C",
  "image_name" text,
  "image_type" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."composite_items_composite_service_items" IS 'A service of a bundle, as live services send it beside or in place of mapped_items.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."mapped_item_id" IS 'Identifier of the line of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."item_id" IS 'Identifier of the item that is in the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."item_order" IS 'Place of the item in the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."name" IS 'Name of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."sku" IS 'Stock keeping unit: the organization''s own code of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."product_type" IS 'Whether the item is a thing or work: goods or service.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."quantity" IS 'Number of units of the item in one bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."unit" IS 'Unit that the quantity is counted in.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."description" IS 'Text about the item on documents to customers.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."purchase_description" IS 'Text about the item on documents to vendors.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."rate" IS 'Selling price of one unit of the item, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."purchase_rate" IS 'Buying price of one unit of the item, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."stock_on_hand" IS 'Units of the item in stock by the books.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."available_stock" IS 'Units of the item that the books leave for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."actual_available_stock" IS 'Units of the item that are really there for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."is_combo_product" IS 'Whether the item is a bundle itself.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."image_document_id" IS 'Identifier of the file of the picture of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."image_name" IS 'File name of the picture of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."image_type" IS 'File type of the picture of the item, such as png.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."locations" (
  "organization_id" text COLLATE "C" NOT NULL,
  "location_id" text COLLATE "C" NOT NULL,
  "location_name" text,
  "type" text,
  "status" text,
  "is_primary" boolean,
  "parent_location_id" text COLLATE "C",
  "email" text,
  "phone" text COLLATE "C",
  "auto_number_generation_id" text COLLATE "C",
  "tax_settings_id" text COLLATE "C",
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  "is_location_active" boolean,
  "is_primary_location" boolean,
  "tax_reg_no" text COLLATE "C",
  PRIMARY KEY ("organization_id", "location_id")
) WITH (fillfactor = 90);
COMMENT ON TABLE "inventory"."locations" IS 'A branch or a warehouse of the organization.';
COMMENT ON COLUMN "inventory"."locations"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."locations"."location_id" IS 'Identifier of the location; unique within the organization.';
COMMENT ON COLUMN "inventory"."locations"."location_name" IS 'Name of the location.';
COMMENT ON COLUMN "inventory"."locations"."type" IS 'What the location is for: general, or line_item_only for one that only lines can be booked for.';
COMMENT ON COLUMN "inventory"."locations"."status" IS 'Whether the location is in use: active or inactive.';
COMMENT ON COLUMN "inventory"."locations"."is_primary" IS 'Whether it is the main location of the organization.';
COMMENT ON COLUMN "inventory"."locations"."parent_location_id" IS 'Identifier of the location that this one is a part of; null at the top.';
COMMENT ON COLUMN "inventory"."locations"."email" IS 'Address of the location for mail.';
COMMENT ON COLUMN "inventory"."locations"."phone" IS 'Phone number as it was entered, leading zeros kept.';
COMMENT ON COLUMN "inventory"."locations"."auto_number_generation_id" IS 'Identifier of the numbering that new documents of the location get by default.';
COMMENT ON COLUMN "inventory"."locations"."tax_settings_id" IS 'Identifier of the tax registration that the location belongs to.';
COMMENT ON COLUMN "inventory"."locations"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "inventory"."locations"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."locations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."locations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."locations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."locations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."locations"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "inventory"."locations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "inventory"."locations"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "inventory"."locations"."is_location_active" IS 'Whether the location is in use; some organizations get it in place of status.';
COMMENT ON COLUMN "inventory"."locations"."is_primary_location" IS 'Whether it is the main location; some organizations get it in place of is_primary.';
COMMENT ON COLUMN "inventory"."locations"."tax_reg_no" IS 'Tax number of the location in India.';

CREATE TABLE "inventory"."locations_address" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "attention" text,
  "street_address1" text,
  "street_address2" text,
  "city" text,
  "state" text,
  "state_code" text COLLATE "C",
  "country" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."locations" ("organization_id", "location_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."locations_address" IS 'The postal address of a location.';
COMMENT ON COLUMN "inventory"."locations_address"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."locations_address"."_parent_id" IS 'Key of the record that the row belongs to, in locations.';
COMMENT ON COLUMN "inventory"."locations_address"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."locations_address"."attention" IS 'Person or department that it is addressed to.';
COMMENT ON COLUMN "inventory"."locations_address"."street_address1" IS 'Street and number.';
COMMENT ON COLUMN "inventory"."locations_address"."street_address2" IS 'Second line of the street, such as a floor.';
COMMENT ON COLUMN "inventory"."locations_address"."city" IS 'City or town.';
COMMENT ON COLUMN "inventory"."locations_address"."state" IS 'State, canton or province by name.';
COMMENT ON COLUMN "inventory"."locations_address"."state_code" IS 'Code of the state, canton or province.';
COMMENT ON COLUMN "inventory"."locations_address"."country" IS 'Country by name.';
COMMENT ON COLUMN "inventory"."locations_address"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."locations_associated_series_ids" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "series_id" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."locations" ("organization_id", "location_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."locations_associated_series_ids" IS 'A numbering series that documents of a location can take their numbers from.';
COMMENT ON COLUMN "inventory"."locations_associated_series_ids"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."locations_associated_series_ids"."_parent_id" IS 'Key of the record that the row belongs to, in locations.';
COMMENT ON COLUMN "inventory"."locations_associated_series_ids"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."locations_associated_series_ids"."series_id" IS 'Identifier of the numbering series.';
COMMENT ON COLUMN "inventory"."locations_associated_series_ids"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."locations_associated_users" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "user_id" text COLLATE "C",
  "user_name" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."locations" ("organization_id", "location_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."locations_associated_users" IS 'A user who may work for a location.';
COMMENT ON COLUMN "inventory"."locations_associated_users"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."locations_associated_users"."_parent_id" IS 'Key of the record that the row belongs to, in locations.';
COMMENT ON COLUMN "inventory"."locations_associated_users"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."locations_associated_users"."user_id" IS 'Identifier of the user.';
COMMENT ON COLUMN "inventory"."locations_associated_users"."user_name" IS 'Name of the user.';
COMMENT ON COLUMN "inventory"."locations_associated_users"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."taxes" (
  "organization_id" text COLLATE "C" NOT NULL,
  "tax_id" text COLLATE "C" NOT NULL,
  "tax_name" text,
  "tax_percentage" numeric,
  "tax_type" text,
  "tax_factor" text,
  "tax_specific_type" text,
  "is_value_added" boolean,
  "is_default_tax" boolean,
  "tax_authority_id" text COLLATE "C",
  "tax_authority_name" text,
  "country" text,
  "country_code" text COLLATE "C",
  "tax_account_id" text COLLATE "C",
  "output_tax_account_name" text,
  "purchase_tax_account_id" text COLLATE "C",
  "purchase_tax_account_name" text,
  "purchase_tax_expense_account_id" text COLLATE "C",
  "tds_payable_account_id" text COLLATE "C",
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  "status" text,
  "is_inactive" boolean,
  "last_modified_time" timestamp with time zone,
  "tax_specification" text,
  "start_date" date,
  "end_date" date,
  "diff_rate_reason" text,
  "tax_display_name" text,
  "description" text,
  "reference_id" text COLLATE "C",
  "is_state_cess" boolean,
  PRIMARY KEY ("organization_id", "tax_id")
) WITH (fillfactor = 90);
COMMENT ON TABLE "inventory"."taxes" IS 'A tax with its rate, as it is put on items and lines.';
COMMENT ON COLUMN "inventory"."taxes"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."taxes"."tax_id" IS 'Identifier of the tax; unique within the organization.';
COMMENT ON COLUMN "inventory"."taxes"."tax_name" IS 'Name of the tax, often with its rate.';
COMMENT ON COLUMN "inventory"."taxes"."tax_percentage" IS 'Rate of the tax, in percent.';
COMMENT ON COLUMN "inventory"."taxes"."tax_type" IS 'Whether it is a simple tax, a compound_tax (one on top of another) or a tax_group of several.';
COMMENT ON COLUMN "inventory"."taxes"."tax_factor" IS 'What the tax is worked out from; rate is the value used.';
COMMENT ON COLUMN "inventory"."taxes"."tax_specific_type" IS 'Kind of the tax by law: igst, cgst, sgst, nil or cess in India, isr, iva or ieps in Mexico.';
COMMENT ON COLUMN "inventory"."taxes"."is_value_added" IS 'Whether it is a value added tax.';
COMMENT ON COLUMN "inventory"."taxes"."is_default_tax" IS 'Whether new items get the tax by default.';
COMMENT ON COLUMN "inventory"."taxes"."tax_authority_id" IS 'Identifier of the authority that the tax is owed to.';
COMMENT ON COLUMN "inventory"."taxes"."tax_authority_name" IS 'Name of the authority that the tax is owed to.';
COMMENT ON COLUMN "inventory"."taxes"."country" IS 'Country that the tax is owed in, by name.';
COMMENT ON COLUMN "inventory"."taxes"."country_code" IS 'Code of the country that the tax is owed in.';
COMMENT ON COLUMN "inventory"."taxes"."tax_account_id" IS 'Identifier of the account that tax on sales is booked on.';
COMMENT ON COLUMN "inventory"."taxes"."output_tax_account_name" IS 'Name of the account that tax on sales is booked on.';
COMMENT ON COLUMN "inventory"."taxes"."purchase_tax_account_id" IS 'Identifier of the account that tax on purchases is booked on.';
COMMENT ON COLUMN "inventory"."taxes"."purchase_tax_account_name" IS 'Name of the account that tax on purchases is booked on.';
COMMENT ON COLUMN "inventory"."taxes"."purchase_tax_expense_account_id" IS 'Identifier of the account that tax on purchases is booked on where it cannot be reclaimed.';
COMMENT ON COLUMN "inventory"."taxes"."tds_payable_account_id" IS 'Identifier of the account that tax withheld at source is booked on.';
COMMENT ON COLUMN "inventory"."taxes"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "inventory"."taxes"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."taxes"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."taxes"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."taxes"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."taxes"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."taxes"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "inventory"."taxes"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "inventory"."taxes"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "inventory"."taxes"."status" IS 'Whether the tax can still be used: Active or Inactive.';
COMMENT ON COLUMN "inventory"."taxes"."is_inactive" IS 'Whether the tax can no longer be used; the same as a truth value.';
COMMENT ON COLUMN "inventory"."taxes"."last_modified_time" IS 'When the tax last changed.';
COMMENT ON COLUMN "inventory"."taxes"."tax_specification" IS 'Which sales it applies to in India: intra (within a state) or inter (across states).';
COMMENT ON COLUMN "inventory"."taxes"."start_date" IS 'First day on which the tax applies; null without a first one.';
COMMENT ON COLUMN "inventory"."taxes"."end_date" IS 'Last day on which the tax applies; null without a last one.';
COMMENT ON COLUMN "inventory"."taxes"."diff_rate_reason" IS 'Why the rate differs from the usual one in India.';
COMMENT ON COLUMN "inventory"."taxes"."tax_display_name" IS 'Name of the tax as it is printed.';
COMMENT ON COLUMN "inventory"."taxes"."description" IS 'Free note on the tax.';
COMMENT ON COLUMN "inventory"."taxes"."reference_id" IS 'Identifier of the entry in the default catalogue of taxes.';
COMMENT ON COLUMN "inventory"."taxes"."is_state_cess" IS 'Whether it is the cess of an Indian state.';

CREATE TABLE "inventory"."organizations" (
  "organization_id" text COLLATE "C" NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "name" text,
  "contact_name" text,
  "email" text,
  "is_default_org" boolean,
  "is_org_active" boolean,
  "language_code" text,
  "fiscal_year_start_month" bigint,
  "account_created_date" date,
  "time_zone" text,
  "currency_id" text COLLATE "C",
  "currency_code" text COLLATE "C",
  "currency_symbol" text,
  "currency_format" text,
  "price_precision" bigint,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  "org_alias_name" text,
  "country" text,
  "country_code" text COLLATE "C",
  "state" text,
  "state_code" text COLLATE "C",
  "phone" text COLLATE "C",
  "version" text,
  "plan_name" text,
  "plan_period" text,
  "plan_type" bigint,
  "is_trial_expired" boolean,
  "org_type" text,
  "mode" text,
  "source" bigint,
  "user_status" bigint,
  "org_active" boolean,
  "is_multientity_org" boolean,
  "is_multientity_enabled" boolean,
  "is_sku_enabled" boolean,
  "field_separator" text,
  "is_tax_registered" boolean,
  "sales_tax_type" text,
  "tax_group_enabled" boolean,
  "is_sales_inclusive_tax_enabled" boolean,
  "is_registered_for_gst" boolean,
  "is_gst_india_version" boolean,
  "is_registered_for_composite_scheme" boolean,
  "is_hsn_or_sac_enabled" boolean,
  "is_sales_reverse_charge_enabled" boolean,
  "is_export_with_payment_enabled" boolean,
  "is_international_trade_enabled" boolean,
  "is_designated_zone" boolean,
  "is_free_zone" boolean,
  PRIMARY KEY ("organization_id", "id")
) WITH (fillfactor = 90);
COMMENT ON TABLE "inventory"."organizations" IS 'A business that the credentials can act for, with its currency, time zone and language.';
COMMENT ON COLUMN "inventory"."organizations"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."organizations"."id" IS 'Identifier of the organization that the row describes; the organization that asked is in organization_id.';
COMMENT ON COLUMN "inventory"."organizations"."name" IS 'Name of the organization as it stands on documents.';
COMMENT ON COLUMN "inventory"."organizations"."contact_name" IS 'Name of the person who speaks for the organization.';
COMMENT ON COLUMN "inventory"."organizations"."email" IS 'Address of the person who speaks for the organization.';
COMMENT ON COLUMN "inventory"."organizations"."is_default_org" IS 'Whether it is the organization that the user''s web client opens with.';
COMMENT ON COLUMN "inventory"."organizations"."is_org_active" IS 'Whether the organization can still be worked with.';
COMMENT ON COLUMN "inventory"."organizations"."language_code" IS 'Language of the organization, such as en; texts of answers are in it.';
COMMENT ON COLUMN "inventory"."organizations"."fiscal_year_start_month" IS 'Month in which its fiscal year begins; not documented how it is counted, live services count from 0, so that 3 is April.';
COMMENT ON COLUMN "inventory"."organizations"."account_created_date" IS 'Day on which the organization was set up in the service.';
COMMENT ON COLUMN "inventory"."organizations"."time_zone" IS 'Time zone of the organization by its name; times without an offset are read in it.';
COMMENT ON COLUMN "inventory"."organizations"."currency_id" IS 'Identifier of the base currency: the one that the books are kept in.';
COMMENT ON COLUMN "inventory"."organizations"."currency_code" IS 'ISO code of the base currency.';
COMMENT ON COLUMN "inventory"."organizations"."currency_symbol" IS 'Symbol of the base currency, for display.';
COMMENT ON COLUMN "inventory"."organizations"."currency_format" IS 'How amounts in the base currency are written, such as 1,234,567.89.';
COMMENT ON COLUMN "inventory"."organizations"."price_precision" IS 'Decimals that prices in the base currency are shown with.';
COMMENT ON COLUMN "inventory"."organizations"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "inventory"."organizations"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."organizations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."organizations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."organizations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."organizations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."organizations"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "inventory"."organizations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "inventory"."organizations"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "inventory"."organizations"."org_alias_name" IS 'Second name of the organization.';
COMMENT ON COLUMN "inventory"."organizations"."country" IS 'Country of the organization by name.';
COMMENT ON COLUMN "inventory"."organizations"."country_code" IS 'Code of the country of the organization.';
COMMENT ON COLUMN "inventory"."organizations"."state" IS 'State or province of the organization.';
COMMENT ON COLUMN "inventory"."organizations"."state_code" IS 'Code of the state or province.';
COMMENT ON COLUMN "inventory"."organizations"."phone" IS 'Telephone number of the organization as it was entered.';
COMMENT ON COLUMN "inventory"."organizations"."version" IS 'Edition of the service, such as that of a country: it decides which columns can have values.';
COMMENT ON COLUMN "inventory"."organizations"."plan_name" IS 'Plan that the organization subscribed to; the daily number of calls follows from it.';
COMMENT ON COLUMN "inventory"."organizations"."plan_period" IS 'Period that the plan is paid for.';
COMMENT ON COLUMN "inventory"."organizations"."plan_type" IS 'Number of the kind of plan; its meaning is not known.';
COMMENT ON COLUMN "inventory"."organizations"."is_trial_expired" IS 'Whether a trial ran out.';
COMMENT ON COLUMN "inventory"."organizations"."org_type" IS 'Kind of the organization''s account.';
COMMENT ON COLUMN "inventory"."organizations"."mode" IS 'Mode of the organization''s account.';
COMMENT ON COLUMN "inventory"."organizations"."source" IS 'Number of the application that the organization was made in.';
COMMENT ON COLUMN "inventory"."organizations"."user_status" IS 'Number of the standing of the user whose credentials are used.';
COMMENT ON COLUMN "inventory"."organizations"."org_active" IS 'Second key of is_org_active, with the same value.';
COMMENT ON COLUMN "inventory"."organizations"."is_multientity_org" IS 'Whether it is one of several entities under one roof.';
COMMENT ON COLUMN "inventory"."organizations"."is_multientity_enabled" IS 'Whether several entities can be kept under one roof.';
COMMENT ON COLUMN "inventory"."organizations"."is_sku_enabled" IS 'Whether items have stock keeping units (SKU).';
COMMENT ON COLUMN "inventory"."organizations"."field_separator" IS 'What stands between the fields of exported files, for display.';
COMMENT ON COLUMN "inventory"."organizations"."is_tax_registered" IS 'Whether the organization is registered for VAT, GST or sales tax.';
COMMENT ON COLUMN "inventory"."organizations"."sales_tax_type" IS 'How sales tax is set up.';
COMMENT ON COLUMN "inventory"."organizations"."tax_group_enabled" IS 'Whether several taxes can be put together in a group.';
COMMENT ON COLUMN "inventory"."organizations"."is_sales_inclusive_tax_enabled" IS 'Whether sales prices can be entered with tax in them.';
COMMENT ON COLUMN "inventory"."organizations"."is_registered_for_gst" IS 'Whether the organization is registered for GST; in India.';
COMMENT ON COLUMN "inventory"."organizations"."is_gst_india_version" IS 'Whether it is the edition for GST; in India.';
COMMENT ON COLUMN "inventory"."organizations"."is_registered_for_composite_scheme" IS 'Whether the organization pays GST by the scheme for small businesses; in India.';
COMMENT ON COLUMN "inventory"."organizations"."is_hsn_or_sac_enabled" IS 'Whether items have codes of goods and services for GST; in India.';
COMMENT ON COLUMN "inventory"."organizations"."is_sales_reverse_charge_enabled" IS 'Whether customers can owe the tax on sales; in India.';
COMMENT ON COLUMN "inventory"."organizations"."is_export_with_payment_enabled" IS 'Whether exports can be made with payment of GST; in India.';
COMMENT ON COLUMN "inventory"."organizations"."is_international_trade_enabled" IS 'Whether the organization trades abroad.';
COMMENT ON COLUMN "inventory"."organizations"."is_designated_zone" IS 'Whether it is in a zone with VAT rules of its own; in the Gulf states.';
COMMENT ON COLUMN "inventory"."organizations"."is_free_zone" IS 'Whether it is in a free zone with VAT rules of its own; in the Gulf states.';

CREATE TABLE "inventory"."organizations_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "index" bigint,
  "label" text,
  "value" jsonb,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."organizations_custom_fields" IS 'A field of the organization itself, with its value.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."organizations_org_joined_app_list" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "application" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."organizations_org_joined_app_list" IS 'An application of the suite that the organization uses.';
COMMENT ON COLUMN "inventory"."organizations_org_joined_app_list"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."organizations_org_joined_app_list"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "inventory"."organizations_org_joined_app_list"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."organizations_org_joined_app_list"."application" IS 'Name of the application.';
COMMENT ON COLUMN "inventory"."organizations_org_joined_app_list"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
