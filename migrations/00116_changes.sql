-- +goose Up
-- What changed in the copied tables: one log for analysts, messages and lakes. Written by
-- pipeline/warehouse/changes. Why it is as it is: docs/decisions/0028-change-log.

CREATE TABLE sluice.changes (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    organization_id text COLLATE "C" NOT NULL,
    table_name text COLLATE "C" NOT NULL,
    op text COLLATE "C" NOT NULL CHECK (op IN ('new', 'changed', 'completed', 'deleted', 'revived', 'rewritten', 'finished', 'after_close')),
    records integer NOT NULL GENERATED ALWAYS AS (cardinality(record_ids)) STORED CHECK (records > 0),
    record_ids text[] COLLATE "C" NOT NULL,
    details jsonb
);
CREATE INDEX changes_xact ON sluice.changes (xact, seq);
COMMENT ON TABLE sluice.changes IS 'What changed in the copied tables: one row or a few for each transaction, table, organization and op. Old rows are deleted after retention.changes. Read it by analytics.changes.';
COMMENT ON COLUMN sluice.changes.seq IS 'Taken while the transaction has the locks of the records: of two changes of one record the larger one is the later one.';
COMMENT ON COLUMN sluice.changes.xact IS 'The transaction that made the change. Readers ask by it what they have not seen.';
COMMENT ON COLUMN sluice.changes.at IS 'When it was written, by the clock of the database; others saw it some time later, when the transaction committed.';
COMMENT ON COLUMN sluice.changes.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN sluice.changes.table_name IS 'Schema and name of the table, as inventory.bills. The rows of arrays belong to the record.';
COMMENT ON COLUMN sluice.changes.op IS 'new, changed; completed: its single record arrived for the first time since the list changed it; deleted, revived: its tombstone; rewritten: made anew out of raw records; after_close: it changed in a closed period; finished: a run ended.';
COMMENT ON COLUMN sluice.changes.records IS 'Number of the records.';
COMMENT ON COLUMN sluice.changes.record_ids IS 'Keys of the records; for finished the number of the run.';
COMMENT ON COLUMN sluice.changes.details IS 'What a message tells of it; null for a change of records alone.';

CREATE TABLE sluice.change_log (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    timeline text NOT NULL,
    era bigint NOT NULL DEFAULT 1,
    pruned_to xid8 NOT NULL DEFAULT '0'
);
COMMENT ON TABLE sluice.change_log IS 'One row: to which history of the database the log of changes belongs.';
COMMENT ON COLUMN sluice.change_log.one IS 'Always true: there is one row.';
COMMENT ON COLUMN sluice.change_log.timeline IS 'The history, as sluice.change_timeline() names it. Numbers of transactions mean nothing in another one.';
COMMENT ON COLUMN sluice.change_log.era IS 'How often the log began; a cursor is of one era.';
COMMENT ON COLUMN sluice.change_log.pruned_to IS 'The greatest transaction of the rows that were deleted because they were old.';

-- A dump that is restored into the same server has the server's timeline, and other tables.
-- +goose StatementBegin
CREATE FUNCTION sluice.change_timeline() RETURNS text LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
    SELECT sluice.timeline() || '/' || d.oid::text || '/' || 'sluice.changes'::regclass::oid::text
    FROM pg_database d WHERE d.datname = current_database()
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.change_timeline IS 'Names the history that the log of changes belongs to: that of the database, and which table it is. It fails on a standby.';

-- +goose StatementBegin
CREATE FUNCTION sluice.changes_are_complete() RETURNS boolean LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
    SELECT EXISTS (SELECT FROM sluice.change_log g WHERE g.timeline = sluice.change_timeline())
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.changes_are_complete IS 'Whether the log is that of this history of the database, and so has every change since it began.';
INSERT INTO sluice.change_log (timeline) SELECT sluice.change_timeline();

-- A cursor is version;timeline;seen, and within a step version;timeline;seen;next;seq. What it has
-- read is what was committed in the snapshot seen. A step has the rows that are committed in the
-- snapshot next and were not in seen, in the order of seq. So a change is in exactly one step, and
-- no change of a record comes before an earlier one of it: the later transaction waited for the
-- earlier one, so a snapshot that has the later one has both.

