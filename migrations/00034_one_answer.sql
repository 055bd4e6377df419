-- +goose Up
-- Nothing is for ever by one answer (docs/decisions/0047): what a credential was refused by, and which call asks again behind a closed gate.

ALTER TABLE sluice.tokens
	ADD COLUMN refusals integer NOT NULL DEFAULT 0,
	ADD COLUMN granted_at timestamptz,
	ADD COLUMN fell_back boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN sluice.tokens.refusals IS 'How many answers in a row refused a token; the pause before the next request grows with it.';
COMMENT ON COLUMN sluice.tokens.granted_at IS 'When the last access token was given; null before the first.';
COMMENT ON COLUMN sluice.tokens.fell_back IS 'Whether the configured refresh token is in use although upstream sent another, which it refused later.';
COMMENT ON COLUMN sluice.tokens.reason IS 'Why the credential is denied; empty if it works. It is asked about again a day later, or at once by sluice organizations retry.';
-- What is stored worked once.
UPDATE sluice.tokens SET granted_at = attempted_at WHERE version > 0 AND reason = '';

ALTER TABLE sluice.budgets ADD COLUMN probe_call bigint;
COMMENT ON COLUMN sluice.budgets.probe_call IS 'Behind a long closed_until: the call that finds out whether upstream answers again, 0 before one has left; null if none has to.';

-- reserve_call is that of 00019_probe_of_the_day, and two things more.
--
-- The gate. Behind a closed_until that lay far ahead one call of the allowance is let out, as behind a spent day, and the others wait
-- for its end. One that succeeds opens the gate.
--
-- The figure. That nothing is left by upstream's headers alone, while our own count leaves calls, is believed for an hour after the
-- answer that said so: then one call finds out. It brings a new figure, or a refusal, or succeeds without a figure, and then the old
-- one counts no more.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.reserve_call(
    p_organization text, p_service text, p_resource text, p_class text, p_run bigint,
    p_method text, p_path text, p_page integer,
    p_shared text, p_per_minute integer, p_concurrent integer, p_daily integer,
    p_lease interval, p_window interval, p_day interval,
    p_floors double precision[] DEFAULT '{0,0,0,0,0}', p_ceilings double precision[] DEFAULT '{1,1,1,1,1}',
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
        v_edge := sluice.last_turn(v_now - p_window, p_reset_hour, p_zone);
        v_turn := sluice.last_turn(v_edge + interval '36 hours', p_reset_hour, p_zone) + p_window;
    END IF;

    -- Calls that end in a minute may have made its row before the first was reserved in it.
    IF NOT EXISTS (SELECT FROM sluice.spent
            WHERE organization_id = p_organization AND service = p_service AND span = 'minute' AND began_at = v_bucket AND reserved > 0)
        OR EXISTS (SELECT FROM sluice.live_calls
            WHERE organization_id = p_organization AND shared = p_shared AND finished_at IS NULL
                AND free_at >= v_bucket AND free_at <= v_now) THEN
        PERFORM sluice.turn_minute(p_organization, p_shared, p_service, v_now, p_day);
    END IF;
    SELECT * INTO v_day FROM sluice.day_budgets WHERE organization_id = p_organization AND service = p_service;
    SELECT count(*), count(*) FILTER (WHERE finished_at IS NULL AND lease_until > v_now),
        count(*) FILTER (WHERE finished_at IS NULL AND service = p_service AND bucket <= v_edge - p_day / 1440),
        count(*) FILTER (WHERE finished_at IS NULL AND service = p_service AND id < v_day.seen_call)
    INTO v_live, v_under_way, v_early, v_unseen FROM sluice.live_calls
    WHERE organization_id = p_organization AND shared = p_shared AND free_at > v_now;

    -- The day first: who may not call today need not wait for the minute to find out.
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
                WHEN 'backfill' THEN backfill WHEN 'probe' THEN probe ELSE 0 END), 0)
        INTO v_total, v_mine FROM sluice.day_spent(p_organization, p_service, v_now, v_edge, v_turn, p_day);
        v_left := p_daily - v_total;
        -- The shares are of what upstream allows, where it allows less than is configured; after the turn of its day, of what it
        -- allowed before, until an answer tells.
        v_shared := CASE WHEN v_day.limit_seen > 0 AND v_day.seen_at > v_now - 2 * p_day THEN least(p_daily, v_day.limit_seen)
            ELSE p_daily END;
        v_class := array_position('{incremental,details,sweep,backfill,probe}'::text[], p_class);
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
                v_until := sluice.class_turn(p_organization, p_service, v_class, p_floors, v_shared, v_left, v_seen_left, v_seen_until,
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

    INSERT INTO sluice.spent AS s (organization_id, service, span, began_at, reserved, calls, incremental, details, sweep, backfill, probe)
    VALUES (p_organization, p_service, 'minute', v_bucket, 1, 1, (p_class = 'incremental')::integer, (p_class = 'details')::integer,
        (p_class = 'sweep')::integer, (p_class = 'backfill')::integer, (p_class = 'probe')::integer)
    ON CONFLICT (organization_id, service, span, began_at) DO UPDATE SET
        reserved = s.reserved + 1, calls = s.calls + 1, incremental = s.incremental + excluded.incremental,
        details = s.details + excluded.details, sweep = s.sweep + excluded.sweep, backfill = s.backfill + excluded.backfill,
        probe = s.probe + excluded.probe
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
