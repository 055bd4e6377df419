-- +goose Up
-- Tombstones: rows whose record is proven gone upstream (docs/decisions/0016), and changes that came without a new
-- modification time.

-- Evidence -----------------------------------------------------------------------------------------------------------

CREATE TABLE sluice.sightings (
    run_id bigint NOT NULL REFERENCES sluice.runs ON DELETE CASCADE,
    call_id bigint NOT NULL,
    ids text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (run_id, call_id)
);
COMMENT ON TABLE sluice.sightings IS 'Which records the open scan of a whole list was shown, page by page; emptied when the run ends.';
COMMENT ON COLUMN sluice.sightings.run_id IS 'The run that scans.';
COMMENT ON COLUMN sluice.sightings.call_id IS 'The call that showed them.';
COMMENT ON COLUMN sluice.sightings.ids IS 'Identifiers of the records, those in quarantine included.';

CREATE TABLE sluice.tombstones (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    state text NOT NULL CHECK (state IN ('missed', 'held', 'gone', 'revived')),
    shrunken boolean NOT NULL DEFAULT false,
    missed_run_id bigint NOT NULL,
    missed_first_call bigint NOT NULL,
    missed_last_call bigint NOT NULL,
    missed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    missed_clock timestamptz NOT NULL,
    proof text CHECK (proof IN ('scan', 'not_found')),
    proof_run_id bigint,
    proof_first_call bigint,
    proof_last_call bigint,
    proof_at timestamptz,
    gone_at timestamptz,
    decided_by text CHECK (decided_by IN ('rule', 'person')),
    decided_at timestamptz,
    revived_at timestamptz,
    revived_call bigint,
    revivals integer NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, service, resource, record_id),
    CHECK ((state IN ('held', 'gone')) <= (proof IS NOT NULL AND proof_run_id IS NOT NULL AND gone_at IS NOT NULL))
);
CREATE INDEX tombstones_held ON sluice.tombstones (organization_id, service, resource, proof_run_id) WHERE state = 'held';
COMMENT ON TABLE sluice.tombstones IS 'What is known of records that a whole list did not show: the evidence, and what was decided.';
COMMENT ON COLUMN sluice.tombstones.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.tombstones.service IS 'The service of the resource.';
COMMENT ON COLUMN sluice.tombstones.resource IS 'The resource whose row it is about.';
COMMENT ON COLUMN sluice.tombstones.record_id IS 'Identifier of the record.';
COMMENT ON COLUMN sluice.tombstones.state IS 'missed (once, which proves nothing), held (a person decides), gone (the row has its tombstone) or revived (it came back).';
COMMENT ON COLUMN sluice.tombstones.shrunken IS 'Whether the scan that missed it missed too many at once to be believed: such a scan can only lead to a person.';
COMMENT ON COLUMN sluice.tombstones.missed_run_id IS 'The clean scan that first did not see it.';
COMMENT ON COLUMN sluice.tombstones.missed_first_call IS 'First call of that scan; what an earlier call showed says nothing against it.';
COMMENT ON COLUMN sluice.tombstones.missed_last_call IS 'Last call of that scan.';
COMMENT ON COLUMN sluice.tombstones.missed_at IS 'When that scan ended.';
COMMENT ON COLUMN sluice.tombstones.missed_clock IS 'Upstream''s clock when that scan began: two answers out of one cache are one observation.';
COMMENT ON COLUMN sluice.tombstones.proof IS 'What confirmed it: scan (a second clean scan) or not_found (upstream does not know the single record); null while nothing has.';
COMMENT ON COLUMN sluice.tombstones.proof_run_id IS 'The run that confirmed it.';
COMMENT ON COLUMN sluice.tombstones.proof_first_call IS 'First call of the second scan, or the call for the single record.';
COMMENT ON COLUMN sluice.tombstones.proof_last_call IS 'Last call of the second scan, or the call for the single record.';
COMMENT ON COLUMN sluice.tombstones.proof_at IS 'When it was confirmed.';
COMMENT ON COLUMN sluice.tombstones.gone_at IS 'Upstream''s clock when the second scan began, or the database''s when the single record was asked for: the tombstone of the row.';
COMMENT ON COLUMN sluice.tombstones.decided_by IS 'Who put the tombstone: the rule, or a person who accepted what was held.';
COMMENT ON COLUMN sluice.tombstones.decided_at IS 'When that was.';
COMMENT ON COLUMN sluice.tombstones.revived_at IS 'When the record was last seen again after a tombstone; null if never.';
COMMENT ON COLUMN sluice.tombstones.revived_call IS 'The call that showed it then.';
COMMENT ON COLUMN sluice.tombstones.revivals IS 'How often it came back.';

-- Changes without a new modification time --------------------------------------------------------------------------------

ALTER TABLE sluice.runs ADD COLUMN silent bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN sluice.runs.silent IS 'Those of the updated records that changed without a new modification time.';

-- A row whose record is gone waits for no single record.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.detail_backlog(
    p_organization text, p_service text, p_stream text, OUT pending bigint, OUT stale bigint, OUT failed bigint
) LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_name text := regexp_replace(p_stream, '\.details$', '');
    v_table regclass := coalesce(to_regclass(format('%I.%I', p_service, v_name)), to_regclass(format('custom.%I', v_name)));