-- The two functions below name no row. They have the owner's rights because readers of views may
-- not use schema sluice.
-- +goose StatementBegin
CREATE FUNCTION sluice.new_changes_cursor() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF NOT sluice.changes_are_complete() THEN
        RAISE EXCEPTION 'the log of changes does not have every change'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'The database was restored or promoted. '
                    'The program begins the log anew when it starts, and within the hour while it runs: sluice serve or sluice sync.';
    END IF;
    RETURN (SELECT concat_ws(';', '1', l.timeline || '/' || l.era, pg_current_snapshot()::text) FROM sluice.change_log l);
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.new_changes_cursor IS 'A cursor behind all that is committed for this query.';

-- +goose StatementBegin
CREATE FUNCTION sluice.change_step(p_after text, OUT timeline text, OUT seen pg_snapshot, OUT next pg_snapshot, OUT seq bigint, OUT last bigint, OUT seen_max xid8, OUT seen_open xid8[])
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
-- How much of the log a step has is known only with the cursor at hand.
SET plan_cache_mode = force_custom_plan AS $function$
DECLARE
    v_parts text[] := string_to_array(p_after, ';');
    v_again CONSTANT text := 'Take a new cursor by analytics.changes_cursor(), then read the tables whole, then follow the new cursor.';
    v_pruned xid8;
BEGIN
    IF p_after IS NULL THEN
        RAISE EXCEPTION 'there is no cursor' USING ERRCODE = 'null_value_not_allowed', HINT = v_again;
    END IF;
    IF v_parts[1] <> '1' THEN
        RAISE EXCEPTION 'the cursor is of another version of the program' USING ERRCODE = 'invalid_parameter_value', HINT = v_again;
    END IF;
    BEGIN
        timeline := v_parts[2];
        seen := v_parts[3]::pg_snapshot;
        IF cardinality(v_parts) = 5 THEN
            next := v_parts[4]::pg_snapshot;
            seq := v_parts[5]::bigint;
        END IF;
    EXCEPTION WHEN data_exception THEN
        seen := NULL;
    END;
    IF seen IS NULL OR cardinality(v_parts) NOT IN (3, 5) OR cardinality(v_parts) = 5 AND (next IS NULL OR seq IS NULL) THEN
        RAISE EXCEPTION 'the cursor is damaged' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Give back the text as analytics.changes or analytics.changes_cursor returned it. ' || v_again;
    END IF;
    SELECT l.pruned_to INTO v_pruned FROM sluice.change_log l WHERE l.timeline = sluice.change_timeline() AND l.timeline || '/' || l.era = change_step.timeline;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the cursor belongs to another database, or to this one before it was restored or promoted, or began its log anew'
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = v_again;
    END IF;
    IF pg_snapshot_xmin(seen) <= v_pruned THEN
        RAISE EXCEPTION 'the cursor is older than the log of changes' USING ERRCODE = 'object_not_in_prerequisite_state', HINT = v_again;
    END IF;
    seen_max := pg_snapshot_xmax(seen);
    seen_open := ARRAY(SELECT pg_snapshot_xip(seen));
    IF next IS NULL THEN
        next := pg_current_snapshot();
        -- Where the rows of the step begin; before all others if there are none.
        SELECT min(m.seq) - 1 INTO seq FROM (
            SELECT min(c.seq) AS seq FROM sluice.changes c WHERE c.xact >= seen_max
            UNION ALL SELECT min(c.seq) FROM sluice.changes c WHERE c.xact = ANY (seen_open)
        ) m;
    END IF;
    last := (SELECT max(c.seq) FROM sluice.changes c);
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.change_step IS 'Reads a cursor, and begins a step if it is within none: rows of the step were committed between the two snapshots, and are behind seq. Seq is null if there are none. No row of the log is behind last. It refuses a cursor that cannot be followed, and says what to do.';

