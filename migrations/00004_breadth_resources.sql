-- +goose Up

-- The rest of what the three documents let one read. First the tables that exist: lists of these resources may carry headers
-- only, so each row now says whether its arrays were loaded. Rows from before that have none are pending: their single records
-- are read as the allowance permits.

ALTER TABLE "accounting"."vendor_payments"
  ADD COLUMN "_detail_state" text NOT NULL DEFAULT 'none_needed' CHECK ("_detail_state" IN ('none_needed', 'pending', 'current', 'stale', 'failed')),
  ADD COLUMN "_detail_hash" bytea,
  ADD COLUMN "_detail_call_id" bigint,
  ADD COLUMN "_detail_raw_position" integer,
  ADD COLUMN "_detail_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."vendor_payments"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "accounting"."vendor_payments"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."vendor_payments"."_detail_at" IS 'When the single record was last loaded or tried.';
CREATE INDEX "vendor_payments_details" ON "accounting"."vendor_payments" ("organization_id", "last_modified_time" DESC)
  WHERE "_detail_state" IN ('pending', 'stale', 'failed');
UPDATE "accounting"."vendor_payments" AS record SET "_detail_state" = 'pending'
  WHERE NOT EXISTS (
    SELECT FROM "accounting"."vendor_payments_bills" AS part
    WHERE part."organization_id" = record."organization_id" AND part."_parent_id" = record."payment_id"
  );

ALTER TABLE "inventory"."items"
  ADD COLUMN "_detail_state" text NOT NULL DEFAULT 'none_needed' CHECK ("_detail_state" IN ('none_needed', 'pending', 'current', 'stale', 'failed')),
  ADD COLUMN "_detail_hash" bytea,
  ADD COLUMN "_detail_call_id" bigint,
  ADD COLUMN "_detail_raw_position" integer,
  ADD COLUMN "_detail_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."items"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "inventory"."items"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "inventory"."items"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."items"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."items"."_detail_at" IS 'When the single record was last loaded or tried.';
CREATE INDEX "items_details" ON "inventory"."items" ("organization_id", "last_modified_time" DESC)
  WHERE "_detail_state" IN ('pending', 'stale', 'failed');
UPDATE "inventory"."items" AS record SET "_detail_state" = 'pending'
  WHERE NOT EXISTS (
    SELECT FROM "inventory"."items_locations" AS part
    WHERE part."organization_id" = record."organization_id" AND part."_parent_id" = record."item_id"
  );

ALTER TABLE "inventory"."bills"
  ADD COLUMN "_detail_state" text NOT NULL DEFAULT 'none_needed' CHECK ("_detail_state" IN ('none_needed', 'pending', 'current', 'stale', 'failed')),
  ADD COLUMN "_detail_hash" bytea,
  ADD COLUMN "_detail_call_id" bigint,
  ADD COLUMN "_detail_raw_position" integer,
  ADD COLUMN "_detail_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."bills"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "inventory"."bills"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "inventory"."bills"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."bills"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."bills"."_detail_at" IS 'When the single record was last loaded or tried.';
CREATE INDEX "bills_details" ON "inventory"."bills" ("organization_id", "last_modified_time" DESC)
  WHERE "_detail_state" IN ('pending', 'stale', 'failed');
UPDATE "inventory"."bills" AS record SET "_detail_state" = 'pending'
  WHERE NOT EXISTS (
    SELECT FROM "inventory"."bills_line_items" AS part
    WHERE part."organization_id" = record."organization_id" AND part."_parent_id" = record."bill_id"
  );

ALTER TABLE "inventory"."credit_notes"
  ADD COLUMN "_detail_state" text NOT NULL DEFAULT 'none_needed' CHECK ("_detail_state" IN ('none_needed', 'pending', 'current', 'stale', 'failed')),
  ADD COLUMN "_detail_hash" bytea,
  ADD COLUMN "_detail_call_id" bigint,
  ADD COLUMN "_detail_raw_position" integer,
  ADD COLUMN "_detail_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."credit_notes"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "inventory"."credit_notes"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "inventory"."credit_notes"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."credit_notes"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes"."_detail_at" IS 'When the single record was last loaded or tried.';
CREATE INDEX "credit_notes_details" ON "inventory"."credit_notes" ("organization_id", "updated_time" DESC)
  WHERE "_detail_state" IN ('pending', 'stale', 'failed');
