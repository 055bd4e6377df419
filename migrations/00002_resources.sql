-- +goose Up

CREATE SCHEMA IF NOT EXISTS "accounting";
COMMENT ON SCHEMA "accounting" IS 'The books of the organization: its accounts and what it paid to vendors.';

CREATE TABLE "accounting"."chart_of_accounts" (
  "organization_id" text COLLATE "C" NOT NULL,
  "account_id" text COLLATE "C" NOT NULL,
  "account_name" text,
  "account_code" text COLLATE "C",
  "account_type" text,
  "is_active" boolean,
  "currency_id" text COLLATE "C",
  "currency_code" text COLLATE "C",
  "description" text,
  "current_balance" numeric,
  "parent_account_id" text COLLATE "C",
  "parent_account_name" text,
  "depth" bigint,
  "is_child_present" boolean,
  "child_count" bigint,
  "is_standalone_account" boolean,
  "is_system_account" boolean,
  "is_user_created" boolean,
  "is_involved_in_transaction" boolean,
  "has_attachment" boolean,
  "can_show_in_ze" boolean,
  "include_in_vat_return" boolean,
  "documents" jsonb,
  "created_time" timestamp with time zone,
  "last_modified_time" timestamp with time zone,
  "_extra" jsonb,
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "account_id")
);
COMMENT ON TABLE "accounting"."chart_of_accounts" IS 'An account of the ledger: where amounts are booked, with its balance.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."account_id" IS 'Identifier of the account; unique within the organization.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."account_name" IS 'Name of the account as the organization shows it.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."account_code" IS 'Code that the organization gave the account, often its number in a statutory chart.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."account_type" IS 'Kind of the account, such as bank, expense or equity; more kinds occur than documented.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."is_active" IS 'Whether amounts can still be booked on the account.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."currency_id" IS 'Identifier of the currency that the account is kept in.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."currency_code" IS 'ISO code of the currency that the account is kept in.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."description" IS 'Free note on what is booked on the account.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."current_balance" IS 'Balance at the time of the last read, in the currency of the account; moves without the account being modified.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."parent_account_id" IS 'Identifier of the account that this one is a part of; null at the top.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."parent_account_name" IS 'Name of the account that this one is a part of.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."depth" IS 'Levels above the account in the tree of accounts; 0 at the top.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."is_child_present" IS 'Whether other accounts are part of this one.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."child_count" IS 'Number of accounts directly below this one.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."is_standalone_account" IS 'Whether the account is kept outside of the tree of accounts.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."is_system_account" IS 'Whether the service created the account and needs it.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."is_user_created" IS 'Whether a user of the organization created the account.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."is_involved_in_transaction" IS 'Whether anything was ever booked on the account.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."has_attachment" IS 'Whether files are attached to the account.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."can_show_in_ze" IS 'Whether the expense application offers the account.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."include_in_vat_return" IS 'Whether its amounts count for the VAT return; UK edition only.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."documents" IS 'Attached files, kept as JSON because the documents do not show their shape.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."created_time" IS 'When the account was created.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."last_modified_time" IS 'When the account itself last changed; bookings do not change it.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_changed_at" IS 'When the row last changed here.';