-- A cursor behind a page; a page that ends a step has everything up to the step's snapshot.
-- +goose StatementBegin
CREATE FUNCTION sluice.change_cursor(p_timeline text, p_seen pg_snapshot, p_next pg_snapshot, p_seq bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $function$
    SELECT CASE WHEN p_seq IS NULL THEN concat_ws(';', '1', p_timeline, p_next::text)
        ELSE concat_ws(';', '1', p_timeline, p_seen::text, p_next::text, p_seq::text) END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.change_cursor IS 'The cursor behind a row of a step; behind the whole step if seq is null.';

-- It has the rights of the role that reads, and is in a schema that the role may not use: it is
-- called by analytics.changes alone. It names rows through a view only.
-- +goose StatementBegin
CREATE FUNCTION sluice.change_page(
    p_timeline text, p_seen pg_snapshot, p_next pg_snapshot, p_seq bigint, p_last bigint, p_tables text[], p_up_to integer
) RETURNS TABLE (table_name text, organization_id text, record_id text, op text, at timestamptz, cursor text) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET plan_cache_mode = force_custom_plan
-- An answer of the usual size stays in memory.
SET work_mem = '32MB' AS $function$
DECLARE
    -- So many numbers of rows are looked at together.
    v_width CONSTANT bigint := 2000;
    v_seen pg_snapshot := p_seen;
    v_next pg_snapshot := p_next;
    v_from bigint := p_seq;
    v_part bigint;
    v_max xid8;
    v_open xid8[];
    v_last bigint;
    v_taken bigint := 0;
    v_more boolean := false;
    v_seq bigint;
    v_records integer;
    v_cursor text;
BEGIN
    IF p_up_to IS NULL OR p_up_to < 1 THEN
        RAISE EXCEPTION 'up_to has to be 1 at least, not %', coalesce(p_up_to::text, 'null') USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- Of a step that has nothing left the next one is read, so that no row means no change.
    FOR v_step IN 1..2 LOOP
        v_max := pg_snapshot_xmax(v_seen);
        v_open := ARRAY(SELECT pg_snapshot_xip(v_seen));
        IF v_step = 2 THEN
            SELECT min(m.seq) - 1 INTO v_from FROM (
                SELECT min(c.seq) AS seq FROM analytics.change_rows c WHERE c.xact >= v_max
                UNION ALL SELECT min(c.seq) FROM analytics.change_rows c WHERE c.xact = ANY (v_open)
            ) m;
        END IF;
        -- Rows come out of the view in no order. So they are read in parts that are in order, and no
        -- further than the answer does.
        v_part := v_from;
        WHILE NOT v_more AND v_part < p_last LOOP
            FOR v_seq, v_records IN
                SELECT c.seq, c.records FROM analytics.change_rows c
                WHERE c.seq > v_part AND c.seq <= v_part + v_width AND (c.xact >= v_max OR c.xact = ANY (v_open)) AND pg_visible_in_snapshot(c.xact, v_next)
                    AND (p_tables IS NULL OR c.table_name = ANY (p_tables))
                ORDER BY c.seq
            LOOP
                IF v_taken >= p_up_to THEN
                    v_more := true;
                    EXIT;
                END IF;
                v_taken := v_taken + v_records;
                v_last := v_seq;
            END LOOP;
            v_part := v_part + v_width;
        END LOOP;
        EXIT WHEN v_last IS NOT NULL;
        v_seen := v_next;
        v_next := pg_current_snapshot();
    END LOOP;
    IF v_last IS NULL THEN
        RETURN;
    END IF;
    v_cursor := CASE WHEN v_more THEN concat_ws(';', '1', p_timeline, v_seen::text, v_next::text, v_last::text)
        ELSE concat_ws(';', '1', p_timeline, v_next::text) END;
    RETURN QUERY
    SELECT r.table_name, r.organization_id, r.id,
        CASE r.weight % 8 WHEN 0 THEN 'revived' WHEN 1 THEN 'deleted' WHEN 5 THEN 'new' WHEN 4 THEN 'changed' WHEN 3 THEN 'completed' ELSE 'rewritten' END,
        r.at, v_cursor
    FROM (
        -- The last of new, deleted and revived decides, else the strongest of the others: a record can be
        -- new again after its row was deleted.
        SELECT c.table_name, c.organization_id, i.id, max(c.at) AS at, max(CASE c.op
            WHEN 'deleted' THEN c.seq * 8 + 1 WHEN 'revived' THEN c.seq * 8
            WHEN 'new' THEN c.seq * 8 + 5 WHEN 'changed' THEN 4 WHEN 'completed' THEN 3 ELSE 2 END) AS weight
        FROM analytics.change_rows c CROSS JOIN LATERAL unnest(c.record_ids) AS i (id)
        WHERE c.seq > v_from AND c.seq <= v_last AND (c.xact >= v_max OR c.xact = ANY (v_open)) AND pg_visible_in_snapshot(c.xact, v_next)
            AND (p_tables IS NULL OR c.table_name = ANY (p_tables))
        GROUP BY c.table_name, c.organization_id, i.id
    ) r;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.change_page IS 'The records of the next rows of a step, at least p_up_to of them if there are as many: see analytics.changes.';

-- Numbers of transactions mean nothing after a restore, and a promoted standby may have forgotten
-- changes that readers saw.
-- +goose StatementBegin
CREATE FUNCTION sluice.renew_changes() RETURNS boolean LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_timeline text := sluice.change_timeline();
BEGIN
    IF sluice.changes_are_complete() THEN
        RETURN false;
    END IF;
    PERFORM FROM sluice.change_log FOR UPDATE;
    UPDATE sluice.change_log SET timeline = v_timeline, era = era + 1, pruned_to = '0' WHERE NOT sluice.changes_are_complete();
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM sluice.changes;
    RETURN true;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.renew_changes IS 'Begins the log of changes anew if it does not have every change of this history of the database, and says whether it did.';

-- +goose StatementBegin
CREATE FUNCTION sluice.prune_changes(p_keep interval, p_batch integer DEFAULT 10000) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_dropped integer;
    v_to xid8;
BEGIN
    -- The row of the log is locked first, so that one process prunes at a time.
    PERFORM FROM sluice.change_log FOR UPDATE;
    WITH old AS (
        SELECT c.seq FROM sluice.changes c ORDER BY c.seq LIMIT p_batch
    ), dropped AS (
        DELETE FROM sluice.changes c WHERE c.seq IN (SELECT o.seq FROM old o) AND c.at < clock_timestamp() - p_keep RETURNING c.xact
    )
    SELECT count(*), (array_agg(d.xact ORDER BY d.xact DESC))[1] INTO v_dropped, v_to FROM dropped d;
    IF v_dropped > 0 THEN
        UPDATE sluice.change_log SET pruned_to = greatest(pruned_to, v_to);
    END IF;
    RETURN v_dropped;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.prune_changes IS 'Deletes changes that are older than they are kept, notes up to which transaction, and says how many.';

-- Messages ----------------------------------------------------------------------------------------
--
-- Who is told what changed in the copied tables, and how far. Written by
-- pipeline/warehouse/receivers. Why it is as it is: docs/decisions/0028-change-log.

CREATE TABLE sluice.event_receivers (
    name text COLLATE "C" PRIMARY KEY,
    state text NOT NULL DEFAULT 'ok' CHECK (state IN ('ok', 'failing', 'disabled')),
    cursor text NOT NULL,
    acknowledged text[] NOT NULL DEFAULT '{}',
    moved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    claim bigint NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    next_attempt timestamptz,
    last_error text,
    failed_at timestamptz,
    delivered bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    delivered_at timestamptz,
    configured_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((state = 'ok') = (failures = 0)),
    CHECK ((state = 'failing') = (next_attempt IS NOT NULL)),
    CHECK (state = 'ok' OR last_error IS NOT NULL)
);
COMMENT ON TABLE sluice.event_receivers IS 'The receivers of events of the configuration, one row each, and how far each was told what changed. The row of a receiver that the configuration no longer has stays for 30 days.';
COMMENT ON COLUMN sluice.event_receivers.name IS 'Its name in the configuration.';
COMMENT ON COLUMN sluice.event_receivers.state IS 'ok; failing: the last attempt failed, and there is a next one; disabled: it answered 410, and gets nothing until sluice events enable.';
COMMENT ON COLUMN sluice.event_receivers.cursor IS 'The cursor in the log of changes behind which it was told nothing, but the messages in acknowledged.';
COMMENT ON COLUMN sluice.event_receivers.acknowledged IS 'Identifiers of the messages behind the cursor that it acknowledged before another one failed. They are not sent again.';
COMMENT ON COLUMN sluice.event_receivers.moved_at IS 'When the cursor was stored.';
COMMENT ON COLUMN sluice.event_receivers.claim IS 'Number of the last claim. A process that delivers stores its progress only while the claim is its own.';
COMMENT ON COLUMN sluice.event_receivers.failures IS 'Failed attempts since the last message that was acknowledged.';
COMMENT ON COLUMN sluice.event_receivers.next_attempt IS 'When it is tried again; null if it does not fail.';
COMMENT ON COLUMN sluice.event_receivers.last_error IS 'Why the last attempt failed, without secrets. It stays when the receiver works again.';
COMMENT ON COLUMN sluice.event_receivers.failed_at IS 'When the last attempt failed; null if none did.';
COMMENT ON COLUMN sluice.event_receivers.delivered IS 'Messages that it acknowledged since it was first configured.';
COMMENT ON COLUMN sluice.event_receivers.failed IS 'Attempts that failed since it was first configured.';
COMMENT ON COLUMN sluice.event_receivers.delivered_at IS 'When it last acknowledged a message; null if it never did.';
COMMENT ON COLUMN sluice.event_receivers.configured_at IS 'When a process last had it in its configuration.';