UPDATE "inventory"."credit_notes" AS record SET "_detail_state" = 'pending'
  WHERE NOT EXISTS (
    SELECT FROM "inventory"."credit_notes_line_items" AS part
    WHERE part."organization_id" = record."organization_id" AND part."_parent_id" = record."creditnote_id"
  );

-- Then the new tables, as they are declared.

CREATE TABLE "accounting"."opening_balances" (
  "organization_id" text COLLATE "C" NOT NULL,
  "opening_balance_id" text COLLATE "C" NOT NULL,
  "date" date,
  "price_precision" bigint,
  "total" numeric,
  "_extra" jsonb,
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "opening_balance_id")
);
COMMENT ON TABLE "accounting"."opening_balances" IS 'What stood on the accounts when the organization began to keep its books here; at most one an organization.';
COMMENT ON COLUMN "accounting"."opening_balances"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."opening_balances"."opening_balance_id" IS 'Identifier of the opening balance; unique within the organization.';
COMMENT ON COLUMN "accounting"."opening_balances"."date" IS 'Day on which the balances stood.';
COMMENT ON COLUMN "accounting"."opening_balances"."price_precision" IS 'Decimals that the amounts are shown with.';
COMMENT ON COLUMN "accounting"."opening_balances"."total" IS 'Total of the opening balance as the service gives it, in the base currency.';
COMMENT ON COLUMN "accounting"."opening_balances"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "accounting"."opening_balances"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."opening_balances"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."opening_balances"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."opening_balances"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."opening_balances"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."opening_balances"."_changed_at" IS 'When the row last changed here.';

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
  "_hash" bytea NOT NULL,
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
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_changed_at" IS 'When the row last changed here.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_detail_at" IS 'When the single record was last loaded or tried.';
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
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "module_record_id")
);
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
COMMENT ON COLUMN "accounting"."custom_module_records"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."custom_module_records"."_changed_at" IS 'When the row last changed here.';

CREATE TABLE "accounting"."custom_module_records_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "field" text COLLATE "C",
  "value" jsonb,
  "formatted" text,
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
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "contact_person_id")
);
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
COMMENT ON COLUMN "accounting"."contact_persons"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."contact_persons"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."contact_persons"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."contact_persons"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."contact_persons"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."contact_persons"."_changed_at" IS 'When the row last changed here.';

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
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "expense_id")
);
COMMENT ON TABLE "accounting"."expenses" IS 'Money spent for the organization, such as a fare or a purchase without a bill.';
COMMENT ON COLUMN "accounting"."expenses"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."expenses"."expense_id" IS 'Identifier of the expense; unique within the organization.';
COMMENT ON COLUMN "accounting"."expenses"."expense_item_id" IS 'Identifier of the only line of an expense that is not split into lines.';
COMMENT ON COLUMN "accounting"."expenses"."transaction_id" IS 'Identifier of the booking that the expense is.';
COMMENT ON COLUMN "accounting"."expenses"."transaction_type" IS 'Kind of the booking, such as expense.';
COMMENT ON COLUMN "accounting"."expenses"."expense_type" IS 'Kind of the expense as upstream tells them apart; values are not documented.';
COMMENT ON COLUMN "accounting"."expenses"."status" IS 'Whether the expense was charged to a customer; unbilled is the only state documented.';
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
COMMENT ON COLUMN "accounting"."expenses"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."expenses"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."expenses"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."expenses"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."expenses"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."expenses"."_changed_at" IS 'When the row last changed here.';

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
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."expenses" ("organization_id", "expense_id") ON DELETE CASCADE
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

