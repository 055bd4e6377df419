-- +goose Up
-- Objects of others (docs/decisions/0049): what walks through tables looks at those that the program made, functions see no schema but
-- pg_catalog, and no lock that any role can take stops anything.

-- The program's tables ------------------------------------------------------------------------------------------------

CREATE TABLE sluice.service_schemas (
    name text COLLATE "C" PRIMARY KEY
);
COMMENT ON TABLE sluice.service_schemas IS 'The schemas that hold tables of resources. A migration that makes one for a new service adds it here.';
COMMENT ON COLUMN sluice.service_schemas.name IS 'The schema.';
INSERT INTO sluice.service_schemas VALUES ('accounting'), ('billing'), ('chat'), ('custom'), ('inventory'), ('invoicing');

-- The role that migrates owns all that is ours: a worker need own nothing, so the role of a session says nothing.
CREATE VIEW sluice.owner AS
SELECT c.relowner AS role FROM pg_catalog.pg_class c WHERE c.oid = 'sluice.schema_version'::regclass;
COMMENT ON VIEW sluice.owner IS 'The role that made the program''s tables. What other roles have made in the program''s schemas is none of the program''s.';
COMMENT ON COLUMN sluice.owner.role IS 'The role.';

-- The one definition of "ours": ordinary tables in those schemas, of the role that made the control tables, and of them the columns of
-- types of Postgres itself. Casts, comparisons and functions of other types may be another role's, and would run with our rights.
CREATE VIEW sluice.table_columns AS
SELECT t.oid::regclass AS whole, n.nspname::text AS schema, t.relname::text AS name, a.attname::text AS column_name, a.attnum AS column_number
FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type y ON y.oid = a.atttypid AND y.typnamespace = 'pg_catalog'::regnamespace
WHERE t.relkind = 'r' AND n.nspname IN (SELECT s.name FROM sluice.service_schemas s)
    AND t.relowner = (SELECT o.role FROM sluice.owner o);
COMMENT ON VIEW sluice.table_columns IS 'Columns of the tables of resources that the program made. Tables of other roles, or in other schemas, are none of them.';
COMMENT ON COLUMN sluice.table_columns.whole IS 'The table.';
COMMENT ON COLUMN sluice.table_columns.schema IS 'The schema of the table.';
COMMENT ON COLUMN sluice.table_columns.name IS 'The name of the table.';
COMMENT ON COLUMN sluice.table_columns.column_name IS 'The column.';
COMMENT ON COLUMN sluice.table_columns.column_number IS 'The number of the column in its table.';

-- Turns and signs of life ---------------------------------------------------------------------------------------------

-- Any role that may connect can take any advisory lock; the lock of a row takes rights to the table.
CREATE TABLE sluice.housekeeping (
    work text COLLATE "C" PRIMARY KEY
);
COMMENT ON TABLE sluice.housekeeping IS 'What one process at a time does; it holds the lock of the row meanwhile.';
COMMENT ON COLUMN sluice.housekeeping.work IS 'What it is.';
INSERT INTO sluice.housekeeping VALUES ('calls'), ('raw'), ('runs'), ('versions');

-- +goose StatementBegin
CREATE FUNCTION sluice.take_turn(p_work text) RETURNS boolean LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    PERFORM FROM sluice.housekeeping h WHERE h.work = p_work FOR UPDATE SKIP LOCKED;
    RETURN FOUND;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.take_turn IS 'Takes a work for this transaction; false if another process is at it.';

-- Their bodies stay as they are but for the lock.
-- +goose StatementBegin
DO $do$
DECLARE
    v_body text;
BEGIN
    v_body := replace(pg_get_functiondef('sluice.keep_calls(integer)'::regprocedure), 'pg_try_advisory_xact_lock(426836257907)', 'sluice.take_turn(''calls'')');
    EXECUTE replace(v_body, '    -- "calls" in ASCII.' || chr(10), '');
    v_body := replace(pg_get_functiondef('sluice.keep_versions(interval, integer)'::regprocedure), 'pg_try_advisory_xact_lock(1751741300)', 'sluice.take_turn(''versions'')');
    EXECUTE replace(v_body, '    -- "hist" in ASCII.' || chr(10), '');
