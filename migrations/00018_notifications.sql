-- +goose Up
-- Change notifications: what arrived (callbacks), what should be read because of it (hints), and what
-- was told, for analysts (notifications.events). Written by pipeline/warehouse/hints.

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
    changed_fields text[],
    changed_values jsonb,
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
COMMENT ON COLUMN notifications.events.changed_fields IS 'The names of the changed fields; null if the callback does not name them.';
COMMENT ON COLUMN notifications.events.changed_values IS 'The changed fields with their values; null unless the configuration asks for values.';

-- take_callback is all that a receiver may do. It is in this schema because the role of a receiver
-- needs the use of the schema, and in schema sluice that would show more.
-- +goose StatementBegin
CREATE FUNCTION notifications.take_callback(
    p_organization text, p_dialect text, p_digest bytea, p_module text, p_operation text, p_ids text[], p_sent_at timestamptz,
    p_bytes integer, p_body text, p_changes jsonb, p_services text[], p_resources text[], p_records text[],
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
            (organization_id, callback_id, module, record_id, operation, told_at, sent_at, changed_fields, changed_values)
        SELECT p_organization, v_callback, p_module, t.id, p_operation, v_now, p_sent_at,
            CASE WHEN p_changes -> t.id ? 'fields' THEN ARRAY(SELECT jsonb_array_elements_text(p_changes -> t.id -> 'fields')) END,
            p_changes -> t.id -> 'values'
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

-- +goose StatementBegin
CREATE FUNCTION sluice.grant_receiver(p_role name) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA notifications TO %I', p_role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION notifications.take_callback TO %I', p_role);
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.grant_receiver IS 'Gives a role what a receiver of change notifications needs and nothing else: one function.';
REVOKE ALL ON FUNCTION sluice.grant_receiver(name) FROM PUBLIC;

-- A worker takes callbacks, reads events and deletes old ones. The function is that of 00014 with one
-- schema more.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.grant_worker(p_role name) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_owner oid := (SELECT o.role FROM sluice.owner o);
    v_what text;
    v_done integer := 0;
BEGIN
    -- Objects of others in these schemas are not ours to give away.
    FOR v_what IN
        SELECT 'GRANT USAGE ON SCHEMA ' || quote_ident(n.nspname) FROM pg_catalog.pg_namespace n WHERE n.nspowner = v_owner
            AND (n.nspname IN ('sluice', 'river', 'history', 'analytics', 'notifications') OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s))
        UNION ALL
        SELECT CASE WHEN c.relkind = 'S' THEN 'GRANT USAGE, SELECT ON SEQUENCE '
                WHEN c.relkind = 'v' OR c.oid IN ('sluice.schema_version'::regclass, 'sluice.service_schemas'::regclass, 'sluice.checks'::regclass)
                    THEN 'GRANT SELECT ON TABLE '
                ELSE 'GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE ' END || c.oid::regclass
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relowner = v_owner AND c.relkind IN ('r', 'p', 'v', 'S')
            AND (n.nspname IN ('sluice', 'river', 'history', 'analytics', 'notifications') OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s))
        UNION ALL
        SELECT 'GRANT EXECUTE ON FUNCTION ' || p.oid::regprocedure
        FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        WHERE p.proowner = v_owner AND p.prokind = 'f' AND n.nspname IN ('sluice', 'river', 'history', 'analytics', 'notifications')
            AND p.oid <> 'sluice.grant_worker(name)'::regprocedure
    LOOP
        EXECUTE v_what || ' TO ' || quote_ident(p_role);
        v_done := v_done + 1;
    END LOOP;
    -- What the owner makes later, by migrations and plans.
    FOREACH v_what IN ARRAY ARRAY['USAGE ON SCHEMAS', 'SELECT, INSERT, UPDATE, DELETE ON TABLES', 'USAGE, SELECT ON SEQUENCES', 'EXECUTE ON FUNCTIONS'] LOOP
        EXECUTE format('ALTER DEFAULT PRIVILEGES FOR ROLE %I GRANT %s TO %I', pg_catalog.pg_get_userbyid(v_owner), v_what, p_role);
    END LOOP;
    RETURN v_done;
END
$function$;
-- +goose StatementEnd
