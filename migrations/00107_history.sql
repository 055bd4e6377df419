-- +goose Up
-- Every version of a record, with its arrays, and the values of single columns by day, where the
-- configuration asks for it (docs/decisions/0016-versions). Written by
-- pipeline/warehouse/history, through the functions below.
--
-- A version is what the row and the rows of its arrays held, taken from the tables themselves in
-- the transaction that wrote them. Versions are content and not columns, so a table that gets a
-- column needs nothing here; the functions give them back as rows of the table.

CREATE SCHEMA history;
COMMENT ON SCHEMA history IS 'What tables held earlier: SELECT * FROM history.as_of(NULL::inventory.bills, ''2026-11-01 00:00 Asia/Kolkata''). Tables with history: true have functions of their own, as history.inventory_bills_as_of.';

CREATE TABLE history.periods (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    filled_to text COLLATE "C" NOT NULL DEFAULT '',
    began_at timestamptz,
    ended_at timestamptz,
    in_schema text NOT NULL,
    key_column text NOT NULL,
    modified_column text,
    arrays text[] NOT NULL,
    versions boolean NOT NULL,
    daily text[] NOT NULL,
    time_zone text NOT NULL,
    dropped_to timestamptz,
    PRIMARY KEY (service, resource, organization_id, asked_at),
    CHECK (versions OR daily <> '{}'),
    CHECK (timestamptz '2026-01-01 00:00:00+00' AT TIME ZONE time_zone IS NOT NULL), -- the server knows the zone
    CHECK (began_at >= asked_at),
    CHECK (ended_at >= asked_at)
);
CREATE UNIQUE INDEX periods_open ON history.periods (service, resource, organization_id) WHERE ended_at IS NULL;
COMMENT ON TABLE history.periods IS 'When versions or values by day were kept: outside of these periods, nothing is known about what a table held.';
COMMENT ON COLUMN history.periods.organization_id IS 'The organization.';
COMMENT ON COLUMN history.periods.service IS 'The service.';
COMMENT ON COLUMN history.periods.resource IS 'The resource.';
COMMENT ON COLUMN history.periods.asked_at IS 'When the configuration asked for it.';
COMMENT ON COLUMN history.periods.filled_to IS 'Up to which key the rows that were there were taken in.';
COMMENT ON COLUMN history.periods.began_at IS 'From when on every row is taken in; null while rows that were there still are.';
COMMENT ON COLUMN history.periods.ended_at IS 'When the configuration no longer asked for it; null while it does.';
COMMENT ON COLUMN history.periods.in_schema IS 'Where the table is; it is called like the resource.';
COMMENT ON COLUMN history.periods.key_column IS 'The column of the key.';
COMMENT ON COLUMN history.periods.modified_column IS 'The column of upstream''s modification time; null if there is none.';
COMMENT ON COLUMN history.periods.arrays IS 'The tables of the record''s arrays.';
COMMENT ON COLUMN history.periods.versions IS 'Whether versions are kept.';
COMMENT ON COLUMN history.periods.daily IS 'The columns, and the tables of arrays, whose values are kept by day; empty if none are.';
COMMENT ON COLUMN history.periods.time_zone IS 'The zone in which days begin: that of the organization.';
COMMENT ON COLUMN history.periods.dropped_to IS 'Versions that ended before this instant are not kept any more; null if none were dropped.';

