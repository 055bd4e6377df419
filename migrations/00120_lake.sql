-- +goose Up
-- The catalog of the lake, in the layout of Iceberg's SQL catalog (version 1), so that other
-- engines read it, too. Written by cmd/sluice-lake; without it the tables stay empty. Why it is
-- here: docs/decisions/0030-lake.

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
-- The names of folders of the lake begin with the property lake, so that two warehouses that name
-- one place do not sweep each other's files.
INSERT INTO lake.iceberg_namespace_properties VALUES
    ('sluice', 'sluice', 'exists', 'true'), ('sluice', 'sluice', 'lake', left(gen_random_uuid()::text, 8));

-- How far the lake is -----------------------------------------------------------------------------
--
-- Why: docs/decisions/0030-lake.

-- Written by cmd/sluice-lake, in the transaction of each publication. The lake itself has the
-- position, too: this row is for those that do not read files.
CREATE TABLE lake.last_publication (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    published_at timestamptz,
    cursor text
);
COMMENT ON TABLE lake.last_publication IS 'One row: up to when the lake has the rows of this database.';
COMMENT ON COLUMN lake.last_publication.one IS 'Always true: there is one row.';
COMMENT ON COLUMN lake.last_publication.published_at IS 'The lake has everything that was committed until this instant; null before the first publication.';
COMMENT ON COLUMN lake.last_publication.cursor IS 'Where the log of changes goes on behind it, as analytics.changes takes it.';
INSERT INTO lake.last_publication DEFAULT VALUES;

-- It names no row, and has the owner's rights, so that every process shows the same value.
-- +goose StatementBegin
CREATE FUNCTION sluice.lake_lag() RETURNS interval LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_last lake.last_publication;
    v_at timestamptz;
BEGIN
    SELECT l.* INTO v_last FROM lake.last_publication l;
    IF v_last.published_at IS NULL THEN
        RETURN NULL;
    END IF;
    BEGIN
        SELECT c.at INTO v_at FROM sluice.change_step(v_last.cursor) s CROSS JOIN LATERAL (
            SELECT c.at FROM sluice.changes c
            WHERE c.seq > s.seq AND (c.xact >= s.seen_max OR c.xact = ANY (s.seen_open)) AND pg_visible_in_snapshot(c.xact, s.next)
                AND c.op NOT IN ('finished', 'after_close')
            ORDER BY c.seq LIMIT 1
        ) c;
    EXCEPTION WHEN object_not_in_prerequisite_state OR invalid_parameter_value THEN
        -- The log cannot be followed from there: everything since may have changed.
        v_at := v_last.published_at;
    END;
    RETURN greatest(clock_timestamp() - coalesce(v_at, clock_timestamp()), interval '0');
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.lake_lag IS 'How old the oldest change is that is not published to the lake; zero if all are, null without a lake. Where the log of changes cannot be followed from the last publication, the age of that one.';
