-- +goose Up
-- The tables of service inventory, as `sluice draft` writes them from connectors/inventory: one per
-- resource, and one per array of its records. Written by pipeline/warehouse/rows.
--
-- Tables with a fill factor have no index but the key: an update that stays on its page writes none
-- (docs/decisions/0021-loading-at-copy-speed).

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
    REFERENCES "inventory"."items" ("organization_id", "item_id") ON DELETE CASCADE
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
    REFERENCES "inventory"."items" ("organization_id", "item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."items_custom_fields" IS 'A field that the organization added to its items, with its value on one item.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in items.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."customfield_id" IS 'Identifier of the field; the same on every item.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "inventory"."items_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

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
  PRIMARY KEY ("organization_id", "bill_id")
);
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
COMMENT ON COLUMN "inventory"."bills"."vendor_credits_applied" IS 'Credits already used on the bill, kept as JSON because the documents name the key but not its shape.';
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
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
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

CREATE TABLE "inventory"."bills_taxes" (
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
COMMENT ON TABLE "inventory"."bills_taxes" IS 'The sum of one tax over all lines of a bill.';
COMMENT ON COLUMN "inventory"."bills_taxes"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_taxes"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_taxes"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_taxes"."tax_name" IS 'Name of the tax with its rate.';
COMMENT ON COLUMN "inventory"."bills_taxes"."tax_amount" IS 'Sum of the tax, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_taxes"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

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
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
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
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
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

CREATE TABLE "inventory"."bills_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "customfield_id" text COLLATE "C",
  "value" jsonb,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_custom_fields" IS 'A field that the organization added to its bills, with its value on one bill.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."customfield_id" IS 'Identifier of the field; the same on every bill.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "inventory"."bills_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

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
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
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
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_custom_fields" IS 'A field that the organization added to its credit notes, with its value on one of them.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

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
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
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
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
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
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
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
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
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
  PRIMARY KEY ("organization_id", "tax_id")
) WITH (fillfactor = 90);
COMMENT ON TABLE "inventory"."taxes" IS 'A tax with its rate, as it is put on items and lines.';
COMMENT ON COLUMN "inventory"."taxes"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."taxes"."tax_id" IS 'Identifier of the tax; unique within the organization.';
COMMENT ON COLUMN "inventory"."taxes"."tax_name" IS 'Name of the tax, often with its rate.';
COMMENT ON COLUMN "inventory"."taxes"."tax_percentage" IS 'Rate of the tax, in percent.';
COMMENT ON COLUMN "inventory"."taxes"."tax_type" IS 'Whether it is a simple tax or a compound_tax, one on top of another.';
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
COMMENT ON COLUMN "inventory"."organizations"."fiscal_year_start_month" IS 'Month in which its fiscal year begins, as upstream counts months; from 0 or from 1 is not documented.';
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