CREATE TABLE history.versions (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    valid_from timestamptz NOT NULL,
    valid_to timestamptz NOT NULL DEFAULT 'infinity',
    upstream_from timestamptz NOT NULL,
    upstream_to timestamptz NOT NULL DEFAULT 'infinity',
    began text NOT NULL CHECK (began IN ('present', 'seen', 'restored')),
    ended text CHECK (ended IN ('replaced', 'deleted')),
    record jsonb NOT NULL,
    arrays jsonb NOT NULL,
    PRIMARY KEY (service, resource, organization_id, record_id, valid_from),
    CHECK (valid_to > valid_from),
    CHECK (upstream_to >= upstream_from),
    CHECK ((ended IS NULL) = (valid_to = 'infinity'))
);
CREATE UNIQUE INDEX versions_open ON history.versions (service, resource, organization_id, record_id) WHERE valid_to = 'infinity';
CREATE INDEX versions_ended ON history.versions (valid_to) WHERE valid_to < 'infinity';
COMMENT ON TABLE history.versions IS 'Versions of records with their arrays. Read them by history.as_of, which knows the gaps (history.periods), or as they are.';
COMMENT ON COLUMN history.versions.organization_id IS 'The organization.';
COMMENT ON COLUMN history.versions.service IS 'The service.';
COMMENT ON COLUMN history.versions.resource IS 'The resource.';
COMMENT ON COLUMN history.versions.record_id IS 'The key of the record.';
COMMENT ON COLUMN history.versions.valid_from IS 'Since when the row was so, by the clock of this database.';
COMMENT ON COLUMN history.versions.valid_to IS 'Until when, exclusive; infinity for the version that the row holds now.';
COMMENT ON COLUMN history.versions.upstream_from IS 'Since when the record was so upstream: its modification time if that is later than the version before, otherwise valid_from.';
COMMENT ON COLUMN history.versions.upstream_to IS 'Until when upstream, exclusive; equal to upstream_from if it never was so there, as of a row whose single record was still to be read.';
COMMENT ON COLUMN history.versions.began IS 'seen: new or changed. restored: it came back after a tombstone. present: it was there when versions began to be kept, and what it was before is not known.';
COMMENT ON COLUMN history.versions.ended IS 'replaced: another version followed. gone: a tombstone. Null while it is valid.';
COMMENT ON COLUMN history.versions.record IS 'The row, without nulls. Columns of the program, _call_id and its like, are as they were when the version began.';
COMMENT ON COLUMN history.versions.arrays IS 'By table, the rows of its arrays, without nulls; tables without rows are left out.';
-- As for raw records: lz4 costs less time than the default, and not every server is built with it.
-- +goose StatementBegin
DO $block$
BEGIN
    EXECUTE 'ALTER TABLE history.versions ALTER COLUMN record SET COMPRESSION lz4, ALTER COLUMN arrays SET COMPRESSION lz4';
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value OR syntax_error THEN
    RAISE NOTICE 'this server has no lz4: versions are compressed with its default';
END
$block$;
-- +goose StatementEnd

CREATE TABLE history.days (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    day date NOT NULL,
    content jsonb,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (service, resource, organization_id, record_id, day)
);
COMMENT ON TABLE history.days IS 'Values of single columns by day, for what moves without a modification time: a row for each day on which a record''s values changed. history.on_day reads it.';
COMMENT ON COLUMN history.days.organization_id IS 'The organization.';
COMMENT ON COLUMN history.days.service IS 'The service.';
COMMENT ON COLUMN history.days.resource IS 'The resource.';
COMMENT ON COLUMN history.days.record_id IS 'The key of the record.';
COMMENT ON COLUMN history.days.day IS 'The day in the organization''s time zone.';
COMMENT ON COLUMN history.days.content IS 'The last values of that day, without nulls; null if the record was gone.';
COMMENT ON COLUMN history.days.seen_at IS 'When they were first seen, by the clock of this database.';

-- A stream that is made while versions are kept keeps them from its first batch on.
-- +goose StatementBegin
CREATE FUNCTION history.new_stream() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    NEW.history := EXISTS (SELECT FROM history.periods p WHERE p.ended_at IS NULL
        AND (p.organization_id, p.service, p.resource) = (NEW.organization_id, NEW.service, split_part(NEW.resource, '.', 1)));
    RETURN NEW;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION history.new_stream IS 'Says of a new stream whether versions of its records are kept.';
CREATE TRIGGER history BEFORE INSERT ON sluice.streams FOR EACH ROW EXECUTE FUNCTION history.new_stream();

-- What a version is made of -----------------------------------------------------------------------

