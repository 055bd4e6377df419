-- +goose Up
-- A record whose bytes made its row already is known by a fingerprint beside the content hash. Rows that are there have none: they are
-- read as before until something writes them. No table is rewritten.

ALTER TABLE "accounting"."chart_of_accounts" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "accounting"."vendor_payments"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "accounting"."opening_balances" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "accounting"."opening_balances"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "accounting"."base_currency_adjustments" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "accounting"."custom_module_records" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "accounting"."custom_module_records"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "accounting"."contact_persons" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "accounting"."contact_persons"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "accounting"."expenses"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "accounting"."organizations"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "inventory"."items" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "inventory"."items"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "inventory"."bills" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "inventory"."bills"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "inventory"."credit_notes"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "inventory"."composite_items"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "inventory"."locations" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "inventory"."locations"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "inventory"."taxes" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "inventory"."taxes"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "inventory"."organizations"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "chat"."channels" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "chat"."channels"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "chat"."conversations" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "chat"."conversations"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "chat"."network_channels" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "chat"."network_channels"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "chat"."network_conversations" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "chat"."network_conversations"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "invoicing"."currencies" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "invoicing"."currencies"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "invoicing"."contact_persons" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "invoicing"."contact_persons"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "invoicing"."organizations"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "billing"."contact_persons" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "billing"."contact_persons"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
ALTER TABLE "billing"."organizations" ADD COLUMN "_fingerprint" bigint;
COMMENT ON COLUMN "billing"."organizations"."_fingerprint" IS 'Fingerprint of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';

-- It says something about the row, so it makes no version.
CREATE OR REPLACE FUNCTION history.own_columns() RETURNS text[] LANGUAGE sql IMMUTABLE AS $function$
SELECT ARRAY['_hash', '_call_id', '_raw_position', '_run_id', '_first_seen_at', '_changed_at', '_fingerprint', '_deleted_at',
    '_detail_state', '_detail_hash', '_detail_call_id', '_detail_raw_position', '_detail_at']
$function$;
