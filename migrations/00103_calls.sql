-- +goose Up
-- The call log, and what may still be called (docs/decisions/0011-budgets). Written by
-- pipeline/warehouse/calls, through the functions below.
--
-- What occupies a slot is a small table of its own, the day is counted in minutes and hours, and
-- the log is only written: so a decision costs the same at any hour.

-- The log, in blocks ------------------------------------------------------------------------------
--
-- A block is a range of a thousand million numbers and holds the calls of a day: sluice.prune_calls
-- moves the sequence to the next block when the day has turned, and drops blocks that are old
-- enough. So a number leads straight to its block, and the order of numbers stays the order of the
-- calls. Nothing depends on the day being turned in time: without it the block of today simply goes
-- on.

CREATE SEQUENCE sluice.call_numbers;
COMMENT ON SEQUENCE sluice.call_numbers IS 'Draws the numbers of calls. sluice.prune_calls moves it to the next block each day.';

CREATE TABLE sluice.calls (
    id bigint NOT NULL DEFAULT nextval('sluice.call_numbers') PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    class text NOT NULL,
    shared text COLLATE "C" NOT NULL,
    run_id bigint,
    method text NOT NULL,
    path text NOT NULL,
    page integer,
    reserved_at timestamptz NOT NULL,
    lease_until timestamptz NOT NULL,
    finished_at timestamptz,
    free_at timestamptz NOT NULL,
    status integer,
    code text,
    kind text,
    detail text,
    bytes bigint,
    records integer
) PARTITION BY RANGE (id);
CREATE INDEX calls_run ON sluice.calls (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX calls_service ON sluice.calls (organization_id, service, reserved_at);
CREATE INDEX calls_time ON sluice.calls USING brin (reserved_at);
COMMENT ON TABLE sluice.calls IS 'The call log: every request upstream, written before it leaves and never taken back. Kept by days.';
COMMENT ON COLUMN sluice.calls.id IS 'Number of the call, drawn before it left: of two calls the larger one was asked later.';
COMMENT ON COLUMN sluice.calls.organization_id IS 'The organization that the call was made for.';
COMMENT ON COLUMN sluice.calls.service IS 'The service that was called.';
COMMENT ON COLUMN sluice.calls.resource IS 'What the call was for: a resource, organizations or token.';
COMMENT ON COLUMN sluice.calls.class IS 'The class of work that the call was spent on.';
COMMENT ON COLUMN sluice.calls.shared IS 'The allowance within the organization that minute and concurrency are counted against.';
COMMENT ON COLUMN sluice.calls.run_id IS 'The run that the call was spent on; null outside of runs.';
COMMENT ON COLUMN sluice.calls.method IS 'The HTTP method.';
COMMENT ON COLUMN sluice.calls.path IS 'The path without the query: queries hold secrets.';
COMMENT ON COLUMN sluice.calls.page IS 'The page asked for; null where there are none.';
COMMENT ON COLUMN sluice.calls.reserved_at IS 'When the call was counted, before it left.';
COMMENT ON COLUMN sluice.calls.lease_until IS 'When an unfinished call counts as ended at the latest: its deadline and a margin.';
COMMENT ON COLUMN sluice.calls.finished_at IS 'When its end was reported; null if it is under way or its process died.';
COMMENT ON COLUMN sluice.calls.free_at IS 'Until when it occupies a slot of the minute: 60 seconds after its end, or after its lease while the end is unknown.';
COMMENT ON COLUMN sluice.calls.status IS 'The HTTP status; null if no answer came.';
COMMENT ON COLUMN sluice.calls.code IS 'The code of the envelope.';
COMMENT ON COLUMN sluice.calls.kind IS 'The kind of the failure; null if it went well.';
COMMENT ON COLUMN sluice.calls.detail IS 'A bounded text about the failure, without secrets.';
COMMENT ON COLUMN sluice.calls.bytes IS 'Bytes of the body.';
COMMENT ON COLUMN sluice.calls.records IS 'Records in the body.';

CREATE TABLE sluice.calls_0 (LIKE sluice.calls INCLUDING DEFAULTS INCLUDING COMMENTS);
COMMENT ON TABLE sluice.calls_0 IS 'A block of the call log.';
ALTER TABLE sluice.calls ATTACH PARTITION sluice.calls_0 FOR VALUES FROM (MINVALUE) TO (1000000000);

-- add_call_block makes a block, ready to be used by transactions that begin after this one ended.
-- +goose StatementBegin
CREATE FUNCTION sluice.add_call_block(p_block bigint) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_name text := 'calls_' || p_block;
BEGIN
    -- Attaching a table lets others read and write meanwhile; CREATE TABLE ... PARTITION OF would not.
    EXECUTE format('CREATE TABLE sluice.%I (LIKE sluice.calls INCLUDING DEFAULTS INCLUDING COMMENTS)', v_name);
    EXECUTE format('COMMENT ON TABLE sluice.%I IS %L', v_name, 'A block of the call log.');
    EXECUTE format('ALTER TABLE sluice.calls ATTACH PARTITION sluice.%I FOR VALUES FROM (%s) TO (%s)',
        v_name, p_block * 1000000000, (p_block + 1) * 1000000000);
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.add_call_block IS 'Makes a block of the call log.';
SELECT sluice.add_call_block(1);

-- prune_calls is the housekeeping of the log, to be called a few times a day by any number of
-- processes: it turns the block when the day (UTC) has turned, drops the blocks whose last call is
-- more than p_days old, and gives their number. It waits for no other session: what is in use now
-- is dropped next time, so calls are never held up for longer than its lock timeout.
--
-- It makes and drops tables of the owner, so it has the owner's rights.
-- +goose StatementBegin
CREATE FUNCTION sluice.prune_calls(p_days integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '500ms' SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_now timestamptz := clock_timestamp();
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
        PERFORM setval('sluice.call_numbers', v_block * 1000000000, false);
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
        EXIT WHEN v_at >= v_now - make_interval(days => p_days);
        EXIT WHEN EXISTS (SELECT FROM sluice.live_calls WHERE id < (v_old.block + 1) * 1000000000);
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
COMMENT ON FUNCTION sluice.prune_calls IS 'Turns the block of the call log each day and drops blocks older than so many days.';
REVOKE ALL ON FUNCTION sluice.prune_calls(integer) FROM PUBLIC;

-- What is counted ---------------------------------------------------------------------------------

CREATE TABLE sluice.live_calls (
    id bigint PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    shared text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    class text NOT NULL,
    lease_until timestamptz NOT NULL,
    finished_at timestamptz,
    free_at timestamptz NOT NULL,
    bucket timestamptz NOT NULL,
    place integer NOT NULL,
    day interval NOT NULL
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.5);
CREATE INDEX live_calls_free ON sluice.live_calls (organization_id, shared, free_at);
CREATE INDEX live_calls_lost ON sluice.live_calls (organization_id, shared, free_at) WHERE finished_at IS NULL;
COMMENT ON TABLE sluice.live_calls IS 'The calls that occupy a slot of the minute or of those at once; a row goes when its slot is free.';
COMMENT ON COLUMN sluice.live_calls.id IS 'Number of the call in the call log.';
COMMENT ON COLUMN sluice.live_calls.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.live_calls.shared IS 'The allowance that minute and concurrency are counted against.';
COMMENT ON COLUMN sluice.live_calls.service IS 'The service that was called.';
COMMENT ON COLUMN sluice.live_calls.class IS 'The class of work.';
COMMENT ON COLUMN sluice.live_calls.lease_until IS 'When it counts as ended at the latest while its end is not known.';
COMMENT ON COLUMN sluice.live_calls.finished_at IS 'When its end was reported; null before.';
COMMENT ON COLUMN sluice.live_calls.free_at IS 'Until when it occupies a slot of the minute.';
COMMENT ON COLUMN sluice.live_calls.bucket IS 'The minute of sluice.spent in which it is counted until its end is known.';
COMMENT ON COLUMN sluice.live_calls.place IS 'The how manieth call reserved in that minute it is.';
COMMENT ON COLUMN sluice.live_calls.day IS 'How long the day is by which it is counted: 24 hours, less in tests. Minute and hour are parts of it.';

CREATE TABLE sluice.spent (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    span text COLLATE "C" NOT NULL CHECK (span IN ('minute', 'hour')),
    began_at timestamptz NOT NULL,
    reserved integer NOT NULL DEFAULT 0,
    calls integer NOT NULL DEFAULT 0,
    incremental integer NOT NULL DEFAULT 0,
    details integer NOT NULL DEFAULT 0,
    sweep integer NOT NULL DEFAULT 0,
    backfill integer NOT NULL DEFAULT 0,
    probe integer NOT NULL DEFAULT 0,
    hinted integer NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, service, span, began_at)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX spent_began ON sluice.spent (began_at);
COMMENT ON INDEX sluice.spent_began IS 'Finds the counts that are old enough to be dropped.';
COMMENT ON TABLE sluice.spent IS 'The calls of the day, counted by minute, and by hour for hours that are over. Three days are kept.';
COMMENT ON COLUMN sluice.spent.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.spent.service IS 'The service: daily limits are per service.';
COMMENT ON COLUMN sluice.spent.span IS 'minute or hour. The row of an hour repeats what the rows of its minutes say.';
COMMENT ON COLUMN sluice.spent.began_at IS 'When the minute or hour began.';
COMMENT ON COLUMN sluice.spent.reserved IS 'How many calls were reserved in it.';
COMMENT ON COLUMN sluice.spent.calls IS 'How many calls count in it: those that ended in it, and those reserved in it whose end is not known.';
COMMENT ON COLUMN sluice.spent.incremental IS 'Those of calls that were spent on incremental runs.';
COMMENT ON COLUMN sluice.spent.details IS 'Those of calls that were spent on single records.';
COMMENT ON COLUMN sluice.spent.sweep IS 'Those of calls that were spent on sweeps.';
COMMENT ON COLUMN sluice.spent.backfill IS 'Those of calls that were spent on backfills.';
COMMENT ON COLUMN sluice.spent.probe IS 'Those of calls that were spent on probes.';
COMMENT ON COLUMN sluice.spent.hinted IS 'Those of calls that were spent on what change notifications told.';

-- What upstream said ------------------------------------------------------------------------------

CREATE TABLE sluice.budgets (
    organization_id text COLLATE "C" NOT NULL,
    shared text COLLATE "C" NOT NULL,
    closed_until timestamptz,
    concurrent_limit integer,
    concurrent_cap integer,
    capped_at timestamptz,
    cap_until timestamptz,
    probe_call bigint,
    PRIMARY KEY (organization_id, shared)
);
COMMENT ON TABLE sluice.budgets IS 'One row per allowance of an organization. Reservations lock it, so that they are counted one after the other.';
COMMENT ON COLUMN sluice.budgets.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.budgets.shared IS 'The name of the allowance: services with the same name share it.';
COMMENT ON COLUMN sluice.budgets.closed_until IS 'Until when no call leaves, because upstream said that the minute is spent.';
COMMENT ON COLUMN sluice.budgets.concurrent_limit IS 'The limit of calls at once that the last reservation was held against.';
COMMENT ON COLUMN sluice.budgets.concurrent_cap IS 'Fewer calls at once than that when upstream said that there were too many; from there the cap rises evenly.';
COMMENT ON COLUMN sluice.budgets.capped_at IS 'When the cap was set: calls that left before are no evidence against it.';
COMMENT ON COLUMN sluice.budgets.cap_until IS 'When the cap will have risen to the limit again.';
COMMENT ON COLUMN sluice.budgets.probe_call IS 'Behind a long closed_until: the call that finds out whether upstream answers again, 0 before one has left; null if none has to.';

CREATE TABLE sluice.day_budgets (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    exhausted_until timestamptz,
    limit_seen integer,
    remaining_seen integer,
    reset_at timestamptz,
    seen_call bigint,
    seen_at timestamptz,
    seen_bucket timestamptz,
    seen_place integer,
    probe_call bigint,
    PRIMARY KEY (organization_id, service)
);
COMMENT ON TABLE sluice.day_budgets IS 'What upstream said about the daily allowance, which others spend, too.';
COMMENT ON COLUMN sluice.day_budgets.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.day_budgets.service IS 'The service: daily limits are per service.';
COMMENT ON COLUMN sluice.day_budgets.exhausted_until IS 'Until when no call leaves, because upstream said that the day is spent. Behind it one call finds out, and the others wait for its end; null as soon as one succeeded.';
COMMENT ON COLUMN sluice.day_budgets.limit_seen IS 'The daily limit in the last answer.';
COMMENT ON COLUMN sluice.day_budgets.remaining_seen IS 'What was left of it.';
COMMENT ON COLUMN sluice.day_budgets.reset_at IS 'When that answer said the day turns.';
COMMENT ON COLUMN sluice.day_budgets.seen_call IS 'The call of that answer: later ones are not in it.';
COMMENT ON COLUMN sluice.day_budgets.seen_at IS 'When that answer came.';
COMMENT ON COLUMN sluice.day_budgets.seen_bucket IS 'The minute in which the call of that answer was reserved.';
COMMENT ON COLUMN sluice.day_budgets.seen_place IS 'The how manieth call of that minute it was: those behind it are not in the answer.';
COMMENT ON COLUMN sluice.day_budgets.probe_call IS 'The call that finds out whether the day is still spent; null if none has to.';

CREATE TABLE sluice.external_spent (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    ended_at timestamptz NOT NULL,
    calls integer NOT NULL,
    limit_seen integer NOT NULL,
    PRIMARY KEY (organization_id, service, ended_at)
);
COMMENT ON TABLE sluice.external_spent IS 'What others spent of the daily allowance, one row per day of upstream that is over.';
COMMENT ON COLUMN sluice.external_spent.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.external_spent.service IS 'The service.';
COMMENT ON COLUMN sluice.external_spent.ended_at IS 'When upstream said that this day would end.';
COMMENT ON COLUMN sluice.external_spent.calls IS 'Calls of others up to our last answer of that day: what was used less what we used.';
COMMENT ON COLUMN sluice.external_spent.limit_seen IS 'The daily limit in that answer.';

-- external_calls is what others have spent of the allowance of the day that upstream's last answer
-- was about: what it said was used, less what we had reserved since that day began, up to that
-- answer. Calls are counted by whole minutes, and upstream's day begins within one: its minute
-- counts as the day's. Null if no answer said anything.
-- +goose StatementBegin
CREATE FUNCTION sluice.external_calls(p_organization text, p_service text) RETURNS integer LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
SELECT greatest(0, d.limit_seen - d.remaining_seen - coalesce(d.seen_place, 0) - (
    SELECT coalesce(sum(s.reserved), 0) FROM sluice.spent s
    WHERE s.organization_id = d.organization_id AND s.service = d.service AND s.span = 'minute'
        AND s.began_at >= date_bin('1 minute', d.reset_at - interval '24 hours', 'epoch') AND s.began_at < d.seen_bucket))::integer
FROM sluice.day_budgets d
WHERE d.organization_id = p_organization AND d.service = p_service AND d.limit_seen > 0
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.external_calls IS 'What others have spent of the daily allowance, by the last answer of upstream.';

-- Counting ----------------------------------------------------------------------------------------

-- move_spent lets a call count in another minute than before. The caller holds the lock of the
-- allowance, so that no hour is summed up meanwhile.
-- +goose StatementBegin
CREATE FUNCTION sluice.move_spent(
    p_organization text, p_service text, p_class text, p_from timestamptz, p_to timestamptz, p_day interval
) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_from timestamptz;
    v_to timestamptz;
BEGIN
    p_to := date_bin(p_day / 1440, p_to, 'epoch');
    IF p_from = p_to THEN
        RETURN;
    END IF;
    v_from := date_bin(p_day / 24, p_from, 'epoch');
    v_to := date_bin(p_day / 24, p_to, 'epoch');
    INSERT INTO sluice.spent (organization_id, service, span, began_at)
    VALUES (p_organization, p_service, 'minute', p_to) ON CONFLICT DO NOTHING;
    UPDATE sluice.spent s SET
        calls = s.calls + v.more,
        incremental = s.incremental + CASE WHEN p_class = 'incremental' THEN v.more ELSE 0 END,
        details = s.details + CASE WHEN p_class = 'details' THEN v.more ELSE 0 END,
        sweep = s.sweep + CASE WHEN p_class = 'sweep' THEN v.more ELSE 0 END,
        backfill = s.backfill + CASE WHEN p_class = 'backfill' THEN v.more ELSE 0 END,
        probe = s.probe + CASE WHEN p_class = 'probe' THEN v.more ELSE 0 END,
        hinted = s.hinted + CASE WHEN p_class = 'hinted' THEN v.more ELSE 0 END
    FROM (VALUES ('minute', p_from, -1), ('minute', p_to, 1), ('hour', v_from, -1), ('hour', v_to, 1)) AS v (span, began_at, more)
    WHERE s.organization_id = p_organization AND s.service = p_service AND s.span = v.span AND s.began_at = v.began_at
        AND (v.span = 'minute' OR v_from <> v_to);
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.move_spent IS 'Lets a call count in another minute than before.';

-- roll_minute is what the first reservation in a minute does for those that follow: rows of slots
-- that are free go, a call whose end was not reported counts in the minute in which it ended at the
-- latest, and the hours that are over are summed up. The caller holds the lock of the allowance.
-- +goose StatementBegin
CREATE FUNCTION sluice.roll_minute(p_organization text, p_shared text, p_service text, p_now timestamptz, p_day interval)
RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_gone sluice.live_calls;
    v_from timestamptz;
BEGIN
    FOR v_gone IN
        -- A row that is locked is being renewed, by an export that may take a while: it is not waited for.
        DELETE FROM sluice.live_calls WHERE id IN (
            SELECT id FROM sluice.live_calls
            WHERE organization_id = p_organization AND shared = p_shared AND free_at <= p_now FOR UPDATE SKIP LOCKED) RETURNING *
    LOOP
        CONTINUE WHEN v_gone.finished_at IS NOT NULL;
        PERFORM sluice.move_spent(p_organization, v_gone.service, v_gone.class, v_gone.bucket, v_gone.lease_until, v_gone.day);
        -- It may have arrived after the answer that the allowance is counted from.
        UPDATE sluice.day_budgets SET remaining_seen = greatest(0, remaining_seen - 1)
        WHERE organization_id = p_organization AND service = v_gone.service
            AND seen_call > v_gone.id AND seen_at < v_gone.lease_until;
    END LOOP;
    -- The last hour once more: a clock that was set back may have counted a call in it since.
    SELECT max(began_at) INTO v_from FROM sluice.spent
    WHERE organization_id = p_organization AND service = p_service AND span = 'hour';
    INSERT INTO sluice.spent AS s
        (organization_id, service, span, began_at, reserved, calls, incremental, details, sweep, backfill, probe, hinted)
    SELECT p_organization, p_service, 'hour', date_bin(p_day / 24, began_at, 'epoch') AS hour,
        sum(reserved), sum(calls), sum(incremental), sum(details), sum(sweep), sum(backfill), sum(probe), sum(hinted)
    FROM sluice.spent
    WHERE organization_id = p_organization AND service = p_service AND span = 'minute'
        AND began_at >= coalesce(v_from, '-infinity') AND began_at < date_bin(p_day / 24, p_now, 'epoch')
    GROUP BY hour
    ON CONFLICT (organization_id, service, span, began_at) DO UPDATE SET
        reserved = excluded.reserved, calls = excluded.calls, incremental = excluded.incremental, details = excluded.details,
        sweep = excluded.sweep, backfill = excluded.backfill, probe = excluded.probe, hinted = excluded.hinted
    WHERE s IS DISTINCT FROM excluded;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.roll_minute IS 'What the first reservation in a minute does for those that follow.';

-- day_spent gives the calls that count for a day, in as few rows as that takes: its hours that are
-- over, and the minutes before and behind them. leaves_at is when the last of the row's calls no
-- longer counts: a day later, or when the day turns. p_edge is the instant after which a call must
-- have ended to count; p_turn is when the day turns, null if it rolls.
-- +goose StatementBegin
CREATE FUNCTION sluice.day_spent(
    p_organization text, p_service text, p_now timestamptz, p_edge timestamptz, p_turn timestamptz, p_day interval
) RETURNS TABLE (
    began_at timestamptz, leaves_at timestamptz, calls integer, incremental integer, details integer, sweep integer,
    backfill integer, probe integer, hinted integer
) LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
SELECT began_at, coalesce(p_turn, began_at + p_day / 24 + p_day / 1440 + p_day),
    calls, incremental, details, sweep, backfill, probe, hinted
FROM sluice.spent
WHERE organization_id = p_organization AND service = p_service AND span = 'hour'
    AND began_at >= date_bin(p_day / 24, p_edge - p_day / 1440, 'epoch') + p_day / 24
    AND began_at < date_bin(p_day / 24, p_now, 'epoch')
UNION ALL
SELECT began_at, coalesce(p_turn, began_at + p_day / 1440 + p_day),
    calls, incremental, details, sweep, backfill, probe, hinted
FROM sluice.spent
WHERE organization_id = p_organization AND service = p_service AND span = 'minute'
    AND began_at > p_edge - p_day / 1440
    AND began_at < date_bin(p_day / 24, p_edge - p_day / 1440, 'epoch') + p_day / 24
UNION ALL
SELECT began_at, coalesce(p_turn, began_at + p_day / 1440 + p_day),
    calls, incremental, details, sweep, backfill, probe, hinted
FROM sluice.spent
WHERE organization_id = p_organization AND service = p_service AND span = 'minute'
    AND began_at >= greatest(date_bin(p_day / 24, p_now, 'epoch'), date_bin(p_day / 24, p_edge - p_day / 1440, 'epoch') + p_day / 24)
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.day_spent IS 'The calls that count for a day, by hours and minutes.';

-- last_reset is when a day that turns at an hour of a zone turned last, seen from p_at.
--
-- A reservation asks for the turn twice, and a function with a SET of its own is not inlined. A
-- body after RETURN is parsed when the function is made, and kept with the functions and operators
-- that it means: it looks for no name when it is called.
-- +goose StatementBegin
CREATE FUNCTION sluice.last_reset(p_at timestamptz, p_hour integer, p_zone text) RETURNS timestamptz LANGUAGE sql STABLE
RETURN (pg_catalog.date_trunc('day', (p_at AT TIME ZONE p_zone) OPERATOR(pg_catalog.-) pg_catalog.make_interval(hours => p_hour))
    OPERATOR(pg_catalog.+) pg_catalog.make_interval(hours => p_hour)) AT TIME ZONE p_zone;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.last_reset IS 'When a day that turns at an hour of a zone turned last.';

-- Deciding ----------------------------------------------------------------------------------------

-- class_available_at says when a class of work may call, as far as the floors of the others go:
-- p_now if at once.
--
-- A floor is a share of the day that is kept for a class of work. A class keeps to its floor if in
-- any n hours by the clock, one behind the other, it makes no more than n / 24 of the floor, and in
-- 26 no more than the floor. What a class may need within the coming hours if it keeps to its floor
-- is held back from the others, and no more: the rest of the floor is lent. So the more evenly the
-- others call, the more they are lent, for a lent call is back only when it leaves the day. The
-- rule: a call of class c is granted if behind it, for every hour i of the coming day, what will be
-- free by then if no other class calls covers what the others may need by then:
--
--     free(i) - 1 >= sum over the other classes k of need(k, i), for i in 0..25
--     free(i)    = limit - spent + calls that leave the day within i hours;
--                  not above upstream's figure until its day turns
--     need(k, i) = least over w in 0..25-i of (floor(k) * (w + i + 1) / 24, at most floor(k))
--                  - calls of k in this hour and the w hours before; at least 0; for i = 25 the floor
--
-- A class that keeps to its floor is refused nothing by the day, whatever the others do. For the
-- rule keeps free(i) >= the sum of need(k, i) over all classes: a grant to c takes 1 from free(i),
-- and 1 from need(c, i) if that was not 0; if it was, the rule has left the others theirs. As an
-- hour passes, free(i) becomes what free(i + 1) was, and need(k, i) at most what need(k, i + 1)
-- was; beyond the horizon all calls have left, and the floors add up to less than the limit. And a
-- class that keeps to its floor with one more call has need(c, i) >= 1 for all i, so free(i) - 1
-- covers the others: the rule grants the call.
--
-- All calls of an hour are taken to be made at its end, and leave a day and a minute after that:
-- the error is on the side of the floors. What others spend of the allowance outside of this
-- program is beyond any rule of ours.
-- +goose StatementBegin
CREATE FUNCTION sluice.class_available_at(
    p_organization text, p_service text, p_class integer, p_floors double precision[], p_daily integer, p_left bigint,
    p_seen_left bigint, p_seen_until timestamptz, p_now timestamptz, p_edge timestamptz, p_turn timestamptz, p_day interval
) RETURNS timestamptz LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_row record;
    v_class integer;
    v_later integer;
    v_hour integer;
    v_back integer;
    v_at integer;
    v_made bigint;
    v_need bigint;
    v_free bigint;
    v_floor double precision;
    v_seen integer := coalesce(ceil(extract(epoch FROM p_seen_until - p_now) / extract(epoch FROM p_day / 24)), 0);
    -- By hours, the first for 0: calls that leave within so many; calls of this hour and so many before, class behind class;
    -- needs of the other classes, class behind class.
    v_leave bigint[] := array_fill(0::bigint, ARRAY[28]);
    v_of bigint[] := array_fill(0::bigint, ARRAY[168]);
    v_needs bigint[] := array_fill(0::bigint, ARRAY[168]);
BEGIN
    FOR v_row IN
        SELECT least(25, greatest(0, 1 + floor(extract(epoch FROM p_now - ended_at) / extract(epoch FROM p_day / 24))))::integer AS back,
            least(27, ceil(extract(epoch FROM coalesce(p_turn, ended_at + p_day / 1440 + p_day) - p_now) / extract(epoch FROM p_day / 24)))::integer AS ahead,
            sum(calls) AS calls, ARRAY[sum(incremental), sum(details), sum(sweep), sum(backfill), sum(probe), sum(hinted)] AS classes
        FROM (SELECT *, date_bin(p_day / 24, began_at, 'epoch') + p_day / 24 AS ended_at
            FROM sluice.day_spent(p_organization, p_service, p_now, p_edge, p_turn, p_day)) AS spent
        GROUP BY 1, 2
    LOOP
        v_leave[v_row.ahead + 1] := v_leave[v_row.ahead + 1] + v_row.calls;
        FOR v_class IN 1..6 LOOP
            v_at := v_class * 28 - 27 + v_row.back;
            v_of[v_at] := v_of[v_at] + v_row.classes[v_class];
        END LOOP;
    END LOOP;
    FOR v_hour IN 2..28 LOOP
        v_leave[v_hour] := v_leave[v_hour] + v_leave[v_hour - 1];
    END LOOP;
    FOR v_class IN 1..6 LOOP
        CONTINUE WHEN v_class = p_class OR p_floors[v_class] = 0;
        v_floor := p_floors[v_class] * p_daily;
        FOR v_hour IN 0..27 LOOP
            v_need := floor(v_floor);
            v_made := 0;
            FOR v_back IN 0..25 - v_hour LOOP
                v_made := v_made + v_of[v_class * 28 - 27 + v_back];
                v_need := least(v_need, floor(v_floor * least(24, v_back + v_hour + 1) / 24)::bigint - v_made);
                EXIT WHEN v_need <= 0;
            END LOOP;
            v_needs[v_class * 28 - 27 + v_hour] := greatest(0, v_need);
        END LOOP;
    END LOOP;
    -- In v_later hours a class needs what it needs so much later now, but not more than a class that has not called lately.
    <<turns>>
    FOR v_later IN 0..23 LOOP
        FOR v_hour IN 0..25 LOOP
            v_free := p_left + v_leave[least(27, v_later + v_hour) + 1];
            IF v_later + v_hour < v_seen THEN
                v_free := least(v_free, p_seen_left);
            END IF;
            v_need := 0;
            FOR v_class IN 1..6 LOOP
                CONTINUE WHEN v_class = p_class OR p_floors[v_class] = 0;
                v_need := v_need + least(v_needs[v_class * 28 - 27 + least(27, v_later + v_hour)],
                    CASE WHEN v_later = 0 THEN NULL ELSE floor(p_floors[v_class] * p_daily * least(24, v_hour + 1) / 24)::bigint END);
            END LOOP;
            CONTINUE turns WHEN v_free - 1 < v_need;
        END LOOP;
        RETURN p_now + v_later * (p_day / 24);
    END LOOP;
    RETURN p_now + p_day;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.class_available_at IS 'When a class of work may call, as far as the floors of the others go.';

-- first_leaves is when so many of the calls that count for a day no longer do; of one class, or of
-- all if it is empty.
-- +goose StatementBegin
CREATE FUNCTION sluice.first_leaves(
    p_organization text, p_service text, p_class text, p_calls bigint, p_now timestamptz, p_edge timestamptz, p_turn timestamptz,
    p_day interval
) RETURNS timestamptz LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
SELECT least(p_now + p_day, coalesce(p_turn, (
    SELECT min(began_at) + p_day / 1440 + p_day FROM (
        SELECT began_at, sum(CASE p_class WHEN '' THEN calls WHEN 'incremental' THEN incremental WHEN 'details' THEN details
            WHEN 'sweep' THEN sweep WHEN 'backfill' THEN backfill WHEN 'probe' THEN probe WHEN 'hinted' THEN hinted
            ELSE 0 END) OVER (ORDER BY began_at) AS gone
        FROM sluice.spent
        WHERE organization_id = p_organization AND service = p_service AND span = 'minute' AND began_at > p_edge - p_day / 1440
    ) AS leaving WHERE gone >= p_calls), p_now + p_day / 24))
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.first_leaves IS 'When so many of the calls that count for a day no longer do.';

-- concurrent_now is how many calls may be under way at once: the limit, or less after upstream said
-- that there were too many. Then it is halved, and rises evenly until the cap is over:
-- multiplicative decrease, additive increase. At least one.
-- +goose StatementBegin
CREATE FUNCTION sluice.concurrent_now(p_budget sluice.budgets, p_limit integer, p_now timestamptz) RETURNS integer
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF p_budget.cap_until IS NULL OR p_budget.cap_until <= p_now OR p_budget.concurrent_cap >= p_limit THEN
        RETURN p_limit;
    END IF;
    RETURN p_budget.concurrent_cap + floor((p_limit - p_budget.concurrent_cap) * greatest(0,
        extract(epoch FROM p_now - p_budget.capped_at) / extract(epoch FROM p_budget.cap_until - p_budget.capped_at)));
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.concurrent_now IS 'How many calls may be under way at once, after upstream said that there were too many.';

-- reserve_call decides whether a call may leave now and counts it if so, in one round trip
-- (invariant 3).
--
-- The lock on the budget's row makes reservations of one allowance queue up, and the clock is read
-- after the lock: so each sees all the others.
--
-- The minute. A call has a row in live_calls, which occupies its slot until the window after its
-- end, or after its lease while the end is not known. Hence no window at the server holds more
-- arrivals than the limit: take more than the limit in one, and the last reserved of them; each
-- other ended after it had arrived, so after the window began, less than a window before this one
-- was reserved. So all their rows were live and this one was refused. A row is deleted under the
-- lock, once its slot is free. Those at once are among the live ones: their end is not known and
-- their lease is not over.
--
-- The day. A call counts in a minute of sluice.spent: in that of its reservation, and from its end
-- on in that of its end (a call whose end is not reported: in that of the end of its lease, when
-- its slot is free). A minute counts until a day after its own end. So a call counts at least until
-- a day after its end, and no day at the server holds more arrivals than the limit, by the same
-- argument; and it counts for less than a minute longer, which is the safe side. A call under way
-- whose minute of reservation is over a day old is counted from its live row. An hour that is over
-- is one row, the sum of its minutes: the first reservation in an hour writes it, under the lock,
-- and a change of a minute changes its hour; so no decision reads more than 24 hours and 120
-- minutes. Where the day turns at an hour of a zone, the day is what ended since; it turns here a
-- window later than there, so that clocks may differ.
--
-- Upstream's figure. What upstream saw left, less what was reserved behind the call whose answer
-- said so, less what was under way before it. A call of which no answer tells what it did to the
-- figure is taken off it when that is known. That nothing is left by upstream's headers alone,
-- while our own count leaves calls, is believed for an hour after the answer that said so: then one
-- call finds out. It brings a new figure, or a refusal, or succeeds without a figure, and then the
-- old one counts no more.
--
-- The probe of the day. Behind exhausted_until one call of the service is let out, and no other
-- while its end is not known and its lease runs. If it succeeds, the day has turned and nothing is
-- held back any more. If it is told once more that the day is spent, that has moved
-- exhausted_until. If it comes to something else, nothing is known, and the next call is the probe.
--
-- The gate (docs/decisions/0012-refusals). Behind a closed_until that lay far ahead one call of the
-- allowance is let out, as behind a spent day, and the others wait for its end. One that succeeds
-- opens the gate.
--
-- Classes. p_floors and p_ceilings are shares of the day in the order incremental, details, sweep,
-- backfill, probe, hinted; where the sixth is left out, its floor is 0 and its ceiling 1. A ceiling
-- bounds what a class spends in a day; floors: see class_available_at. A call of no class is held
-- against the day alone. Shares are of upstream's last limit also between the turn of its day and
-- its next answer.
--
-- The timeline. For a lease after the first reservation on another timeline (sluice.last_timeline)
-- all calls are refused, because the database may have forgotten calls. A forgotten call left at
-- most a third of a minute after it was reserved, and ended within a lease. So none is under way,
-- or in the last minute of upstream, later.
--
-- The wait is when it makes sense to ask again. Limits of 0 are no limits. A day that rolls has the
-- zone ''.
-- +goose StatementBegin
CREATE FUNCTION sluice.reserve_call(
    p_organization text, p_service text, p_resource text, p_class text, p_run bigint,
    p_method text, p_path text, p_page integer,
    p_shared text, p_per_minute integer, p_concurrent integer, p_daily integer,
    p_lease interval, p_window interval, p_day interval,
    p_floors double precision[] DEFAULT '{0,0,0,0,0,0}', p_ceilings double precision[] DEFAULT '{1,1,1,1,1,1}',
    p_reset_hour integer DEFAULT 0, p_zone text DEFAULT '',
    OUT call_id bigint, OUT refused text, OUT wait_ms bigint
) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $function$
DECLARE
    v_now timestamptz;
    v_budget sluice.budgets;
    v_day sluice.day_budgets;
    v_bucket timestamptz;
    v_edge timestamptz;
    v_turn timestamptz;
    v_live bigint;
    v_under_way bigint;
    v_early bigint;
    v_unseen bigint;
    v_total bigint;
    v_mine bigint;
    v_left bigint;
    v_seen_left bigint;
    v_seen_until timestamptz;
    v_class integer;
    v_kept bigint;
    v_shared integer;
    v_until timestamptz;
    v_place integer;
    v_probe sluice.calls;
    v_doubt boolean := false;
    v_timeline text := sluice.timeline();
BEGIN
    call_id := 0;
    refused := '';
    wait_ms := 0;
    -- By the index: without sequential scans, the cost of one would have each reservation compiled.
    SELECT l.seen_at + p_lease INTO v_until FROM sluice.last_timeline l WHERE l.one AND l.timeline = v_timeline;
    IF NOT FOUND THEN
        INSERT INTO sluice.last_timeline AS l (timeline, seen_at) VALUES (v_timeline, clock_timestamp())
        ON CONFLICT (one) DO UPDATE SET timeline = excluded.timeline, seen_at = excluded.seen_at WHERE l.timeline <> excluded.timeline;
        SELECT l.seen_at + p_lease INTO v_until FROM sluice.last_timeline l WHERE l.one;
    END IF;
    IF v_until > clock_timestamp() THEN
        refused := 'forgotten';
        wait_ms := greatest(1, ceil(extract(epoch FROM v_until - clock_timestamp()) * 1000));
        RETURN;
    END IF;
    p_floors[6] := coalesce(p_floors[6], 0);
    p_ceilings[6] := coalesce(p_ceilings[6], 1);

    SELECT * INTO v_budget FROM sluice.budgets
    WHERE organization_id = p_organization AND shared = p_shared FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO sluice.budgets (organization_id, shared) VALUES (p_organization, p_shared) ON CONFLICT DO NOTHING;
        SELECT * INTO v_budget FROM sluice.budgets
        WHERE organization_id = p_organization AND shared = p_shared FOR UPDATE;
    END IF;
    v_now := clock_timestamp();
    v_bucket := date_bin(p_day / 1440, v_now, 'epoch');
    v_edge := v_now - p_day;
    IF p_zone <> '' THEN
        v_edge := sluice.last_reset(v_now - p_window, p_reset_hour, p_zone);
        v_turn := sluice.last_reset(v_edge + interval '36 hours', p_reset_hour, p_zone) + p_window;
    END IF;

    -- Calls that end in a minute may have made its row before the first was reserved in it.
    IF NOT EXISTS (SELECT FROM sluice.spent
            WHERE organization_id = p_organization AND service = p_service AND span = 'minute' AND began_at = v_bucket AND reserved > 0)
        OR EXISTS (SELECT FROM sluice.live_calls
            WHERE organization_id = p_organization AND shared = p_shared AND finished_at IS NULL
                AND free_at >= v_bucket AND free_at <= v_now) THEN
        PERFORM sluice.roll_minute(p_organization, p_shared, p_service, v_now, p_day);
    END IF;
    SELECT * INTO v_day FROM sluice.day_budgets WHERE organization_id = p_organization AND service = p_service;
    SELECT count(*), count(*) FILTER (WHERE finished_at IS NULL AND lease_until > v_now),
        count(*) FILTER (WHERE finished_at IS NULL AND service = p_service AND bucket <= v_edge - p_day / 1440),
        count(*) FILTER (WHERE finished_at IS NULL AND service = p_service AND id < v_day.seen_call)
    INTO v_live, v_under_way, v_early, v_unseen FROM sluice.live_calls
    WHERE organization_id = p_organization AND shared = p_shared AND free_at > v_now;

    -- The day first: a call that may not leave today need not wait for the minute to find out.
    v_until := v_day.exhausted_until;
    IF v_day.reset_at > v_now AND (v_until IS NULL OR v_until <= v_now) THEN
        SELECT v_day.remaining_seen - v_unseen - coalesce(sum(reserved), 0) + coalesce(v_day.seen_place, 0) INTO v_seen_left
        FROM sluice.spent
        WHERE organization_id = p_organization AND service = p_service AND span = 'minute' AND began_at >= v_day.seen_bucket;
        v_seen_until := v_day.reset_at;
        IF v_seen_left <= 0 THEN
            v_until := v_seen_until;
            SELECT coalesce(sum(calls), 0) + v_early INTO v_total
            FROM sluice.day_spent(p_organization, p_service, v_now, v_edge, v_turn, p_day);
            IF p_daily = 0 OR v_total < p_daily THEN
                v_until := least(v_until, v_day.seen_at + p_day / 24);
                v_doubt := v_until <= v_now;
            END IF;
        END IF;
        IF v_doubt THEN
            v_seen_left := NULL;
            v_seen_until := NULL;
        END IF;
    END IF;
    IF v_until > v_now THEN
        refused := 'day';
    ELSIF v_day.exhausted_until IS NOT NULL OR v_doubt THEN
        SELECT * INTO v_probe FROM sluice.calls WHERE id = v_day.probe_call;
        IF v_probe.finished_at IS NULL AND v_probe.lease_until > v_now THEN
            refused := 'closed';
            v_until := v_now + interval '250 milliseconds';
        ELSIF v_probe.kind IS NULL AND v_probe.status BETWEEN 200 AND 299 AND (NOT v_doubt OR v_probe.id > v_day.seen_call) THEN
            UPDATE sluice.day_budgets SET exhausted_until = NULL, probe_call = NULL, reset_at = CASE WHEN v_doubt THEN v_now ELSE reset_at END
            WHERE organization_id = p_organization AND service = p_service RETURNING * INTO v_day;
            v_doubt := false;
        END IF;
    END IF;
    IF refused = '' AND p_daily > 0 THEN
        SELECT coalesce(sum(calls), 0) + v_early,
            coalesce(sum(CASE p_class WHEN 'incremental' THEN incremental WHEN 'details' THEN details WHEN 'sweep' THEN sweep
                WHEN 'backfill' THEN backfill WHEN 'probe' THEN probe WHEN 'hinted' THEN hinted ELSE 0 END), 0)
        INTO v_total, v_mine FROM sluice.day_spent(p_organization, p_service, v_now, v_edge, v_turn, p_day);
        v_left := p_daily - v_total;
        -- The shares are of what upstream allows, where it allows less than is configured; after the turn of its day, of what it
        -- allowed before, until an answer tells.
        v_shared := CASE WHEN v_day.limit_seen > 0 AND v_day.seen_at > v_now - 2 * p_day THEN least(p_daily, v_day.limit_seen)
            ELSE p_daily END;
        v_class := array_position('{incremental,details,sweep,backfill,probe,hinted}'::text[], p_class);
        IF v_left <= 0 THEN
            refused := 'day';
            v_until := sluice.first_leaves(p_organization, p_service, '', 1 - v_left, v_now, v_edge, v_turn, p_day);
        ELSIF p_ceilings[v_class] < 1 AND v_mine >= floor(p_ceilings[v_class] * v_shared) THEN
            refused := 'class';
            v_until := sluice.first_leaves(p_organization, p_service, p_class, v_mine + 1 - floor(p_ceilings[v_class] * v_shared)::bigint,
                v_now, v_edge, v_turn, p_day);
        ELSIF v_class IS NOT NULL THEN
            -- Where all floors of the others are free anyway, there is nothing to work out.
            SELECT sum(floor(share * v_shared)) - floor(p_floors[v_class] * v_shared) INTO v_kept FROM unnest(p_floors) AS share;
            IF least(v_left, v_seen_left) - 1 < v_kept THEN
                v_until := sluice.class_available_at(p_organization, p_service, v_class, p_floors, v_shared, v_left, v_seen_left, v_seen_until,
                    v_now, v_edge, v_turn, p_day);
                IF v_until > v_now THEN
                    refused := 'class';
                END IF;
            END IF;
        END IF;
    END IF;

    IF refused = '' AND v_budget.closed_until > v_now THEN
        refused := 'closed';
        v_until := v_budget.closed_until;
    ELSIF refused = '' AND v_budget.probe_call IS NOT NULL THEN
        SELECT * INTO v_probe FROM sluice.calls WHERE id = v_budget.probe_call;
        IF v_probe.finished_at IS NULL AND v_probe.lease_until > v_now THEN
            refused := 'closed';
            v_until := v_now + interval '250 milliseconds';
        ELSIF v_probe.kind IS NULL AND v_probe.status BETWEEN 200 AND 299 THEN
            UPDATE sluice.budgets SET probe_call = NULL
            WHERE organization_id = p_organization AND shared = p_shared RETURNING * INTO v_budget;
        END IF;
    END IF;

    IF refused = '' AND p_per_minute > 0 AND v_live >= p_per_minute THEN
        refused := 'minute';
        -- A call under way may end at any moment: its slot is not worth waiting for longer than a window.
        SELECT least(free_at, v_now + p_window) INTO v_until FROM sluice.live_calls
        WHERE organization_id = p_organization AND shared = p_shared AND free_at > v_now
        ORDER BY free_at OFFSET v_live - p_per_minute LIMIT 1;
    END IF;

    IF refused = '' AND p_concurrent > 0 THEN
        IF v_budget.concurrent_limit IS DISTINCT FROM p_concurrent THEN
            UPDATE sluice.budgets SET concurrent_limit = p_concurrent
            WHERE organization_id = p_organization AND shared = p_shared;
        END IF;
        IF v_under_way >= least(p_concurrent, sluice.concurrent_now(v_budget, p_concurrent, v_now)) THEN
            refused := 'concurrent';
            -- When one of them ends is not known.
            v_until := v_now + interval '250 milliseconds';
        END IF;
    END IF;

    IF refused <> '' THEN
        wait_ms := greatest(1, ceil(extract(epoch FROM v_until - v_now) * 1000));
        RETURN;
    END IF;

    INSERT INTO sluice.spent AS s
        (organization_id, service, span, began_at, reserved, calls, incremental, details, sweep, backfill, probe, hinted)
    VALUES (p_organization, p_service, 'minute', v_bucket, 1, 1, (p_class = 'incremental')::integer, (p_class = 'details')::integer,
        (p_class = 'sweep')::integer, (p_class = 'backfill')::integer, (p_class = 'probe')::integer,
        (p_class = 'hinted')::integer)
    ON CONFLICT (organization_id, service, span, began_at) DO UPDATE SET
        reserved = s.reserved + 1, calls = s.calls + 1, incremental = s.incremental + excluded.incremental,
        details = s.details + excluded.details, sweep = s.sweep + excluded.sweep, backfill = s.backfill + excluded.backfill,
        probe = s.probe + excluded.probe, hinted = s.hinted + excluded.hinted
    RETURNING reserved INTO v_place;
    INSERT INTO sluice.calls (organization_id, service, resource, class, shared, run_id, method, path, page,
        reserved_at, lease_until, free_at)
    VALUES (p_organization, p_service, p_resource, p_class, p_shared, nullif(p_run, 0), p_method, p_path, nullif(p_page, 0),
        v_now, v_now + p_lease, v_now + p_lease + p_window)
    RETURNING id INTO call_id;
    INSERT INTO sluice.live_calls (id, organization_id, shared, service, class, lease_until, free_at, bucket, place, day)
    VALUES (call_id, p_organization, p_shared, p_service, p_class, v_now + p_lease, v_now + p_lease + p_window, v_bucket, v_place, p_day);
    UPDATE sluice.day_budgets SET probe_call = call_id
    WHERE organization_id = p_organization AND service = p_service AND (v_day.exhausted_until IS NOT NULL OR v_doubt);
    UPDATE sluice.budgets SET probe_call = call_id
    WHERE organization_id = p_organization AND shared = p_shared AND v_budget.probe_call IS NOT NULL;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.reserve_call IS 'Counts a call before it leaves, or says which limit refuses it and for how long; it refuses calls for a lease after the timeline changed.';

-- The end of a call -------------------------------------------------------------------------------

-- finish_call records how a call ended. Its slot stays occupied for the window after its end;
-- nothing is given back. A second report about the same call changes nothing.
--
-- A call that ends in the minute in which it was reserved, as nearly all do, needs no lock. One
-- that ends in another minute counts there from now on, under the lock of its allowance. One whose
-- slot was taken to be free, as its process was suspended for longer than its lease, may have
-- called just now: it occupies a slot again, and counts once more.
-- +goose StatementBegin
CREATE FUNCTION sluice.finish_call(
    p_call bigint, p_status integer, p_code text, p_kind text, p_detail text, p_bytes bigint, p_records integer,
    p_day_limit integer, p_day_remaining integer, p_day_reset interval, p_day interval DEFAULT '24 hours'
) RETURNS boolean LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_now timestamptz := clock_timestamp();
    v_call sluice.calls;
    v_live sluice.live_calls;
    v_reset timestamptz;
BEGIN
    SELECT * INTO v_live FROM sluice.live_calls WHERE id = p_call;
    IF v_live.finished_at IS NULL AND v_now >= v_live.bucket + v_live.day / 1440 THEN
        PERFORM FROM sluice.budgets
        WHERE organization_id = v_live.organization_id AND shared = v_live.shared FOR UPDATE;
        v_now := clock_timestamp();
    END IF;
    UPDATE sluice.calls SET
        finished_at = v_now,
        free_at = v_now + (free_at - lease_until),
        status = nullif(p_status, 0), code = nullif(p_code, ''), kind = nullif(p_kind, ''), detail = nullif(p_detail, ''),
        bytes = p_bytes, records = p_records
    WHERE id = p_call AND finished_at IS NULL
    RETURNING * INTO v_call;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE sluice.live_calls SET finished_at = v_now, free_at = v_call.free_at WHERE id = p_call RETURNING * INTO v_live;
    IF NOT FOUND THEN
        PERFORM FROM sluice.budgets
        WHERE organization_id = v_call.organization_id AND shared = v_call.shared FOR UPDATE;
        INSERT INTO sluice.live_calls (id, organization_id, shared, service, class, lease_until, finished_at, free_at, bucket, place, day)
        VALUES (p_call, v_call.organization_id, v_call.shared, v_call.service, v_call.class, v_call.lease_until, v_now, v_call.free_at,
            date_bin(p_day / 1440, v_now, 'epoch'), 0, p_day);
        PERFORM sluice.move_spent(v_call.organization_id, v_call.service, v_call.class, '-infinity', v_now, p_day);
        RETURN true;
    END IF;
    PERFORM sluice.move_spent(v_live.organization_id, v_live.service, v_live.class, v_live.bucket, v_now, v_live.day)
    WHERE v_now >= v_live.bucket + v_live.day / 1440;
    IF p_day_limit > 0 THEN
        -- A reset that is missing or absurd is an hour: then one call finds out.
        v_reset := v_now + CASE WHEN p_day_reset > interval '0' AND p_day_reset <= interval '25 hours'
            THEN p_day_reset ELSE interval '1 hour' END;
        -- The first answer of a new day closes the books on what others spent of the last one.
        INSERT INTO sluice.external_spent (organization_id, service, ended_at, calls, limit_seen)
        SELECT organization_id, service, reset_at, sluice.external_calls(organization_id, service), limit_seen FROM sluice.day_budgets
        WHERE organization_id = v_call.organization_id AND service = v_call.service AND reset_at <= v_now AND limit_seen > 0
            AND seen_bucket IS NOT NULL
        ON CONFLICT DO NOTHING;
        INSERT INTO sluice.day_budgets AS d
            (organization_id, service, limit_seen, remaining_seen, reset_at, seen_call, seen_at, seen_bucket, seen_place)
        VALUES (v_call.organization_id, v_call.service, p_day_limit, greatest(p_day_remaining, 0), v_reset, p_call, v_now,
            date_bin(v_live.day / 1440, v_call.reserved_at, 'epoch'), v_live.place)
        -- Calls overtake each other on the way there and back: of those that were under way together the smallest figure counts.
        ON CONFLICT (organization_id, service) DO UPDATE SET
            remaining_seen = CASE WHEN d.reset_at > v_now AND d.seen_at > v_call.reserved_at
                THEN least(d.remaining_seen, excluded.remaining_seen) ELSE excluded.remaining_seen END,
            limit_seen = excluded.limit_seen,
            reset_at = CASE WHEN d.reset_at > v_now AND d.seen_call > excluded.seen_call THEN d.reset_at ELSE excluded.reset_at END,
            seen_call = greatest(d.seen_call, excluded.seen_call),
            seen_at = CASE WHEN d.seen_call > excluded.seen_call THEN d.seen_at ELSE excluded.seen_at END,
            seen_bucket = CASE WHEN d.seen_call > excluded.seen_call THEN d.seen_bucket ELSE excluded.seen_bucket END,
            seen_place = CASE WHEN d.seen_call > excluded.seen_call THEN d.seen_place ELSE excluded.seen_place END;
    ELSE
        -- It was under way when a later call saw what was left, and told nothing itself.
        UPDATE sluice.day_budgets SET remaining_seen = greatest(0, remaining_seen - 1)
        WHERE organization_id = v_call.organization_id AND service = v_call.service
            AND seen_call > p_call AND seen_at > v_call.reserved_at AND reset_at > v_now;
    END IF;
    RETURN true;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.finish_call IS 'Records how a call ended, and what the answer said about the daily allowance.';

-- renew_call says that a call is still under way: its lease ends p_lease from now. A call whose end
-- was reported stays ended.
-- +goose StatementBegin
CREATE FUNCTION sluice.renew_call(p_call bigint, p_lease interval, p_day interval DEFAULT '24 hours') RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_lease timestamptz := clock_timestamp() + p_lease;
    v_before timestamptz;
    v_call sluice.calls;
BEGIN
    SELECT lease_until INTO v_before FROM sluice.calls WHERE id = p_call AND finished_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE sluice.calls SET lease_until = v_lease, free_at = v_lease + (free_at - lease_until) WHERE id = p_call
    RETURNING * INTO v_call;
    -- If its slot was taken to be free, it counts in the minute in which its lease ended, and from there it will move.
    INSERT INTO sluice.live_calls (id, organization_id, shared, service, class, lease_until, free_at, bucket, place, day)
    VALUES (p_call, v_call.organization_id, v_call.shared, v_call.service, v_call.class, v_lease, v_call.free_at,
        date_bin(p_day / 1440, v_before, 'epoch'), 0, p_day)
    ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, free_at = excluded.free_at;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.renew_call IS 'Says that a call is still under way, and renews its lease.';

-- recount_calls counts anew from the call log: after the log was edited, and to repair what cannot
-- break. Reservations wait meanwhile.
-- +goose StatementBegin
CREATE FUNCTION sluice.recount_calls(p_day interval DEFAULT '24 hours') RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_now timestamptz;
BEGIN
    LOCK TABLE sluice.budgets IN EXCLUSIVE MODE;
    LOCK TABLE sluice.live_calls, sluice.spent IN SHARE ROW EXCLUSIVE MODE;
    v_now := clock_timestamp();
    DELETE FROM sluice.live_calls;
    DELETE FROM sluice.spent;
    INSERT INTO sluice.live_calls (id, organization_id, shared, service, class, lease_until, finished_at, free_at, bucket, place, day)
    SELECT id, organization_id, shared, service, class, lease_until, finished_at, free_at, bucket, place, p_day FROM (
        SELECT *, date_bin(p_day / 1440, reserved_at, 'epoch') AS bucket,
            row_number() OVER (PARTITION BY organization_id, service, date_bin(p_day / 1440, reserved_at, 'epoch') ORDER BY id) AS place
        FROM sluice.calls WHERE reserved_at > v_now - 3 * p_day OR finished_at IS NULL
    ) AS placed WHERE free_at > v_now;
    INSERT INTO sluice.spent (organization_id, service, span, began_at, reserved, calls, incremental, details, sweep, backfill, probe, hinted)
    SELECT organization_id, service, 'minute', date_bin(p_day / 1440, at, 'epoch') AS minute, sum(reserved), sum(1 - reserved),
        count(*) FILTER (WHERE reserved = 0 AND class = 'incremental'), count(*) FILTER (WHERE reserved = 0 AND class = 'details'),
        count(*) FILTER (WHERE reserved = 0 AND class = 'sweep'), count(*) FILTER (WHERE reserved = 0 AND class = 'backfill'),
        count(*) FILTER (WHERE reserved = 0 AND class = 'probe'), count(*) FILTER (WHERE reserved = 0 AND class = 'hinted')
    FROM sluice.calls CROSS JOIN LATERAL (VALUES (reserved_at, 1),
        (coalesce(finished_at, CASE WHEN free_at > v_now THEN reserved_at ELSE lease_until END), 0)) AS counted (at, reserved)
    WHERE at > v_now - 3 * p_day GROUP BY organization_id, service, minute;
    INSERT INTO sluice.spent (organization_id, service, span, began_at, reserved, calls, incremental, details, sweep, backfill, probe, hinted)
    SELECT organization_id, service, 'hour', date_bin(p_day / 24, began_at, 'epoch') AS hour,
        sum(reserved), sum(calls), sum(incremental), sum(details), sum(sweep), sum(backfill), sum(probe), sum(hinted)
    FROM sluice.spent WHERE began_at < date_bin(p_day / 24, v_now, 'epoch') GROUP BY organization_id, service, hour;
    UPDATE sluice.day_budgets d SET seen_bucket = c.bucket, seen_place = c.place FROM (
        SELECT id, date_bin(p_day / 1440, reserved_at, 'epoch') AS bucket,
            row_number() OVER (PARTITION BY organization_id, service, date_bin(p_day / 1440, reserved_at, 'epoch') ORDER BY id) AS place
        FROM sluice.calls
    ) AS c WHERE c.id = d.seen_call;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.recount_calls IS 'Counts anew from the call log what occupies slots and what the day has spent.';

-- The history of the database ---------------------------------------------------------------------
--
-- A standby that was promoted, and a database that was restored, may have forgotten what was
-- committed last (docs/decisions/0019-shared-database). Both continue on another timeline than
-- before, or are another server. So the timeline is a part of what a worker relies on.

-- +goose StatementBegin
CREATE FUNCTION sluice.timeline() RETURNS text LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
    -- The control file has the timeline of the last checkpoint only, which may be that before a promotion.
    SELECT s.system_identifier::text || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) FROM pg_control_system() s
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.timeline IS 'Names the history of the database: the identifier of the server and its timeline, which a promotion and a restore to an instant change. It fails on a standby.';

CREATE TABLE sluice.last_timeline (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    timeline text NOT NULL,
    seen_at timestamptz NOT NULL
);
COMMENT ON TABLE sluice.last_timeline IS 'One row: the timeline on which calls were last reserved.';
COMMENT ON COLUMN sluice.last_timeline.one IS 'Always true: there is one row.';
COMMENT ON COLUMN sluice.last_timeline.timeline IS 'The timeline, as sluice.timeline() names it.';
COMMENT ON COLUMN sluice.last_timeline.seen_at IS 'When a call was first reserved on it; -infinity for the timeline of the migration.';
INSERT INTO sluice.last_timeline (timeline, seen_at) VALUES (sluice.timeline(), '-infinity');

-- Tokens ------------------------------------------------------------------------------------------

-- What refused a credential stands beside its token: no single answer denies one for ever
-- (docs/decisions/0012-refusals). So does what it lets read, as the token endpoint
-- said it last: a resource that is enabled later may need more.
CREATE TABLE sluice.tokens (
    credential text COLLATE "C" PRIMARY KEY,
    sealed bytea NOT NULL DEFAULT '',
    version bigint NOT NULL DEFAULT 0,
    expires_at timestamptz,
    attempted_at timestamptz,
    reason text NOT NULL DEFAULT '',
    refresh bytea NOT NULL DEFAULT '',
    died_young integer NOT NULL DEFAULT 0,
    refusals integer NOT NULL DEFAULT 0,
    granted_at timestamptz,
    fell_back boolean NOT NULL DEFAULT false,
    scopes text[]
);
COMMENT ON TABLE sluice.tokens IS 'Access tokens, shared by all processes. The lock on a row makes one refresh for all.';
COMMENT ON COLUMN sluice.tokens.credential IS 'Which credential the token belongs to; no secret.';
COMMENT ON COLUMN sluice.tokens.sealed IS 'The access token, encrypted.';
COMMENT ON COLUMN sluice.tokens.version IS 'Grows with every refresh.';
COMMENT ON COLUMN sluice.tokens.expires_at IS 'When the token dies.';
COMMENT ON COLUMN sluice.tokens.attempted_at IS 'When a refresh was last attempted.';
COMMENT ON COLUMN sluice.tokens.reason IS 'Why the credential is denied; empty if it works. It is asked about again a day later, or at once by sluice organizations retry.';
COMMENT ON COLUMN sluice.tokens.refresh IS 'The refresh token that upstream sent in place of the configured one, encrypted; empty if it sent none.';
COMMENT ON COLUMN sluice.tokens.died_young IS 'How many access tokens in a row were refused before their time: another program may use the same refresh token.';
COMMENT ON COLUMN sluice.tokens.refusals IS 'How many answers in a row refused a token; the pause before the next request grows with it.';
COMMENT ON COLUMN sluice.tokens.granted_at IS 'When the last access token was given; null before the first.';
COMMENT ON COLUMN sluice.tokens.fell_back IS 'Whether the configured refresh token is in use although upstream sent another, which it refused later.';
COMMENT ON COLUMN sluice.tokens.scopes IS 'The scopes that upstream named with the last access token; null if it named none.';

-- What status shows of tokens, for a role that may not read the sealed ones: that of the console.
CREATE VIEW sluice.token_states AS SELECT t.died_young, t.fell_back FROM sluice.tokens t;
COMMENT ON VIEW sluice.token_states IS 'One row for each credential: how its tokens fare, without the tokens.';
COMMENT ON COLUMN sluice.token_states.died_young IS 'How many access tokens in a row upstream refused before their time.';
COMMENT ON COLUMN sluice.token_states.fell_back IS 'Whether the configured refresh token is in use because upstream refused the one that replaced it.';
