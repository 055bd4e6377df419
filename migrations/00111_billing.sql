-- +goose Up
-- The tables of service billing, as `sluice-dev draft` writes them from connectors/billing: one per
-- resource, and one per array of its records. Written by pipeline/warehouse/rows.
--
-- Tables with a fill factor have no index but the key: an update that stays on its page writes none
-- (docs/decisions/0017-loading).
--
-- Columns that live services send beyond the API documents stand last in their table
-- (docs/upstream.md U310 to U389).

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
COMMENT ON TABLE "billing"."organizations" IS 'A business that the credentials can act for, with its currency, time zone and language.';
COMMENT ON COLUMN "billing"."organizations"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "billing"."organizations"."id" IS 'Identifier of the organization that the row describes; the organization that asked is in organization_id.';
COMMENT ON COLUMN "billing"."organizations"."name" IS 'Name of the organization as it stands on documents.';
COMMENT ON COLUMN "billing"."organizations"."contact_name" IS 'Name of the person who speaks for the organization.';
COMMENT ON COLUMN "billing"."organizations"."email" IS 'Address of the person who speaks for the organization.';
COMMENT ON COLUMN "billing"."organizations"."is_default_org" IS 'Whether it is the organization that the user''s web client opens with.';
COMMENT ON COLUMN "billing"."organizations"."is_org_active" IS 'Whether the organization can still be worked with.';
COMMENT ON COLUMN "billing"."organizations"."language_code" IS 'Language of the organization, such as en; texts of answers are in it.';
COMMENT ON COLUMN "billing"."organizations"."fiscal_year_start_month" IS 'Month in which its fiscal year begins; not documented how it is counted, live services count from 0, so that 3 is April.';
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
COMMENT ON COLUMN "billing"."organizations"."org_alias_name" IS 'Second name of the organization.';
COMMENT ON COLUMN "billing"."organizations"."country" IS 'Country of the organization by name.';
COMMENT ON COLUMN "billing"."organizations"."country_code" IS 'Code of the country of the organization.';
COMMENT ON COLUMN "billing"."organizations"."state" IS 'State or province of the organization.';
COMMENT ON COLUMN "billing"."organizations"."state_code" IS 'Code of the state or province.';
COMMENT ON COLUMN "billing"."organizations"."phone" IS 'Telephone number of the organization as it was entered.';
COMMENT ON COLUMN "billing"."organizations"."version" IS 'Edition of the service, such as that of a country: it decides which columns can have values.';
COMMENT ON COLUMN "billing"."organizations"."plan_name" IS 'Plan that the organization subscribed to; the daily number of calls follows from it.';
COMMENT ON COLUMN "billing"."organizations"."plan_period" IS 'Period that the plan is paid for.';
COMMENT ON COLUMN "billing"."organizations"."plan_type" IS 'Number of the kind of plan; its meaning is not known.';
COMMENT ON COLUMN "billing"."organizations"."is_trial_expired" IS 'Whether a trial ran out.';
COMMENT ON COLUMN "billing"."organizations"."org_type" IS 'Kind of the organization''s account.';
COMMENT ON COLUMN "billing"."organizations"."mode" IS 'Mode of the organization''s account.';
COMMENT ON COLUMN "billing"."organizations"."source" IS 'Number of the application that the organization was made in.';
COMMENT ON COLUMN "billing"."organizations"."user_status" IS 'Number of the standing of the user whose credentials are used.';
COMMENT ON COLUMN "billing"."organizations"."org_active" IS 'Second key of is_org_active, with the same value.';
COMMENT ON COLUMN "billing"."organizations"."is_multientity_org" IS 'Whether it is one of several entities under one roof.';
COMMENT ON COLUMN "billing"."organizations"."is_multientity_enabled" IS 'Whether several entities can be kept under one roof.';
COMMENT ON COLUMN "billing"."organizations"."is_sku_enabled" IS 'Whether items have stock keeping units (SKU).';
COMMENT ON COLUMN "billing"."organizations"."field_separator" IS 'What stands between the fields of exported files, for display.';
COMMENT ON COLUMN "billing"."organizations"."is_tax_registered" IS 'Whether the organization is registered for VAT, GST or sales tax.';
COMMENT ON COLUMN "billing"."organizations"."sales_tax_type" IS 'How sales tax is set up.';
COMMENT ON COLUMN "billing"."organizations"."tax_group_enabled" IS 'Whether several taxes can be put together in a group.';
COMMENT ON COLUMN "billing"."organizations"."is_sales_inclusive_tax_enabled" IS 'Whether sales prices can be entered with tax in them.';
COMMENT ON COLUMN "billing"."organizations"."is_registered_for_gst" IS 'Whether the organization is registered for GST; in India.';
COMMENT ON COLUMN "billing"."organizations"."is_gst_india_version" IS 'Whether it is the edition for GST; in India.';
COMMENT ON COLUMN "billing"."organizations"."is_registered_for_composite_scheme" IS 'Whether the organization pays GST by the scheme for small businesses; in India.';
COMMENT ON COLUMN "billing"."organizations"."is_hsn_or_sac_enabled" IS 'Whether items have codes of goods and services for GST; in India.';
COMMENT ON COLUMN "billing"."organizations"."is_sales_reverse_charge_enabled" IS 'Whether customers can owe the tax on sales; in India.';
COMMENT ON COLUMN "billing"."organizations"."is_export_with_payment_enabled" IS 'Whether exports can be made with payment of GST; in India.';
COMMENT ON COLUMN "billing"."organizations"."is_international_trade_enabled" IS 'Whether the organization trades abroad.';
COMMENT ON COLUMN "billing"."organizations"."is_designated_zone" IS 'Whether it is in a zone with VAT rules of its own; in the Gulf states.';
COMMENT ON COLUMN "billing"."organizations"."is_free_zone" IS 'Whether it is in a free zone with VAT rules of its own; in the Gulf states.';

CREATE TABLE "billing"."organizations_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "index" bigint,
  "label" text,
  "value" jsonb,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "billing"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "billing"."organizations_custom_fields" IS 'A field of the organization itself, with its value.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "billing"."organizations_org_joined_app_list" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "application" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "billing"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "billing"."organizations_org_joined_app_list" IS 'An application of the suite that the organization uses.';
COMMENT ON COLUMN "billing"."organizations_org_joined_app_list"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "billing"."organizations_org_joined_app_list"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "billing"."organizations_org_joined_app_list"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "billing"."organizations_org_joined_app_list"."application" IS 'Name of the application.';
COMMENT ON COLUMN "billing"."organizations_org_joined_app_list"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
