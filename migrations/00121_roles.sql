-- +goose Up
-- What other roles than the owner may do. Analysts get no rights here: see docs/analysts/readers.md.

-- Two roles: the owner of the tables, which migrates, and a worker, which reads and writes rows and
-- does all the rest. A worker that could write into views could make a migration drop what it
-- names there. A worker may add actions, and change and delete none.
-- +goose StatementBegin
CREATE FUNCTION sluice.grant_worker(p_role name) RETURNS integer LANGUAGE plpgsql
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
                WHEN c.relkind = 'v' OR c.oid IN ('sluice.schema_version'::regclass, 'sluice.views'::regclass)
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
COMMENT ON FUNCTION sluice.grant_worker IS 'Gives a role what every command but migrate needs: rows, sequences and functions of the program, those of later migrations included. It says how many objects that were.';
REVOKE ALL ON FUNCTION sluice.grant_worker(name) FROM PUBLIC;

-- +goose StatementBegin
CREATE FUNCTION sluice.grant_receiver(p_role name) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA notifications TO %I', p_role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION notifications.take_callback TO %I', p_role);
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.grant_receiver IS 'Gives a role what a receiver of change notifications needs and nothing else: one function.';
REVOKE ALL ON FUNCTION sluice.grant_receiver(name) FROM PUBLIC;

-- A role that reads, for the pages of the console: everything but what seals and masks.
-- +goose StatementBegin
CREATE FUNCTION sluice.grant_console(p_role name) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_owner oid := (SELECT o.role FROM sluice.owner o);
    v_what text;
    v_done integer := 0;
BEGIN
    FOR v_what IN
        SELECT 'GRANT USAGE ON SCHEMA ' || quote_ident(n.nspname) FROM pg_catalog.pg_namespace n WHERE n.nspowner = v_owner
            AND (n.nspname IN ('sluice', 'river', 'history', 'analytics', 'notifications') OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s))
        UNION ALL
        -- Not the sealed tokens, nor what the tokens of masked values are made with.
        SELECT 'GRANT SELECT ON TABLE ' || c.oid::regclass
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relowner = v_owner AND c.relkind IN ('r', 'p', 'v')
            AND c.oid NOT IN ('sluice.tokens'::regclass, 'sluice.reader_key'::regclass, 'sluice.viewer'::regclass)
            AND (n.nspname IN ('sluice', 'river', 'history', 'analytics', 'notifications') OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s))
        UNION ALL
        SELECT 'GRANT EXECUTE ON FUNCTION ' || p.oid::regprocedure
        FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        WHERE p.proowner = v_owner AND p.prokind = 'f' AND p.provolatile <> 'v' AND n.nspname IN ('history', 'analytics')
    LOOP
        EXECUTE v_what || ' TO ' || quote_ident(p_role);
        v_done := v_done + 1;
    END LOOP;
    RETURN v_done;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.grant_console IS 'Gives a role what reads pages and reports: every table and view but those of secrets, and no right to write. It says how many objects that were. Later tables are granted by calling it again.';
REVOKE ALL ON FUNCTION sluice.grant_console(name) FROM PUBLIC;

-- +goose StatementBegin
CREATE FUNCTION sluice.grant_publisher(p_role name) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_owner oid := (SELECT o.role FROM sluice.owner o);
    v_what text;
    v_done integer := 0;
BEGIN
    FOR v_what IN
        SELECT 'GRANT USAGE ON SCHEMA ' || quote_ident(n.nspname) FROM pg_catalog.pg_namespace n
        WHERE n.nspowner = v_owner AND (n.nspname IN ('sluice', 'lake') OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s))
        UNION ALL
        SELECT 'GRANT SELECT ON TABLE ' || c.oid::regclass FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relowner = v_owner AND c.relkind IN ('r', 'p', 'v')
            AND (n.nspname IN (SELECT s.name FROM sluice.service_schemas s)
                OR n.nspname = 'sluice' AND c.relname IN ('schema_version', 'service_schemas', 'owner', 'changes', 'erasures'))
        UNION ALL
        SELECT 'GRANT SELECT, INSERT, UPDATE ON TABLE ' || c.oid::regclass FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relowner = v_owner AND c.relkind = 'r' AND n.nspname = 'lake' AND c.relname <> 'last_publication'
        UNION ALL
        SELECT 'GRANT SELECT, UPDATE ON TABLE lake.last_publication'
    LOOP
        EXECUTE v_what || ' TO ' || quote_ident(p_role);
        v_done := v_done + 1;
    END LOOP;
    RETURN v_done;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.grant_publisher IS 'Gives a role what the publisher of the lake needs: to read the tables of the services and the log of changes, and to write the catalog of the lake. It says how many objects that were. Later tables are granted by calling it again.';
REVOKE ALL ON FUNCTION sluice.grant_publisher(name) FROM PUBLIC;