CREATE TABLE "accounting"."expenses_taxes" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_id" text COLLATE "C",
  "tax_amount" numeric,
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
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "id")
);
COMMENT ON TABLE "accounting"."organizations" IS 'A business that the credentials can act for, with its currency, time zone and language.';
COMMENT ON COLUMN "accounting"."organizations"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."organizations"."id" IS 'Identifier of the organization that the row describes; the organization that asked is in organization_id.';
COMMENT ON COLUMN "accounting"."organizations"."name" IS 'Name of the organization as it stands on documents.';
COMMENT ON COLUMN "accounting"."organizations"."contact_name" IS 'Name of the person who speaks for the organization.';
COMMENT ON COLUMN "accounting"."organizations"."email" IS 'Address of the person who speaks for the organization.';
COMMENT ON COLUMN "accounting"."organizations"."is_default_org" IS 'Whether it is the organization that the user''s web client opens with.';
COMMENT ON COLUMN "accounting"."organizations"."is_org_active" IS 'Whether the organization can still be worked with.';
COMMENT ON COLUMN "accounting"."organizations"."language_code" IS 'Language of the organization, such as en; texts of answers are in it.';
COMMENT ON COLUMN "accounting"."organizations"."fiscal_year_start_month" IS 'Month in which its fiscal year begins, as upstream counts months; from 0 or from 1 is not documented.';
COMMENT ON COLUMN "accounting"."organizations"."account_created_date" IS 'Day on which the organization was set up in the service.';
COMMENT ON COLUMN "accounting"."organizations"."time_zone" IS 'Time zone of the organization by its name; times without an offset are read in it.';
COMMENT ON COLUMN "accounting"."organizations"."currency_id" IS 'Identifier of the base currency: the one that the books are kept in.';
COMMENT ON COLUMN "accounting"."organizations"."currency_code" IS 'ISO code of the base currency.';
COMMENT ON COLUMN "accounting"."organizations"."currency_symbol" IS 'Symbol of the base currency, for display.';
COMMENT ON COLUMN "accounting"."organizations"."currency_format" IS 'How amounts in the base currency are written, such as 1,234,567.89.';
COMMENT ON COLUMN "accounting"."organizations"."price_precision" IS 'Decimals that prices in the base currency are shown with.';
COMMENT ON COLUMN "accounting"."organizations"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "accounting"."organizations"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "accounting"."organizations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "accounting"."organizations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "accounting"."organizations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "accounting"."organizations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "accounting"."organizations"."_changed_at" IS 'When the row last changed here.';
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
  "_hash" bytea NOT NULL,
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
COMMENT ON COLUMN "inventory"."composite_items"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."composite_items"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."composite_items"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."composite_items"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."composite_items"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."composite_items"."_changed_at" IS 'When the row last changed here.';
COMMENT ON COLUMN "inventory"."composite_items"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "inventory"."composite_items"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "inventory"."composite_items"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."composite_items"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."composite_items"."_detail_at" IS 'When the single record was last loaded or tried.';
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

CREATE TABLE "inventory"."composite_items_item_tax_preferences" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_id" text COLLATE "C",
  "tax_specification" text,
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

CREATE TABLE "inventory"."composite_items_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "custom_field_id" text COLLATE "C",
  "index" bigint,
  "label" text,
  "value" jsonb,
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
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "location_id")
);
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
COMMENT ON COLUMN "inventory"."locations"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."locations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."locations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."locations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."locations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."locations"."_changed_at" IS 'When the row last changed here.';

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