-- +goose StatementBegin
CREATE FUNCTION history.own_columns() RETURNS text[] LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $function$
SELECT ARRAY['_content_hash', '_call_id', '_raw_position', '_run_id', '_first_seen_at', '_changed_at', '_payload_hash', '_deleted_at',
    '_detail_state', '_detail_hash', '_detail_call_id', '_detail_raw_position', '_detail_at']
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION history.own_columns IS 'The columns that say something about the row and nothing about the record: they make no version.';

-- JSON of a row is written once as text, without its nulls, and read once, by history.state.
-- +goose StatementBegin
CREATE FUNCTION history.row_sql(p_table regclass, p_alias text, p_without text[]) RETURNS text LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    -- A function takes a hundred arguments, and a table has more columns.
    RETURN (SELECT '''{''||concat_ws('','',' || string_agg(g.members, ',') || ')||''}''' FROM (
        SELECT 'nullif(concat_ws('','',' || string_agg(format('%L||to_json(%I.%I)::text', to_json(a.attname::text) || ':', p_alias, a.attname),
            ',' ORDER BY a.attnum) || '),'''')' AS members
        FROM pg_attribute a
        WHERE a.attrelid = p_table AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL (p_without)
        GROUP BY a.attnum / 90) AS g);
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION history.row_sql IS 'The expression that makes content of a row of a table, as text of JSON. Nulls are left out, so that a column that is added makes no version; what is nested in a value keeps its nulls.';

-- Each row is looked up by itself, and so are its arrays: a planner that has no statistics yet
-- would read whole tables. Texts of instants must not depend on the session.
-- +goose StatementBegin
CREATE FUNCTION history.state(p history.periods, p_ids text[])
RETURNS TABLE (record_id text, deleted_at timestamptz, record jsonb, arrays jsonb) LANGUAGE plpgsql STABLE
SET timezone = 'UTC' SET bytea_output = 'hex' SET jit = off SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_table regclass := format('%I.%I', p.in_schema, p.resource)::regclass;
    v_arrays text;
BEGIN
    SELECT string_agg(format('%L||(SELECT ''[''||string_agg(%s,'','' ORDER BY %sc._position)||'']'' FROM %s AS c WHERE c.organization_id = t.organization_id AND c._parent_id = t.%I)',
            to_json(a.name) || ':', history.row_sql(a.relation, 'c', '{organization_id,_parent_id,_deleted_at}'),
            CASE WHEN EXISTS (SELECT FROM pg_attribute n WHERE n.attrelid = a.relation AND n.attname = '_parent_position') THEN 'c._parent_position,' ELSE '' END,
            a.relation, p.key_column), ', ')
    INTO v_arrays
    FROM (SELECT u.name, format('%I.%I', p.in_schema, u.name)::regclass AS relation FROM unnest(p.arrays) AS u (name)) AS a;
    RETURN QUERY EXECUTE format('SELECT t.%1$I::text, t._deleted_at, (%2$s)::jsonb, %3$s FROM %4$s', p.key_column,
        history.row_sql(v_table, 't', '{}'),
        CASE WHEN v_arrays IS NULL THEN '''{}''::jsonb' ELSE format('(''{''||concat_ws('','',%s)||''}'')::jsonb', v_arrays) END,
        CASE WHEN p_ids IS NULL THEN format('%s AS t WHERE t.organization_id = $1', v_table)
            ELSE format('unnest($2) AS k (id) CROSS JOIN LATERAL (SELECT * FROM %1$s AS r WHERE r.organization_id = $1 AND r.%2$I = k.id OFFSET 0) AS t',
                v_table, p.key_column) END)
    USING p.organization_id, p_ids;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION history.state IS 'What rows and their arrays hold now, as versions hold it; of all rows of the organization if no keys are given.';

-- Keeping versions --------------------------------------------------------------------------------

-- keep brings the versions of records in line with their rows, and says how many began. Where
-- nothing changed it writes nothing, so it may be called once too often. The caller has the rows
-- locked, or they are new: so the versions of one record begin one after the other, whatever its
-- writers are.
--
-- Index scans only: a plan that was made while the table was small would outlive its reason.
-- +goose StatementBegin
CREATE FUNCTION history.write_versions(p_organization text, p_service text, p_resource text, p_ids text[], p_began text DEFAULT 'seen')
RETURNS integer LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_period history.periods;
    v_own text[] := history.own_columns();
    v_written integer;
BEGIN
    SELECT * INTO v_period FROM history.periods p
    WHERE (p.organization_id, p.service, p.resource) = (p_organization, p_service, p_resource) AND p.ended_at IS NULL;
    IF v_period.daily <> '{}' THEN
        PERFORM history.write_days(v_period, p_ids);
    END IF;
    IF v_period.versions IS NOT TRUE THEN
        RETURN 0;
    END IF;
    WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS at),
    -- The last version of each record beside what its row holds now. A single record completes the version of a list record that
    -- left it to be read: it is no later version upstream.
    found AS NOT MATERIALIZED (
        SELECT k.id, s.record, s.arrays, s.deleted_at, s.record_id IS NOT NULL AND s.deleted_at IS NULL AS live,
            l.ctid AS place, l.valid_from, l.valid_to, l.upstream_from, l.upstream_to, coalesce(l.valid_to = 'infinity', false) AS open,
            -- The modification time is content: where it moved, the rest need not be compared.
            CASE WHEN m.modified <> (l.record ->> v_period.modified_column)::timestamptz THEN true
                ELSE (l.record - v_own) IS DISTINCT FROM (s.record - v_own) OR l.arrays IS DISTINCT FROM s.arrays END AS differs,
            m.modified, coalesce(l.valid_to = 'infinity' AND m.modified = (l.record ->> v_period.modified_column)::timestamptz
                AND l.record ->> '_detail_state' NOT IN ('current', 'none_needed')
                AND s.record ->> '_detail_state' IN ('current', 'none_needed'), false) AS completes
        FROM unnest(p_ids) AS k (id)
        LEFT JOIN history.state(v_period, p_ids) AS s ON s.record_id = k.id
        LEFT JOIN LATERAL (SELECT v.ctid, v.* FROM history.versions v
            WHERE (v.service, v.resource, v.organization_id, v.record_id) = (p_service, p_resource, p_organization, k.id)
            ORDER BY v.valid_from DESC LIMIT 1) AS l ON true
        CROSS JOIN LATERAL (SELECT (s.record ->> v_period.modified_column)::timestamptz) AS m (modified)
    ),
    changed AS MATERIALIZED (
        SELECT f.id, f.record, f.arrays, f.deleted_at, f.live, f.open, f.place, f.valid_from, u.at, CASE WHEN f.completes THEN f.upstream_from
            WHEN f.modified > coalesce(u.after, '-infinity') AND f.modified <= u.at + interval '1 day' THEN f.modified
            ELSE greatest(u.at, u.after) END AS since
        FROM found f CROSS JOIN clock c
        CROSS JOIN LATERAL (SELECT
            greatest(c.at, f.valid_from + interval '1 microsecond', CASE WHEN NOT f.open THEN f.valid_to END),
            CASE WHEN f.open THEN f.upstream_from ELSE f.upstream_to END) AS u (at, after)
        WHERE CASE WHEN f.open THEN NOT f.live OR f.differs ELSE f.live END
    ),
    -- By their place, for a join by key is planned as a look through all versions until the table has statistics. They do not
    -- move meanwhile: a writer of versions has the record's row locked.
    closed AS (
        UPDATE history.versions v SET valid_to = c.at, ended = CASE WHEN c.live THEN 'replaced' ELSE 'deleted' END,
            upstream_to = CASE WHEN c.live THEN c.since ELSE greatest(coalesce(c.deleted_at, c.at), v.upstream_from) END
        FROM changed c WHERE c.open AND v.ctid = c.place
        RETURNING v.record_id
    )
    -- What takes the place of a version needs it closed: there is one open version at most.
    INSERT INTO history.versions (organization_id, service, resource, record_id, valid_from, upstream_from, began, record, arrays)
    SELECT p_organization, p_service, p_resource, c.id, c.at, c.since,
        CASE WHEN p_began = 'seen' AND NOT c.open AND c.valid_from IS NOT NULL THEN 'restored' ELSE p_began END, c.record, c.arrays
    FROM changed c LEFT JOIN closed ON closed.record_id = c.id
    WHERE c.live AND (closed.record_id IS NOT NULL OR NOT c.open);
    GET DIAGNOSTICS v_written = ROW_COUNT;
    RETURN v_written;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION history.write_versions IS 'Brings the versions of records in line with their rows where versions are kept, and says how many began.';

