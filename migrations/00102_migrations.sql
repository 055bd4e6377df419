-- +goose Up
-- What migrations leave for programs and for later migrations: the floor, the text of each view
-- and the declared columns. Written by sluice migrate alone.

-- Programs of two versions work on one database while a version is rolled out, and when it is
-- rolled back (docs/decisions/0005-migrations). A migration expands: what the program
-- before it uses stays. One that contracts raises the floor.
--
-- A view of constants: only its owner can replace it, so that no worker can shut programs out.
CREATE VIEW sluice.floor AS SELECT 122::bigint AS program, 8::integer AS queue;
COMMENT ON VIEW sluice.floor IS 'One row: the lowest versions of programs that may work on this database. Migrations raise them by sluice.raise_floor.';
COMMENT ON COLUMN sluice.floor.program IS 'Number of a migration: a program may work here if its newest migration has this number or a higher one.';
COMMENT ON COLUMN sluice.floor.queue IS 'Version of the queue''s tables: a program may work here if its queue has this version or a higher one.';

-- +goose StatementBegin
CREATE FUNCTION sluice.raise_floor(p_program bigint, p_queue integer DEFAULT 0) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_program bigint;
    v_queue integer;
BEGIN
    SELECT greatest(f.program, p_program), greatest(f.queue, p_queue) INTO STRICT v_program, v_queue FROM sluice.floor f;
    EXECUTE format('CREATE OR REPLACE VIEW sluice.floor AS SELECT %s::bigint AS program, %s::integer AS queue', v_program, v_queue);
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.raise_floor IS 'Refuses programs whose newest migration has a lower number, or whose queue has a lower version, when they next start. It never lowers the floor. Migrations that contract call it.';
REVOKE ALL ON FUNCTION sluice.raise_floor(bigint, integer) FROM PUBLIC;

CREATE TABLE sluice.views (
    name text PRIMARY KEY,
    digest bytea NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE sluice.views IS 'The views and functions of the schemas analytics, as_of and history that sluice migrate made, one row for each, so that it makes them again when their text changes.';
COMMENT ON COLUMN sluice.views.name IS 'Name of the view in schema analytics; in another schema, with it: as_of.bills.';
COMMENT ON COLUMN sluice.views.digest IS 'SHA-256 of the text that it was made of.';
COMMENT ON COLUMN sluice.views.applied_at IS 'When that text was applied.';

CREATE TABLE sluice.columns (
    schema_name text NOT NULL,
    table_name text NOT NULL,
    column_name text NOT NULL,
    place integer NOT NULL,
    kind text NOT NULL,
    class text NOT NULL,
    is_assumed boolean NOT NULL,
    wire text NOT NULL,
    sentence text NOT NULL,
    PRIMARY KEY (schema_name, table_name, column_name)
);
COMMENT ON TABLE sluice.columns IS 'The declared columns of all copied tables, one row for each, as the program that migrated last declares them. Written by sluice migrate alone.';
COMMENT ON COLUMN sluice.columns.schema_name IS 'Schema of the table.';
COMMENT ON COLUMN sluice.columns.table_name IS 'Name of the table.';
COMMENT ON COLUMN sluice.columns.column_name IS 'Name of the column.';
COMMENT ON COLUMN sluice.columns.place IS 'Its place among the declared columns of the table, from 0.';
COMMENT ON COLUMN sluice.columns.kind IS 'id, text, bool, int, decimal, date, time or json.';
COMMENT ON COLUMN sluice.columns.class IS 'What its values may tell about people: plain, company, person, contact, address, tax number, bank or free text.';
COMMENT ON COLUMN sluice.columns.is_assumed IS 'Whether another source than the vendor''s API documents names it.';
COMMENT ON COLUMN sluice.columns.wire IS 'Key upstream; empty where the program supplies the value.';
COMMENT ON COLUMN sluice.columns.sentence IS 'What it means.';
