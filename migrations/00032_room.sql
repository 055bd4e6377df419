-- +goose Up
-- Pages of tables that no index but the key has keep room for one more version of a row: an update that stays on its page writes no index.
-- Only pages that are written from now on do; no table is rewritten. Lists whose single records are fetched have an index with the
-- modification time, which every update changes: they are left as they are.

ALTER TABLE "accounting"."chart_of_accounts" SET (fillfactor = 90);
ALTER TABLE "accounting"."opening_balances" SET (fillfactor = 90);
ALTER TABLE "accounting"."custom_module_records" SET (fillfactor = 90);
ALTER TABLE "accounting"."contact_persons" SET (fillfactor = 90);
ALTER TABLE "accounting"."expenses" SET (fillfactor = 90);
ALTER TABLE "accounting"."organizations" SET (fillfactor = 90);
ALTER TABLE "inventory"."locations" SET (fillfactor = 90);
ALTER TABLE "inventory"."taxes" SET (fillfactor = 90);
ALTER TABLE "inventory"."organizations" SET (fillfactor = 90);
ALTER TABLE "chat"."channels" SET (fillfactor = 90);
ALTER TABLE "chat"."conversations" SET (fillfactor = 90);
ALTER TABLE "chat"."network_channels" SET (fillfactor = 90);
ALTER TABLE "chat"."network_conversations" SET (fillfactor = 90);
ALTER TABLE "invoicing"."currencies" SET (fillfactor = 90);
ALTER TABLE "invoicing"."contact_persons" SET (fillfactor = 90);
ALTER TABLE "invoicing"."organizations" SET (fillfactor = 90);
ALTER TABLE "billing"."contact_persons" SET (fillfactor = 90);
ALTER TABLE "billing"."organizations" SET (fillfactor = 90);

-- Lists that users declared.
-- +goose StatementBegin
DO $do$
DECLARE
    list regclass;
BEGIN
    FOR list IN
        SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE n.nspname = 'custom' AND c.relkind = 'r' AND NOT a.attisdropped
        GROUP BY c.oid
        HAVING bool_or(a.attname = '_hash') AND NOT bool_or(a.attname = '_detail_state')
    LOOP
        EXECUTE format('ALTER TABLE %s SET (fillfactor = 90)', list);
    END LOOP;
END
$do$;
-- +goose StatementEnd
