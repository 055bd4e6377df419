-- +goose Up
-- The tables of service invoicing, as `sluice draft` writes them from connectors/invoicing: one per
-- resource, and one per array of its records. Written by pipeline/warehouse/rows.
--
-- Tables with a fill factor have no index but the key: an update that stays on its page writes none
-- (docs/decisions/0021-loading-at-copy-speed).

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
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  PRIMARY KEY ("organization_id", "currency_id")
) WITH (fillfactor = 90);
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
COMMENT ON COLUMN "invoicing"."currencies"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "invoicing"."currencies"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "invoicing"."currencies"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "invoicing"."currencies"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "invoicing"."currencies"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "invoicing"."currencies"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "invoicing"."currencies"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "invoicing"."currencies"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';

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
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  PRIMARY KEY ("organization_id", "contact_person_id")
) WITH (fillfactor = 90);
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
COMMENT ON COLUMN "invoicing"."contact_persons"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "invoicing"."contact_persons"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';

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
COMMENT ON COLUMN "invoicing"."organizations"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "invoicing"."organizations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "invoicing"."organizations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "invoicing"."organizations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "invoicing"."organizations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "invoicing"."organizations"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "invoicing"."organizations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "invoicing"."organizations"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