CREATE TABLE "inventory"."locations_associated_series_ids" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "series_id" text COLLATE "C",
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."locations" ("organization_id", "location_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."locations_associated_series_ids" IS 'A numbering series that documents of a location can take their numbers from.';
COMMENT ON COLUMN "inventory"."locations_associated_series_ids"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."locations_associated_series_ids"."_parent_id" IS 'Key of the record that the row belongs to, in locations.';
COMMENT ON COLUMN "inventory"."locations_associated_series_ids"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."locations_associated_series_ids"."series_id" IS 'Identifier of the numbering series.';

CREATE TABLE "inventory"."locations_associated_users" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "user_id" text COLLATE "C",
  "user_name" text,
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
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "tax_id")
);
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
COMMENT ON COLUMN "inventory"."taxes"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."taxes"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."taxes"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."taxes"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."taxes"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."taxes"."_changed_at" IS 'When the row last changed here.';

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
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "id")
);
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
COMMENT ON COLUMN "inventory"."organizations"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "inventory"."organizations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "inventory"."organizations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "inventory"."organizations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "inventory"."organizations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "inventory"."organizations"."_changed_at" IS 'When the row last changed here.';
CREATE TABLE "chat"."channels" (
  "organization_id" text COLLATE "C" NOT NULL,
  "channel_id" text COLLATE "C" NOT NULL,
  "name" text,
  "unique_name" text,
  "description" text,
  "level" text,
  "status" text,
  "joined" boolean,
  "pinned" boolean,
  "participant_count" bigint,
  "total_message_count" bigint,
  "creator_id" text COLLATE "C",
  "creator_name" text,
  "chat_id" text COLLATE "C",
  "creation_time" timestamp with time zone,
  "last_modified_time" timestamp with time zone,
  "_extra" jsonb,
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "channel_id")
);
COMMENT ON TABLE "chat"."channels" IS 'A channel of the organization''s team chat: a named room for a group or for everybody.';
COMMENT ON COLUMN "chat"."channels"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "chat"."channels"."channel_id" IS 'Identifier of the channel, as the chat service gives it.';
COMMENT ON COLUMN "chat"."channels"."name" IS 'Name of the channel as its members see it.';
COMMENT ON COLUMN "chat"."channels"."unique_name" IS 'Name of the channel that does not change and that programs post by.';
COMMENT ON COLUMN "chat"."channels"."description" IS 'What the channel is for, in the words of its owner.';
COMMENT ON COLUMN "chat"."channels"."level" IS 'How far the channel reaches, such as organization, team or private.';
COMMENT ON COLUMN "chat"."channels"."status" IS 'Whether the channel is in use, such as created or archived.';
COMMENT ON COLUMN "chat"."channels"."joined" IS 'Whether the user whose credentials are used is a member of the channel.';
COMMENT ON COLUMN "chat"."channels"."pinned" IS 'Whether that user keeps the channel at the top of the list.';
COMMENT ON COLUMN "chat"."channels"."participant_count" IS 'Number of members at the time of the last read.';
COMMENT ON COLUMN "chat"."channels"."total_message_count" IS 'Number of messages ever written in it, at the time of the last read.';
COMMENT ON COLUMN "chat"."channels"."creator_id" IS 'Identifier of the user who made the channel.';
COMMENT ON COLUMN "chat"."channels"."creator_name" IS 'Name of the user who made the channel.';
COMMENT ON COLUMN "chat"."channels"."chat_id" IS 'Identifier of the channel''s conversation, the key of conversations.';
COMMENT ON COLUMN "chat"."channels"."creation_time" IS 'When the channel was made.';
COMMENT ON COLUMN "chat"."channels"."last_modified_time" IS 'When the channel last changed, such as by a new message.';
COMMENT ON COLUMN "chat"."channels"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "chat"."channels"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "chat"."channels"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "chat"."channels"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "chat"."channels"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "chat"."channels"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "chat"."channels"."_changed_at" IS 'When the row last changed here.';

CREATE TABLE "chat"."network_channels" (
  "organization_id" text COLLATE "C" NOT NULL,
  "network_channel_id" text COLLATE "C" NOT NULL,
  "network" text COLLATE "C",
  "channel_id" text COLLATE "C",
  "name" text,
  "unique_name" text,
  "description" text,
  "level" text,
  "status" text,
  "joined" boolean,
  "pinned" boolean,
  "participant_count" bigint,
  "total_message_count" bigint,
  "creator_id" text COLLATE "C",
  "creator_name" text,
  "chat_id" text COLLATE "C",
  "creation_time" timestamp with time zone,
  "last_modified_time" timestamp with time zone,
  "_extra" jsonb,
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "network_channel_id")
);
COMMENT ON TABLE "chat"."network_channels" IS 'A channel of a network: a chat space that the organization shares with partners.';
COMMENT ON COLUMN "chat"."network_channels"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "chat"."network_channels"."network_channel_id" IS 'Network and identifier of the channel with a slash between them.';
COMMENT ON COLUMN "chat"."network_channels"."network" IS 'Name or identifier of the network, as the configuration lists it.';
COMMENT ON COLUMN "chat"."network_channels"."channel_id" IS 'Identifier of the channel, as the chat service gives it.';
COMMENT ON COLUMN "chat"."network_channels"."name" IS 'Name of the channel as its members see it.';
COMMENT ON COLUMN "chat"."network_channels"."unique_name" IS 'Name of the channel that does not change and that programs post by.';
COMMENT ON COLUMN "chat"."network_channels"."description" IS 'What the channel is for, in the words of its owner.';
COMMENT ON COLUMN "chat"."network_channels"."level" IS 'How far the channel reaches, such as organization, team or private.';
COMMENT ON COLUMN "chat"."network_channels"."status" IS 'Whether the channel is in use, such as created or archived.';
COMMENT ON COLUMN "chat"."network_channels"."joined" IS 'Whether the user whose credentials are used is a member of the channel.';
COMMENT ON COLUMN "chat"."network_channels"."pinned" IS 'Whether that user keeps the channel at the top of the list.';
COMMENT ON COLUMN "chat"."network_channels"."participant_count" IS 'Number of members at the time of the last read.';
COMMENT ON COLUMN "chat"."network_channels"."total_message_count" IS 'Number of messages ever written in it, at the time of the last read.';
COMMENT ON COLUMN "chat"."network_channels"."creator_id" IS 'Identifier of the user who made the channel.';
COMMENT ON COLUMN "chat"."network_channels"."creator_name" IS 'Name of the user who made the channel.';
COMMENT ON COLUMN "chat"."network_channels"."chat_id" IS 'Identifier of the channel''s conversation, the key of conversations.';
COMMENT ON COLUMN "chat"."network_channels"."creation_time" IS 'When the channel was made.';
COMMENT ON COLUMN "chat"."network_channels"."last_modified_time" IS 'When the channel last changed, such as by a new message.';
COMMENT ON COLUMN "chat"."network_channels"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "chat"."network_channels"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "chat"."network_channels"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "chat"."network_channels"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "chat"."network_channels"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "chat"."network_channels"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "chat"."network_channels"."_changed_at" IS 'When the row last changed here.';