-- The clock going back does not take a day back.
-- +goose StatementBegin
CREATE FUNCTION history.write_days(p history.periods, p_ids text[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_daily text[] := p.daily;
BEGIN
    p.arrays := ARRAY(SELECT a.name FROM unnest(p.arrays) AS a (name) WHERE a.name = ANY (v_daily));
    INSERT INTO history.days AS d (organization_id, service, resource, record_id, day, content, seen_at)
    SELECT p.organization_id, p.service, p.resource, k.id, greatest((c.at AT TIME ZONE p.time_zone)::date, l.day), n.content, c.at
    FROM (SELECT clock_timestamp() AS at) AS c CROSS JOIN unnest(p_ids) AS k (id)
    LEFT JOIN history.state(p, p_ids) AS s ON s.record_id = k.id
    LEFT JOIN LATERAL (SELECT w.day, w.content FROM history.days w
        WHERE (w.service, w.resource, w.organization_id, w.record_id) = (p.service, p.resource, p.organization_id, k.id)
        ORDER BY w.day DESC LIMIT 1) AS l ON true
    CROSS JOIN LATERAL (SELECT CASE WHEN s.record_id IS NOT NULL AND s.deleted_at IS NULL THEN
        (SELECT coalesce(jsonb_object_agg(u.name, coalesce(s.arrays -> u.name, s.record -> u.name)), '{}')
            FROM unnest(v_daily) AS u (name) WHERE s.arrays ? u.name OR s.record ? u.name) END) AS n (content)
    WHERE n.content IS DISTINCT FROM l.content
    ON CONFLICT (service, resource, organization_id, record_id, day) DO UPDATE SET content = excluded.content, seen_at = excluded.seen_at;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION history.write_days IS 'Notes the values of single columns by day where they changed.';

-- Reading -----------------------------------------------------------------------------------------

-- +goose StatementBegin
CREATE FUNCTION history.known(p history.periods, at timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $function$
SELECT p.versions AND p.began_at <= at AND (p.ended_at IS NULL OR at < p.ended_at) AND (p.dropped_to IS NULL OR p.dropped_to <= at)
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION history.known IS 'Whether versions of a period say what a table held at an instant.';

-- +goose StatementBegin
CREATE FUNCTION history.as_of(
    p_table anyelement, at timestamptz, organization text DEFAULT NULL, record text DEFAULT NULL, by_upstream boolean DEFAULT false
) RETURNS SETOF anyelement LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_type regtype := pg_typeof(p_table);
    v_schema text;
    v_name text;
    v_resource record;
    v_without text;
    v_kept boolean;
BEGIN
    SELECT n.nspname, c.relname INTO v_schema, v_name
    FROM pg_type t JOIN pg_class c ON c.oid = t.typrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE t.oid = v_type;
    SELECT p.service, p.resource, p.key_column INTO v_resource FROM history.periods p
    WHERE p.versions AND p.in_schema = v_schema AND (p.resource = v_name OR v_name = ANY (p.arrays)) ORDER BY p.asked_at DESC LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'versions of %.% were never kept', v_schema, v_name
            USING HINT = 'The configuration asks for them: resources, history: true.';
    END IF;
    -- Organizations that had rows and no versions at that instant are named: their rows are missing from the answer.
    SELECT string_agg(DISTINCT p.organization_id, ', ') FILTER (WHERE NOT o.kept), bool_or(o.kept) INTO v_without, v_kept
    FROM history.periods p CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM history.periods q
        WHERE (q.service, q.resource, q.organization_id) = (p.service, p.resource, p.organization_id) AND history.known(q, at))) AS o (kept)
    WHERE p.versions AND (p.service, p.resource) = (v_resource.service, v_resource.resource) AND (organization IS NULL OR p.organization_id = organization);
    IF v_kept IS NOT TRUE THEN
        RAISE EXCEPTION 'versions of %.% were not kept at %, or are not any more', v_resource.service, v_resource.resource, at
            USING HINT = 'The table history.periods says when they were.';
    ELSIF v_without IS NOT NULL THEN
        RAISE WARNING 'versions of %.% were not kept at % for organization %, or are not any more: it is left out',
            v_resource.service, v_resource.resource, at, v_without;
    END IF;
    RETURN QUERY EXECUTE format($sql$SELECT r.* FROM history.versions v CROSS JOIN LATERAL %s
        WHERE v.service = $1 AND v.resource = $2 AND ($4 IS NULL OR v.organization_id = $4) AND ($5 IS NULL OR v.record_id = $5)
            AND v.%I <= $3 AND $3 < v.%I AND EXISTS (SELECT FROM history.periods q
                WHERE (q.service, q.resource, q.organization_id) = (v.service, v.resource, v.organization_id) AND history.known(q, $3))$sql$,
        CASE WHEN v_name = v_resource.resource THEN format('jsonb_populate_record(NULL::%s, v.record) AS r', v_type)
            ELSE format($sql$jsonb_array_elements(v.arrays -> %L) AS e (element) CROSS JOIN LATERAL jsonb_populate_record(NULL::%s,
                e.element || jsonb_build_object('organization_id', v.organization_id, '_parent_id', v.record_id)) AS r$sql$, v_name, v_type) END,
        CASE WHEN by_upstream THEN 'upstream_from' ELSE 'valid_from' END, CASE WHEN by_upstream THEN 'upstream_to' ELSE 'valid_to' END)
    USING v_resource.service, v_resource.resource, at, organization, record;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION history.as_of IS 'The rows that a table held at an instant, those with a tombstone left out: SELECT * FROM history.as_of(NULL::inventory.bills, ''2026-11-01 00:00 Asia/Kolkata''). By upstream''s modification times instead of when we saw it: by_upstream => true.';

-- +goose StatementBegin
CREATE FUNCTION history.on_day(p_table anyelement, day date, organization text DEFAULT NULL, record text DEFAULT NULL)
RETURNS SETOF anyelement LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_type regtype := pg_typeof(p_table);
    v_schema text;
    v_name text;
    v_period history.periods;
BEGIN
    SELECT n.nspname, c.relname INTO v_schema, v_name
    FROM pg_type t JOIN pg_class c ON c.oid = t.typrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE t.oid = v_type;
    SELECT * INTO v_period FROM history.periods p
    WHERE p.in_schema = v_schema AND (p.daily <> '{}' AND p.resource = v_name OR v_name = ANY (p.daily) AND v_name = ANY (p.arrays)) ORDER BY p.asked_at DESC LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'values of %.% were never kept by day', v_schema, v_name
            USING HINT = 'The configuration asks for them: resources, daily: [columns].';
    END IF;
    RETURN QUERY EXECUTE format($sql$SELECT r.* FROM (
            SELECT DISTINCT ON (d.organization_id, d.record_id) d.* FROM history.days d
            WHERE (d.service, d.resource) = ($1, $2) AND d.day <= $3 AND ($4 IS NULL OR d.organization_id = $4) AND ($5 IS NULL OR d.record_id = $5)
            ORDER BY d.organization_id, d.record_id, d.day DESC) AS d
        CROSS JOIN LATERAL %s AS e (element)
        CROSS JOIN LATERAL jsonb_populate_record(NULL::%s, e.element || jsonb_build_object('organization_id', d.organization_id, %L, d.record_id)) AS r
        WHERE d.content IS NOT NULL$sql$,
        CASE WHEN v_name = v_period.resource THEN '(SELECT d.content)' ELSE format('jsonb_array_elements(d.content -> %L)', v_name) END,
        v_type, CASE WHEN v_name = v_period.resource THEN v_period.key_column ELSE '_parent_id' END)
    USING v_period.service, v_period.resource, day, organization, record;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION history.on_day IS 'The values by day that were the last ones on a day of the organization: SELECT organization_id, account_id, current_balance FROM history.on_day(NULL::accounting.chart_of_accounts, ''2026-10-31''). Other columns than those that are kept by day are null.';

-- sluice migrate makes functions history.<service>_<table>_as_of of the tables whose versions are
-- kept, and drops them when they are not kept any more (migrations/history.go).

-- +goose StatementBegin
CREATE FUNCTION history.astray()
RETURNS TABLE (kind text, organization_id text, service text, resource text, record_id text) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v history.periods;
BEGIN
    FOR v IN SELECT * FROM history.periods p WHERE p.versions AND p.began_at IS NOT NULL AND p.ended_at IS NULL ORDER BY p.service, p.resource, p.organization_id LOOP
        RETURN QUERY SELECT
            CASE WHEN o.record_id IS NULL THEN 'missing' WHEN s.record_id IS NULL THEN 'left' ELSE 'differs' END,
            v.organization_id, v.service, v.resource, coalesce(s.record_id, o.record_id)
        FROM (SELECT * FROM history.state(v, NULL) AS w WHERE w.deleted_at IS NULL) AS s
        FULL JOIN (SELECT * FROM history.versions w WHERE w.valid_to = 'infinity'
            AND (w.service, w.resource, w.organization_id) = (v.service, v.resource, v.organization_id)) AS o ON o.record_id = s.record_id
        WHERE o.record_id IS NULL OR s.record_id IS NULL OR o.arrays IS DISTINCT FROM s.arrays
            OR (o.record - history.own_columns()) IS DISTINCT FROM (s.record - history.own_columns());
    END LOOP;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION history.astray IS 'Live rows and open versions that do not belong together, where versions are kept.';

-- Retention ---------------------------------------------------------------------------------------

-- prune_history drops versions that ended before an instant, and days that another one replaced
-- before it, a bounded number at a time. The note that as_of goes by comes first: no question is
-- answered out of half of the versions of its instant.
-- +goose StatementBegin
CREATE FUNCTION sluice.prune_history(p_keep interval, p_batch integer DEFAULT 5000) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_before timestamptz := clock_timestamp() - p_keep;
    v_dropped integer;
    v_days integer;
BEGIN
    IF p_keep < interval '2 days' THEN
        RAISE EXCEPTION 'versions are kept for %: keep them for two days at least', p_keep;
    END IF;
    IF NOT sluice.take_turn('versions') THEN
        RETURN NULL;
    END IF;
    UPDATE history.periods SET dropped_to = v_before WHERE versions AND asked_at < v_before AND (dropped_to IS NULL OR dropped_to < v_before);
    DELETE FROM history.versions WHERE ctid = ANY (ARRAY (SELECT v.ctid FROM history.versions v WHERE v.valid_to < v_before LIMIT p_batch));
    GET DIAGNOSTICS v_dropped = ROW_COUNT;
    -- The last day before says what the values were until the next one.
    DELETE FROM history.days WHERE ctid = ANY (ARRAY (SELECT d.ctid FROM history.days d
        WHERE d.day < (v_before AT TIME ZONE 'UTC')::date - 1 AND EXISTS (SELECT FROM history.days n
            WHERE (n.service, n.resource, n.organization_id, n.record_id) = (d.service, d.resource, d.organization_id, d.record_id)
                AND n.day > d.day AND n.day <= (v_before AT TIME ZONE 'UTC')::date - 1) LIMIT p_batch));
    GET DIAGNOSTICS v_days = ROW_COUNT;
    RETURN v_dropped + v_days;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.prune_history IS 'Drops versions that ended longer ago than they are kept, and values by day that others replaced before, and says how many; null if another process is at it.';
