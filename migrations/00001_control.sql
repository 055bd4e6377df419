-- +goose Up
-- The tables of the program itself: what is due, what stands where, what was called, what did not fit.
-- One transaction: a kill at any statement leaves nothing of it.
--
-- Rights: the program's role owns the schemas sluice and river and the schemas of the services. A role for analysts needs
-- USAGE and SELECT on the services' schemas only: nothing here is meant for them, and tokens holds (sealed) secrets.

CREATE SCHEMA IF NOT EXISTS sluice;
COMMENT ON SCHEMA sluice IS 'The tables of the program itself: schedules, positions, runs, the call log, quarantine.';

-- Runs --------------------------------------------------------------------------------------------------------------

CREATE TABLE sluice.runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    class text NOT NULL,
    gen bigint NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz,
    outcome text CHECK (outcome IN ('done', 'provisional', 'failed')),
    kind text,
    note text NOT NULL DEFAULT '',
    bound timestamptz,
    mark_before timestamptz,
    mark_after timestamptz,
    chunks bigint NOT NULL DEFAULT 0,
    calls bigint NOT NULL DEFAULT 0,
    pages bigint NOT NULL DEFAULT 0,
    received bigint NOT NULL DEFAULT 0,
    inserted bigint NOT NULL DEFAULT 0,
    updated bigint NOT NULL DEFAULT 0,
    unchanged bigint NOT NULL DEFAULT 0,
    superseded bigint NOT NULL DEFAULT 0,
    duplicates bigint NOT NULL DEFAULT 0,
    quarantined bigint NOT NULL DEFAULT 0,
    drifted bigint NOT NULL DEFAULT 0,
    CHECK ((ended_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX runs_stream ON sluice.runs (organization_id, service, resource, id);
COMMENT ON TABLE sluice.runs IS 'One row per run: one execution of a stream.';
COMMENT ON COLUMN sluice.runs.id IS 'Number of the run.';
COMMENT ON COLUMN sluice.runs.organization_id IS 'The organization upstream.';
COMMENT ON COLUMN sluice.runs.service IS 'The service of the stream.';
COMMENT ON COLUMN sluice.runs.resource IS 'The resource of the stream.';
COMMENT ON COLUMN sluice.runs.class IS 'The class of work: incremental, details, sweep, backfill, probe.';
COMMENT ON COLUMN sluice.runs.gen IS 'The wanted_gen of the stream when the run began: requests up to it are served by this run.';
COMMENT ON COLUMN sluice.runs.started_at IS 'When the run began, by the clock of the database.';
COMMENT ON COLUMN sluice.runs.ended_at IS 'When the run ended; null while it is open.';
COMMENT ON COLUMN sluice.runs.outcome IS 'How the run ended: done, provisional (rows loaded, mark unmoved) or failed; null while it is open.';
COMMENT ON COLUMN sluice.runs.kind IS 'The kind of error that ended a failed run.';
COMMENT ON COLUMN sluice.runs.note IS 'What is worth knowing about the run, in words.';
COMMENT ON COLUMN sluice.runs.bound IS 'The lower bound of the modification time that was asked for; null if everything was read.';
COMMENT ON COLUMN sluice.runs.mark_before IS 'The mark of the stream when the run began.';
COMMENT ON COLUMN sluice.runs.mark_after IS 'The mark of the stream when the run ended.';
COMMENT ON COLUMN sluice.runs.chunks IS 'How often a worker claimed the run: its first chunk and every resumption.';
COMMENT ON COLUMN sluice.runs.calls IS 'Calls spent on the run; filled when it ends, until then count sluice.calls.';
COMMENT ON COLUMN sluice.runs.pages IS 'Pages that were loaded, or groups of records of an export.';
COMMENT ON COLUMN sluice.runs.received IS 'Records in those answers.';
COMMENT ON COLUMN sluice.runs.inserted IS 'Records that were new.';
COMMENT ON COLUMN sluice.runs.updated IS 'Records that changed a row.';
COMMENT ON COLUMN sluice.runs.unchanged IS 'Records equal to their row.';
COMMENT ON COLUMN sluice.runs.superseded IS 'Records older than their row.';
COMMENT ON COLUMN sluice.runs.duplicates IS 'Records dropped because a newer version was in the same answer.';
COMMENT ON COLUMN sluice.runs.quarantined IS 'Records that went to quarantine.';
COMMENT ON COLUMN sluice.runs.drifted IS 'Records with keys that the declaration does not know.';

-- Streams -----------------------------------------------------------------------------------------------------------

CREATE TABLE sluice.streams (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    every interval NOT NULL CHECK (every > interval '0'),
    next_due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    priority integer NOT NULL DEFAULT 0,
    mark timestamptz,
    scan jsonb,
    fence bigint NOT NULL DEFAULT 0,
    run_id bigint REFERENCES sluice.runs,
    wanted_gen bigint NOT NULL DEFAULT 0,
    done_gen bigint NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'idle'
        CHECK (state IN ('idle', 'queued', 'running', 'retrying', 'waiting', 'denied', 'failed')),
    reason text NOT NULL DEFAULT '',
    wait_until timestamptz,
    failures integer NOT NULL DEFAULT 0,
    last_run_id bigint REFERENCES sluice.runs,
    last_done_at timestamptz,
    note text NOT NULL DEFAULT '',
    PRIMARY KEY (organization_id, service, resource)
);
CREATE INDEX streams_due ON sluice.streams (next_due_at) WHERE enabled;
COMMENT ON TABLE sluice.streams IS 'One row per stream: one resource of one organization. Schedule, position, claim and state.';
COMMENT ON COLUMN sluice.streams.organization_id IS 'The organization upstream.';
COMMENT ON COLUMN sluice.streams.service IS 'The service.';
COMMENT ON COLUMN sluice.streams.resource IS 'The resource of the service.';
COMMENT ON COLUMN sluice.streams.enabled IS 'Whether the configuration asks for the stream.';
COMMENT ON COLUMN sluice.streams.every IS 'The interval between two scheduled runs.';
COMMENT ON COLUMN sluice.streams.next_due_at IS 'When the stream is due. Missed time needs no replay: one run covers it, since the mark did not move.';
COMMENT ON COLUMN sluice.streams.priority IS 'Of two due streams the one with the higher figure is taken first.';
COMMENT ON COLUMN sluice.streams.mark IS 'The instant up to which the stream is complete; null if it never was. Never moves back.';
COMMENT ON COLUMN sluice.streams.scan IS 'The half-finished scan; null between runs.';
COMMENT ON COLUMN sluice.streams.fence IS 'Grows with every claim; a write that carries an older figure is refused.';
COMMENT ON COLUMN sluice.streams.run_id IS 'The open run; null between runs.';
COMMENT ON COLUMN sluice.streams.wanted_gen IS 'Counts requests for a run.';
COMMENT ON COLUMN sluice.streams.done_gen IS 'The wanted_gen up to which requests were served by a run that ended.';
COMMENT ON COLUMN sluice.streams.state IS 'idle, queued, running, retrying (after an error), waiting (for a budget), denied (a person has to act) or failed.';
COMMENT ON COLUMN sluice.streams.reason IS 'Why the stream is retrying, waiting, denied or failed, in words.';
COMMENT ON COLUMN sluice.streams.wait_until IS 'When the stream goes on by itself, if that is known.';
COMMENT ON COLUMN sluice.streams.failures IS 'Failures in a row, back to 0 with a run that ends without one.';
COMMENT ON COLUMN sluice.streams.last_run_id IS 'The last run that ended.';
COMMENT ON COLUMN sluice.streams.last_done_at IS 'When a run was last done.';
COMMENT ON COLUMN sluice.streams.note IS 'The note of the last run that ended.';

-- Calls and budgets -------------------------------------------------------------------------------------------------

CREATE TABLE sluice.calls (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
);
CREATE INDEX calls_minute ON sluice.calls (organization_id, shared, free_at);
CREATE INDEX calls_day ON sluice.calls (organization_id, service, free_at);
CREATE INDEX calls_unfinished ON sluice.calls (organization_id, shared, lease_until) WHERE finished_at IS NULL;
CREATE INDEX calls_run ON sluice.calls (run_id) WHERE run_id IS NOT NULL;
COMMENT ON TABLE sluice.calls IS 'The call log: every request upstream, written before it leaves and never taken back.';
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

CREATE TABLE sluice.budgets (
    organization_id text COLLATE "C" NOT NULL,
    shared text COLLATE "C" NOT NULL,
    closed_until timestamptz,
    concurrent_limit integer,
    concurrent_cap integer,
    capped_at timestamptz,
    cap_until timestamptz,
    PRIMARY KEY (organization_id, shared)
);
COMMENT ON TABLE sluice.budgets IS 'One row per allowance of an organization. Reservations lock it, so that they are counted one after the other.';
COMMENT ON COLUMN sluice.budgets.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.budgets.shared IS 'The name of the allowance: services with the same name share it.';
COMMENT ON COLUMN sluice.budgets.closed_until IS 'Until when no call leaves, because upstream said that the minute is spent.';
COMMENT ON COLUMN sluice.budgets.concurrent_limit IS 'The limit of calls at once that the last reservation was held against.';
COMMENT ON COLUMN sluice.budgets.concurrent_cap IS 'Fewer calls at once than that, because upstream said that there were too many.';
COMMENT ON COLUMN sluice.budgets.capped_at IS 'When the cap was set: calls that left before are no evidence against it.';
COMMENT ON COLUMN sluice.budgets.cap_until IS 'Until when the cap holds.';

CREATE TABLE sluice.day_budgets (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    exhausted_until timestamptz,
    limit_seen integer,
    remaining_seen integer,
    reset_at timestamptz,
    seen_call bigint,
    seen_at timestamptz,
    PRIMARY KEY (organization_id, service)
);
COMMENT ON TABLE sluice.day_budgets IS 'What upstream said about the daily allowance, which others spend, too.';
COMMENT ON COLUMN sluice.day_budgets.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.day_budgets.service IS 'The service: daily limits are per service.';
COMMENT ON COLUMN sluice.day_budgets.exhausted_until IS 'Until when no call leaves, because upstream said that the day is spent.';
COMMENT ON COLUMN sluice.day_budgets.limit_seen IS 'The daily limit in the last answer.';
COMMENT ON COLUMN sluice.day_budgets.remaining_seen IS 'What was left of it.';
COMMENT ON COLUMN sluice.day_budgets.reset_at IS 'When that answer said the day turns.';
COMMENT ON COLUMN sluice.day_budgets.seen_call IS 'The call of that answer: later ones are not in it.';
COMMENT ON COLUMN sluice.day_budgets.seen_at IS 'When that answer came.';

-- reserve_call decides whether a call may leave now and counts it if so, in one round trip (promise 3).
--
-- The lock on the budget's row makes reservations of one allowance queue up, and the clock is read after the lock: so each
-- sees all the others. A call occupies its slot until the window after its end, or after its lease while the end is not
-- known. Hence no window at the server holds more arrivals than the limit: take more than the limit in one, and the
-- last reserved of them; each other ended after the window began, less than a window before this one was reserved, so
-- all their slots were occupied and this one was refused. The same holds for the day.
--
-- The wait is when it makes sense to ask again. Limits of 0 are no limits.
-- +goose StatementBegin
CREATE FUNCTION sluice.reserve_call(
    p_organization text, p_service text, p_resource text, p_class text, p_run bigint,
    p_method text, p_path text, p_page integer,
    p_shared text, p_per_minute integer, p_concurrent integer, p_daily integer,
    p_lease interval, p_window interval, p_day interval,
    OUT call_id bigint, OUT refused text, OUT wait_ms bigint
) LANGUAGE plpgsql AS $function$
DECLARE
    v_now timestamptz;
    v_budget sluice.budgets;
    v_day sluice.day_budgets;
    v_count bigint;
    v_until timestamptz;
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

    -- The day first: who may not call today need not wait for the minute to find out.
    SELECT * INTO v_day FROM sluice.day_budgets WHERE organization_id = p_organization AND service = p_service;
    IF FOUND THEN
        v_until := v_day.exhausted_until;
        IF v_day.reset_at > v_now AND (v_until IS NULL OR v_until <= v_now) THEN
            -- Others spend from the same allowance: what upstream saw left, less what was reserved since and what was
            -- under way then, for calls overtake each other.
            SELECT count(*) INTO v_count FROM sluice.calls
            WHERE organization_id = p_organization AND service = p_service
              AND free_at > v_day.seen_at AND (id > v_day.seen_call OR finished_at IS NULL);
            IF v_count >= v_day.remaining_seen THEN
                v_until := v_day.reset_at;
            END IF;
        END IF;
        IF v_until > v_now THEN
            refused := 'day';
        END IF;
    END IF;
    IF refused = '' AND p_daily > 0 THEN
        SELECT count(*) INTO v_count FROM sluice.calls
        WHERE organization_id = p_organization AND service = p_service AND free_at > v_now - p_day + p_window;
        IF v_count >= p_daily THEN
            refused := 'day';
            SELECT least(free_at, v_now + p_window) + p_day - p_window INTO v_until FROM sluice.calls
            WHERE organization_id = p_organization AND service = p_service AND free_at > v_now - p_day + p_window
            ORDER BY free_at OFFSET v_count - p_daily LIMIT 1;
        END IF;
    END IF;

    IF refused = '' AND v_budget.closed_until > v_now THEN
        refused := 'closed';
        v_until := v_budget.closed_until;
    END IF;

    IF refused = '' AND p_per_minute > 0 THEN
        SELECT count(*) INTO v_count FROM sluice.calls
        WHERE organization_id = p_organization AND shared = p_shared AND free_at > v_now;
        IF v_count >= p_per_minute THEN
            refused := 'minute';
            -- A call under way may end at any moment: its slot is not worth waiting for longer than a window.
            SELECT least(free_at, v_now + p_window) INTO v_until FROM sluice.calls
            WHERE organization_id = p_organization AND shared = p_shared AND free_at > v_now
            ORDER BY free_at OFFSET v_count - p_per_minute LIMIT 1;
        END IF;
    END IF;

    IF refused = '' AND p_concurrent > 0 THEN
        IF v_budget.concurrent_limit IS DISTINCT FROM p_concurrent THEN
            UPDATE sluice.budgets SET concurrent_limit = p_concurrent
            WHERE organization_id = p_organization AND shared = p_shared;
        END IF;
        SELECT count(*) INTO v_count FROM sluice.calls
        WHERE organization_id = p_organization AND shared = p_shared AND finished_at IS NULL AND lease_until > v_now;
        IF v_count >= p_concurrent OR (v_budget.cap_until > v_now AND v_count >= v_budget.concurrent_cap) THEN
            refused := 'concurrent';
            -- Nobody knows when one of them ends.
            v_until := v_now + interval '250 milliseconds';
        END IF;
    END IF;

    IF refused <> '' THEN
        wait_ms := greatest(1, ceil(extract(epoch FROM v_until - v_now) * 1000));
        RETURN;
    END IF;

    INSERT INTO sluice.calls (organization_id, service, resource, class, shared, run_id, method, path, page,
        reserved_at, lease_until, free_at)
    VALUES (p_organization, p_service, p_resource, p_class, p_shared, nullif(p_run, 0), p_method, p_path, nullif(p_page, 0),
        v_now, v_now + p_lease, v_now + p_lease + p_window)
    RETURNING id INTO call_id;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.reserve_call IS 'Counts a call before it leaves, or says which limit refuses it and for how long.';

-- finish_call records how a call ended. Its slot stays occupied for the window after its end; nothing is given back. A second
-- report about the same call changes nothing.
-- +goose StatementBegin
CREATE FUNCTION sluice.finish_call(
    p_call bigint, p_status integer, p_code text, p_kind text, p_detail text, p_bytes bigint, p_records integer,
    p_day_limit integer, p_day_remaining integer, p_day_reset interval
) RETURNS boolean LANGUAGE plpgsql AS $function$
DECLARE
    v_now timestamptz := clock_timestamp();
    v_call sluice.calls;
    v_reset timestamptz;
BEGIN
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
    IF p_day_limit > 0 THEN
        -- A reset that is missing or absurd is an hour: then one call finds out.
        v_reset := v_now + CASE WHEN p_day_reset > interval '0' AND p_day_reset <= interval '25 hours'
            THEN p_day_reset ELSE interval '1 hour' END;
        INSERT INTO sluice.day_budgets AS d (organization_id, service, limit_seen, remaining_seen, reset_at, seen_call, seen_at)
        VALUES (v_call.organization_id, v_call.service, p_day_limit, greatest(p_day_remaining, 0), v_reset, p_call, v_now)
        -- Calls overtake each other on the way there and back: of those that were under way together the smallest figure counts.
        ON CONFLICT (organization_id, service) DO UPDATE SET
            remaining_seen = CASE WHEN d.reset_at > v_now AND d.seen_at > v_call.reserved_at
                THEN least(d.remaining_seen, excluded.remaining_seen) ELSE excluded.remaining_seen END,
            limit_seen = excluded.limit_seen,
            reset_at = CASE WHEN d.reset_at > v_now AND d.seen_call > excluded.seen_call THEN d.reset_at ELSE excluded.reset_at END,
            seen_call = greatest(d.seen_call, excluded.seen_call),
            seen_at = CASE WHEN d.seen_call > excluded.seen_call THEN d.seen_at ELSE excluded.seen_at END;
    END IF;
    RETURN true;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.finish_call IS 'Records how a call ended, and what the answer said about the daily allowance.';

-- What did not fit --------------------------------------------------------------------------------------------------

CREATE TABLE sluice.quarantine (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    record_hash bytea NOT NULL,
    record_id text COLLATE "C" NOT NULL DEFAULT '',
    raw bytea NOT NULL,
    code text NOT NULL,
    path text NOT NULL DEFAULT '',
    detail text NOT NULL DEFAULT '',
    call_id bigint,
    run_id bigint,
    seen bigint NOT NULL DEFAULT 1,
    first_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'retried', 'resolved')),
    decided_at timestamptz,
    note text NOT NULL DEFAULT '',
    UNIQUE (organization_id, service, resource, record_hash)
);
CREATE INDEX quarantine_open ON sluice.quarantine (organization_id, service, resource, record_id) WHERE state = 'open';
COMMENT ON TABLE sluice.quarantine IS 'Records that could not be loaded, whole, with the reason, until somebody decides.';
COMMENT ON COLUMN sluice.quarantine.id IS 'Number of the entry.';
COMMENT ON COLUMN sluice.quarantine.organization_id IS 'The organization of the record.';
COMMENT ON COLUMN sluice.quarantine.service IS 'The service of the record.';
COMMENT ON COLUMN sluice.quarantine.resource IS 'The resource of the record.';
COMMENT ON COLUMN sluice.quarantine.record_hash IS 'SHA-256 of the bytes: the same bytes again are the same entry.';
COMMENT ON COLUMN sluice.quarantine.record_id IS 'The identifier of the record; empty if it could not be read.';
COMMENT ON COLUMN sluice.quarantine.raw IS 'The bytes as they came.';
COMMENT ON COLUMN sluice.quarantine.code IS 'The reason: a code of the decoder, or the SQLSTATE with which the database refused it.';
COMMENT ON COLUMN sluice.quarantine.path IS 'The key that does not fit, with array positions.';
COMMENT ON COLUMN sluice.quarantine.detail IS 'The reason in words, without the value.';
COMMENT ON COLUMN sluice.quarantine.call_id IS 'The call that brought it last.';
COMMENT ON COLUMN sluice.quarantine.run_id IS 'The run that met it last.';
COMMENT ON COLUMN sluice.quarantine.seen IS 'How often it came.';
COMMENT ON COLUMN sluice.quarantine.first_seen_at IS 'When it first came.';
COMMENT ON COLUMN sluice.quarantine.last_seen_at IS 'When it last came.';
COMMENT ON COLUMN sluice.quarantine.state IS 'open, retried (the record was loaded since, in this version or a later one) or resolved (a person set it aside).';
COMMENT ON COLUMN sluice.quarantine.decided_at IS 'When the state was set.';
COMMENT ON COLUMN sluice.quarantine.note IS 'Why a person set it aside.';

