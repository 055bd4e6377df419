-- +goose Up
-- The class hinted: calls that change notifications cause. It is counted behind the other five
-- classes, and the functions below replace those of 00002_calls.sql.
--
-- A process of the version before goes on beside this schema until it ends. It passes shares of
-- five classes, and spends no hinted calls.

ALTER TABLE sluice.spent ADD COLUMN hinted integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN sluice.spent.hinted IS 'Those of calls that were spent on what change notifications told.';
COMMENT ON COLUMN sluice.runs.class IS 'The class of work: incremental, details, sweep, backfill, probe, hinted.';

-- Counting ----------------------------------------------------------------------------------------

-- move_spent lets a call count in another minute than before. The caller holds the lock of the
-- allowance, so that no hour is summed up meanwhile.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.move_spent(
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

-- roll_minute is what the first reservation in a minute does for those that follow: rows of slots
-- that are free go, a call whose end was not reported counts in the minute in which it ended at the
-- latest, and the hours that are over are summed up. The caller holds the lock of the allowance.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.roll_minute(p_organization text, p_shared text, p_service text, p_now timestamptz, p_day interval)
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

-- A function that returns another column is made anew. Rights to call it come from the owner's
-- default privileges, which sluice.grant_worker has set.
DROP FUNCTION sluice.day_spent(text, text, timestamptz, timestamptz, timestamptz, interval);

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

-- Deciding ----------------------------------------------------------------------------------------

-- class_available_at says when a class of work may call, as far as the floors of the others go: p_now if at
-- once.
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
CREATE OR REPLACE FUNCTION sluice.class_available_at(
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

-- first_leaves is when so many of the calls that count for a day no longer do; of one class, or of
-- all if it is empty.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.first_leaves(
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

-- reserve_call decides whether a call may leave now and counts it if so, in one round trip (invariant
-- 3).
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
-- The gate (docs/decisions/0025-recovery-from-refusals). Behind a closed_until that lay far ahead one call of the
-- allowance is let out, as behind a spent day, and the others wait for its end. One that succeeds
-- opens the gate.
--
-- Classes. p_floors and p_ceilings are shares of the day in the order incremental, details, sweep,
-- backfill, probe, hinted. Where a process of the version before leaves the sixth out, its floor is
-- 0 and its ceiling 1. A ceiling bounds what a class spends in a day; floors: see
-- class_available_at. A call of no class is held against the day alone. Shares are of upstream's
-- last limit also between the turn of its day and its next answer.
--
-- The wait is when it makes sense to ask again. Limits of 0 are no limits. A day that rolls has the
-- zone ''.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.reserve_call(
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
BEGIN
    call_id := 0;
    refused := '';
    wait_ms := 0;
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

-- Counting anew -----------------------------------------------------------------------------------

-- recount_calls counts anew from the call log: after the log was edited, and to repair what cannot
-- break. Reservations wait meanwhile.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.recount_calls(p_day interval DEFAULT '24 hours') RETURNS void LANGUAGE plpgsql
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
