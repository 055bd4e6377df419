-- +goose Up
-- How long what did not fit and what is gone upstream is kept, and which lists under parents were
-- read whole. Why: docs/decisions/0080-retention-of-rows and
-- docs/decisions/0081-tombstones-under-parents.

-- sluice:step housekeeping
ALTER TABLE sluice.housekeeping ADD COLUMN pruned_to timestamptz;
COMMENT ON COLUMN sluice.housekeeping.pruned_to IS 'Up to which instant entries went, by what each was kept from; null where rows say that themselves.';
INSERT INTO sluice.housekeeping (work) VALUES ('quarantine'), ('gone') ON CONFLICT (work) DO NOTHING;

-- sluice:step parents
ALTER TABLE sluice.parents ADD COLUMN whole_run_id bigint;
COMMENT ON COLUMN sluice.parents.whole_run_id IS 'The last run that read its list whole, or to which upstream said that it does not know the parent: what the run was not shown is missing. Null if none did.';

-- sluice:step tombstones
ALTER TABLE sluice.tombstones ADD COLUMN pruned_at timestamptz;
COMMENT ON COLUMN sluice.tombstones.pruned_at IS 'When its row was deleted because the tombstone was older than retention.gone; null while that is not so.';
CREATE INDEX tombstones_unpruned ON sluice.tombstones (decided_at) WHERE state = 'deleted' AND pruned_at IS NULL;

-- sluice:step functions
-- prune_quarantine drops entries that were decided longer ago than they are kept, and did not come
-- again since. Null keeps a state for ever.
-- +goose StatementBegin
CREATE FUNCTION sluice.prune_quarantine(p_open interval, p_retried interval, p_resolved interval, p_batch integer DEFAULT 1000)
RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_dropped integer;
    v_to timestamptz;
BEGIN
    IF least(p_open, p_retried, p_resolved) < interval '2 days' THEN
        RAISE EXCEPTION 'entries of the quarantine are kept for %: keep them for two days at least', least(p_open, p_retried, p_resolved);
    END IF;
    IF NOT sluice.take_turn('quarantine') THEN
        RETURN NULL;
    END IF;
    WITH old AS MATERIALIZED (
        SELECT q.id FROM sluice.quarantine q
        WHERE greatest(q.last_seen_at, q.decided_at)
            < clock_timestamp() - CASE q.state WHEN 'open' THEN p_open WHEN 'retried' THEN p_retried ELSE p_resolved END
        ORDER BY q.id LIMIT p_batch FOR UPDATE SKIP LOCKED
    ), dropped AS (
        DELETE FROM sluice.quarantine q WHERE q.id IN (SELECT o.id FROM old o) RETURNING greatest(q.last_seen_at, q.decided_at) AS at
    )
    SELECT count(*), max(d.at) INTO v_dropped, v_to FROM dropped d;
    UPDATE sluice.housekeeping h SET pruned_to = greatest(h.pruned_to, v_to) WHERE h.work = 'quarantine' AND v_dropped > 0;
    RETURN v_dropped;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.prune_quarantine IS 'Drops entries of the quarantine that are older than entries of their state are kept, and says how many; null if another process is at it.';

-- prune_gone deletes rows whose tombstone is older than it is kept, and with them their arrays. The
-- evidence stays and says so. All streams that write to the table are locked meanwhile, as a
-- rebuild locks them, so a record that comes back has a row before or after it. A list that is
-- being written has its turn next time. The log of changes says deleted once more, for those who
-- follow it and have the row.
-- +goose StatementBegin
CREATE FUNCTION sluice.prune_gone(p_keep interval, p_batch integer DEFAULT 1000) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_before timestamptz := clock_timestamp() - p_keep;
    v_list record;
    v_table record;
    v_ids text[];
    v_dropped text[];
    v_left text[];
    v_locked bigint;
    v_count integer := 0;