CREATE TABLE "chat"."network_conversations" (
  "organization_id" text COLLATE "C" NOT NULL,
  "network_chat_id" text COLLATE "C" NOT NULL,
  "network" text COLLATE "C",
  "chat_id" text COLLATE "C",
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
  PRIMARY KEY ("organization_id", "network_chat_id")
);
COMMENT ON TABLE "chat"."network_conversations" IS 'A conversation of a network, with its size and age but not its messages.';
COMMENT ON COLUMN "chat"."network_conversations"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "chat"."network_conversations"."network_chat_id" IS 'Network and identifier of the conversation with a slash between them.';
COMMENT ON COLUMN "chat"."network_conversations"."network" IS 'Name or identifier of the network, as the configuration lists it.';
COMMENT ON COLUMN "chat"."network_conversations"."chat_id" IS 'Identifier of the conversation; unique within its network.';
COMMENT ON COLUMN "chat"."network_conversations"."title" IS 'Title as its participants see it; free text, not unique, may hold line breaks.';
COMMENT ON COLUMN "chat"."network_conversations"."creation_time" IS 'When the conversation was opened.';
COMMENT ON COLUMN "chat"."network_conversations"."last_modified_time" IS 'When the conversation last changed, such as by a new message.';
COMMENT ON COLUMN "chat"."network_conversations"."participant_count" IS 'Number of participants at the time of the export.';
COMMENT ON COLUMN "chat"."network_conversations"."total_message_count" IS 'Number of messages ever written in it; falling figures point at deletions.';
COMMENT ON COLUMN "chat"."network_conversations"."creator_id" IS 'Identifier of the user who opened the conversation.';
COMMENT ON COLUMN "chat"."network_conversations"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "chat"."network_conversations"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "chat"."network_conversations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "chat"."network_conversations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "chat"."network_conversations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "chat"."network_conversations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "chat"."network_conversations"."_changed_at" IS 'When the row last changed here.';
CREATE SCHEMA IF NOT EXISTS "invoicing";
COMMENT ON SCHEMA "invoicing" IS 'Invoices to customers, their contact persons and currencies.';

CREATE TABLE "invoicing"."currencies" (
  "organization_id" text COLLATE "C" NOT NULL,
  "currency_id" text COLLATE "C" NOT NULL,
  "currency_code" text COLLATE "C",
  "currency_name" text,
  "currency_symbol" text,
  "price_precision" bigint,
  "currency_format" text,
  "is_base_currency" boolean,
  "exchange_rate" numeric,
  "effective_date" date,
  "_extra" jsonb,
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "currency_id")
);
COMMENT ON TABLE "invoicing"."currencies" IS 'A currency that the organization trades in, with its exchange rate in force.';
COMMENT ON COLUMN "invoicing"."currencies"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "invoicing"."currencies"."currency_id" IS 'Identifier of the currency; unique within the organization.';
COMMENT ON COLUMN "invoicing"."currencies"."currency_code" IS 'ISO code of the currency.';
COMMENT ON COLUMN "invoicing"."currencies"."currency_name" IS 'Name of the currency, with its code.';
COMMENT ON COLUMN "invoicing"."currencies"."currency_symbol" IS 'Symbol of the currency, for display.';
COMMENT ON COLUMN "invoicing"."currencies"."price_precision" IS 'Decimals that prices in the currency are shown with.';
COMMENT ON COLUMN "invoicing"."currencies"."currency_format" IS 'How amounts in the currency are written, such as 1,234,567.89.';
COMMENT ON COLUMN "invoicing"."currencies"."is_base_currency" IS 'Whether it is the currency that the organization keeps its books in.';
COMMENT ON COLUMN "invoicing"."currencies"."exchange_rate" IS 'Price of one unit of the currency in the base currency, at the time of the last read.';
COMMENT ON COLUMN "invoicing"."currencies"."effective_date" IS 'Day from which the exchange rate counts.';
COMMENT ON COLUMN "invoicing"."currencies"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "invoicing"."currencies"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "invoicing"."currencies"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "invoicing"."currencies"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "invoicing"."currencies"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "invoicing"."currencies"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "invoicing"."currencies"."_changed_at" IS 'When the row last changed here.';

