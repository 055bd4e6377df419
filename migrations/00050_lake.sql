-- +goose Up
-- The catalog of the lake, in the layout of Iceberg's SQL catalog (version 1), so that other engines
-- read it, too. Written by cmd/sluice-lake; without it the tables stay empty. Why it is here:
-- docs/decisions/0084-lake.

CREATE SCHEMA lake;
COMMENT ON SCHEMA lake IS 'The catalog of the lake: where the metadata of each Iceberg table is. Engines that read the lake need USAGE on it, and SELECT on its tables.';

CREATE TABLE lake.iceberg_tables (
    catalog_name text COLLATE "C" NOT NULL,
    table_namespace text COLLATE "C" NOT NULL,
    table_name text COLLATE "C" NOT NULL,
    metadata_location text,
    previous_metadata_location text,
    iceberg_type text DEFAULT 'TABLE',
    PRIMARY KEY (catalog_name, table_namespace, table_name)
);
COMMENT ON TABLE lake.iceberg_tables IS 'The tables of the lake, in the layout of Iceberg''s SQL catalog.';
COMMENT ON COLUMN lake.iceberg_tables.catalog_name IS 'Name of the catalog: sluice.';
COMMENT ON COLUMN lake.iceberg_tables.table_namespace IS 'Schema of the table in the warehouse.';
COMMENT ON COLUMN lake.iceberg_tables.table_name IS 'Name of the table in the warehouse.';
COMMENT ON COLUMN lake.iceberg_tables.metadata_location IS 'File with the metadata in force.';
COMMENT ON COLUMN lake.iceberg_tables.previous_metadata_location IS 'File with the metadata before it.';
COMMENT ON COLUMN lake.iceberg_tables.iceberg_type IS 'TABLE.';

CREATE TABLE lake.iceberg_namespace_properties (
    catalog_name text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    property_key text COLLATE "C" NOT NULL,
    property_value text,
    PRIMARY KEY (catalog_name, namespace, property_key)
);
COMMENT ON TABLE lake.iceberg_namespace_properties IS 'The schemas that have tables in the lake, in the layout of Iceberg''s SQL catalog. Who works on the lake locks the row of schema sluice.';
COMMENT ON COLUMN lake.iceberg_namespace_properties.catalog_name IS 'Name of the catalog: sluice.';
COMMENT ON COLUMN lake.iceberg_namespace_properties.namespace IS 'The schema.';
COMMENT ON COLUMN lake.iceberg_namespace_properties.property_key IS 'exists; lake: a part of the names of its folders.';
COMMENT ON COLUMN lake.iceberg_namespace_properties.property_value IS 'Value of the property.';
-- The names of folders of the lake begin with the property lake, so that two warehouses that name one
-- place do not sweep each other's files.
INSERT INTO lake.iceberg_namespace_properties VALUES
    ('sluice', 'sluice', 'exists', 'true'), ('sluice', 'sluice', 'lake', left(gen_random_uuid()::text, 8));

-- As before, with schema lake.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.grant_worker(p_role name) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_owner oid := (SELECT o.role FROM sluice.owner o);
    v_what text;
    v_done integer := 0;
BEGIN
    -- Objects of others in these schemas are not ours to give away.
    FOR v_what IN
        SELECT 'GRANT USAGE ON SCHEMA ' || quote_ident(n.nspname) FROM pg_catalog.pg_namespace n WHERE n.nspowner = v_owner
            AND (n.nspname IN ('sluice', 'river', 'history', 'analytics', 'notifications', 'lake') OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s))
        UNION ALL
        SELECT CASE WHEN c.relkind = 'S' THEN 'GRANT USAGE, SELECT ON SEQUENCE '
                WHEN c.relkind = 'v' OR c.oid IN ('sluice.schema_version'::regclass, 'sluice.service_schemas'::regclass, 'sluice.checks'::regclass,
                        'sluice.migration_steps'::regclass)
                    THEN 'GRANT SELECT ON TABLE '
                WHEN c.oid = 'sluice.actions'::regclass THEN 'GRANT SELECT, INSERT ON TABLE '
                ELSE 'GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE ' END || c.oid::regclass
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relowner = v_owner AND c.relkind IN ('r', 'p', 'v', 'S')
            AND (n.nspname IN ('sluice', 'river', 'history', 'analytics', 'notifications', 'lake') OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s))
        UNION ALL
        SELECT 'GRANT EXECUTE ON FUNCTION ' || p.oid::regprocedure
        FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        WHERE p.proowner = v_owner AND p.prokind = 'f' AND n.nspname IN ('sluice', 'river', 'history', 'analytics', 'notifications', 'lake')
            AND p.oid NOT IN ('sluice.grant_worker(name)'::regprocedure, 'sluice.raise_floor(bigint, integer)'::regprocedure)
    LOOP
        EXECUTE v_what || ' TO ' || quote_ident(p_role);
        v_done := v_done + 1;
    END LOOP;
    -- What the owner makes later, by migrations and plans.
    FOREACH v_what IN ARRAY ARRAY['USAGE ON SCHEMAS', 'SELECT, INSERT, UPDATE, DELETE ON TABLES', 'USAGE, SELECT ON SEQUENCES', 'EXECUTE ON FUNCTIONS'] LOOP
        EXECUTE format('ALTER DEFAULT PRIVILEGES FOR ROLE %I GRANT %s TO %I', pg_catalog.pg_get_userbyid(v_owner), v_what, p_role);
    END LOOP;
    RETURN v_done;
END
$function$;
-- +goose StatementEnd
