-- +goose Up
-- Programs of two versions work on one database while a version is rolled out, and when it is
-- rolled back (docs/decisions/0062-expand-and-contract). A migration expands: what the program
-- before it uses stays. One that contracts raises the floor.

-- A view of constants: only its owner can replace it, so that no worker can shut programs out.
CREATE VIEW sluice.floor AS SELECT 28::bigint AS program, 8::integer AS queue;
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

CREATE TABLE sluice.migration_steps (
    version_id bigint NOT NULL,
    step integer NOT NULL,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (version_id, step)
);
COMMENT ON TABLE sluice.migration_steps IS 'The steps that were applied of migrations that are cut into several transactions. Written by sluice migrate alone.';
COMMENT ON COLUMN sluice.migration_steps.version_id IS 'Number of the migration.';
COMMENT ON COLUMN sluice.migration_steps.step IS 'The step, from 1.';
COMMENT ON COLUMN sluice.migration_steps.name IS 'What the step is about, mostly a table.';
COMMENT ON COLUMN sluice.migration_steps.applied_at IS 'When the step was committed.';

ALTER TABLE sluice.processes ADD COLUMN program bigint;
COMMENT ON COLUMN sluice.processes.program IS 'Number of the newest migration of its program; null if it is of an older version, which did not say. A migration that raises the floor waits for the end of processes below.';

-- A worker that could write into migration_steps could make a migration leave steps out.
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
            AND (n.nspname IN ('sluice', 'river', 'history', 'analytics', 'notifications') OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s))
        UNION ALL
        SELECT CASE WHEN c.relkind = 'S' THEN 'GRANT USAGE, SELECT ON SEQUENCE '
                WHEN c.relkind = 'v' OR c.oid IN ('sluice.schema_version'::regclass, 'sluice.service_schemas'::regclass, 'sluice.checks'::regclass,
                        'sluice.migration_steps'::regclass)
                    THEN 'GRANT SELECT ON TABLE '
                ELSE 'GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE ' END || c.oid::regclass
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relowner = v_owner AND c.relkind IN ('r', 'p', 'v', 'S')
            AND (n.nspname IN ('sluice', 'river', 'history', 'analytics', 'notifications') OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s))
        UNION ALL
        SELECT 'GRANT EXECUTE ON FUNCTION ' || p.oid::regprocedure
        FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        WHERE p.proowner = v_owner AND p.prokind = 'f' AND n.nspname IN ('sluice', 'river', 'history', 'analytics', 'notifications')
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

DO $do$
DECLARE
    v_role name;
BEGIN
    FOR v_role IN
        SELECT DISTINCT pg_catalog.pg_get_userbyid(a.grantee) FROM pg_catalog.pg_class c CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) a
        WHERE c.oid = 'sluice.migration_steps'::regclass AND a.grantee <> 0 AND a.grantee <> c.relowner
    LOOP
        EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON sluice.migration_steps FROM %I', v_role);
    END LOOP;
END
$do$;
-- +goose StatementEnd