CREATE TABLE sluice.drift (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    seen bigint NOT NULL,
    first_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, service, resource, path, kind)
);
COMMENT ON TABLE sluice.drift IS 'Keys on the wire that the declarations do not know. Their values are in _extra of the rows.';
COMMENT ON COLUMN sluice.drift.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.drift.service IS 'The service.';
COMMENT ON COLUMN sluice.drift.resource IS 'The resource.';
COMMENT ON COLUMN sluice.drift.path IS 'The key, array positions left out; (others) counts what came after a thousand keys of one stream.';
COMMENT ON COLUMN sluice.drift.kind IS 'The JSON type that was seen.';
COMMENT ON COLUMN sluice.drift.seen IS 'In how many records it came.';
COMMENT ON COLUMN sluice.drift.first_seen_at IS 'When it first came.';
COMMENT ON COLUMN sluice.drift.last_seen_at IS 'When it last came.';

-- Raw records -------------------------------------------------------------------------------------------------------

CREATE TABLE sluice.raw_records (
    call_id bigint NOT NULL,
    first_position integer NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    records text NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (call_id, first_position)
);
-- lz4 loads twice as fast as the default, but not every server is built with it, and versions before 14 do not know it.
-- +goose StatementBegin
DO $block$
BEGIN
    EXECUTE 'ALTER TABLE sluice.raw_records ALTER COLUMN records SET COMPRESSION lz4';
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value OR syntax_error THEN
    RAISE NOTICE 'this server has no lz4: raw records are compressed with its default';
