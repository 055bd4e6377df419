-- +goose Up
-- Two roles: the owner of the tables, which migrates, and a worker, which reads and writes rows and
-- does all the rest. Analysts get no rights here: see docs/operations.md.

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
            AND (n.nspname IN ('sluice', 'river', 'history', 'analytics') OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s))
        UNION ALL
        SELECT CASE WHEN c.relkind = 'S' THEN 'GRANT USAGE, SELECT ON SEQUENCE '
                WHEN c.relkind = 'v' OR c.oid IN ('sluice.schema_version'::regclass, 'sluice.service_schemas'::regclass, 'sluice.checks'::regclass)
                    THEN 'GRANT SELECT ON TABLE '
                ELSE 'GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE ' END || c.oid::regclass
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relowner = v_owner AND c.relkind IN ('r', 'p', 'v', 'S')
            AND (n.nspname IN ('sluice', 'river', 'history', 'analytics') OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s))
        UNION ALL
        SELECT 'GRANT EXECUTE ON FUNCTION ' || p.oid::regprocedure
        FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        WHERE p.proowner = v_owner AND p.prokind = 'f' AND n.nspname IN ('sluice', 'river', 'history', 'analytics')
            AND p.oid <> 'sluice.grant_worker(name)'::regprocedure
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
