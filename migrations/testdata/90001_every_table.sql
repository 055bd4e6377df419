-- +goose Up
-- A change of every table of records in one transaction, as a later version may bring one: tests of migrating beside
-- other sessions apply it behind the files that are released.

-- +goose StatementBegin
DO $do$
DECLARE
    v_table regclass;
BEGIN
    FOR v_table IN SELECT DISTINCT whole FROM sluice.table_columns ORDER BY 1 LOOP
        EXECUTE format('ALTER TABLE %s ADD COLUMN later bigint', v_table);
    END LOOP;
END
$do$;
-- +goose StatementEnd
