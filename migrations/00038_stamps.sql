-- +goose Up
-- The stamp moves with tombstones now, and its comment says what it is not. A table that was dropped by hand is passed over: sluice
-- check names it. Comments lock nothing that readers or loads need.

-- +goose StatementBegin
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'accounting.chart_of_accounts', 'accounting.vendor_payments', 'accounting.opening_balances', 'accounting.base_currency_adjustments', 'accounting.custom_module_records', 'accounting.contact_persons', 'accounting.expenses', 'accounting.organizations',
        'inventory.items', 'inventory.bills', 'inventory.credit_notes', 'inventory.composite_items', 'inventory.locations', 'inventory.taxes', 'inventory.organizations',
        'chat.channels', 'chat.conversations', 'chat.network_channels', 'chat.network_conversations',
        'invoicing.currencies', 'invoicing.contact_persons', 'invoicing.organizations',
        'billing.contact_persons', 'billing.organizations'
    ] LOOP
        IF EXISTS (SELECT FROM pg_catalog.pg_attribute
            WHERE attrelid = pg_catalog.to_regclass(name) AND attname = '_changed_at' AND NOT attisdropped) THEN
            EXECUTE pg_catalog.format('COMMENT ON COLUMN %s._changed_at IS %L', name,
                'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.');
        END IF;
    END LOOP;
END
$$;
-- +goose StatementEnd