CREATE TABLE "invoicing"."currencies_history" (
  "organization_id" text COLLATE "C" NOT NULL,
  "currency_id" text COLLATE "C" NOT NULL,
  "exchange_rate" numeric,
  "effective_date" date,
  "_call_id" bigint NOT NULL,
  "_seen_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "currency_id", "_call_id")
);
COMMENT ON TABLE "invoicing"."currencies_history" IS 'What exchange_rate, effective_date of currencies held over time, one row for each change that was seen.';
COMMENT ON COLUMN "invoicing"."currencies_history"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "invoicing"."currencies_history"."currency_id" IS 'Identifier of the currency; unique within the organization.';
COMMENT ON COLUMN "invoicing"."currencies_history"."exchange_rate" IS 'Price of one unit of the currency in the base currency, at the time of the last read.';
COMMENT ON COLUMN "invoicing"."currencies_history"."effective_date" IS 'Day from which the exchange rate counts.';
COMMENT ON COLUMN "invoicing"."currencies_history"."_call_id" IS 'Call that first brought these values.';
COMMENT ON COLUMN "invoicing"."currencies_history"."_seen_at" IS 'When these values were first loaded.';

CREATE TABLE "invoicing"."contact_persons" (
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
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "contact_person_id")
);
COMMENT ON TABLE "invoicing"."contact_persons" IS 'A person to talk to at a customer who is sent invoices.';
COMMENT ON COLUMN "invoicing"."contact_persons"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "invoicing"."contact_persons"."contact_person_id" IS 'Identifier of the person; unique within the organization.';
COMMENT ON COLUMN "invoicing"."contact_persons"."contact_id" IS 'Identifier of the customer whom the person speaks for.';
COMMENT ON COLUMN "invoicing"."contact_persons"."salutation" IS 'How the person is addressed, such as Ms or Dr.';
COMMENT ON COLUMN "invoicing"."contact_persons"."first_name" IS 'First name of the person.';
COMMENT ON COLUMN "invoicing"."contact_persons"."last_name" IS 'Family name of the person.';
COMMENT ON COLUMN "invoicing"."contact_persons"."email" IS 'Address that invoices for the person are sent to.';
COMMENT ON COLUMN "invoicing"."contact_persons"."phone" IS 'Landline number as it was entered, leading zeros kept.';
COMMENT ON COLUMN "invoicing"."contact_persons"."mobile" IS 'Mobile number as it was entered, leading zeros kept.';
COMMENT ON COLUMN "invoicing"."contact_persons"."skype" IS 'Name of the person in Skype.';
COMMENT ON COLUMN "invoicing"."contact_persons"."designation" IS 'Position that the person has at the customer.';
COMMENT ON COLUMN "invoicing"."contact_persons"."department" IS 'Department that the person works in.';
COMMENT ON COLUMN "invoicing"."contact_persons"."is_primary_contact" IS 'Whether the person is the one to talk to first.';
COMMENT ON COLUMN "invoicing"."contact_persons"."is_added_in_portal" IS 'Whether the person can see the customer''s documents in the portal.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_changed_at" IS 'When the row last changed here.';

