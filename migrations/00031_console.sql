-- +goose Up
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
