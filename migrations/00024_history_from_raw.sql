-- +goose Up
-- Versions out of raw records, and versions for a time (docs/decisions/0028).

ALTER TABLE history.periods ADD COLUMN dropped_to timestamptz;
COMMENT ON COLUMN history.periods.dropped_to IS 'Versions that ended before this instant are not kept any more; null if none were dropped.';

-- What is not there any more cannot say what a row was: whoever deletes archives leaves a note of how far.
ALTER TABLE sluice.raw_looks ADD COLUMN dropped_to timestamptz;
COMMENT ON COLUMN sluice.raw_looks.dropped_to IS 'When the youngest archive that was dropped had been kept: since then all are there. Null if none was dropped.';
UPDATE sluice.raw_looks SET dropped_to = looked_at - interval '2 days'; -- the least that they are kept

-- +goose StatementBegin
CREATE FUNCTION sluice.note_dropped_raw() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    INSERT INTO sluice.raw_looks AS l (organization_id, service, resource, looked_at, dropped_to)
    SELECT d.organization_id, d.service, d.resource, '-infinity', max(d.kept_at) FROM dropped d GROUP BY 1, 2, 3
    ON CONFLICT (organization_id, service, resource) DO UPDATE SET dropped_to = greatest(l.dropped_to, excluded.dropped_to);
    RETURN NULL;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.note_dropped_raw IS 'Notes up to when archives of raw records were dropped.';
CREATE TRIGGER dropped AFTER DELETE ON sluice.raw_records REFERENCING OLD TABLE AS dropped
    FOR EACH STATEMENT EXECUTE FUNCTION sluice.note_dropped_raw();

-- Reading ------------------------------------------------------------------------------------------------------------

