-- +goose Up
-- Change notifications: what arrived (callbacks), what should be read because of it (hints), and
-- what was told, for analysts (notifications.events). Written by pipeline/warehouse/hints.

CREATE SCHEMA IF NOT EXISTS notifications;
COMMENT ON SCHEMA notifications IS 'What upstream told about changes: events, as they were told. The records themselves are in the tables of the services.';

CREATE TABLE sluice.callbacks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    dialect text NOT NULL CHECK (dialect IN ('watch', 'rule', 'test')),
    digest bytea NOT NULL,
    received_at timestamptz NOT NULL,
    repeated_at timestamptz NOT NULL,
    times bigint NOT NULL DEFAULT 1,
    module text NOT NULL,
    operation text NOT NULL,
    ids text[] NOT NULL,
    sent_at timestamptz,
    bytes integer NOT NULL,
    body text,
    UNIQUE (organization_id, dialect, digest)
);
CREATE INDEX callbacks_repeated ON sluice.callbacks (repeated_at);
-- The metrics ask for the last callback of each module, at every scrape.
CREATE INDEX callbacks_told ON sluice.callbacks (organization_id, dialect, module, repeated_at);
COMMENT ON TABLE sluice.callbacks IS 'The inbox of change notifications: one row per content. A callback is a hint that records changed, never their data.';
COMMENT ON COLUMN sluice.callbacks.id IS 'Number of the callback.';
COMMENT ON COLUMN sluice.callbacks.organization_id IS 'The organization upstream.';
COMMENT ON COLUMN sluice.callbacks.dialect IS 'watch (a channel of the change notifications), rule (the webhook of a workflow rule) or test (sent by sluice to itself).';
COMMENT ON COLUMN sluice.callbacks.digest IS 'SHA-256 of the module and the body, so that equal bodies of two rules are two callbacks.';
COMMENT ON COLUMN sluice.callbacks.received_at IS 'When the content arrived first, by the clock of the database.';
COMMENT ON COLUMN sluice.callbacks.repeated_at IS 'When the same content arrived last.';
COMMENT ON COLUMN sluice.callbacks.times IS 'How often the same content arrived.';
COMMENT ON COLUMN sluice.callbacks.module IS 'The module of a channel, or the resource that a rule is for.';
COMMENT ON COLUMN sluice.callbacks.operation IS 'What happened to the records: insert, update, delete, or empty where the callback does not say or says anything else.';
COMMENT ON COLUMN sluice.callbacks.ids IS 'The records that the callback names; empty if it names none.';
COMMENT ON COLUMN sluice.callbacks.sent_at IS 'When upstream says that it sent the callback; null if it does not say. It is not believed.';
COMMENT ON COLUMN sluice.callbacks.bytes IS 'Size of the body.';
COMMENT ON COLUMN sluice.callbacks.body IS 'The body; null unless the configuration keeps bodies.';

-- The call that reads a record settles the hints that arrived before the call left. A callback that
-- arrives meanwhile leads to another read.
CREATE TABLE sluice.hints (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    operation text NOT NULL DEFAULT '',
    told bigint NOT NULL DEFAULT 1,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    asked_at timestamptz,
    read_again boolean NOT NULL DEFAULT false,
    read_at timestamptz,
    PRIMARY KEY (organization_id, service, resource, record_id)
);
CREATE INDEX hints_due ON sluice.hints (due_at) WHERE asked_at IS NULL AND read_at IS NULL;
CREATE INDEX hints_open ON sluice.hints (organization_id, service, resource) WHERE read_at IS NULL;
CREATE INDEX hints_told ON sluice.hints (last_at);
COMMENT ON TABLE sluice.hints IS 'Records of which upstream told that they changed, and whether they were read since. A hint moves no watermark and writes no value.';
COMMENT ON COLUMN sluice.hints.organization_id IS 'The organization upstream.';
COMMENT ON COLUMN sluice.hints.service IS 'The service of the resource.';
COMMENT ON COLUMN sluice.hints.resource IS 'The resource.';
COMMENT ON COLUMN sluice.hints.record_id IS 'The record; empty if the list of the resource should be read.';
COMMENT ON COLUMN sluice.hints.operation IS 'What happened to the record by the last callback: insert, update, delete, or empty if that is unknown.';
COMMENT ON COLUMN sluice.hints.told IS 'How many callbacks told of it.';
COMMENT ON COLUMN sluice.hints.first_at IS 'When the first callback arrived since it was last asked for, by the clock of the database.';
COMMENT ON COLUMN sluice.hints.last_at IS 'When the last callback arrived.';
COMMENT ON COLUMN sluice.hints.due_at IS 'When it should be read: a short pause after the last callback, so that many become one read.';
COMMENT ON COLUMN sluice.hints.asked_at IS 'When a run was requested because of it; null before.';
COMMENT ON COLUMN sluice.hints.read_again IS 'Whether its record was read and showed nothing new. Such a hint is read once more, because readers may see a change late.';
COMMENT ON COLUMN sluice.hints.read_at IS 'When it was read after the last callback; null while it waits. The row stays as long as callbacks are kept: it says what was told.';