END
$block$;
-- +goose StatementEnd
COMMENT ON TABLE sluice.raw_records IS 'The records as they came, one row per transaction that brought something new: _call_id and _raw_position of a row lead here.';
COMMENT ON COLUMN sluice.raw_records.call_id IS 'The call that brought them.';
COMMENT ON COLUMN sluice.raw_records.first_position IS 'The _raw_position of the first of them: an export is one call and many transactions.';
COMMENT ON COLUMN sluice.raw_records.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.raw_records.service IS 'The service.';
COMMENT ON COLUMN sluice.raw_records.resource IS 'The resource.';
COMMENT ON COLUMN sluice.raw_records.records IS 'A JSON array of the records that were new or changed.';
COMMENT ON COLUMN sluice.raw_records.kept_at IS 'When they were kept.';

CREATE FUNCTION sluice.raw_record(call_id bigint, "position" integer) RETURNS json LANGUAGE sql STABLE AS
'SELECT r.records::json -> ($2 - r.first_position) FROM sluice.raw_records r
WHERE r.call_id = $1 AND r.first_position <= $2 ORDER BY r.first_position DESC LIMIT 1';
COMMENT ON FUNCTION sluice.raw_record IS 'The record behind a row, as it came: sluice.raw_record(_call_id, _raw_position).';

