-- +goose Up
-- How far the lake is, and a role for its publisher. Why: docs/decisions/0085-lake-complete.

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
                OR n.nspname = 'sluice' AND c.relname IN ('schema_version', 'migration_steps', 'service_schemas', 'owner', 'changes', 'erasures'))
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