CREATE TABLE "accounting"."chart_of_accounts_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "customfield_id" text COLLATE "C",
  "value" jsonb,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."chart_of_accounts" ("organization_id", "account_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."chart_of_accounts_custom_fields" IS 'A field that the organization added to its accounts, with its value on one account.';
COMMENT ON COLUMN "accounting"."chart_of_accounts_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."chart_of_accounts_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in chart_of_accounts.';
COMMENT ON COLUMN "accounting"."chart_of_accounts_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."chart_of_accounts_custom_fields"."customfield_id" IS 'Identifier of the field; the same on every account.';
COMMENT ON COLUMN "accounting"."chart_of_accounts_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';

CREATE TABLE "accounting"."vendor_payments" (
  "organization_id" text COLLATE "C" NOT NULL,
  "payment_id" text COLLATE "C" NOT NULL,
  "payment_number" text COLLATE "C",
  "vendor_id" text COLLATE "C",
  "vendor_name" text,
  "date" date,
  "payment_mode" text,
  "reference_number" text COLLATE "C",
  "description" text,
  "amount" numeric,
  "balance" numeric,
  "exchange_rate" numeric,
  "currency_id" text COLLATE "C",
  "currency_symbol" text,
  "paid_through_account_id" text COLLATE "C",
  "paid_through_account_name" text,
  "paid_through_account_type" text,
  "is_paid_via_print_check" boolean,
  "is_ach_payment" boolean,
  "ach_payment_status" text,
  "tax_account_name" text,
  "tax_amount_withheld" numeric,
  "location_id" text COLLATE "C",
  "location_name" text,
  "comments" jsonb,
  "imported_transactions" jsonb,
  "documents" jsonb,
  "created_time" timestamp with time zone,
  "last_modified_time" timestamp with time zone,
  "_extra" jsonb,
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "payment_id")
);
COMMENT ON TABLE "accounting"."vendor_payments" IS 'A payment to a vendor, for one bill, for several, or in advance.';
COMMENT ON COLUMN "accounting"."vendor_payments"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."vendor_payments"."payment_id" IS 'Identifier of the payment; unique within the organization.';
COMMENT ON COLUMN "accounting"."vendor_payments"."payment_number" IS 'Running number of the payment as the organization shows it.';
COMMENT ON COLUMN "accounting"."vendor_payments"."vendor_id" IS 'Identifier of the vendor who was paid.';
COMMENT ON COLUMN "accounting"."vendor_payments"."vendor_name" IS 'Name of the vendor who was paid.';
COMMENT ON COLUMN "accounting"."vendor_payments"."date" IS 'Day of the payment.';
COMMENT ON COLUMN "accounting"."vendor_payments"."payment_mode" IS 'How it was paid, such as cash, check or bank transfer; organizations add their own.';
COMMENT ON COLUMN "accounting"."vendor_payments"."reference_number" IS 'Number that the payer gave the payment, such as that of the transfer.';
COMMENT ON COLUMN "accounting"."vendor_payments"."description" IS 'Free note on the payment.';
COMMENT ON COLUMN "accounting"."vendor_payments"."amount" IS 'Amount paid, in the currency of the payment.';
COMMENT ON COLUMN "accounting"."vendor_payments"."balance" IS 'Part of the amount that no bill was settled with yet, in the currency of the payment.';
COMMENT ON COLUMN "accounting"."vendor_payments"."exchange_rate" IS 'Price of one unit of the payment''s currency in the base currency.';
COMMENT ON COLUMN "accounting"."vendor_payments"."currency_id" IS 'Identifier of the currency of the payment.';
COMMENT ON COLUMN "accounting"."vendor_payments"."currency_symbol" IS 'Symbol of the currency of the payment, for display.';
COMMENT ON COLUMN "accounting"."vendor_payments"."paid_through_account_id" IS 'Identifier of the account that the money left.';
COMMENT ON COLUMN "accounting"."vendor_payments"."paid_through_account_name" IS 'Name of the account that the money left.';
COMMENT ON COLUMN "accounting"."vendor_payments"."paid_through_account_type" IS 'Kind of the account that the money left, such as bank or cash.';
COMMENT ON COLUMN "accounting"."vendor_payments"."is_paid_via_print_check" IS 'Whether it was paid by a check printed from the service.';
COMMENT ON COLUMN "accounting"."vendor_payments"."is_ach_payment" IS 'Whether it was paid by direct bank debit (ACH).';
COMMENT ON COLUMN "accounting"."vendor_payments"."ach_payment_status" IS 'How far the direct bank debit got.';
COMMENT ON COLUMN "accounting"."vendor_payments"."tax_account_name" IS 'Name of the account that withheld tax is booked on.';
COMMENT ON COLUMN "accounting"."vendor_payments"."tax_amount_withheld" IS 'Tax withheld from the payment, in its currency.';
COMMENT ON COLUMN "accounting"."vendor_payments"."location_id" IS 'Identifier of the location of the organization that the payment is booked for.';
COMMENT ON COLUMN "accounting"."vendor_payments"."location_name" IS 'Name of the location that the payment is booked for.';
COMMENT ON COLUMN "accounting"."vendor_payments"."comments" IS 'History and remarks, kept as JSON because the documents do not show their shape.';
COMMENT ON COLUMN "accounting"."vendor_payments"."imported_transactions" IS 'Bank lines matched with the payment, kept as JSON because the documents do not show their shape.';
COMMENT ON COLUMN "accounting"."vendor_payments"."documents" IS 'Attached files, kept as JSON because the documents do not show their shape.';
COMMENT ON COLUMN "accounting"."vendor_payments"."created_time" IS 'When the payment was entered.';
COMMENT ON COLUMN "accounting"."vendor_payments"."last_modified_time" IS 'When the payment last changed.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_changed_at" IS 'When the row last changed here.';