-- Tokens and processes ----------------------------------------------------------------------------------------------

CREATE TABLE sluice.tokens (
    credential text COLLATE "C" PRIMARY KEY,
    sealed bytea NOT NULL DEFAULT '',
    version bigint NOT NULL DEFAULT 0,
    expires_at timestamptz,
    attempted_at timestamptz,
    reason text NOT NULL DEFAULT ''
);
COMMENT ON TABLE sluice.tokens IS 'Access tokens, shared by all processes. The lock on a row makes one refresh for all.';
COMMENT ON COLUMN sluice.tokens.credential IS 'Which credential the token belongs to; no secret.';
COMMENT ON COLUMN sluice.tokens.sealed IS 'The access token, encrypted.';
COMMENT ON COLUMN sluice.tokens.version IS 'Grows with every refresh.';
COMMENT ON COLUMN sluice.tokens.expires_at IS 'When the token dies.';
COMMENT ON COLUMN sluice.tokens.attempted_at IS 'When a refresh was last attempted.';
COMMENT ON COLUMN sluice.tokens.reason IS 'Why a person has to authorize anew; empty if it works.';

CREATE TABLE sluice.processes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    stopped_at timestamptz
);
COMMENT ON TABLE sluice.processes IS 'Processes that work on jobs. One that lives holds the session advisory lock of its number.';
COMMENT ON COLUMN sluice.processes.id IS 'Number of the process, and of its lock.';
COMMENT ON COLUMN sluice.processes.name IS 'The name under which the queue knows it.';
COMMENT ON COLUMN sluice.processes.started_at IS 'When it started.';
COMMENT ON COLUMN sluice.processes.stopped_at IS 'When it stopped, or was found dead.';