END
$do$;
-- +goose StatementEnd

-- A process takes another lock of its class if its number's is taken, and says which session holds it: no other one speaks for it.
ALTER TABLE sluice.processes ADD COLUMN lock_number integer, ADD COLUMN lock_pid integer;
COMMENT ON TABLE sluice.processes IS 'Processes that work on jobs. One that lives is in the view live_processes.';
COMMENT ON COLUMN sluice.processes.id IS 'Number of the process.';
COMMENT ON COLUMN sluice.processes.lock_number IS 'Number of the session advisory lock that it holds while it lives; null: that of the process.';
COMMENT ON COLUMN sluice.processes.lock_pid IS 'The server''s process of the session that holds it; null if an older version of the program did not say.';

CREATE VIEW sluice.live_processes AS
SELECT p.id FROM sluice.processes p JOIN pg_catalog.pg_locks l ON l.objid::bigint = coalesce(p.lock_number, p.id) AND l.pid = coalesce(p.lock_pid, l.pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.classid::bigint = 20928 AND l.objsubid = 2
    AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database());
COMMENT ON VIEW sluice.live_processes IS 'Processes that live: their session holds their lock.';
COMMENT ON COLUMN sluice.live_processes.id IS 'Number of the process.';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.keep_runs(p_keep interval, p_batch integer DEFAULT 1000) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_before timestamptz := clock_timestamp() - p_keep;
    v_stream record;
    v_last bigint;
    v_dropped integer := 0;
    v_count integer;
BEGIN
    IF p_keep < interval '35 days' THEN
        RAISE EXCEPTION 'runs are kept for %: the call log names runs for 35 days, keep at least that', p_keep;
    END IF;
    IF NOT sluice.take_turn('runs') THEN
        RETURN 0;
    END IF;
    FOR v_stream IN SELECT organization_id, service, resource FROM sluice.streams LOOP
        SELECT id INTO v_last FROM sluice.runs
        WHERE (organization_id, service, resource) = (v_stream.organization_id, v_stream.service, v_stream.resource)
        ORDER BY id DESC OFFSET 400 LIMIT 1;
        CONTINUE WHEN v_last IS NULL;
        BEGIN
            DELETE FROM sluice.runs WHERE id IN (
                SELECT r.id FROM sluice.runs r
                WHERE (r.organization_id, r.service, r.resource) = (v_stream.organization_id, v_stream.service, v_stream.resource)
                    AND r.id <= v_last AND r.ended_at < v_before
                    AND NOT EXISTS (SELECT FROM sluice.quarantine q WHERE q.run_id = r.id)
                    AND NOT EXISTS (SELECT FROM sluice.streams s WHERE r.id IN (s.run_id, s.last_run_id))
                ORDER BY r.id LIMIT p_batch);
            GET DIAGNOSTICS v_count = ROW_COUNT;
            v_dropped := v_dropped + v_count;
        EXCEPTION WHEN foreign_key_violation THEN
            NULL; -- another table names one of them: these stay
        END;
    END LOOP;
    DELETE FROM sluice.verifications WHERE id IN (
        SELECT id FROM sluice.verifications WHERE started_at < v_before ORDER BY id LIMIT p_batch);
    DELETE FROM sluice.processes WHERE id IN (
        SELECT p.id FROM sluice.processes p WHERE p.started_at < v_before AND p.id NOT IN (SELECT id FROM sluice.live_processes)
        ORDER BY p.id LIMIT p_batch);
    RETURN v_dropped;
END
$function$;
-- +goose StatementEnd

