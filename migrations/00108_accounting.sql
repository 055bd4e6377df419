-- +goose Up
-- The tables of service accounting, as `sluice-dev draft` writes them from connectors/accounting: one
-- per resource, and one per array of its records. Written by pipeline/warehouse/rows.
--
-- Tables with a fill factor have no index but the key: an update that stays on its page writes none
-- (docs/decisions/0017-loading). Tables with an index of dates have it for analysts,
-- who ask by month.
--
-- Columns that live services send beyond the API documents stand last in their table
-- (docs/upstream.md U310 to U389).

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
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  "closing_balance" numeric,
  "isdebit" boolean,
  "status" text,
  "placeholder" text,
  "show_on_dashboard" boolean,
  "is_register_supported_account" boolean,
  "account_code_prefix" text,
  "generation_number" text,
  "opening_balances" jsonb,
  "transactions" jsonb,
  "_detail_state" text NOT NULL DEFAULT 'none_needed' CHECK ("_detail_state" IN ('none_needed', 'pending', 'current', 'stale', 'failed')),
  "_detail_hash" bytea,
  "_detail_call_id" bigint,
  "_detail_raw_position" integer,
  "_detail_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "account_id")
);
CREATE INDEX "chart_of_accounts_details" ON "accounting"."chart_of_accounts" ("organization_id", "last_modified_time" DESC)
  WHERE "_detail_state" IN ('pending', 'stale', 'failed');
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
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."closing_balance" IS 'Balance at the time of the last read, in the currency of the account; the single record alone has it.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."isdebit" IS 'Whether the closing balance is a debit.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."status" IS 'Whether amounts can still be booked on the account, in words; is_active says the same.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."placeholder" IS 'Fixed name of an account that the service created (gl_ and a word), the same in every language; empty for the organization''s own.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."show_on_dashboard" IS 'Whether the account is in the list of the start page.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."is_register_supported_account" IS 'Whether the account can be shown as a running register, as bank accounts are.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."account_code_prefix" IS 'Beginning of account_code, where the chart is numbered by rule.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."generation_number" IS 'Part of account_code that counts up, where the chart is numbered by rule.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."opening_balances" IS 'Balance at the start of the books, kept as JSON because the list of opening balances has it in columns.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."transactions" IS 'The latest few bookings, kept as JSON because they are a preview and no ledger.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_detail_at" IS 'When the single record was last loaded or tried.';

CREATE TABLE "accounting"."chart_of_accounts_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "customfield_id" text COLLATE "C",
  "value" jsonb,
  "_deleted_at" timestamp with time zone,
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
COMMENT ON COLUMN "accounting"."chart_of_accounts_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

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
  "status" text,
  "currency_code" text COLLATE "C",
  "bcy_amount" numeric,
  "bcy_balance" numeric,
  "bill_numbers" text,
  "offset_account_id" text COLLATE "C",
  "offset_account_name" text,
  "created_by_id" text COLLATE "C",
  "created_by_name" text,
  "has_attachment" boolean,
  "bank_charges" numeric,
  "bank_charges_account_id" text COLLATE "C",
  "bank_charges_account_name" text,
  "ach_gw_transaction_id" text COLLATE "C",
  "gw_reference_number" text COLLATE "C",
  "is_online_payment" boolean,
  "transfer_type" text,
  "payment_number_prefix" text,
  "payment_number_suffix" text,
  "purpose_code" text COLLATE "C",
  "credit_account_id" text COLLATE "C",
  "tax_account_id" text COLLATE "C",
  "tds_tax_id" text COLLATE "C",
  "tds_calculation_type" text,
  "is_tds_amount_in_percent" boolean,
  "total_payment_amount" numeric,
  "is_advance_payment" boolean,
  "product_description" text,
  "is_pre_gst" boolean,
  "indirect_tds_tax_id" text COLLATE "C",
  "indirect_tds_tax_amount" numeric,
  "indirect_tcs_tax_id" text COLLATE "C",
  "indirect_tcs_tax_amount" numeric,
  "tds_summary" jsonb,
  "custom_field_hash" jsonb,
  PRIMARY KEY ("organization_id", "payment_id")
);
CREATE INDEX "vendor_payments_date" ON "accounting"."vendor_payments" ("organization_id", "date");
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
COMMENT ON COLUMN "accounting"."vendor_payments"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "accounting"."vendor_payments"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_detail_at" IS 'When the single record was last loaded or tried.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "accounting"."vendor_payments"."status" IS 'Where the payment stands; paid is the value seen.';
COMMENT ON COLUMN "accounting"."vendor_payments"."currency_code" IS 'ISO code of the currency of the payment.';
COMMENT ON COLUMN "accounting"."vendor_payments"."bcy_amount" IS 'Amount paid, in the base currency; the list alone has it.';
COMMENT ON COLUMN "accounting"."vendor_payments"."bcy_balance" IS 'Part of the amount that no bill was settled with yet, in the base currency; the list alone has it.';
COMMENT ON COLUMN "accounting"."vendor_payments"."bill_numbers" IS 'Numbers of the bills that the payment settles, in one text; the list alone has it.';
COMMENT ON COLUMN "accounting"."vendor_payments"."offset_account_id" IS 'Identifier of the account on the other side: payables, or prepaid expenses for an advance.';
COMMENT ON COLUMN "accounting"."vendor_payments"."offset_account_name" IS 'Name of the account on the other side.';
COMMENT ON COLUMN "accounting"."vendor_payments"."created_by_id" IS 'Identifier of the user who entered the payment.';
COMMENT ON COLUMN "accounting"."vendor_payments"."created_by_name" IS 'Name of the user who entered the payment.';
COMMENT ON COLUMN "accounting"."vendor_payments"."has_attachment" IS 'Whether a file is attached to the payment; the list alone has it.';
COMMENT ON COLUMN "accounting"."vendor_payments"."bank_charges" IS 'Fee that the bank took for the payment, in the currency of the payment.';
COMMENT ON COLUMN "accounting"."vendor_payments"."bank_charges_account_id" IS 'Identifier of the account that the fee is booked on.';
COMMENT ON COLUMN "accounting"."vendor_payments"."bank_charges_account_name" IS 'Name of the account that the fee is booked on.';
COMMENT ON COLUMN "accounting"."vendor_payments"."ach_gw_transaction_id" IS 'Identifier of the direct bank debit (ACH) at the gateway; US edition only.';
COMMENT ON COLUMN "accounting"."vendor_payments"."gw_reference_number" IS 'Number that the gateway gave the payment.';
COMMENT ON COLUMN "accounting"."vendor_payments"."is_online_payment" IS 'Whether a connected gateway paid it.';
COMMENT ON COLUMN "accounting"."vendor_payments"."transfer_type" IS 'Kind of the bank transfer.';
COMMENT ON COLUMN "accounting"."vendor_payments"."payment_number_prefix" IS 'Beginning of payment_number, before the part that counts up.';
COMMENT ON COLUMN "accounting"."vendor_payments"."payment_number_suffix" IS 'The part of payment_number that counts up.';
COMMENT ON COLUMN "accounting"."vendor_payments"."purpose_code" IS 'Code of the purpose that banks ask for on transfers abroad.';
COMMENT ON COLUMN "accounting"."vendor_payments"."credit_account_id" IS 'Identifier of the account of a credit that paid in place of money.';
COMMENT ON COLUMN "accounting"."vendor_payments"."tax_account_id" IS 'Identifier of the account that withheld tax is booked on.';
COMMENT ON COLUMN "accounting"."vendor_payments"."tds_tax_id" IS 'Identifier of the tax that was withheld at source.';
COMMENT ON COLUMN "accounting"."vendor_payments"."tds_calculation_type" IS 'Whether tax was withheld by line or for the whole payment.';
COMMENT ON COLUMN "accounting"."vendor_payments"."is_tds_amount_in_percent" IS 'Whether the withheld tax was entered as a rate.';
COMMENT ON COLUMN "accounting"."vendor_payments"."total_payment_amount" IS 'Amount paid plus tax withheld, in the currency of the payment; in India.';
COMMENT ON COLUMN "accounting"."vendor_payments"."is_advance_payment" IS 'Whether it was paid before any bill; in India.';
COMMENT ON COLUMN "accounting"."vendor_payments"."product_description" IS 'What was paid for in advance, in the user''s words; in India.';
COMMENT ON COLUMN "accounting"."vendor_payments"."is_pre_gst" IS 'Whether the payment dates from before GST; in India.';
COMMENT ON COLUMN "accounting"."vendor_payments"."indirect_tds_tax_id" IS 'Identifier of the tax withheld on top of the payment; in India.';
COMMENT ON COLUMN "accounting"."vendor_payments"."indirect_tds_tax_amount" IS 'Tax withheld on top of the payment, in its currency; in India.';
COMMENT ON COLUMN "accounting"."vendor_payments"."indirect_tcs_tax_id" IS 'Identifier of the tax collected on top of the payment; in India.';
COMMENT ON COLUMN "accounting"."vendor_payments"."indirect_tcs_tax_amount" IS 'Tax collected on top of the payment, in its currency; in India.';
COMMENT ON COLUMN "accounting"."vendor_payments"."tds_summary" IS 'Tax withheld at source by tax, kept as JSON because no source shows its shape; in India.';
COMMENT ON COLUMN "accounting"."vendor_payments"."custom_field_hash" IS 'Values of the organization''s own fields by name, the same as in custom_fields, kept as JSON because the names are the organization''s.';
CREATE INDEX "vendor_payments_details" ON "accounting"."vendor_payments" ("organization_id", "last_modified_time" DESC)
  WHERE "_detail_state" IN ('pending', 'stale', 'failed');

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
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."vendor_payments" ("organization_id", "payment_id") ON DELETE CASCADE,
  "apply_date" date,
  "unprocessed_payment_amount" numeric,
  "is_opening_balance" boolean,
  "total_payment_amount" numeric
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
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."apply_date" IS 'Day on which the payment was set against the bill.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."unprocessed_payment_amount" IS 'Part for this bill that is still under way at the bank, in the bill''s currency.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."is_opening_balance" IS 'Whether the bill came over from earlier books.';
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."total_payment_amount" IS 'Part for this bill plus tax withheld on it, in the bill''s currency; in India.';

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
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."vendor_payments" ("organization_id", "payment_id") ON DELETE CASCADE,
  "vendorpayment_id" text COLLATE "C",
  "to_account_id" text COLLATE "C"
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
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."vendorpayment_id" IS 'Identifier of the payment that was paid back from.';
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."to_account_id" IS 'Identifier of the account that the money came back to.';

