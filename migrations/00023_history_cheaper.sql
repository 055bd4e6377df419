-- +goose Up
-- Versions cost less (docs/decisions/0028): JSON of a row is written once as text, without its nulls, and read once; versions
-- are found by their place, whatever the planner believes of a table that has no statistics yet; what upstream modified since is not
-- compared.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history.row_sql(p_table regclass, p_alias text, p_without text[]) RETURNS text LANGUAGE plpgsql STABLE AS $function$
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

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history.state(p history.periods, p_ids text[])
RETURNS TABLE (record_id text, deleted_at timestamptz, record jsonb, arrays jsonb) LANGUAGE plpgsql STABLE
SET timezone = 'UTC' SET bytea_output = 'hex' SET jit = off AS $function$
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

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history.keep(p_organization text, p_service text, p_resource text, p_ids text[], p_began text DEFAULT 'seen')
RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $function$
DECLARE
    v_period history.periods;
    v_own text[] := history.own_columns();
    v_written integer;
BEGIN
    SELECT * INTO v_period FROM history.periods p
    WHERE (p.organization_id, p.service, p.resource) = (p_organization, p_service, p_resource) AND p.ended_at IS NULL;
    IF v_period.daily <> '{}' THEN
        PERFORM history.keep_days(v_period, p_ids);
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
    -- By their place, for a join by key is planned as a look through all versions until the table has statistics. Nobody moves
    -- them meanwhile: whoever writes versions of a record has its row locked.
    closed AS (
        UPDATE history.versions v SET valid_to = c.at, ended = CASE WHEN c.live THEN 'replaced' ELSE 'gone' END,
            upstream_to = CASE WHEN c.live THEN c.since ELSE greatest(coalesce(c.deleted_at, c.at), v.upstream_from) END
        FROM changed c WHERE c.open AND v.ctid = c.place
        RETURNING v.record_id
    )
    -- What takes the place of a version needs it closed: there is one open version at most.
    INSERT INTO history.versions (organization_id, service, resource, record_id, valid_from, upstream_from, began, record, arrays)
    SELECT p_organization, p_service, p_resource, c.id, c.at, c.since,
        CASE WHEN p_began = 'seen' AND NOT c.open AND c.valid_from IS NOT NULL THEN 'revived' ELSE p_began END, c.record, c.arrays
    FROM changed c LEFT JOIN closed ON closed.record_id = c.id
    WHERE c.live AND (closed.record_id IS NOT NULL OR NOT c.open);
    GET DIAGNOSTICS v_written = ROW_COUNT;
    RETURN v_written;
END
$function$;
-- +goose StatementEnd