-- What walks through tables -------------------------------------------------------------------------------------------

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.orphans()
RETURNS TABLE (organization_id text, service text, resource text, record_id text, detail text) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT t.schema, t.name, t.whole AS child, p.oid::regclass AS parent,
            coalesce(top.relname, p.relname, t.name) AS resource,
            (SELECT string_agg(format('p.%I = c.%I', pa.attname, ca.attname), ' AND ')
                FROM unnest(f.conkey, f.confkey) AS k (child, parent)
                JOIN pg_attribute ca ON ca.attrelid = f.conrelid AND ca.attnum = k.child
                JOIN pg_attribute pa ON pa.attrelid = f.confrelid AND pa.attnum = k.parent) AS joined
        FROM sluice.table_columns t
        LEFT JOIN pg_constraint f ON f.conrelid = t.whole AND f.contype = 'f'
        LEFT JOIN pg_class p ON p.oid = f.confrelid
        LEFT JOIN pg_constraint g ON g.conrelid = f.confrelid AND g.contype = 'f'
        LEFT JOIN pg_class top ON top.oid = g.confrelid
        WHERE t.column_name = '_parent_id'
        ORDER BY 1, 2
    LOOP
        IF v.parent IS NULL THEN
            RETURN QUERY SELECT ''::text, v.schema::text, v.resource::text, ''::text,
                format('table %s has no foreign key: whether its rows belong to anything is not known', v.child);
            CONTINUE;
        END IF;
        RETURN QUERY EXECUTE format($sql$SELECT c.organization_id::text, %L::text, %L::text, c._parent_id::text,
            %L || c._position || ' belongs to no row'
            FROM %s AS c WHERE NOT EXISTS (SELECT FROM %s AS p WHERE %s)$sql$,
            v.schema, v.resource, v.name || ', position ', v.child, v.parent, v.joined);
    END LOOP;
END
$function$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.rows_without_call()
RETURNS TABLE (organization_id text, service text, resource text, record_id text, detail text) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v record;
    v_oldest bigint := (SELECT min(id) FROM sluice.calls);
BEGIN
    FOR v IN
        SELECT t.schema, t.name, t.whole, k.column_name AS key
        FROM sluice.table_columns t JOIN pg_index i ON i.indrelid = t.whole AND i.indisprimary
        JOIN sluice.table_columns k ON k.whole = t.whole AND k.column_number = i.indkey[1]
        WHERE t.column_name = '_raw_position'
        ORDER BY 1, 2
    LOOP
        RETURN QUERY EXECUTE format($sql$SELECT t.organization_id::text, %L::text, %L::text, t.%I::text,
            'call ' || t._call_id || ', which brought the row, is not in the call log'
            FROM %s AS t WHERE t._call_id >= $1 AND NOT EXISTS (SELECT FROM sluice.calls AS c WHERE c.id = t._call_id)$sql$,
            v.schema, v.name, v.key, v.whole) USING v_oldest;
    END LOOP;
END
$function$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.details_unproven()
RETURNS TABLE (organization_id text, service text, resource text, record_id text, detail text) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT t.schema, t.name, t.whole, k.column_name AS key
        FROM sluice.table_columns t JOIN pg_index i ON i.indrelid = t.whole AND i.indisprimary
        JOIN sluice.table_columns k ON k.whole = t.whole AND k.column_number = i.indkey[1]
        WHERE t.column_name = '_detail_state'
        ORDER BY 1, 2
    LOOP
        RETURN QUERY EXECUTE format($sql$SELECT t.organization_id::text, %L::text, %L::text, t.%I::text,
            'the single record is said to be loaded, and no call is known that brought it'
            FROM %s AS t WHERE t._detail_state = 'current' AND (t._detail_hash IS NULL OR t._detail_call_id IS NULL)$sql$,
            v.schema, v.name, v.key, v.whole);
    END LOOP;
END
$function$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.rows_without_raw()
RETURNS TABLE (organization_id text, service text, resource text, record_id text, detail text) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT t.schema, t.name, t.whole, k.column_name AS key, t.column_name AS position,
            replace(t.column_name, 'raw_position', 'call_id') AS call
        FROM sluice.table_columns t JOIN pg_index i ON i.indrelid = t.whole AND i.indisprimary
        JOIN sluice.table_columns k ON k.whole = t.whole AND k.column_number = i.indkey[1]
        WHERE t.column_name IN ('_raw_position', '_detail_raw_position')
        ORDER BY 1, 2, 5 DESC
    LOOP
        RETURN QUERY EXECUTE format($sql$SELECT t.organization_id::text, %1$L::text, %2$L::text, t.%3$I::text,
            'the raw record ' || t.%5$I || ' of call ' || t.%6$I || ', which made the row, is not kept'
            FROM %4$s AS t WHERE t.%6$I IS NOT NULL AND NOT EXISTS (
                SELECT FROM sluice.raw_records AS r WHERE r.call_id = t.%6$I AND r.first_position <= t.%5$I
                    AND t.%5$I < r.first_position + coalesce(r.record_count, json_array_length(r.records::json)))$sql$,
            v.schema, v.name, v.key, v.whole, v.position, v.call);
    END LOOP;
