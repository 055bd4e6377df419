-- +goose Up
-- The tables of service billing, as `sluice draft` writes them from connectors/billing: one per
-- resource, and one per array of its records. Written by pipeline/warehouse/rows.
--
-- Tables with a fill factor have no index but the key: an update that stays on its page writes none
-- (docs/decisions/0021-loading-at-copy-speed).

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
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  PRIMARY KEY ("organization_id", "contactperson_id")
) WITH (fillfactor = 90);
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
COMMENT ON COLUMN "billing"."contact_persons"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "billing"."contact_persons"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "billing"."contact_persons"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "billing"."contact_persons"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "billing"."contact_persons"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "billing"."contact_persons"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "billing"."contact_persons"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "billing"."contact_persons"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';

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
COMMENT ON COLUMN "billing"."organizations"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "billing"."organizations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "billing"."organizations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "billing"."organizations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "billing"."organizations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "billing"."organizations"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "billing"."organizations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "billing"."organizations"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