CREATE TABLE notifications.events (
    organization_id text COLLATE "C" NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    callback_id bigint NOT NULL,
    module text NOT NULL,
    record_id text NOT NULL,
    operation text NOT NULL,
    told_at timestamptz NOT NULL,
    sent_at timestamptz,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX events_told ON notifications.events (told_at);
CREATE INDEX events_record ON notifications.events (organization_id, module, record_id);
COMMENT ON TABLE notifications.events IS 'What upstream told about changes, one row per record and callback. It is what was told, not the record: callbacks get lost, come late and come in any order.';
COMMENT ON COLUMN notifications.events.organization_id IS 'The organization upstream.';
COMMENT ON COLUMN notifications.events.id IS 'Number of the event.';
COMMENT ON COLUMN notifications.events.callback_id IS 'The callback that told it.';
COMMENT ON COLUMN notifications.events.module IS 'The module of the record upstream, or the resource that a rule is for.';
COMMENT ON COLUMN notifications.events.record_id IS 'The record upstream.';
COMMENT ON COLUMN notifications.events.operation IS 'What happened: insert, update, delete, or empty if the callback does not say.';
COMMENT ON COLUMN notifications.events.told_at IS 'When the callback arrived, by the clock of the database.';
COMMENT ON COLUMN notifications.events.sent_at IS 'When upstream says that it sent the callback; null if it does not say.';

-- take_callback is all that a receiver may do. It is in this schema because the role of a receiver
-- needs the use of the schema, and in schema sluice that would show more.
-- +goose StatementBegin
CREATE FUNCTION notifications.take_callback(
    p_organization text, p_dialect text, p_digest bytea, p_module text, p_operation text, p_ids text[], p_sent_at timestamptz,
    p_bytes integer, p_body text, p_services text[], p_resources text[], p_records text[],
    p_debounce interval, p_most interval
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_now timestamptz := clock_timestamp();
    v_callback bigint;
    v_times bigint;
BEGIN
    INSERT INTO sluice.callbacks AS c
        (organization_id, dialect, digest, received_at, repeated_at, module, operation, ids, sent_at, bytes, body)
    VALUES (p_organization, p_dialect, p_digest, v_now, v_now, p_module, p_operation, p_ids, p_sent_at, p_bytes, p_body)
    ON CONFLICT (organization_id, dialect, digest) DO UPDATE SET repeated_at = v_now, times = c.times + 1
    RETURNING id, times INTO v_callback, v_times;
    -- Each callback of a channel has its own instant of sending, so equal contents are a repetition. The
    -- callback of a rule may hold nothing but an identifier: equal contents are another change.
    IF v_times > 1 AND p_dialect <> 'rule' THEN
        RETURN false;
    END IF;
    IF p_dialect <> 'test' THEN
        INSERT INTO notifications.events
            (organization_id, callback_id, module, record_id, operation, told_at, sent_at)
        SELECT p_organization, v_callback, p_module, t.id, p_operation, v_now, p_sent_at
        FROM unnest(p_ids) AS t (id) WHERE v_times = 1 OR p_dialect = 'rule';
    END IF;
    INSERT INTO sluice.hints AS h
        (organization_id, service, resource, record_id, operation, first_at, last_at, due_at)
    SELECT DISTINCT ON (t.service, t.resource, t.record) p_organization, t.service, t.resource, t.record, p_operation, v_now, v_now,
        v_now + least(p_debounce, p_most)
    FROM unnest(p_services, p_resources, p_records) AS t (service, resource, record)
    ORDER BY t.service, t.resource, t.record
    ON CONFLICT (organization_id, service, resource, record_id) DO UPDATE SET
        operation = excluded.operation, told = h.told + 1, last_at = v_now, read_again = false, asked_at = NULL, read_at = NULL,
        first_at = CASE WHEN h.asked_at IS NULL AND h.read_at IS NULL AND NOT h.read_again THEN h.first_at ELSE v_now END,
        due_at = least(v_now + p_debounce,
            CASE WHEN h.asked_at IS NULL AND h.read_at IS NULL AND NOT h.read_again THEN h.first_at ELSE v_now END + p_most);
    RETURN v_times = 1;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION notifications.take_callback IS 'Takes a callback: inbox, events and hints in one transaction. It says whether the content is new.';
REVOKE ALL ON FUNCTION notifications.take_callback FROM PUBLIC;

-- Channels ----------------------------------------------------------------------------------------
--
-- The channels of change notifications, by which upstream tells of changes in a module. Written by
-- pipeline/warehouse/channels, as are the gaps.

CREATE TABLE sluice.channels (
    organization_id text COLLATE "C" NOT NULL,
    module text COLLATE "C" NOT NULL,
    channel_id bigint NOT NULL,
    wanted bytea NOT NULL,
    state text NOT NULL DEFAULT 'wanted' CHECK (state IN ('wanted', 'active', 'refused', 'denied', 'disabled')),
    code text NOT NULL DEFAULT '',
    path text NOT NULL DEFAULT '',
    reason text NOT NULL DEFAULT '',
    enabled_at timestamptz,
    expires_at timestamptz,
    renew_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    short boolean NOT NULL DEFAULT false,
    failures integer NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, module)
);
COMMENT ON TABLE sluice.channels IS 'One row per module of which upstream should tell: its channel, until when it was granted, and when it is renewed.';
COMMENT ON COLUMN sluice.channels.organization_id IS 'The organization upstream.';
COMMENT ON COLUMN sluice.channels.module IS 'The module upstream.';
COMMENT ON COLUMN sluice.channels.channel_id IS 'Number of the channel, as it was asked for: another deployment has another one.';
COMMENT ON COLUMN sluice.channels.wanted IS 'Digest of what the configuration asks for: events, address and secret. A channel is enabled anew when it changes.';
COMMENT ON COLUMN sluice.channels.state IS 'wanted (not asked for yet), active (granted), refused (upstream refused what was asked for), denied (the consent is missing) or disabled.';
COMMENT ON COLUMN sluice.channels.code IS 'Upstream''s code of the refusal.';
COMMENT ON COLUMN sluice.channels.path IS 'The place in the request that upstream refused.';
COMMENT ON COLUMN sluice.channels.reason IS 'Why the channel is refused or denied, or why the last call failed, in words.';
COMMENT ON COLUMN sluice.channels.enabled_at IS 'When upstream granted it last.';
COMMENT ON COLUMN sluice.channels.expires_at IS 'Until when upstream granted it; null if it never did.';
COMMENT ON COLUMN sluice.channels.renew_at IS 'When it is asked for next: at half of the time that was granted.';
COMMENT ON COLUMN sluice.channels.short IS 'Whether upstream grants an hour to a request for a week: then less than a day is asked for.';
COMMENT ON COLUMN sluice.channels.failures IS 'Calls in a row that failed.';

CREATE TABLE sluice.channel_gaps (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    channel text COLLATE "C" NOT NULL,
    opened_at timestamptz NOT NULL,
    closed_at timestamptz CHECK (closed_at >= opened_at),
    reason text NOT NULL
);
CREATE UNIQUE INDEX channel_gaps_open ON sluice.channel_gaps (organization_id, channel) WHERE closed_at IS NULL;
COMMENT ON TABLE sluice.channel_gaps IS 'Times in which nothing could have told of a change. When one closes, the lists are read that it was about.';
COMMENT ON COLUMN sluice.channel_gaps.id IS 'Number of the gap.';
COMMENT ON COLUMN sluice.channel_gaps.organization_id IS 'The organization upstream.';
COMMENT ON COLUMN sluice.channel_gaps.channel IS 'The module of a channel; empty if callbacks of all channels and rules could not arrive.';
COMMENT ON COLUMN sluice.channel_gaps.opened_at IS 'The last instant at which the way surely worked.';
COMMENT ON COLUMN sluice.channel_gaps.closed_at IS 'The first instant at which it surely works again; null while the gap is open.';
COMMENT ON COLUMN sluice.channel_gaps.reason IS 'Why callbacks could not arrive, in words.';