END
$function$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.keep_raw(p_keep interval, p_batch integer DEFAULT 1000) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_before timestamptz := clock_timestamp() - p_keep;
    v_stream record;
    v_place record;
    v_unless text := '';
    v_dropped integer;
BEGIN
    IF p_keep < interval '2 days' THEN
        RAISE EXCEPTION 'raw records are kept for %: keep them for two days at least', p_keep;
    END IF;
    IF NOT sluice.take_turn('raw') THEN
        RETURN NULL;
    END IF;
    SELECT s.organization_id, s.service, s.resource INTO v_stream
    FROM sluice.streams s LEFT JOIN sluice.raw_looks l USING (organization_id, service, resource)
    WHERE coalesce(l.looked_at < clock_timestamp() - interval '1 day', true) AND EXISTS (
        SELECT FROM sluice.raw_records r
        WHERE (r.organization_id, r.service, r.resource) = (s.organization_id, s.service, s.resource) AND r.kept_at < v_before)
    ORDER BY l.looked_at NULLS FIRST, 1, 2, 3 LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    -- Its table may have come to belong to another role, which the check of rights names: what its rows lead to is not known then, so nothing goes.
    IF EXISTS (
        SELECT FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
        WHERE t.relname = v_stream.resource AND t.relkind IN ('r', 'p') AND n.nspname IN (v_stream.service, 'custom')
            AND t.oid NOT IN (SELECT c.whole FROM sluice.table_columns c WHERE c.column_name = '_call_id')
    ) THEN
        INSERT INTO sluice.raw_looks VALUES (v_stream.organization_id, v_stream.service, v_stream.resource, clock_timestamp())
        ON CONFLICT (organization_id, service, resource) DO UPDATE SET looked_at = excluded.looked_at;
        RETURN 0;
    END IF;
    -- Tables of the resource, and of its history: <resource>, <resource>_…, <service>_<resource>…, of those that are the program's. One that names a call without a
    -- position keeps all that came with the call.
    FOR v_place IN
        SELECT c.whole, c.column_name AS call, p.column_name AS position
        FROM sluice.table_columns c JOIN sluice.table_columns o ON o.whole = c.whole AND o.column_name = 'organization_id'
        LEFT JOIN sluice.table_columns p ON p.whole = c.whole AND p.column_name = regexp_replace(c.column_name, 'call_id$', 'raw_position')
        WHERE c.column_name ~ '(^|_)call_id$' AND (c.name = v_stream.resource OR starts_with(c.name, v_stream.resource || '_')
            OR starts_with(c.name, v_stream.service || '_' || v_stream.resource))
        ORDER BY 1, 2
    LOOP
        v_unless := v_unless || format(' AND NOT EXISTS (SELECT FROM %s AS t WHERE t.organization_id = r.organization_id AND t.%I = r.call_id',
            v_place.whole, v_place.call);
        IF v_place.position IS NOT NULL THEN
            v_unless := v_unless || format(' AND t.%1$I >= r.first_position AND (r.record_count IS NULL OR t.%1$I < r.first_position + r.record_count)',
                v_place.position);
        END IF;
        v_unless := v_unless || ')';
    END LOOP;
    EXECUTE 'DELETE FROM sluice.raw_records WHERE (call_id, first_position) IN (
        SELECT r.call_id, r.first_position FROM sluice.raw_records r
        WHERE (r.organization_id, r.service, r.resource) = ($1, $2, $3) AND r.kept_at < $4
            AND NOT EXISTS (SELECT FROM sluice.quarantine q WHERE q.state = ''open'' AND q.call_id = r.call_id)' || v_unless || '
        LIMIT $5)'
    USING v_stream.organization_id, v_stream.service, v_stream.resource, v_before, p_batch;
    GET DIAGNOSTICS v_dropped = ROW_COUNT;
    IF v_dropped < p_batch THEN
        INSERT INTO sluice.raw_looks VALUES (v_stream.organization_id, v_stream.service, v_stream.resource, clock_timestamp())
        ON CONFLICT (organization_id, service, resource) DO UPDATE SET looked_at = excluded.looked_at;
    END IF;
    RETURN v_dropped;