BEGIN
    IF v_name = p_stream OR 2 <> (
        SELECT count(*) FROM pg_attribute
        WHERE attrelid = v_table AND attname IN ('_detail_state', '_deleted_at') AND NOT attisdropped
    ) THEN
        RETURN;
    END IF;
    EXECUTE format($sql$SELECT count(*) FILTER (WHERE _detail_state = 'pending'), count(*) FILTER (WHERE _detail_state = 'stale'),
        count(*) FILTER (WHERE _detail_state = 'failed')
        FROM %s WHERE organization_id = $1 AND _detail_state IN ('pending', 'stale', 'failed') AND _deleted_at IS NULL$sql$, v_table)
    INTO pending, stale, failed USING p_organization;
END
$function$;
-- +goose StatementEnd

-- Tombstones of rows -----------------------------------------------------------------------------------------------------
--
-- Elements have one, too: who sums up lines needs no join to leave out the dead.

ALTER TABLE "accounting"."chart_of_accounts" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."chart_of_accounts"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "accounting"."chart_of_accounts_custom_fields" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."chart_of_accounts_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."vendor_payments"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "accounting"."vendor_payments_bills" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "accounting"."vendor_payments_vendorpayment_refunds" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "accounting"."vendor_payments_check_details" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "accounting"."vendor_payments_billing_address" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "accounting"."vendor_payments_custom_fields" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."vendor_payments_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "accounting"."opening_balances" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."opening_balances"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "accounting"."opening_balances_accounts" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."opening_balances_accounts"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "accounting"."base_currency_adjustments" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."base_currency_adjustments"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "accounting"."base_currency_adjustments_accounts" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."base_currency_adjustments_accounts"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "accounting"."custom_module_records" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."custom_module_records"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "accounting"."custom_module_records_fields" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."custom_module_records_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "accounting"."contact_persons" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."contact_persons"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."expenses"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "accounting"."expenses_line_items" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."expenses_line_items"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "accounting"."expenses_taxes" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."expenses_taxes"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "accounting"."organizations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "inventory"."items" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."items"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."items_locations"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."items_item_tax_preferences" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."items_item_tax_preferences"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."items_custom_fields" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."items_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."bills" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."bills"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."bills_line_items"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."bills_taxes" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."bills_taxes"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."bills_payments" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."bills_payments"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."bills_vendor_credits" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."bills_vendor_credits"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."bills_billing_address" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."bills_billing_address"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."bills_custom_fields" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."bills_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."credit_notes"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."credit_notes_line_items_serial_numbers" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."credit_notes_line_items_serial_numbers"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."credit_notes_invoices" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."credit_notes_invoices"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."credit_notes_taxes" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."credit_notes_taxes"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."credit_notes_custom_fields" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."credit_notes_billing_address" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."credit_notes_shipping_address" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."composite_items"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "inventory"."composite_items_mapped_items" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."composite_items_item_tax_preferences" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."composite_items_item_tax_preferences"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."composite_items_custom_fields" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."locations" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."locations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "inventory"."locations_address" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."locations_address"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."locations_associated_series_ids" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."locations_associated_series_ids"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."locations_associated_users" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."locations_associated_users"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."taxes" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."taxes"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "inventory"."organizations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "chat"."channels" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "chat"."channels"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "chat"."conversations" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "chat"."conversations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "chat"."network_channels" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "chat"."network_channels"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "chat"."network_conversations" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "chat"."network_conversations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "invoicing"."currencies" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "invoicing"."currencies"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "invoicing"."contact_persons" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "invoicing"."contact_persons"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "invoicing"."organizations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "billing"."contact_persons" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "billing"."contact_persons"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
ALTER TABLE "billing"."organizations" ADD COLUMN "_deleted_at" timestamp with time zone;
COMMENT ON COLUMN "billing"."organizations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';

-- Lists that users declared have theirs in schema custom: records are told by their content hash, elements by their parent.
-- +goose StatementBegin
DO $do$
DECLARE
    v_table record;
BEGIN
    FOR v_table IN
        SELECT c.relname, bool_or(a.attname = '_hash') AS of_records
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE n.nspname = 'custom' AND c.relkind = 'r' AND NOT a.attisdropped AND a.attname IN ('_hash', '_parent_id')
        GROUP BY c.relname
    LOOP
        EXECUTE format('ALTER TABLE custom.%I ADD COLUMN IF NOT EXISTS "_deleted_at" timestamp with time zone', v_table.relname);
        EXECUTE format('COMMENT ON COLUMN custom.%I."_deleted_at" IS %L', v_table.relname, CASE WHEN v_table.of_records
            THEN 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.'
            ELSE 'When the record that the row belongs to was found to be gone upstream; null while it exists.' END);
    END LOOP;
END
$do$;
-- +goose StatementEnd

-- Bills that are gone owe no lines.

CREATE OR REPLACE VIEW "analytics"."bill_lines_loaded" AS
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
  WHERE "_deleted_at" IS NULL
) AS "bill"
GROUP BY "organization_id", "month";