BEGIN
    IF p_keep < interval '2 days' THEN
        RAISE EXCEPTION 'rows with a tombstone are kept for %: keep them for two days at least', p_keep;
    END IF;
    IF NOT sluice.take_turn('gone') THEN
        RETURN NULL;
    END IF;
    FOR v_list IN
        SELECT DISTINCT k.organization_id, k.service, k.resource FROM sluice.tombstones k
        WHERE k.state = 'deleted' AND k.pruned_at IS NULL AND k.decided_at < v_before AND k.deleted_at < v_before ORDER BY 1, 2, 3
    LOOP
        EXIT WHEN v_count >= p_batch;
        -- A list that the configuration declares is in schema custom, and of any service.
        SELECT c.whole, c.schema || '.' || c.name AS name, a.attname AS key_column INTO v_table
        FROM sluice.table_columns c JOIN pg_index i ON i.indrelid = c.whole AND i.indisprimary
        JOIN pg_attribute a ON a.attrelid = c.whole AND a.attnum = ANY (i.indkey) AND a.attname <> 'organization_id'
        WHERE c.column_name = '_raw_position' AND c.name = v_list.resource
            AND (c.schema = v_list.service OR c.schema = 'custom' AND to_regclass(format('%I.%I', v_list.service, v_list.resource)) IS NULL);
        CONTINUE WHEN NOT FOUND;
        SELECT count(*) INTO v_locked FROM (
            SELECT FROM sluice.streams s
            WHERE (s.organization_id, s.service) = (v_list.organization_id, v_list.service)
                AND (s.resource = v_list.resource OR starts_with(s.resource, v_list.resource || '.'))
            ORDER BY s.resource FOR UPDATE SKIP LOCKED) AS locked;
        CONTINUE WHEN v_locked < (SELECT count(*) FROM sluice.streams s
            WHERE (s.organization_id, s.service) = (v_list.organization_id, v_list.service)
                AND (s.resource = v_list.resource OR starts_with(s.resource, v_list.resource || '.')));
        v_ids := ARRAY (SELECT k.record_id FROM sluice.tombstones k
            WHERE (k.organization_id, k.service, k.resource) = (v_list.organization_id, v_list.service, v_list.resource)
                AND k.state = 'deleted' AND k.pruned_at IS NULL AND k.decided_at < v_before AND k.deleted_at < v_before
            ORDER BY k.record_id LIMIT p_batch - v_count FOR UPDATE SKIP LOCKED);
        BEGIN
            EXECUTE format($sql$WITH old AS MATERIALIZED (
                    SELECT t.%2$I AS id FROM %1$s AS t
                    WHERE t.organization_id = $1 AND t.%2$I = ANY ($2) AND t._deleted_at < $3 ORDER BY t.%2$I FOR UPDATE SKIP LOCKED
                ), dropped AS (
                    DELETE FROM %1$s AS t WHERE t.organization_id = $1 AND t.%2$I IN (SELECT o.id FROM old o) RETURNING t.%2$I AS id
                )
                SELECT coalesce(array_agg(d.id ORDER BY d.id), '{}') FROM dropped d$sql$, v_table.whole, v_table.key_column)
            INTO v_dropped USING v_list.organization_id, v_ids, v_before;
        EXCEPTION WHEN foreign_key_violation THEN
            CONTINUE; -- another table names one of them: these stay
        END;
        INSERT INTO sluice.changes (organization_id, table_name, op, record_ids)
        SELECT v_list.organization_id, v_table.name, 'deleted', v_dropped WHERE v_dropped <> '{}';
        EXECUTE format('SELECT coalesce(array_agg(t.%2$I), ''{}'') FROM %1$s AS t WHERE t.organization_id = $1 AND t.%2$I = ANY ($2)',
            v_table.whole, v_table.key_column)
        INTO v_left USING v_list.organization_id, v_ids;
        UPDATE sluice.tombstones k SET pruned_at = clock_timestamp()
        WHERE (k.organization_id, k.service, k.resource) = (v_list.organization_id, v_list.service, v_list.resource)
            AND k.record_id = ANY (v_ids) AND k.record_id <> ALL (v_left);
        v_count := v_count + cardinality(v_dropped);
    END LOOP;
    RETURN v_count;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.prune_gone IS 'Deletes rows whose tombstone is older than it is kept, with their arrays, and says how many; null if another process is at it.';