CREATE TABLE "invoicing"."organizations" (
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
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "id")
);
COMMENT ON TABLE "invoicing"."organizations" IS 'A business that the credentials can act for, with its currency, time zone and language.';
COMMENT ON COLUMN "invoicing"."organizations"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "invoicing"."organizations"."id" IS 'Identifier of the organization that the row describes; the organization that asked is in organization_id.';
COMMENT ON COLUMN "invoicing"."organizations"."name" IS 'Name of the organization as it stands on documents.';
COMMENT ON COLUMN "invoicing"."organizations"."contact_name" IS 'Name of the person who speaks for the organization.';
COMMENT ON COLUMN "invoicing"."organizations"."email" IS 'Address of the person who speaks for the organization.';
COMMENT ON COLUMN "invoicing"."organizations"."is_default_org" IS 'Whether it is the organization that the user''s web client opens with.';
COMMENT ON COLUMN "invoicing"."organizations"."is_org_active" IS 'Whether the organization can still be worked with.';
COMMENT ON COLUMN "invoicing"."organizations"."language_code" IS 'Language of the organization, such as en; texts of answers are in it.';
COMMENT ON COLUMN "invoicing"."organizations"."fiscal_year_start_month" IS 'Month in which its fiscal year begins, as upstream counts months; from 0 or from 1 is not documented.';
COMMENT ON COLUMN "invoicing"."organizations"."account_created_date" IS 'Day on which the organization was set up in the service.';
COMMENT ON COLUMN "invoicing"."organizations"."time_zone" IS 'Time zone of the organization by its name; times without an offset are read in it.';
COMMENT ON COLUMN "invoicing"."organizations"."currency_id" IS 'Identifier of the base currency: the one that the books are kept in.';
COMMENT ON COLUMN "invoicing"."organizations"."currency_code" IS 'ISO code of the base currency.';
COMMENT ON COLUMN "invoicing"."organizations"."currency_symbol" IS 'Symbol of the base currency, for display.';
COMMENT ON COLUMN "invoicing"."organizations"."currency_format" IS 'How amounts in the base currency are written, such as 1,234,567.89.';
COMMENT ON COLUMN "invoicing"."organizations"."price_precision" IS 'Decimals that prices in the base currency are shown with.';
COMMENT ON COLUMN "invoicing"."organizations"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "invoicing"."organizations"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "invoicing"."organizations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "invoicing"."organizations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "invoicing"."organizations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "invoicing"."organizations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "invoicing"."organizations"."_changed_at" IS 'When the row last changed here.';
CREATE SCHEMA IF NOT EXISTS "billing";
COMMENT ON SCHEMA "billing" IS 'Subscriptions of customers and their contact persons.';

CREATE TABLE "billing"."contact_persons" (
  "organization_id" text COLLATE "C" NOT NULL,
  "contactperson_id" text COLLATE "C" NOT NULL,
  "customer_id" text COLLATE "C",
  "first_name" text,
  "last_name" text,
  "email" text,
  "mobile" text COLLATE "C",
  "phone" text COLLATE "C",
  "fax" text COLLATE "C",
  "created_time" timestamp with time zone,
  "updated_time" timestamp with time zone,
  "_extra" jsonb,
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "contactperson_id")
);
COMMENT ON TABLE "billing"."contact_persons" IS 'A person at a customer who is told about subscriptions.';
COMMENT ON COLUMN "billing"."contact_persons"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "billing"."contact_persons"."contactperson_id" IS 'Identifier of the person; unique within the organization.';
COMMENT ON COLUMN "billing"."contact_persons"."customer_id" IS 'Identifier of the customer whom the person speaks for.';
COMMENT ON COLUMN "billing"."contact_persons"."first_name" IS 'First name of the person.';
COMMENT ON COLUMN "billing"."contact_persons"."last_name" IS 'Family name of the person.';
COMMENT ON COLUMN "billing"."contact_persons"."email" IS 'Address that notices about subscriptions are sent to.';
COMMENT ON COLUMN "billing"."contact_persons"."mobile" IS 'Mobile number as it was entered, leading zeros kept.';
COMMENT ON COLUMN "billing"."contact_persons"."phone" IS 'Landline number as it was entered, leading zeros kept.';
COMMENT ON COLUMN "billing"."contact_persons"."fax" IS 'Fax number as it was entered, leading zeros kept.';
COMMENT ON COLUMN "billing"."contact_persons"."created_time" IS 'When the person was entered.';
COMMENT ON COLUMN "billing"."contact_persons"."updated_time" IS 'When the person last changed.';
COMMENT ON COLUMN "billing"."contact_persons"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "billing"."contact_persons"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "billing"."contact_persons"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "billing"."contact_persons"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "billing"."contact_persons"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "billing"."contact_persons"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "billing"."contact_persons"."_changed_at" IS 'When the row last changed here.';