END
$function$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history.make_readers() RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v record;
    v_made integer := 0;
BEGIN
    FOR v IN
        SELECT DISTINCT t.schema || '_' || t.name || '_as_of' AS name, t.whole
        FROM sluice.table_columns t
        WHERE t.column_name IN ('_raw_position', '_parent_id') AND NOT EXISTS (
            SELECT FROM pg_proc p WHERE p.pronamespace = 'history'::regnamespace AND p.proname = t.schema || '_' || t.name || '_as_of'
                AND p.pronargs = 4 AND p.proargtypes[0] = 'timestamptz'::regtype)
        ORDER BY 1
    LOOP
        CONTINUE WHEN octet_length(v.name) > 63; -- history.as_of reads it
        EXECUTE format($sql$CREATE FUNCTION history.%I(at timestamptz, organization text DEFAULT NULL, record text DEFAULT NULL,
            by_upstream boolean DEFAULT false) RETURNS SETOF %s LANGUAGE sql STABLE
            SET search_path = pg_catalog, pg_temp AS
            'SELECT * FROM history.as_of(NULL::%2$s, $1, $2, $3, $4)'$sql$, v.name, v.whole);
        EXECUTE format('COMMENT ON FUNCTION history.%I IS %L', v.name, 'The rows that ' || v.whole || ' held at an instant, those with a tombstone left out.');
        v_made := v_made + 1;
    END LOOP;
    RETURN v_made;
END
$function$;
-- +goose StatementEnd

-- Functions for tables that are not ours hold their owners up: a table cannot be dropped as long as a function gives its rows.
-- +goose StatementBegin
DO $do$
DECLARE
    v regprocedure;
BEGIN
    FOR v IN
        SELECT p.oid FROM pg_proc p JOIN pg_type y ON y.oid = p.prorettype
        WHERE p.pronamespace = 'history'::regnamespace AND p.proname LIKE '%\_as\_of' AND y.typrelid <> 0
            AND p.proowner = (SELECT o.role FROM sluice.owner o)
            AND y.typrelid NOT IN (SELECT t.whole::oid FROM sluice.table_columns t)
    LOOP
        BEGIN
            EXECUTE format('DROP FUNCTION %s', v);
        EXCEPTION WHEN dependent_objects_still_exist THEN
            NULL; -- a view reads it
        END;
    END LOOP;
END
$do$;
-- +goose StatementEnd

-- What functions see --------------------------------------------------------------------------------------------------

-- A reservation asks for the turn twice, and a function with a SET of its own is not inlined. A body after RETURN is parsed here and now, under this
-- path, and kept with the functions and operators that it means: it looks for no name when it is called.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.last_turn(p_at timestamptz, p_hour integer, p_zone text) RETURNS timestamptz LANGUAGE sql STABLE
RETURN (pg_catalog.date_trunc('day', (p_at AT TIME ZONE p_zone) OPERATOR(pg_catalog.-) pg_catalog.make_interval(hours => p_hour))
    OPERATOR(pg_catalog.+) pg_catalog.make_interval(hours => p_hour)) AT TIME ZONE p_zone;
-- +goose StatementEnd

-- +goose StatementBegin
DO $do$
DECLARE
    v regprocedure;
BEGIN
    FOR v IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace IN ('sluice'::regnamespace, 'history'::regnamespace) AND p.prokind = 'f'
        AND p.prosqlbody IS NULL AND p.proowner = (SELECT o.role FROM sluice.owner o) LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp', v);
    END LOOP;
END
$do$;
-- +goose StatementEnd
