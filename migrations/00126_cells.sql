-- +goose Up
-- Several databases as one fleet: each is a cell, and an organization is at home in exactly one of
-- them (docs/decisions/0031-cells). Written by pipeline/warehouse/cells.

CREATE TABLE sluice.cell (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    name text COLLATE "C" NOT NULL,
    number integer NOT NULL CHECK (number BETWEEN 1 AND 63),
    old_calls bigint NOT NULL,
    old_numbers bigint NOT NULL,
    first_call bigint NOT NULL,
    first_number bigint NOT NULL,
    joined_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE sluice.cell IS 'One row if the database is a cell of a fleet: which one, and which numbers it draws. Without a row it is a warehouse by itself.';
COMMENT ON COLUMN sluice.cell.one IS 'Always true: there is at most one row.';
COMMENT ON COLUMN sluice.cell.name IS 'Name of the cell in the file of the fleet.';
COMMENT ON COLUMN sluice.cell.number IS 'The remainder by 64 of the numbers that the cell draws, so that no two cells draw the same one.';
COMMENT ON COLUMN sluice.cell.old_calls IS 'The greatest number of a call that was drawn before the database joined; 0 if there was none.';
COMMENT ON COLUMN sluice.cell.old_numbers IS 'The same of runs and everything else that has a number.';
COMMENT ON COLUMN sluice.cell.first_call IS 'The first number of a call that it drew as a cell.';
COMMENT ON COLUMN sluice.cell.first_number IS 'The same of everything else.';
COMMENT ON COLUMN sluice.cell.joined_at IS 'When the database joined the fleet.';

CREATE TABLE sluice.homes (
    organization_id text COLLATE "C" PRIMARY KEY,
    state text NOT NULL CHECK (state IN ('here', 'leaving', 'sealed', 'left', 'arriving', 'arrived')),
    peer text COLLATE "C" NOT NULL DEFAULT '',
    move text NOT NULL DEFAULT '',
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    moved_rows bigint,
    dropped_at timestamptz
);
COMMENT ON TABLE sluice.homes IS 'Which organizations are at home in this cell, and which came or went.';
COMMENT ON COLUMN sluice.homes.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.homes.state IS 'here: calls may leave; leaving: no new call leaves; sealed: nothing is written, its rows are copied; left: at home in the other cell; arriving: announced by the other cell; arrived: its rows are here, and the other cell has not let go.';
COMMENT ON COLUMN sluice.homes.peer IS 'The other cell of the last move.';
COMMENT ON COLUMN sluice.homes.move IS 'Identifies the last move, in both cells.';
COMMENT ON COLUMN sluice.homes.changed_at IS 'When the state began.';
COMMENT ON COLUMN sluice.homes.moved_rows IS 'How many rows the last move copied.';
COMMENT ON COLUMN sluice.homes.dropped_at IS 'When the rows of an organization that left were all dropped.';

-- The lock says that a transaction relies on the state: sluice.relying_on_home names all of them.
-- Organizations share 256 locks, since a statement about all organizations takes one for each, and
-- the server has room for some thousands.
-- +goose StatementBegin
CREATE FUNCTION sluice.home_of(p_organization text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF NOT EXISTS (SELECT FROM sluice.cell) THEN
        RETURN 'here';
    END IF;
    PERFORM pg_advisory_xact_lock_shared(hashtext('sluice homes'), hashtext(p_organization) & 255);
    -- A snapshot of before the lock may show an earlier state: then locking the row ends the transaction. The lock is given back, so
    -- that a move need not wait for it.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        BEGIN
            PERFORM FROM sluice.homes h WHERE h.organization_id = p_organization FOR SHARE;
            RAISE SQLSTATE 'SLC02';
        EXCEPTION WHEN SQLSTATE 'SLC02' THEN
            NULL;
        END;
    END IF;
    RETURN coalesce((SELECT h.state FROM sluice.homes h WHERE h.organization_id = p_organization), 'elsewhere');
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.home_of IS 'The state of an organization in this cell, on which the transaction relies until it ends; elsewhere if it never was here. In a database that is no cell all are here.';

-- +goose StatementBegin
CREATE FUNCTION sluice.relying_on_home(p_organization text) RETURNS SETOF text LANGUAGE sql
SET search_path = pg_catalog, pg_temp AS $function$
    SELECT l.virtualtransaction FROM pg_locks l
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
        AND l.classid::bigint = hashtext('sluice homes')::bigint & 4294967295 AND l.objid::bigint = hashtext(p_organization) & 255
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.relying_on_home IS 'The transactions under way that may rely on the state that an organization had when they asked.';

-- +goose StatementBegin
CREATE FUNCTION sluice.refuse_away() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_state text := sluice.home_of(NEW.organization_id);
BEGIN
    -- A worker ends what it has begun while the organization is leaving.
    IF v_state NOT IN ('here', 'leaving') THEN
        -- What one statement does to streams of all organizations, it leaves out for this one. A worker that lost the organization is
        -- refused by the row of its run.
        IF TG_TABLE_NAME = 'streams' THEN
            RETURN NULL;
        END IF;
        RAISE EXCEPTION 'organization % is not at home in this cell: %', NEW.organization_id, v_state
            USING ERRCODE = 'SLC01', HINT = 'sluice fleet status says in which cell it is.';
    END IF;
    RETURN NEW;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.refuse_away IS 'Refuses rows of organizations that are not at home in this cell.';

-- Tables of schema sluice whose rows are written only for an organization that is at home. What is
-- not guarded is the cell's own, or is written only beside a row of these.
-- +goose StatementBegin
CREATE FUNCTION sluice.guard_homes() RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_table record;
BEGIN
    FOR v_table IN
        SELECT c.oid::regclass AS name, CASE WHEN c.relname = 'calls' THEN 'INSERT' ELSE 'INSERT OR UPDATE' END AS events
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped
        WHERE c.relnamespace = 'sluice'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            AND c.relname NOT IN ('homes', 'changes', 'actions', 'verified_streams', 'findings', 'live_calls', 'spent', 'budgets', 'day_budgets',
                'external_spent', 'external_seen', 'external_quarters', 'raw_records', 'raw_looks', 'channels', 'wantable', 'wants')
            AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'at_home')
    LOOP
        EXECUTE format('CREATE TRIGGER at_home BEFORE %s ON %s FOR EACH ROW '
            'WHEN (current_setting(''sluice.moving'', true) IS DISTINCT FROM ''on'') EXECUTE FUNCTION sluice.refuse_away()', v_table.events, v_table.name);
    END LOOP;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.guard_homes IS 'Lets the tables refuse rows of organizations that are not at home in this cell.';

-- Sequences step by 64, so that rows can move between cells as they are: no number is drawn twice
-- in a fleet, and of two numbers of an organization the larger one is the later one, in whichever
-- cell it was drawn.
-- +goose StatementBegin
CREATE FUNCTION sluice.number_sequences() RETURNS TABLE (name regclass, of_calls boolean, last bigint) LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    -- The log of changes is the cell's own.
    FOR name, of_calls IN
        SELECT c.oid::regclass, c.relname = 'call_numbers' FROM pg_class c
        WHERE c.relkind = 'S' AND c.relnamespace IN ('sluice'::regnamespace, 'notifications'::regnamespace)
            AND c.relname NOT IN ('schema_version_id_seq', 'changes_seq_seq')
    LOOP
        EXECUTE format('SELECT s.last_value - CASE WHEN s.is_called THEN 0 ELSE 1 END FROM %s AS s', name) INTO last;
        RETURN NEXT;
    END LOOP;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.number_sequences IS 'The sequences of numbers that move with an organization, and the last number of each that was or will not be drawn.';

-- +goose StatementBegin
CREATE FUNCTION sluice.last_numbers(OUT calls bigint, OUT numbers bigint) LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
    SELECT max(s.last) FILTER (WHERE s.of_calls), max(s.last) FILTER (WHERE NOT s.of_calls) FROM sluice.number_sequences() s
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.last_numbers IS 'The greatest numbers: of calls, and of everything else.';

-- +goose StatementBegin
CREATE FUNCTION sluice.draw_behind(p_sequence regclass, p_last bigint) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_number integer := (SELECT c.number FROM sluice.cell c);
    v_from bigint;
BEGIN
    -- No other session draws one of its numbers until this transaction ends.
    EXECUTE format('ALTER SEQUENCE %s INCREMENT BY 64', p_sequence);
    EXECUTE format('SELECT greatest(s.last_value - CASE WHEN s.is_called THEN 0 ELSE 1 END, $1) FROM %s AS s', p_sequence) INTO v_from USING p_last;
    PERFORM setval(p_sequence, v_from + 64 - (v_from - v_number) % 64, false);
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.draw_behind IS 'Moves the next number of a sequence behind the given one, to the remainder of the cell.';

-- +goose StatementBegin
CREATE FUNCTION sluice.add_call_blocks(p_blocks bigint[]) RETURNS void LANGUAGE sql
SET search_path = pg_catalog, pg_temp AS $function$
    SELECT sluice.add_call_block(b) FROM (SELECT DISTINCT u.b FROM unnest(p_blocks) AS u (b)) AS d
    WHERE to_regclass('sluice.calls_' || b) IS NULL ORDER BY b
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.add_call_blocks IS 'Adds those blocks of the call log that are not there. Their numbers may be drawn by transactions that begin afterwards.';

-- +goose StatementBegin
CREATE FUNCTION sluice.join_fleet(p_name text, p_number integer, p_calls bigint, p_numbers bigint) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_last record;
BEGIN
    SELECT * INTO v_last FROM sluice.last_numbers();
    INSERT INTO sluice.cell (name, number, old_calls, old_numbers, first_call, first_number)
    VALUES (p_name, p_number, v_last.calls, v_last.numbers, greatest(p_calls, v_last.calls) + 1, greatest(p_numbers, v_last.numbers) + 1);
    PERFORM sluice.draw_behind(s.name, CASE WHEN s.of_calls THEN p_calls ELSE p_numbers END) FROM sluice.number_sequences() s;
    PERFORM sluice.guard_homes();
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.join_fleet IS 'Makes the database a cell, whose numbers begin behind those given. Organizations have to be said to be at home afterwards.';

-- Hashes of two salts cannot be told to be of one value, so all cells have one.
-- +goose StatementBegin
CREATE FUNCTION sluice.share_salt(p_salt bytea) RETURNS void LANGUAGE sql
SET search_path = pg_catalog, pg_temp AS $function$
    UPDATE sluice.erasure_salt s SET salt = p_salt WHERE s.salt <> p_salt AND NOT EXISTS (SELECT FROM sluice.erasures)
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.share_salt IS 'Takes the salt of another cell, unless something was erased here already.';
REVOKE ALL ON FUNCTION sluice.share_salt(bytea), sluice.join_fleet(text, integer, bigint, bigint), sluice.draw_behind(regclass, bigint), sluice.add_call_blocks(bigint[]),
    sluice.guard_homes() FROM PUBLIC;

-- That of 00103_calls, and of an organization that is not at home no call leaves.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.reserve_call_on_timeline(
    p_organization text, p_service text, p_resource text, p_class text, p_run bigint,
    p_method text, p_path text, p_page integer,
    p_shared text, p_per_minute integer, p_concurrent integer, p_daily integer,
    p_lease interval, p_window interval, p_day interval,
    p_floors double precision[], p_ceilings double precision[], p_reset_hour integer, p_zone text,
    OUT call_id bigint, OUT refused text, OUT wait_ms bigint
) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    call_id := 0;
    refused := 'forgotten';
    wait_ms := sluice.timeline_wait(p_lease);
    IF wait_ms = 0 AND sluice.home_of(p_organization) <> 'here' THEN
        refused := 'away';
        wait_ms := 60000;
    ELSIF wait_ms = 0 THEN
        SELECT r.call_id, r.refused, r.wait_ms INTO STRICT call_id, refused, wait_ms
        FROM sluice.reserve_call(p_organization, p_service, p_resource, p_class, p_run, p_method, p_path, p_page,
            p_shared, p_per_minute, p_concurrent, p_daily, p_lease, p_window, p_day, p_floors, p_ceilings, p_reset_hour, p_zone) r;
    END IF;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.reserve_call_on_timeline IS 'Reserves a call, or says which limit refuses it, as reserve_call does; and refuses calls for a lease after the timeline changed, and those of organizations that are at home in another cell.';

-- That of 00103_calls, with numbers of the cell. Of a block with calls of an organization that
-- moved here the largest number is not the last call.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.prune_calls(p_days integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '500ms' SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_now timestamptz := clock_timestamp();
    v_keep timestamptz := v_now - make_interval(days => p_days);
    v_block bigint;
    v_at timestamptz;
    v_old record;
    v_dropped integer := 0;
BEGIN
    IF p_days < 2 THEN
        RAISE EXCEPTION 'the call log is kept for % days: the day is counted from it, keep at least 2', p_days;
    END IF;
    IF NOT sluice.take_turn('calls') THEN
        RETURN 0;
    END IF;
    SELECT last_value / 1000000000 INTO v_block FROM sluice.call_numbers;
    SELECT reserved_at INTO v_at FROM sluice.calls WHERE id >= v_block * 1000000000 ORDER BY id LIMIT 1;
    -- A number of the next block may be drawn the moment the sequence has moved, so that block was committed by an earlier call.
    IF date_trunc('day', v_at AT TIME ZONE 'UTC') < date_trunc('day', v_now AT TIME ZONE 'UTC')
        AND to_regclass('sluice.calls_' || v_block + 1) IS NOT NULL THEN
        v_block := v_block + 1;
        IF EXISTS (SELECT FROM sluice.cell) THEN
            PERFORM sluice.draw_behind('sluice.call_numbers', v_block * 1000000000);
        ELSE
            PERFORM setval('sluice.call_numbers', v_block * 1000000000, false);
        END IF;
    END IF;
    IF to_regclass('sluice.calls_' || v_block + 1) IS NULL THEN
        PERFORM sluice.add_call_block(v_block + 1);
    END IF;
    DELETE FROM sluice.spent WHERE began_at < v_now - interval '3 days';
    FOR v_old IN
        SELECT c.relname, substring(c.relname FROM '[0-9]+$')::bigint AS block
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'sluice.calls'::regclass ORDER BY block
    LOOP
        EXIT WHEN v_old.block >= v_block;
        SELECT max(at) INTO v_at FROM (
            SELECT reserved_at AS at FROM sluice.calls WHERE id < (v_old.block + 1) * 1000000000 ORDER BY id DESC LIMIT 1) AS newest;
        CONTINUE WHEN v_at >= v_keep;
        CONTINUE WHEN EXISTS (SELECT FROM sluice.live_calls WHERE id >= v_old.block * 1000000000 AND id < (v_old.block + 1) * 1000000000);
        CONTINUE WHEN EXISTS (SELECT FROM sluice.homes h JOIN sluice.calls c USING (organization_id)
            WHERE h.moved_rows IS NOT NULL AND h.changed_at >= v_keep AND c.reserved_at >= v_keep
                AND c.id >= v_old.block * 1000000000 AND c.id < (v_old.block + 1) * 1000000000);
        BEGIN
            EXECUTE format('DROP TABLE sluice.%I', v_old.relname);
            v_dropped := v_dropped + 1;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            EXIT;
        END;
    END LOOP;
    RETURN v_dropped;
END
$function$;
-- +goose StatementEnd

-- That of 00106_tombstones, but for organizations whose rows are not to be written.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.prune_gone(p_keep interval, p_batch integer DEFAULT 1000) RETURNS integer LANGUAGE plpgsql
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
        WHERE k.state = 'deleted' AND k.pruned_at IS NULL AND k.decided_at < v_before AND k.deleted_at < v_before
            AND NOT EXISTS (SELECT FROM sluice.homes h WHERE h.organization_id = k.organization_id AND h.state NOT IN ('here', 'leaving'))
        ORDER BY 1, 2, 3
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

-- Rows that move are as they were: what triggers made of them moves, too. Rows that refer to one
-- that goes are found.
CREATE OR REPLACE TRIGGER history BEFORE INSERT ON sluice.streams FOR EACH ROW
    WHEN (current_setting('sluice.moving', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION history.new_stream();
CREATE INDEX streams_run ON sluice.streams (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX streams_last_run ON sluice.streams (last_run_id) WHERE last_run_id IS NOT NULL;
CREATE OR REPLACE TRIGGER external_begun AFTER INSERT ON sluice.day_budgets FOR EACH ROW
    WHEN (NEW.limit_seen > 0 AND NEW.seen_bucket IS NOT NULL AND current_setting('sluice.moving', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION sluice.note_external();
CREATE INDEX adopted_batches_adoption ON sluice.adopted_batches (adoption_id);
CREATE INDEX erased_records_erasure ON sluice.erased_records (erasure_id);