CREATE TABLE "accounting"."vendor_payments_check_details" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "check_id" text COLLATE "C",
  "check_number" text COLLATE "C",
  "check_status" text,
  "amount_in_words" text,
  "memo" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."vendor_payments" ("organization_id", "payment_id") ON DELETE CASCADE,
  "expiry_date" date,
  "clearance_account_id" text COLLATE "C",
  "clearance_account_name" text
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
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."expiry_date" IS 'Last day on which the check can be cashed.';
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."clearance_account_id" IS 'Identifier of the account that holds the check until it clears.';
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."clearance_account_name" IS 'Name of the account that holds the check until it clears.';

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
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."vendor_payments" ("organization_id", "payment_id") ON DELETE CASCADE,
  "street2" text,
  "phone" text COLLATE "C"
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
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."street2" IS 'Second line of the street.';
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."phone" IS 'Telephone number as it was entered.';

CREATE TABLE "accounting"."vendor_payments_custom_fields" (
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
COMMENT ON COLUMN "accounting"."vendor_payments_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."vendor_payments_tags" (
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
    REFERENCES "accounting"."vendor_payments" ("organization_id", "payment_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."vendor_payments_tags" IS 'A reporting tag of a payment: one dimension of the organization''s own reports, with the option chosen.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."_parent_id" IS 'Key of the record that the row belongs to, in vendor_payments.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."tag_id" IS 'Identifier of the tag, such as the one for cost centers.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."is_tag_mandatory" IS 'Whether the organization demands an option of this tag.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."opening_balances" (
  "organization_id" text COLLATE "C" NOT NULL,
  "opening_balance_id" text COLLATE "C" NOT NULL,
  "date" date,
  "price_precision" bigint,
  "total" numeric,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  PRIMARY KEY ("organization_id", "opening_balance_id")
) WITH (fillfactor = 90);
COMMENT ON TABLE "accounting"."opening_balances" IS 'What stood on the accounts when the organization began to keep its books here; at most one an organization.';
COMMENT ON COLUMN "accounting"."opening_balances"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."opening_balances"."opening_balance_id" IS 'Identifier of the opening balance; unique within the organization.';
COMMENT ON COLUMN "accounting"."opening_balances"."date" IS 'Day on which the balances stood.';
COMMENT ON COLUMN "accounting"."opening_balances"."price_precision" IS 'Decimals that the amounts are shown with.';
COMMENT ON COLUMN "accounting"."opening_balances"."total" IS 'Total of the opening balance as the service gives it, in the base currency.';
COMMENT ON COLUMN "accounting"."opening_balances"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "accounting"."opening_balances"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."opening_balances"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."opening_balances"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."opening_balances"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."opening_balances"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."opening_balances"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "accounting"."opening_balances"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "accounting"."opening_balances"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';

CREATE TABLE "accounting"."opening_balances_accounts" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "acount_split_id" text COLLATE "C",
  "account_id" text COLLATE "C",
  "account_name" text,
  "debit_or_credit" text,
  "amount" numeric,
  "bcy_amount" numeric,
  "exchange_rate" numeric,
  "currency_id" text COLLATE "C",
  "currency_code" text COLLATE "C",
  "location_id" text COLLATE "C",
  "location_name" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."opening_balances" ("organization_id", "opening_balance_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."opening_balances_accounts" IS 'One line of the opening balance: what stood on one account in one currency.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."_parent_id" IS 'Key of the record that the row belongs to, in opening_balances.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."acount_split_id" IS 'Identifier of the line; the spelling is that of the service.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."account_id" IS 'Identifier of the account that the amount stood on.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."account_name" IS 'Name of the account that the amount stood on.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."debit_or_credit" IS 'The side of the account that the amount stood on: debit or credit.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."amount" IS 'Amount that stood on the account, in the currency of the line.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."bcy_amount" IS 'The same amount in the base currency of the organization.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."exchange_rate" IS 'Price of one unit of the line''s currency in the base currency.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."currency_id" IS 'Identifier of the currency of the line.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."currency_code" IS 'ISO code of the currency of the line.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."location_id" IS 'Identifier of the location of the organization that the line is booked for.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."location_name" IS 'Name of the location that the line is booked for.';
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."base_currency_adjustments" (
  "organization_id" text COLLATE "C" NOT NULL,
  "base_currency_adjustment_id" text COLLATE "C" NOT NULL,
  "adjustment_date" date,
  "exchange_rate" numeric,
  "currency_id" text COLLATE "C",
  "currency_code" text COLLATE "C",
  "notes" text,
  "gain_or_loss" numeric,
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
  PRIMARY KEY ("organization_id", "base_currency_adjustment_id")
);
COMMENT ON TABLE "accounting"."base_currency_adjustments" IS 'What balances in a foreign currency gained or lost when its exchange rate was set anew.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."base_currency_adjustment_id" IS 'Identifier of the adjustment; unique within the organization.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."adjustment_date" IS 'Day from which the new exchange rate counts.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."exchange_rate" IS 'The new price of one unit of the currency in the base currency.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."currency_id" IS 'Identifier of the currency that was adjusted.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."currency_code" IS 'ISO code of the currency that was adjusted.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."notes" IS 'Free note on the adjustment.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."gain_or_loss" IS 'Gain of all accounts by the new rate, in the base currency; a loss is negative.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_detail_at" IS 'When the single record was last loaded or tried.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
CREATE INDEX "base_currency_adjustments_details" ON "accounting"."base_currency_adjustments" ("organization_id", "base_currency_adjustment_id" DESC)
  WHERE "_detail_state" IN ('pending', 'stale', 'failed');

CREATE TABLE "accounting"."base_currency_adjustments_accounts" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "account_id" text COLLATE "C",
  "account_name" text,
  "bcy_balance" numeric,
  "fcy_balance" numeric,
  "adjusted_balance" numeric,
  "gain_or_loss" numeric,
  "gl_specific_type" bigint,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."base_currency_adjustments" ("organization_id", "base_currency_adjustment_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."base_currency_adjustments_accounts" IS 'What the balance of one account gained or lost by an adjustment.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments_accounts"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments_accounts"."_parent_id" IS 'Key of the record that the row belongs to, in base_currency_adjustments.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments_accounts"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments_accounts"."account_id" IS 'Identifier of the account whose balance was adjusted.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments_accounts"."account_name" IS 'Name of the account whose balance was adjusted.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments_accounts"."bcy_balance" IS 'Balance before the adjustment, in the base currency.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments_accounts"."fcy_balance" IS 'Balance of the account in the currency that was adjusted.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments_accounts"."adjusted_balance" IS 'Balance after the adjustment, in the base currency.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments_accounts"."gain_or_loss" IS 'Gain of the account by the new rate, in the base currency; a loss is negative.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments_accounts"."gl_specific_type" IS 'Number of the account''s role in the ledger; its meaning is not documented.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments_accounts"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."custom_module_records" (
  "organization_id" text COLLATE "C" NOT NULL,
  "module_record_id" text COLLATE "C" NOT NULL,
  "module_name" text COLLATE "C",
  "module_api_name" text COLLATE "C",
  "record_name" text,
  "created_by_id" text COLLATE "C",
  "last_modified_by_id" text COLLATE "C",
  "created_time" timestamp with time zone,
  "last_modified_time" timestamp with time zone,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  PRIMARY KEY ("organization_id", "module_record_id")
) WITH (fillfactor = 90);
COMMENT ON TABLE "accounting"."custom_module_records" IS 'A record of a module that the organization made itself, with fields of its own.';
COMMENT ON COLUMN "accounting"."custom_module_records"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."custom_module_records"."module_record_id" IS 'Identifier of the record; unique within the organization.';
COMMENT ON COLUMN "accounting"."custom_module_records"."module_name" IS 'Name of the module as the configuration lists it.';
COMMENT ON COLUMN "accounting"."custom_module_records"."module_api_name" IS 'Name of the module for programs: cm_ and the name of the module.';
COMMENT ON COLUMN "accounting"."custom_module_records"."record_name" IS 'Name of the record, or its running number, by the module''s settings.';
COMMENT ON COLUMN "accounting"."custom_module_records"."created_by_id" IS 'Identifier of the user who made the record.';
COMMENT ON COLUMN "accounting"."custom_module_records"."last_modified_by_id" IS 'Identifier of the user who last changed the record.';
COMMENT ON COLUMN "accounting"."custom_module_records"."created_time" IS 'When the record was made.';
COMMENT ON COLUMN "accounting"."custom_module_records"."last_modified_time" IS 'When the record last changed.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';

CREATE TABLE "accounting"."custom_module_records_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "field" text COLLATE "C",
  "value" jsonb,
  "formatted" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."custom_module_records" ("organization_id", "module_record_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."custom_module_records_fields" IS 'The value of one field of a module''s record; which fields there are is the organization''s choice.';
COMMENT ON COLUMN "accounting"."custom_module_records_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."custom_module_records_fields"."_parent_id" IS 'Key of the record that the row belongs to, in custom_module_records.';
COMMENT ON COLUMN "accounting"."custom_module_records_fields"."_position" IS 'Place of the key among those of the record, sorted by name, from 0.';
COMMENT ON COLUMN "accounting"."custom_module_records_fields"."field" IS 'Key of the field, cf_ and a name; the same on every record of the module.';
COMMENT ON COLUMN "accounting"."custom_module_records_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "accounting"."custom_module_records_fields"."formatted" IS 'Value of the field as the organization''s settings show it, for display only.';
COMMENT ON COLUMN "accounting"."custom_module_records_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."contact_persons" (
  "organization_id" text COLLATE "C" NOT NULL,
  "contact_person_id" text COLLATE "C" NOT NULL,
  "contact_id" text COLLATE "C",
  "salutation" text,
  "first_name" text,
  "last_name" text,
  "email" text,
  "phone" text COLLATE "C",
  "mobile" text COLLATE "C",
  "skype" text,
  "designation" text,
  "department" text,
  "is_primary_contact" boolean,
  "is_added_in_portal" boolean,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  "fax" text COLLATE "C",
  "is_sms_enabled_for_cp" boolean,
  "mobile_country_code" text,
  "photo_url" text,
  "can_invite" boolean,
  "is_portal_invitation_accepted" boolean,
  "is_portal_mfa_enabled" boolean,
  "portal_enabled_via" text,
  "zcrm_contact_id" text COLLATE "C",
  PRIMARY KEY ("organization_id", "contact_person_id")
) WITH (fillfactor = 90);
COMMENT ON TABLE "accounting"."contact_persons" IS 'A person to talk to at a customer or a vendor of the organization.';
COMMENT ON COLUMN "accounting"."contact_persons"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."contact_persons"."contact_person_id" IS 'Identifier of the person; unique within the organization.';
COMMENT ON COLUMN "accounting"."contact_persons"."contact_id" IS 'Identifier of the customer or vendor whom the person speaks for.';
COMMENT ON COLUMN "accounting"."contact_persons"."salutation" IS 'How the person is addressed, such as Ms or Dr.';
COMMENT ON COLUMN "accounting"."contact_persons"."first_name" IS 'First name of the person.';
COMMENT ON COLUMN "accounting"."contact_persons"."last_name" IS 'Family name of the person.';
COMMENT ON COLUMN "accounting"."contact_persons"."email" IS 'Address that documents for the person are sent to.';
COMMENT ON COLUMN "accounting"."contact_persons"."phone" IS 'Landline number as it was entered, leading zeros kept.';
COMMENT ON COLUMN "accounting"."contact_persons"."mobile" IS 'Mobile number as it was entered, leading zeros kept.';
COMMENT ON COLUMN "accounting"."contact_persons"."skype" IS 'Name of the person in Skype.';
COMMENT ON COLUMN "accounting"."contact_persons"."designation" IS 'Position that the person has at the customer or vendor.';
COMMENT ON COLUMN "accounting"."contact_persons"."department" IS 'Department that the person works in.';
COMMENT ON COLUMN "accounting"."contact_persons"."is_primary_contact" IS 'Whether the person is the one to talk to first.';
COMMENT ON COLUMN "accounting"."contact_persons"."is_added_in_portal" IS 'Whether the person can see the contact''s documents in the portal.';
COMMENT ON COLUMN "accounting"."contact_persons"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "accounting"."contact_persons"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."contact_persons"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."contact_persons"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."contact_persons"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."contact_persons"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."contact_persons"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "accounting"."contact_persons"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "accounting"."contact_persons"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "accounting"."contact_persons"."fax" IS 'Fax number as it was entered, leading zeros kept.';
COMMENT ON COLUMN "accounting"."contact_persons"."is_sms_enabled_for_cp" IS 'Whether text messages to the person are allowed.';
COMMENT ON COLUMN "accounting"."contact_persons"."mobile_country_code" IS 'Country of the mobile number.';
COMMENT ON COLUMN "accounting"."contact_persons"."photo_url" IS 'Address of a picture of the person, often a generated one.';
COMMENT ON COLUMN "accounting"."contact_persons"."can_invite" IS 'Whether the person can be invited to the portal.';
COMMENT ON COLUMN "accounting"."contact_persons"."is_portal_invitation_accepted" IS 'Whether the person accepted the invitation to the portal.';
COMMENT ON COLUMN "accounting"."contact_persons"."is_portal_mfa_enabled" IS 'Whether the person enters the portal with a second factor.';
COMMENT ON COLUMN "accounting"."contact_persons"."portal_enabled_via" IS 'What opened the portal to the person.';
COMMENT ON COLUMN "accounting"."contact_persons"."zcrm_contact_id" IS 'Identifier of the person in the CRM.';

CREATE TABLE "accounting"."contact_persons_communication_preference" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "is_email_enabled" boolean,
  "is_sms_enabled" boolean,
  "is_whatsapp_enabled" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."contact_persons" ("organization_id", "contact_person_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."contact_persons_communication_preference" IS 'How a person may be written to.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."_parent_id" IS 'Key of the record that the row belongs to, in contact_persons.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."is_email_enabled" IS 'Whether e-mail is allowed.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."is_sms_enabled" IS 'Whether text messages are allowed.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."is_whatsapp_enabled" IS 'Whether messages by WhatsApp are allowed.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."contact_persons_contactperson_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "customfield_id" text COLLATE "C",
  "index" bigint,
  "label" text,
  "api_name" text COLLATE "C",
  "data_type" text,
  "value" jsonb,
  "search_entity" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."contact_persons" ("organization_id", "contact_person_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."contact_persons_contactperson_custom_fields" IS 'A field that the organization added to its contact persons, with its value on one person.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in contact_persons.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."customfield_id" IS 'Identifier of the field; the same on every person.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."api_name" IS 'Name of the field for programs: cf_ and a name.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."data_type" IS 'Type of the field''s values.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."search_entity" IS 'Kind of the record that a field for lookups points at.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."expenses" (
  "organization_id" text COLLATE "C" NOT NULL,
  "expense_id" text COLLATE "C" NOT NULL,
  "expense_item_id" text COLLATE "C",
  "transaction_id" text COLLATE "C",
  "transaction_type" text,
  "expense_type" text,
  "status" text,
  "date" date,
  "account_id" text COLLATE "C",
  "account_name" text,
  "paid_through_account_id" text COLLATE "C",
  "paid_through_account_name" text,
  "vendor_id" text COLLATE "C",
  "customer_id" text COLLATE "C",
  "customer_name" text,
  "project_id" text COLLATE "C",
  "project_name" text,
  "employee_id" text COLLATE "C",
  "reference_number" text COLLATE "C",
  "description" text,
  "currency_id" text COLLATE "C",
  "currency_code" text COLLATE "C",
  "exchange_rate" numeric,
  "amount" numeric,
  "sub_total" numeric,
  "total" numeric,
  "bcy_total" numeric,
  "is_billable" boolean,
  "is_personal" boolean,
  "is_itemized_expense" boolean,
  "invoice_id" text COLLATE "C",
  "invoice_number" text COLLATE "C",
  "trip_id" text COLLATE "C",
  "trip_number" text COLLATE "C",
  "location_id" text COLLATE "C",
  "location_name" text,
  "expense_receipt_name" text,
  "expense_receipt_type" text,
  "custom_fields" jsonb,
  "last_modified_time" timestamp with time zone,
  "is_inclusive_tax" boolean,
  "tax_id" text COLLATE "C",
  "tax_name" text,
  "tax_percentage" numeric,
  "tax_amount" numeric,
  "gst_treatment" text,
  "gst_no" text COLLATE "C",
  "is_pre_gst" boolean,
  "hsn_or_sac" text COLLATE "C",
  "tax_treatment" text,
  "vat_treatment" text,
  "vat_reg_no" text COLLATE "C",
  "product_type" text,
  "place_of_supply" text COLLATE "C",
  "source_of_supply" text COLLATE "C",
  "destination_of_supply" text COLLATE "C",
  "destination_of_supply_state" text,
  "acquisition_vat_id" text COLLATE "C",
  "acquisition_vat_total" numeric,
  "acquisition_vat_summary" jsonb,
  "reverse_charge_vat_id" text COLLATE "C",
  "reverse_charge_vat_total" numeric,
  "reverse_charge_vat_summary" jsonb,
  "reverse_charge_tax_id" text COLLATE "C",
  "reverse_charge_tax_name" text,
  "reverse_charge_tax_percentage" numeric,
  "reverse_charge_tax_amount" numeric,
  "mileage_type" text,
  "start_reading" numeric,
  "end_reading" numeric,
  "distance" numeric,
  "mileage_unit" text,
  "mileage_rate" numeric,
  "vehicle_type" text,
  "fuel_type" text,
  "engine_capacity_range" text,
  "can_reclaim_vat_on_mileage" boolean,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  "user_id" text COLLATE "C",
  "user_name" text,
  "user_email" text,
  "employee_name" text,
  "employee_email" text,
  "created_by_id" text COLLATE "C",
  "last_modified_by_id" text COLLATE "C",
  "approver_id" text COLLATE "C",
  "approver_name" text,
  "approver_email" text,
  "created_time" timestamp with time zone,
  "vendor_name" text,
  "total_without_tax" numeric,
  "bcy_total_without_tax" numeric,
  "report_id" text COLLATE "C",
  "report_number" text COLLATE "C",
  "report_name" text,
  "report_status" text,
  "is_reimbursable" boolean,
  "payment_mode" text,
  "merchant_id" text COLLATE "C",
  "merchant_name" text,
  "has_attachment" boolean,
  "custom_fields_list" text,
  "location" text,
  "markup_percent" numeric,
  "vehicle_id" text COLLATE "C",
  "vehicle_name" text,
  "is_surcharge_applicable" boolean,
  "fcy_surcharge_amount" numeric,
  "bcy_surcharge_amount" numeric,
  "zcrm_potential_id" text COLLATE "C",
  "zcrm_potential_name" text,
  "imported_transactions" jsonb,
  "_detail_state" text NOT NULL DEFAULT 'none_needed' CHECK ("_detail_state" IN ('none_needed', 'pending', 'current', 'stale', 'failed')),
  "_detail_hash" bytea,
  "_detail_call_id" bigint,
  "_detail_raw_position" integer,
  "_detail_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "expense_id")
);
CREATE INDEX "expenses_details" ON "accounting"."expenses" ("organization_id", "last_modified_time" DESC)
  WHERE "_detail_state" IN ('pending', 'stale', 'failed');
COMMENT ON TABLE "accounting"."expenses" IS 'Money spent for the organization, such as a fare or a purchase without a bill.';
COMMENT ON COLUMN "accounting"."expenses"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."expenses"."expense_id" IS 'Identifier of the expense; unique within the organization.';
COMMENT ON COLUMN "accounting"."expenses"."expense_item_id" IS 'Identifier of the only line of an expense that is not split into lines.';
COMMENT ON COLUMN "accounting"."expenses"."transaction_id" IS 'Identifier of the booking that the expense is.';
COMMENT ON COLUMN "accounting"."expenses"."transaction_type" IS 'Kind of the booking, such as expense.';
COMMENT ON COLUMN "accounting"."expenses"."expense_type" IS 'Kind of the expense as upstream tells them apart; values are not documented.';
COMMENT ON COLUMN "accounting"."expenses"."status" IS 'Whether the expense was charged to a customer or paid back; unbilled is the only state documented, the others come from live services.';
COMMENT ON COLUMN "accounting"."expenses"."date" IS 'Day on which the money was spent.';
COMMENT ON COLUMN "accounting"."expenses"."account_id" IS 'Identifier of the account that the expense is booked on.';
COMMENT ON COLUMN "accounting"."expenses"."account_name" IS 'Name of the account that the expense is booked on.';
COMMENT ON COLUMN "accounting"."expenses"."paid_through_account_id" IS 'Identifier of the account that the money left.';
COMMENT ON COLUMN "accounting"."expenses"."paid_through_account_name" IS 'Name of the account that the money left.';
COMMENT ON COLUMN "accounting"."expenses"."vendor_id" IS 'Identifier of the vendor whom the money went to.';
COMMENT ON COLUMN "accounting"."expenses"."customer_id" IS 'Identifier of the customer whom the expense was made for.';
COMMENT ON COLUMN "accounting"."expenses"."customer_name" IS 'Name of the customer whom the expense was made for.';
COMMENT ON COLUMN "accounting"."expenses"."project_id" IS 'Identifier of the project that the expense was made for.';
COMMENT ON COLUMN "accounting"."expenses"."project_name" IS 'Name of the project that the expense was made for.';
COMMENT ON COLUMN "accounting"."expenses"."employee_id" IS 'Identifier of the employee who spent the money.';
COMMENT ON COLUMN "accounting"."expenses"."reference_number" IS 'Number that the expense is filed under, such as that of a receipt.';
COMMENT ON COLUMN "accounting"."expenses"."description" IS 'Free note on the expense.';
COMMENT ON COLUMN "accounting"."expenses"."currency_id" IS 'Identifier of the currency of the expense.';
COMMENT ON COLUMN "accounting"."expenses"."currency_code" IS 'ISO code of the currency of the expense.';
COMMENT ON COLUMN "accounting"."expenses"."exchange_rate" IS 'Price of one unit of the expense''s currency in the base currency.';
COMMENT ON COLUMN "accounting"."expenses"."amount" IS 'Amount as it was entered, in the expense''s currency; is_inclusive_tax says whether with tax.';
COMMENT ON COLUMN "accounting"."expenses"."sub_total" IS 'Amount before tax, in the expense''s currency.';
COMMENT ON COLUMN "accounting"."expenses"."total" IS 'Amount with tax, in the expense''s currency.';
COMMENT ON COLUMN "accounting"."expenses"."bcy_total" IS 'Amount with tax, in the base currency.';
COMMENT ON COLUMN "accounting"."expenses"."is_billable" IS 'Whether the expense is to be charged to the customer.';
COMMENT ON COLUMN "accounting"."expenses"."is_personal" IS 'Whether the employee spent the money on personal things.';
COMMENT ON COLUMN "accounting"."expenses"."is_itemized_expense" IS 'Whether the expense is split into several lines.';
COMMENT ON COLUMN "accounting"."expenses"."invoice_id" IS 'Identifier of the invoice that charged the expense to the customer.';
COMMENT ON COLUMN "accounting"."expenses"."invoice_number" IS 'Number of the invoice that charged the expense to the customer.';
COMMENT ON COLUMN "accounting"."expenses"."trip_id" IS 'Identifier of the trip that the expense was made on.';
COMMENT ON COLUMN "accounting"."expenses"."trip_number" IS 'Number of the trip that the expense was made on.';
COMMENT ON COLUMN "accounting"."expenses"."location_id" IS 'Identifier of the location of the organization that the expense is booked for.';
COMMENT ON COLUMN "accounting"."expenses"."location_name" IS 'Name of the location that the expense is booked for.';
COMMENT ON COLUMN "accounting"."expenses"."expense_receipt_name" IS 'File name of the receipt that is attached.';
COMMENT ON COLUMN "accounting"."expenses"."expense_receipt_type" IS 'File type of the receipt that is attached, such as pdf.';
COMMENT ON COLUMN "accounting"."expenses"."custom_fields" IS 'Fields that the organization added to its expenses, kept as JSON because the documents name the key but not its shape.';
COMMENT ON COLUMN "accounting"."expenses"."last_modified_time" IS 'When the expense last changed.';
COMMENT ON COLUMN "accounting"."expenses"."is_inclusive_tax" IS 'Whether the amount was entered with tax in it.';
COMMENT ON COLUMN "accounting"."expenses"."tax_id" IS 'Identifier of the tax on the expense.';
COMMENT ON COLUMN "accounting"."expenses"."tax_name" IS 'Name of the tax on the expense.';
COMMENT ON COLUMN "accounting"."expenses"."tax_percentage" IS 'Rate of the tax on the expense, in percent.';
COMMENT ON COLUMN "accounting"."expenses"."tax_amount" IS 'Tax in the expense, in its currency.';
COMMENT ON COLUMN "accounting"."expenses"."gst_treatment" IS 'How the vendor stands to Indian GST: business_gst, business_none, overseas or consumer.';
COMMENT ON COLUMN "accounting"."expenses"."gst_no" IS 'Indian GST number of the vendor.';
COMMENT ON COLUMN "accounting"."expenses"."is_pre_gst" IS 'Whether the expense dates from before Indian GST.';
COMMENT ON COLUMN "accounting"."expenses"."hsn_or_sac" IS 'Code of the goods or services for Indian GST.';
COMMENT ON COLUMN "accounting"."expenses"."tax_treatment" IS 'How the vendor stands to VAT in the Gulf states, in Kenya or in South Africa.';
COMMENT ON COLUMN "accounting"."expenses"."vat_treatment" IS 'How the vendor stands to UK VAT, such as uk or overseas.';
COMMENT ON COLUMN "accounting"."expenses"."vat_reg_no" IS 'VAT number of the vendor.';
COMMENT ON COLUMN "accounting"."expenses"."product_type" IS 'What was bought: goods or service, and kinds of them that editions add.';
COMMENT ON COLUMN "accounting"."expenses"."place_of_supply" IS 'Code of the place of supply for VAT, such as AE or DU.';
COMMENT ON COLUMN "accounting"."expenses"."source_of_supply" IS 'Code of the place that was supplied from, for GST or VAT.';
COMMENT ON COLUMN "accounting"."expenses"."destination_of_supply" IS 'Code of the place that was supplied to, for GST or VAT.';
COMMENT ON COLUMN "accounting"."expenses"."destination_of_supply_state" IS 'State that was supplied to, for Indian GST.';
COMMENT ON COLUMN "accounting"."expenses"."acquisition_vat_id" IS 'Identifier of the VAT on what was acquired from the EU; UK edition only.';
COMMENT ON COLUMN "accounting"."expenses"."acquisition_vat_total" IS 'Sum of the VAT on acquisitions, in the expense''s currency.';
COMMENT ON COLUMN "accounting"."expenses"."acquisition_vat_summary" IS 'VAT on acquisitions by rate, kept as JSON because the documents name the key but not its shape.';
COMMENT ON COLUMN "accounting"."expenses"."reverse_charge_vat_id" IS 'Identifier of the VAT that the organization owes in place of the vendor.';
COMMENT ON COLUMN "accounting"."expenses"."reverse_charge_vat_total" IS 'Sum of the VAT owed in place of the vendor, in the expense''s currency.';
COMMENT ON COLUMN "accounting"."expenses"."reverse_charge_vat_summary" IS 'VAT owed in place of the vendor by rate, kept as JSON because the documents name the key but not its shape.';
COMMENT ON COLUMN "accounting"."expenses"."reverse_charge_tax_id" IS 'Identifier of the tax that the organization owes in place of the vendor.';
COMMENT ON COLUMN "accounting"."expenses"."reverse_charge_tax_name" IS 'Name of the tax that the organization owes in place of the vendor.';
COMMENT ON COLUMN "accounting"."expenses"."reverse_charge_tax_percentage" IS 'Rate of that tax, in percent.';
COMMENT ON COLUMN "accounting"."expenses"."reverse_charge_tax_amount" IS 'Amount of that tax, in the expense''s currency.';
COMMENT ON COLUMN "accounting"."expenses"."mileage_type" IS 'How the distance was taken: odometer, manual, or non_mileage for an expense that is none of a drive.';
COMMENT ON COLUMN "accounting"."expenses"."start_reading" IS 'Reading of the odometer before the drive, in the mileage unit.';
COMMENT ON COLUMN "accounting"."expenses"."end_reading" IS 'Reading of the odometer after the drive, in the mileage unit.';
COMMENT ON COLUMN "accounting"."expenses"."distance" IS 'Distance driven, in the mileage unit.';
COMMENT ON COLUMN "accounting"."expenses"."mileage_unit" IS 'Unit of distance and rate: km or mile.';
COMMENT ON COLUMN "accounting"."expenses"."mileage_rate" IS 'Amount paid for one unit of distance, in the expense''s currency.';
COMMENT ON COLUMN "accounting"."expenses"."vehicle_type" IS 'What was driven: car, van, motorcycle or bike.';
COMMENT ON COLUMN "accounting"."expenses"."fuel_type" IS 'What the vehicle ran on: petrol, lpg or diesel.';
COMMENT ON COLUMN "accounting"."expenses"."engine_capacity_range" IS 'Size class of the engine, which the VAT that can be reclaimed depends on; UK edition only.';
COMMENT ON COLUMN "accounting"."expenses"."can_reclaim_vat_on_mileage" IS 'Whether VAT on the fuel can be reclaimed; UK edition only.';
COMMENT ON COLUMN "accounting"."expenses"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "accounting"."expenses"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."expenses"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."expenses"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."expenses"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."expenses"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."expenses"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "accounting"."expenses"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "accounting"."expenses"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "accounting"."expenses"."user_id" IS 'Identifier of the user whose expense it is.';
COMMENT ON COLUMN "accounting"."expenses"."user_name" IS 'Name of the user whose expense it is.';
COMMENT ON COLUMN "accounting"."expenses"."user_email" IS 'E-mail address of the user whose expense it is.';
COMMENT ON COLUMN "accounting"."expenses"."employee_name" IS 'Name of the employee who spent the money.';
COMMENT ON COLUMN "accounting"."expenses"."employee_email" IS 'E-mail address of the employee who spent the money.';
COMMENT ON COLUMN "accounting"."expenses"."created_by_id" IS 'Identifier of the user who entered the expense.';
COMMENT ON COLUMN "accounting"."expenses"."last_modified_by_id" IS 'Identifier of the user who last changed the expense.';
COMMENT ON COLUMN "accounting"."expenses"."approver_id" IS 'Identifier of the user who has to approve the expense.';
COMMENT ON COLUMN "accounting"."expenses"."approver_name" IS 'Name of the user who has to approve the expense.';
COMMENT ON COLUMN "accounting"."expenses"."approver_email" IS 'E-mail address of the user who has to approve the expense.';
COMMENT ON COLUMN "accounting"."expenses"."created_time" IS 'When the expense was entered.';
COMMENT ON COLUMN "accounting"."expenses"."vendor_name" IS 'Name of the vendor whom the money went to.';
COMMENT ON COLUMN "accounting"."expenses"."total_without_tax" IS 'Amount before tax, in the expense''s currency; the list alone has it.';
COMMENT ON COLUMN "accounting"."expenses"."bcy_total_without_tax" IS 'Amount before tax, in the base currency; the list alone has it.';
COMMENT ON COLUMN "accounting"."expenses"."report_id" IS 'Identifier of the expense report that the expense was handed in with.';
COMMENT ON COLUMN "accounting"."expenses"."report_number" IS 'Number of the expense report that the expense was handed in with.';
COMMENT ON COLUMN "accounting"."expenses"."report_name" IS 'Title of the expense report, in the words of its author.';
COMMENT ON COLUMN "accounting"."expenses"."report_status" IS 'How far the expense report got.';
COMMENT ON COLUMN "accounting"."expenses"."is_reimbursable" IS 'Whether the employee gets the money back.';
COMMENT ON COLUMN "accounting"."expenses"."payment_mode" IS 'How it was paid, such as Cash; organizations add their own.';
COMMENT ON COLUMN "accounting"."expenses"."merchant_id" IS 'Identifier of the shop, where a card feed or a scan showed it; not the vendor.';
COMMENT ON COLUMN "accounting"."expenses"."merchant_name" IS 'Name of the shop, where a card feed or a scan showed it; not the vendor.';
COMMENT ON COLUMN "accounting"."expenses"."has_attachment" IS 'Whether a receipt is attached; the list alone has it.';
COMMENT ON COLUMN "accounting"."expenses"."custom_fields_list" IS 'Fields of the organization that it shows in the list, in one text; empty mostly.';
COMMENT ON COLUMN "accounting"."expenses"."location" IS 'Place where the money was spent, as the user wrote it; not the location of the organization.';
COMMENT ON COLUMN "accounting"."expenses"."markup_percent" IS 'Rate put on top when the expense is charged to the customer, in percent.';
COMMENT ON COLUMN "accounting"."expenses"."vehicle_id" IS 'Identifier of the vehicle of a mileage expense.';
COMMENT ON COLUMN "accounting"."expenses"."vehicle_name" IS 'Name that a user gave the vehicle.';
COMMENT ON COLUMN "accounting"."expenses"."is_surcharge_applicable" IS 'Whether a surcharge for paying by card came on top.';
COMMENT ON COLUMN "accounting"."expenses"."fcy_surcharge_amount" IS 'Surcharge for paying by card, in the expense''s currency.';
COMMENT ON COLUMN "accounting"."expenses"."bcy_surcharge_amount" IS 'Surcharge for paying by card, in the base currency.';
COMMENT ON COLUMN "accounting"."expenses"."zcrm_potential_id" IS 'Identifier of the deal in the CRM that the expense was made for.';
COMMENT ON COLUMN "accounting"."expenses"."zcrm_potential_name" IS 'Name of the deal in the CRM, often that of the customer.';
COMMENT ON COLUMN "accounting"."expenses"."imported_transactions" IS 'Bank lines matched with the expense, kept as JSON because no source shows their shape.';
COMMENT ON COLUMN "accounting"."expenses"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "accounting"."expenses"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "accounting"."expenses"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."expenses"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."expenses"."_detail_at" IS 'When the single record was last loaded or tried.';

CREATE TABLE "accounting"."expenses_line_items" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "line_item_id" text COLLATE "C",
  "item_order" bigint,
  "account_id" text COLLATE "C",
  "description" text,
  "amount" numeric,
  "product_type" text,
  "tax_id" text COLLATE "C",
  "acquisition_vat_id" text COLLATE "C",
  "reverse_charge_vat_id" text COLLATE "C",
  "reverse_charge_tax_id" text COLLATE "C",
  "tax_exemption_id" text COLLATE "C",
  "tax_exemption_code" text COLLATE "C",
  "location_id" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."expenses" ("organization_id", "expense_id") ON DELETE CASCADE,
  "account_name" text,
  "item_total" numeric,
  "tax_amount" numeric,
  "tax_name" text,
  "tax_type" text,
  "tax_percentage" numeric,
  "hsn_or_sac" text COLLATE "C",
  "reverse_charge_tax_name" text,
  "reverse_charge_tax_percentage" numeric,
  "reverse_charge_tax_amount" numeric
);
COMMENT ON TABLE "accounting"."expenses_line_items" IS 'One line of an expense: what was bought and which account it is booked on.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."_parent_id" IS 'Key of the record that the row belongs to, in expenses.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."line_item_id" IS 'Identifier of the line.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."item_order" IS 'Place of the line on the expense, as the user sorted it.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."account_id" IS 'Identifier of the account that the line is booked on.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."description" IS 'Text of the line.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."amount" IS 'Amount of the line, in the expense''s currency.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."product_type" IS 'What was bought: goods or service, and kinds of them that editions add.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."tax_id" IS 'Identifier of the tax on the line.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."acquisition_vat_id" IS 'Identifier of the VAT on what was acquired from the EU; UK edition only.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."reverse_charge_vat_id" IS 'Identifier of the VAT that the organization owes in place of the vendor.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."reverse_charge_tax_id" IS 'Identifier of the tax that the organization owes in place of the vendor.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."tax_exemption_id" IS 'Identifier of the reason why the line is not taxed.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."tax_exemption_code" IS 'Code of the reason why the line is not taxed.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."location_id" IS 'Identifier of the location of the organization that the line is booked for.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."account_name" IS 'Name of the account that the line is booked on.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."item_total" IS 'Amount of the line before tax, in the expense''s currency.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."tax_amount" IS 'Tax on the line, in the expense''s currency.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."tax_name" IS 'Name of the tax on the line.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."tax_type" IS 'Kind of the tax on the line.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."tax_percentage" IS 'Rate of the tax on the line, in percent.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."hsn_or_sac" IS 'Code of the goods or services of the line; in India and Kenya.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."reverse_charge_tax_name" IS 'Name of the tax that the organization owes in place of the vendor; in India.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."reverse_charge_tax_percentage" IS 'Rate of that tax, in percent; in India.';
COMMENT ON COLUMN "accounting"."expenses_line_items"."reverse_charge_tax_amount" IS 'Amount of that tax, in the expense''s currency; in India.';

CREATE TABLE "accounting"."expenses_line_items_tags" (
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
    REFERENCES "accounting"."expenses_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."expenses_line_items_tags" IS 'A reporting tag of a line of an expense: one dimension of the organization''s own reports, with the option chosen.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."_parent_id" IS 'Key of the record that the row belongs to, in expenses.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."_parent_position" IS 'Position of the element that the row belongs to, in expenses_line_items.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."tag_id" IS 'Identifier of the tag, such as the one for cost centers.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."is_tag_mandatory" IS 'Whether the organization demands an option of this tag.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."expenses_line_items_line_item_taxes" (
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
    REFERENCES "accounting"."expenses_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."expenses_line_items_line_item_taxes" IS 'One tax on one line of an expense.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."_parent_id" IS 'Key of the record that the row belongs to, in expenses.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."_parent_position" IS 'Position of the element that the row belongs to, in expenses_line_items.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."tax_id" IS 'Identifier of the tax.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."tax_name" IS 'Name of the tax.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."tax_amount" IS 'Tax on the line, in the expense''s currency.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."expenses_taxes" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_id" text COLLATE "C",
  "tax_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."expenses" ("organization_id", "expense_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."expenses_taxes" IS 'The sum of one tax over all lines of an expense.';
COMMENT ON COLUMN "accounting"."expenses_taxes"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."expenses_taxes"."_parent_id" IS 'Key of the record that the row belongs to, in expenses.';
COMMENT ON COLUMN "accounting"."expenses_taxes"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."expenses_taxes"."tax_id" IS 'Identifier of the tax.';
COMMENT ON COLUMN "accounting"."expenses_taxes"."tax_amount" IS 'Sum of the tax, in the expense''s currency.';
COMMENT ON COLUMN "accounting"."expenses_taxes"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."expenses_tags" (
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
    REFERENCES "accounting"."expenses" ("organization_id", "expense_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."expenses_tags" IS 'A reporting tag of an expense: one dimension of the organization''s own reports, with the option chosen.';
COMMENT ON COLUMN "accounting"."expenses_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."expenses_tags"."_parent_id" IS 'Key of the record that the row belongs to, in expenses.';
COMMENT ON COLUMN "accounting"."expenses_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."expenses_tags"."tag_id" IS 'Identifier of the tag, such as the one for cost centers.';
COMMENT ON COLUMN "accounting"."expenses_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "accounting"."expenses_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "accounting"."expenses_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "accounting"."expenses_tags"."is_tag_mandatory" IS 'Whether the organization demands an option of this tag.';
COMMENT ON COLUMN "accounting"."expenses_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."expenses_documents" (
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
    REFERENCES "accounting"."expenses" ("organization_id", "expense_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."expenses_documents" IS 'A file that is attached to an expense, such as the picture of a receipt.';
COMMENT ON COLUMN "accounting"."expenses_documents"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."expenses_documents"."_parent_id" IS 'Key of the record that the row belongs to, in expenses.';
COMMENT ON COLUMN "accounting"."expenses_documents"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."expenses_documents"."document_id" IS 'Identifier of the file.';
COMMENT ON COLUMN "accounting"."expenses_documents"."file_name" IS 'Name of the file as it was uploaded.';
COMMENT ON COLUMN "accounting"."expenses_documents"."file_type" IS 'Kind of the file, such as pdf.';
COMMENT ON COLUMN "accounting"."expenses_documents"."file_size" IS 'Size of the file, in bytes.';
COMMENT ON COLUMN "accounting"."expenses_documents"."attachment_order" IS 'Place of the file among those of the expense.';
COMMENT ON COLUMN "accounting"."expenses_documents"."source" IS 'How the file came to the service.';
COMMENT ON COLUMN "accounting"."expenses_documents"."uploaded_by" IS 'Name of the user who uploaded the file.';
COMMENT ON COLUMN "accounting"."expenses_documents"."uploaded_by_id" IS 'Identifier of the user who uploaded the file.';
COMMENT ON COLUMN "accounting"."expenses_documents"."uploaded_on" IS 'When the file was uploaded, as the organization''s settings write it; for display only.';
COMMENT ON COLUMN "accounting"."expenses_documents"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."organizations" (
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
COMMENT ON TABLE "accounting"."organizations" IS 'A business that the credentials can act for, with its currency, time zone and language.';
COMMENT ON COLUMN "accounting"."organizations"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."organizations"."id" IS 'Identifier of the organization that the row describes; the organization that asked is in organization_id.';
COMMENT ON COLUMN "accounting"."organizations"."name" IS 'Name of the organization as it stands on documents.';
COMMENT ON COLUMN "accounting"."organizations"."contact_name" IS 'Name of the person who speaks for the organization.';
COMMENT ON COLUMN "accounting"."organizations"."email" IS 'Address of the person who speaks for the organization.';
COMMENT ON COLUMN "accounting"."organizations"."is_default_org" IS 'Whether it is the organization that the user''s web client opens with.';
COMMENT ON COLUMN "accounting"."organizations"."is_org_active" IS 'Whether the organization can still be worked with.';
COMMENT ON COLUMN "accounting"."organizations"."language_code" IS 'Language of the organization, such as en; texts of answers are in it.';
COMMENT ON COLUMN "accounting"."organizations"."fiscal_year_start_month" IS 'Month in which its fiscal year begins; not documented how it is counted, live services count from 0, so that 3 is April.';
COMMENT ON COLUMN "accounting"."organizations"."account_created_date" IS 'Day on which the organization was set up in the service.';
COMMENT ON COLUMN "accounting"."organizations"."time_zone" IS 'Time zone of the organization by its name; times without an offset are read in it.';
COMMENT ON COLUMN "accounting"."organizations"."currency_id" IS 'Identifier of the base currency: the one that the books are kept in.';
COMMENT ON COLUMN "accounting"."organizations"."currency_code" IS 'ISO code of the base currency.';
COMMENT ON COLUMN "accounting"."organizations"."currency_symbol" IS 'Symbol of the base currency, for display.';
COMMENT ON COLUMN "accounting"."organizations"."currency_format" IS 'How amounts in the base currency are written, such as 1,234,567.89.';
COMMENT ON COLUMN "accounting"."organizations"."price_precision" IS 'Decimals that prices in the base currency are shown with.';
COMMENT ON COLUMN "accounting"."organizations"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "accounting"."organizations"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."organizations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."organizations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."organizations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."organizations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."organizations"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "accounting"."organizations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "accounting"."organizations"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "accounting"."organizations"."org_alias_name" IS 'Second name of the organization.';
COMMENT ON COLUMN "accounting"."organizations"."country" IS 'Country of the organization by name.';
COMMENT ON COLUMN "accounting"."organizations"."country_code" IS 'Code of the country of the organization.';
COMMENT ON COLUMN "accounting"."organizations"."state" IS 'State or province of the organization.';
COMMENT ON COLUMN "accounting"."organizations"."state_code" IS 'Code of the state or province.';
COMMENT ON COLUMN "accounting"."organizations"."phone" IS 'Telephone number of the organization as it was entered.';
COMMENT ON COLUMN "accounting"."organizations"."version" IS 'Edition of the service, such as that of a country: it decides which columns can have values.';
COMMENT ON COLUMN "accounting"."organizations"."plan_name" IS 'Plan that the organization subscribed to; the daily number of calls follows from it.';
COMMENT ON COLUMN "accounting"."organizations"."plan_period" IS 'Period that the plan is paid for.';
COMMENT ON COLUMN "accounting"."organizations"."plan_type" IS 'Number of the kind of plan; its meaning is not known.';
COMMENT ON COLUMN "accounting"."organizations"."is_trial_expired" IS 'Whether a trial ran out.';
COMMENT ON COLUMN "accounting"."organizations"."org_type" IS 'Kind of the organization''s account.';
COMMENT ON COLUMN "accounting"."organizations"."mode" IS 'Mode of the organization''s account.';
COMMENT ON COLUMN "accounting"."organizations"."source" IS 'Number of the application that the organization was made in.';
COMMENT ON COLUMN "accounting"."organizations"."user_status" IS 'Number of the standing of the user whose credentials are used.';
COMMENT ON COLUMN "accounting"."organizations"."org_active" IS 'Second key of is_org_active, with the same value.';
COMMENT ON COLUMN "accounting"."organizations"."is_multientity_org" IS 'Whether it is one of several entities under one roof.';
COMMENT ON COLUMN "accounting"."organizations"."is_multientity_enabled" IS 'Whether several entities can be kept under one roof.';
COMMENT ON COLUMN "accounting"."organizations"."is_sku_enabled" IS 'Whether items have stock keeping units (SKU).';
COMMENT ON COLUMN "accounting"."organizations"."field_separator" IS 'What stands between the fields of exported files, for display.';
COMMENT ON COLUMN "accounting"."organizations"."is_tax_registered" IS 'Whether the organization is registered for VAT, GST or sales tax.';
COMMENT ON COLUMN "accounting"."organizations"."sales_tax_type" IS 'How sales tax is set up.';
COMMENT ON COLUMN "accounting"."organizations"."tax_group_enabled" IS 'Whether several taxes can be put together in a group.';
COMMENT ON COLUMN "accounting"."organizations"."is_sales_inclusive_tax_enabled" IS 'Whether sales prices can be entered with tax in them.';
COMMENT ON COLUMN "accounting"."organizations"."is_registered_for_gst" IS 'Whether the organization is registered for GST; in India.';
COMMENT ON COLUMN "accounting"."organizations"."is_gst_india_version" IS 'Whether it is the edition for GST; in India.';
COMMENT ON COLUMN "accounting"."organizations"."is_registered_for_composite_scheme" IS 'Whether the organization pays GST by the scheme for small businesses; in India.';
COMMENT ON COLUMN "accounting"."organizations"."is_hsn_or_sac_enabled" IS 'Whether items have codes of goods and services for GST; in India.';
COMMENT ON COLUMN "accounting"."organizations"."is_sales_reverse_charge_enabled" IS 'Whether customers can owe the tax on sales; in India.';
COMMENT ON COLUMN "accounting"."organizations"."is_export_with_payment_enabled" IS 'Whether exports can be made with payment of GST; in India.';
COMMENT ON COLUMN "accounting"."organizations"."is_international_trade_enabled" IS 'Whether the organization trades abroad.';
COMMENT ON COLUMN "accounting"."organizations"."is_designated_zone" IS 'Whether it is in a zone with VAT rules of its own; in the Gulf states.';
COMMENT ON COLUMN "accounting"."organizations"."is_free_zone" IS 'Whether it is in a free zone with VAT rules of its own; in the Gulf states.';

CREATE TABLE "accounting"."organizations_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "index" bigint,
  "label" text,
  "value" jsonb,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."organizations_custom_fields" IS 'A field of the organization itself, with its value.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."organizations_org_joined_app_list" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "application" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."organizations_org_joined_app_list" IS 'An application of the suite that the organization uses.';
COMMENT ON COLUMN "accounting"."organizations_org_joined_app_list"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."organizations_org_joined_app_list"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "accounting"."organizations_org_joined_app_list"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."organizations_org_joined_app_list"."application" IS 'Name of the application.';
COMMENT ON COLUMN "accounting"."organizations_org_joined_app_list"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