CREATE FUNCTION history.known(p history.periods, at timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE AS $function$
SELECT p.versions AND p.began_at <= at AND (p.ended_at IS NULL OR at < p.ended_at) AND (p.dropped_to IS NULL OR p.dropped_to <= at)
$function$;
COMMENT ON FUNCTION history.known IS 'Whether versions of a period say what a table held at an instant.';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history.as_of(
    p_table anyelement, at timestamptz, organization text DEFAULT NULL, record text DEFAULT NULL, by_upstream boolean DEFAULT false
) RETURNS SETOF anyelement LANGUAGE plpgsql STABLE AS $function$
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

-- How long versions are kept -------------------------------------------------------------------------------------------

-- keep_versions drops versions that ended before an instant, and days that another one replaced before it, a bounded number at a
-- time. The note that as_of goes by comes first: no question is answered out of half of the versions of its instant.
-- +goose StatementBegin
CREATE FUNCTION sluice.keep_versions(p_keep interval, p_batch integer DEFAULT 5000) RETURNS integer LANGUAGE plpgsql AS $function$
DECLARE
    v_before timestamptz := clock_timestamp() - p_keep;
    v_dropped integer;
    v_days integer;
BEGIN
    IF p_keep < interval '2 days' THEN
        RAISE EXCEPTION 'versions are kept for %: keep them for two days at least', p_keep;
    END IF;
    -- "hist" in ASCII.
    IF NOT pg_try_advisory_xact_lock(1751741300) THEN
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
COMMENT ON FUNCTION sluice.keep_versions IS 'Drops versions that ended longer ago than they are kept, and values by day that others replaced before, and says how many; null if another process is at it.';
CREATE INDEX versions_ended ON history.versions (valid_to) WHERE valid_to < 'infinity';

-- Versions out of raw records ------------------------------------------------------------------------------------------

-- weave makes the versions of records anew, of those that are there and of what raw records say, which the caller has put into its
-- temporary table retraced: a row for each raw record, with what the table held behind it. While versions were kept, no change is
-- without its version, so raw records only say there what the version holds, as the declaration is now; the open one is the row's, and
-- stays. Where none were kept, each change that raw records show is a version. Archives that were dropped may have said something else
-- up to p_dropped: of records that they may have held, only the last raw record is believed.
--
-- The caller keeps everybody else off the versions of the records.
-- +goose StatementBegin
CREATE FUNCTION history.weave(p history.periods, p_ids text[], p_dropped timestamptz) RETURNS integer LANGUAGE plpgsql
SET timezone = 'UTC' SET enable_seqscan = off SET jit = off AS $function$
DECLARE
    v_own text[] := history.own_columns();
    v_id text;
    was history.versions[];
    made history.versions[];
    v history.versions; -- the version that the events lead to so far
    v_since timestamptz;
    v_modified timestamptz;
    v_whole boolean;
    v_written integer := 0;
    e record;
BEGIN
    FOREACH v_id IN ARRAY p_ids LOOP
        was := ARRAY (SELECT w FROM history.versions w
            WHERE (w.service, w.resource, w.organization_id, w.record_id) = (p.service, p.resource, p.organization_id, v_id) ORDER BY w.valid_from);
        made := '{}';
        v := NULL;
        v_whole := false;
        FOR e IN
            WITH raws AS MATERIALIZED (SELECT r.*, min(r.at) OVER () AS first_at, max(r.at) OVER () AS last_at FROM retraced r WHERE r.record_id = v_id),
            kept AS MATERIALIZED (SELECT q.asked_at, coalesce(q.ended_at, 'infinity') AS ended_at FROM history.periods q
                WHERE (q.service, q.resource, q.organization_id) = (p.service, p.resource, p.organization_id) AND q.versions)
            SELECT 'version' AS kind, w.valid_from AS at, w.ended IS NULL AS current, w.began, w.upstream_from AS upstream, NULL::boolean AS detail,
                CASE WHEN m.at IS NULL THEN w.record ELSE (w.record - '_extra'::text) || (m.record - v_own) END AS record,
                CASE WHEN m.at IS NULL THEN w.arrays ELSE w.arrays || m.arrays END AS arrays
            FROM unnest(was) AS w LEFT JOIN LATERAL (
                SELECT * FROM raws r WHERE r.at <= w.valid_from AND w.ended IS NOT NULL
                    AND EXISTS (SELECT FROM raws x WHERE (x.call_id, x.position)
                        = ((w.record ->> '_call_id')::bigint, (w.record ->> '_raw_position')::integer))
                    AND (w.record ->> '_detail_call_id' IS NULL OR EXISTS (SELECT FROM raws x WHERE (x.call_id, x.position)
                        = ((w.record ->> '_detail_call_id')::bigint, (w.record ->> '_detail_raw_position')::integer)))
                ORDER BY r.at DESC LIMIT 1) AS m ON true
            UNION ALL
            SELECT 'gone', w.valid_to, false, NULL, w.upstream_to, NULL, NULL, NULL FROM unnest(was) AS w WHERE w.ended = 'gone'
            UNION ALL
            SELECT 'raw', r.at, false, 'seen', NULL, r.detail, r.record, r.arrays FROM raws r
            WHERE (p_dropped IS NULL OR r.first_at > p_dropped OR r.at = r.last_at)
                AND NOT EXISTS (SELECT FROM kept k WHERE r.at >= k.asked_at AND r.at < k.ended_at)
            UNION ALL
            SELECT t.kind, t.at, false, NULL, t.upstream, NULL, NULL, NULL
            FROM sluice.tombstones s CROSS JOIN LATERAL (VALUES ('gone', coalesce(s.decided_at, s.proof_at), s.gone_at),
                ('revived', s.revived_at, s.revived_at)) AS t (kind, at, upstream)
            WHERE (s.organization_id, s.service, s.resource, s.record_id) = (p.organization_id, p.service, p.resource, v_id)
                AND s.state IN ('gone', 'revived') AND t.at IS NOT NULL AND NOT EXISTS (SELECT FROM kept k WHERE t.at >= k.asked_at AND t.at < k.ended_at)
            ORDER BY at, kind
        LOOP
            IF e.kind = 'gone' THEN
                IF v.valid_to = 'infinity' THEN
                    v.valid_to := greatest(e.at, v.valid_from + interval '1 microsecond');
                    v.upstream_to := greatest(coalesce(e.upstream, e.at), v.upstream_from);
                    v.ended := 'gone';
                END IF;
                CONTINUE;
            ELSIF e.kind = 'revived' THEN
                CONTINUE WHEN v.ended IS DISTINCT FROM 'gone';
                e.record := v.record;
                e.arrays := v.arrays;
            END IF;
            IF v.valid_to = 'infinity' AND v.arrays = e.arrays AND (v.record - v_own) = (e.record - v_own) THEN
                IF e.current THEN
                    v.record := e.record; -- with what the row says about itself
                END IF;
                v_whole := v_whole OR coalesce(e.detail, false);
                CONTINUE;
            END IF;
            v_modified := (e.record ->> p.modified_column)::timestamptz;
            e.at := greatest(e.at, v.valid_from + interval '1 microsecond', CASE WHEN v.ended = 'gone' THEN v.valid_to END);
            v_since := CASE WHEN v.valid_to = 'infinity' THEN v.upstream_from ELSE v.upstream_to END;
            v_since := CASE
                -- A single record completes the version of its list record.
                WHEN e.detail AND NOT v_whole AND v.valid_to = 'infinity' AND v_modified = (v.record ->> p.modified_column)::timestamptz THEN v.upstream_from
                WHEN e.kind = 'version' AND (e.began <> 'present' OR v.record_id IS NULL) THEN greatest(e.upstream, v_since)
                WHEN v_modified > coalesce(v_since, '-infinity') AND v_modified <= e.at + interval '1 day' THEN v_modified
                ELSE greatest(e.at, v_since) END;
            IF v.valid_to = 'infinity' THEN
                v.valid_to := e.at;
                v.upstream_to := v_since;
                v.ended := 'replaced';
            END IF;
            IF v.record_id IS NOT NULL THEN
                made := made || v;
            END IF;
            v := (p.organization_id, p.service, p.resource, v_id, e.at, 'infinity', v_since, 'infinity',
                CASE WHEN v.record_id IS NULL THEN e.began WHEN v.ended = 'gone' THEN 'revived' ELSE 'seen' END, NULL, e.record, e.arrays);
            v_whole := coalesce(e.detail, false);
        END LOOP;
        CONTINUE WHEN v.record_id IS NULL;
        IF v.valid_to = 'infinity' AND NOT EXISTS (SELECT FROM unnest(was) AS w WHERE w.ended IS NULL) THEN
            -- There is no such row, and nothing says since when: not when versions began to be kept.
            v.valid_to := greatest(p.asked_at, v.valid_from + interval '1 microsecond');
            v.upstream_to := greatest(v.valid_to, v.upstream_from);
            v.ended := 'gone';
        END IF;
        made := made || v;
        CONTINUE WHEN made = was;
        DELETE FROM history.versions w WHERE (w.service, w.resource, w.organization_id, w.record_id) = (p.service, p.resource, p.organization_id, v_id);
        INSERT INTO history.versions SELECT (unnest(made)).*;
        v_written := v_written + cardinality(made);
    END LOOP;
    RETURN v_written;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION history.weave IS 'Makes the versions of records anew out of those that are there and of raw records, and says how many it wrote.';

-- cover notes since when versions say what the table held, now that raw records do: nobody knows what dropped archives said of the
-- records that came before and after.
-- +goose StatementBegin
CREATE FUNCTION history.cover(p history.periods, p_dropped timestamptz) RETURNS timestamptz LANGUAGE plpgsql AS $function$
DECLARE
    v_from timestamptz;
BEGIN
    SELECT CASE WHEN p_dropped IS NULL THEN min(s.first_at)
        ELSE greatest(p_dropped, max(s.last_at) FILTER (WHERE s.first_at <= p_dropped AND s.last_at > p_dropped)) END
    INTO v_from FROM (SELECT min(r.at) AS first_at, max(r.at) AS last_at FROM retraced r GROUP BY r.record_id) AS s;
    UPDATE history.periods q SET began_at = q.asked_at
    WHERE (q.service, q.resource, q.organization_id) = (p.service, p.resource, p.organization_id)
        AND q.versions AND q.began_at > q.asked_at AND q.asked_at >= v_from;
    INSERT INTO history.periods (organization_id, service, resource, asked_at, began_at, ended_at, in_schema, key_column, modified_column,
        arrays, versions, daily, time_zone)
    SELECT p.organization_id, p.service, p.resource, greatest(v_from, g.after), greatest(v_from, g.after), g.before,
        p.in_schema, p.key_column, p.modified_column, p.arrays, true, '{}', p.time_zone
    FROM (SELECT coalesce(lag(q.ended_at) OVER (ORDER BY q.asked_at), '-infinity') AS after, q.asked_at AS before FROM history.periods q
        WHERE (q.service, q.resource, q.organization_id) = (p.service, p.resource, p.organization_id) AND q.versions) AS g
    WHERE greatest(v_from, g.after) < g.before AND v_from IS NOT NULL;
    RETURN v_from;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION history.cover IS 'Notes since when raw records and versions together say what the table held, and gives that instant.';