CREATE TABLE "accounting"."vendor_payments_bills" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "bill_payment_id" text COLLATE "C",
  "bill_id" text COLLATE "C",
  "bill_number" text COLLATE "C",
  "date" date,
  "due_date" date,
  "amount_applied" numeric,
  "tax_amount_withheld" numeric,
  "total" numeric,
  "balance" numeric,
  "price_precision" bigint,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."vendor_payments" ("organization_id", "payment_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."vendor_payments_bills" IS 'A bill that a payment settles, in whole or in part.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."_parent_id" IS 'Key of the record that the row belongs to, in vendor_payments.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."bill_payment_id" IS 'Identifier of the settlement: this payment on this bill.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."bill_id" IS 'Identifier of the bill that is settled.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."bill_number" IS 'Number of the bill as the vendor wrote it.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."date" IS 'Day of the bill.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."due_date" IS 'Day on which the bill is due.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."amount_applied" IS 'Part of the payment that settles this bill, in the bill''s currency.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."tax_amount_withheld" IS 'Tax withheld on this bill, in the bill''s currency.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."total" IS 'Total of the bill, in its currency.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."balance" IS 'What is left to pay on the bill, in its currency.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."price_precision" IS 'Decimals that prices on the bill are shown with.';

CREATE TABLE "accounting"."vendor_payments_vendorpayment_refunds" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "vendorpayment_refund_id" text COLLATE "C",
  "date" date,
  "refund_mode" text,
  "reference_number" text COLLATE "C",
  "description" text,
  "amount_bcy" numeric,
  "amount_fcy" numeric,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."vendor_payments" ("organization_id", "payment_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."vendor_payments_vendorpayment_refunds" IS 'Money that the vendor paid back out of a payment.';
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."_parent_id" IS 'Key of the record that the row belongs to, in vendor_payments.';
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."vendorpayment_refund_id" IS 'Identifier of the refund.';
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."date" IS 'Day of the refund.';
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."refund_mode" IS 'How it was paid back, such as cash or bank transfer.';
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."reference_number" IS 'Number that identifies the refund at the bank or the vendor.';
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."description" IS 'Free note on the refund.';
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."amount_bcy" IS 'Amount paid back, in the base currency of the organization.';
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."amount_fcy" IS 'Amount paid back, in the currency of the payment.';

CREATE TABLE "accounting"."vendor_payments_check_details" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "check_id" text COLLATE "C",
  "check_number" text COLLATE "C",
  "check_status" text,
  "amount_in_words" text,
  "memo" text,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."vendor_payments" ("organization_id", "payment_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."vendor_payments_check_details" IS 'The check that a payment was made by.';
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."_parent_id" IS 'Key of the record that the row belongs to, in vendor_payments.';
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."check_id" IS 'Identifier of the check.';
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."check_number" IS 'Number printed on the check.';
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."check_status" IS 'What happened to the check, such as printed or void.';
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."amount_in_words" IS 'Amount as it is spelled out on the check.';
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."memo" IS 'Note printed on the check.';

CREATE TABLE "accounting"."vendor_payments_billing_address" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "attention" text,
  "address" text,
  "city" text,
  "state" text,
  "zip" text COLLATE "C",
  "country" text,
  "fax" text COLLATE "C",
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."vendor_payments" ("organization_id", "payment_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."vendor_payments_billing_address" IS 'The address of the vendor as it stood on the payment.';
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."_parent_id" IS 'Key of the record that the row belongs to, in vendor_payments.';
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."attention" IS 'Person or department that it is addressed to.';
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."address" IS 'Street and number.';
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."city" IS 'City or town.';
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."state" IS 'State, canton or province.';
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."zip" IS 'Postal code, leading zeros kept.';
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."country" IS 'Country by name.';
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."fax" IS 'Fax number as it was entered.';

CREATE TABLE "accounting"."vendor_payments_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "custom_field_id" text COLLATE "C",
  "index" bigint,
  "label" text,
  "value" jsonb,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."vendor_payments" ("organization_id", "payment_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."vendor_payments_custom_fields" IS 'A field that the organization added to its payments, with its value on one payment.';
COMMENT ON COLUMN "accounting"."vendor_payments_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."vendor_payments_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in vendor_payments.';
COMMENT ON COLUMN "accounting"."vendor_payments_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."vendor_payments_custom_fields"."custom_field_id" IS 'Identifier of the field; the same on every payment.';
COMMENT ON COLUMN "accounting"."vendor_payments_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "accounting"."vendor_payments_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "accounting"."vendor_payments_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';

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
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
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
COMMENT ON COLUMN "inventory"."items"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."items"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."items"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."items"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."items"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."items"."_changed_at" IS 'When the row last changed here.';

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

CREATE TABLE "inventory"."items_item_tax_preferences" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_id" text COLLATE "C",
  "tax_specification" text,
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

CREATE TABLE "inventory"."items_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "customfield_id" text COLLATE "C",
  "value" jsonb,
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
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
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
COMMENT ON COLUMN "inventory"."bills"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."bills"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."bills"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."bills"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."bills"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."bills"."_changed_at" IS 'When the row last changed here.';

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

CREATE TABLE "inventory"."bills_taxes" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_name" text,
  "tax_amount" numeric,
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

CREATE TABLE "inventory"."bills_vendor_credits" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "vendor_credit_id" text COLLATE "C",
  "vendor_credit_bill_id" text COLLATE "C",
  "vendor_credit_number" text COLLATE "C",
  "date" date,
  "amount" numeric,
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

CREATE TABLE "inventory"."bills_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "customfield_id" text COLLATE "C",
  "value" jsonb,
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
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
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
COMMENT ON COLUMN "inventory"."credit_notes"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."credit_notes"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."credit_notes"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."credit_notes"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."credit_notes"."_changed_at" IS 'When the row last changed here.';

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

CREATE TABLE "inventory"."credit_notes_line_items_serial_numbers" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "serial_number" text COLLATE "C",
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

CREATE TABLE "inventory"."credit_notes_invoices" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "invoice_id" text COLLATE "C",
  "invoice_number" text COLLATE "C",
  "amount" numeric,
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

CREATE TABLE "inventory"."credit_notes_taxes" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_id" text COLLATE "C",
  "tax_name" text,
  "tax_amount" numeric,
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

CREATE TABLE "inventory"."credit_notes_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "index" bigint,
  "label" text,
  "value" jsonb,
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

CREATE SCHEMA IF NOT EXISTS "chat";
COMMENT ON SCHEMA "chat" IS 'Conversations of the organization''s team chat: who talks where, and how much.';

CREATE TABLE "chat"."conversations" (
  "organization_id" text COLLATE "C" NOT NULL,
  "chat_id" text COLLATE "C" NOT NULL,
  "title" text,
  "creation_time" timestamp with time zone,
  "last_modified_time" timestamp with time zone,
  "participant_count" bigint,
  "total_message_count" bigint,
  "creator_id" text COLLATE "C",
  "_extra" jsonb,
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "chat_id")
);
COMMENT ON TABLE "chat"."conversations" IS 'A chat, channel or bot conversation of the organization, with its size and age but not its messages.';
COMMENT ON COLUMN "chat"."conversations"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "chat"."conversations"."chat_id" IS 'Identifier of the conversation; unique within the organization.';
COMMENT ON COLUMN "chat"."conversations"."title" IS 'Title as its participants see it; free text, not unique, may hold line breaks.';
COMMENT ON COLUMN "chat"."conversations"."creation_time" IS 'When the conversation was opened.';
COMMENT ON COLUMN "chat"."conversations"."last_modified_time" IS 'When the conversation last changed, such as by a new message.';
COMMENT ON COLUMN "chat"."conversations"."participant_count" IS 'Number of participants at the time of the export.';
COMMENT ON COLUMN "chat"."conversations"."total_message_count" IS 'Number of messages ever written in it; falling figures point at deletions.';
COMMENT ON COLUMN "chat"."conversations"."creator_id" IS 'Identifier of the user who opened the conversation.';
COMMENT ON COLUMN "chat"."conversations"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "chat"."conversations"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "chat"."conversations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "chat"."conversations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "chat"."conversations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "chat"."conversations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "chat"."conversations"."_changed_at" IS 'When the row last changed here.';