CREATE TABLE "billing"."organizations" (
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
  "_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "id")
);
COMMENT ON TABLE "billing"."organizations" IS 'A business that the credentials can act for, with its currency, time zone and language.';
COMMENT ON COLUMN "billing"."organizations"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "billing"."organizations"."id" IS 'Identifier of the organization that the row describes; the organization that asked is in organization_id.';
COMMENT ON COLUMN "billing"."organizations"."name" IS 'Name of the organization as it stands on documents.';
COMMENT ON COLUMN "billing"."organizations"."contact_name" IS 'Name of the person who speaks for the organization.';
COMMENT ON COLUMN "billing"."organizations"."email" IS 'Address of the person who speaks for the organization.';
COMMENT ON COLUMN "billing"."organizations"."is_default_org" IS 'Whether it is the organization that the user''s web client opens with.';
COMMENT ON COLUMN "billing"."organizations"."is_org_active" IS 'Whether the organization can still be worked with.';
COMMENT ON COLUMN "billing"."organizations"."language_code" IS 'Language of the organization, such as en; texts of answers are in it.';
COMMENT ON COLUMN "billing"."organizations"."fiscal_year_start_month" IS 'Month in which its fiscal year begins, as upstream counts months; from 0 or from 1 is not documented.';
COMMENT ON COLUMN "billing"."organizations"."account_created_date" IS 'Day on which the organization was set up in the service.';
COMMENT ON COLUMN "billing"."organizations"."time_zone" IS 'Time zone of the organization by its name; times without an offset are read in it.';
COMMENT ON COLUMN "billing"."organizations"."currency_id" IS 'Identifier of the base currency: the one that the books are kept in.';
COMMENT ON COLUMN "billing"."organizations"."currency_code" IS 'ISO code of the base currency.';
COMMENT ON COLUMN "billing"."organizations"."currency_symbol" IS 'Symbol of the base currency, for display.';
COMMENT ON COLUMN "billing"."organizations"."currency_format" IS 'How amounts in the base currency are written, such as 1,234,567.89.';
COMMENT ON COLUMN "billing"."organizations"."price_precision" IS 'Decimals that prices in the base currency are shown with.';
COMMENT ON COLUMN "billing"."organizations"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "billing"."organizations"."_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "billing"."organizations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "billing"."organizations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "billing"."organizations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "billing"."organizations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "billing"."organizations"."_changed_at" IS 'When the row last changed here.';

-- What analysts ask first of a warehouse that is still being filled.

CREATE SCHEMA IF NOT EXISTS "analytics";
COMMENT ON SCHEMA "analytics" IS 'Views for analysts over the tables of all services; they hold no rows of their own.';

CREATE VIEW "analytics"."bill_lines_loaded" AS
SELECT
  "organization_id",
  "month",
  count(*) AS "bills",
  count(*) FILTER (WHERE "loaded") AS "bills_with_lines",
  round(count(*) FILTER (WHERE "loaded") / count(*)::numeric, 4) AS "share_of_bills",
  sum("value") AS "value",
  coalesce(sum("value") FILTER (WHERE "loaded"), 0) AS "value_with_lines",
  round(coalesce(sum("value") FILTER (WHERE "loaded"), 0) / nullif(sum("value"), 0), 4) AS "share_of_value",
  count(*) FILTER (WHERE "value" IS NULL) AS "bills_without_value"
FROM (
  SELECT
    "organization_id",
    date_trunc('month', "date"::timestamp)::date AS "month",
    "_detail_state" IN ('none_needed', 'current') AS "loaded",
    coalesce("sub_total" + coalesce("tax_total", 0), "balance") * coalesce("exchange_rate", 1) AS "value"
  FROM "inventory"."bills"
) AS "bill"
GROUP BY "organization_id", "month";
COMMENT ON VIEW "analytics"."bill_lines_loaded" IS 'The share of bills and of bill value whose lines are loaded, by organization and month of the bill.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."organization_id" IS 'Identifier upstream of the organization that the bills belong to.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."month" IS 'First day of the month that the bills are dated in; null for bills without a date.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."bills" IS 'Number of bills that are dated in the month.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."bills_with_lines" IS 'Number of those whose lines are loaded and those of the newest version known.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."share_of_bills" IS 'Part of the bills whose lines are loaded, from 0 to 1.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."value" IS 'Sum of the bills with tax in the base currency; what is left to pay stands in where a list carried no sums, and a rate of 1 where it carried none.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."value_with_lines" IS 'Part of the value that lies on bills whose lines are loaded, in the base currency.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."share_of_value" IS 'The same part from 0 to 1; null if the value is zero or unknown.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."bills_without_value" IS 'Number of bills that are in no value, as neither sums nor what is left to pay are known.';
