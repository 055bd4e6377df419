-- +goose Up
-- What did not fit the declarations: records, keys that no declaration knows, and declared keys
-- that stopped coming. Written by pipeline/warehouse/quarantine.
--
-- A run of which too much did not fit moves no watermark (invariant 1), and what is in quarantine
-- is asked for again: so an entry says what the run came to that met it, and when it was asked for.
--
-- How long entries are kept: docs/decisions/0029-personal-data.

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
    opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    asked_at timestamptz,
    weighed text NOT NULL DEFAULT '' CHECK (weighed IN ('', 'passed', 'withheld')),
    weighed_by_list boolean NOT NULL DEFAULT false,
    UNIQUE (organization_id, service, resource, record_hash)
);
CREATE INDEX quarantine_open ON sluice.quarantine (organization_id, service, resource, record_id) WHERE state = 'open';
CREATE INDEX quarantine_run ON sluice.quarantine (run_id) WHERE run_id IS NOT NULL;
-- What the open entries of the quarantine have in common is counted from this index alone.
CREATE INDEX quarantine_causes ON sluice.quarantine (organization_id, service, resource, code, path, id)
    INCLUDE (first_seen_at, last_seen_at) WHERE state = 'open';
-- Status counts them, of each stream, from this one alone.
CREATE INDEX quarantine_counts ON sluice.quarantine (organization_id, service, resource, run_id) INCLUDE (weighed, asked_at) WHERE state = 'open';
COMMENT ON TABLE sluice.quarantine IS 'Records that could not be loaded, whole, with the reason, until an operator decides.';
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
COMMENT ON COLUMN sluice.quarantine.state IS 'open, retried (the record was loaded since, in this version or a later one, or the list does not show it any more) or resolved (a person set it aside).';
COMMENT ON COLUMN sluice.quarantine.decided_at IS 'When the state was set.';
COMMENT ON COLUMN sluice.quarantine.note IS 'Why a person set it aside, or why it was closed.';
COMMENT ON COLUMN sluice.quarantine.opened_at IS 'When it was opened; of a record that was refused for the same reason before, when that began.';
COMMENT ON COLUMN sluice.quarantine.asked_at IS 'When the list was last read whole because of it; null if not yet.';
COMMENT ON COLUMN sluice.quarantine.weighed IS 'What the run came to that met it first: passed (so few did not fit that the watermark moved), withheld (the watermark waited), empty if none ended yet.';
COMMENT ON COLUMN sluice.quarantine.weighed_by_list IS 'Whether a run of the list itself has weighed it: until then it counts there, since only that run moves the watermark.';

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

-- Keys that came with most records of a list and do not any more: values stay as they were last,
-- which an operator should know.
CREATE TABLE sluice.keys (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    came_run bigint NOT NULL,
    came_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    lacking_run bigint NOT NULL DEFAULT 0,
    lacking bigint NOT NULL DEFAULT 0,
    lacking_since timestamptz,
    lacking_at timestamptz,
    sometimes boolean NOT NULL DEFAULT false,
    PRIMARY KEY (organization_id, service, resource, path)
);
COMMENT ON TABLE sluice.keys IS 'Declared keys that came with most records of an answer, by stream. Gone are those whose last run to show anything brought answers without them only.';
COMMENT ON COLUMN sluice.keys.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.keys.service IS 'The service.';
COMMENT ON COLUMN sluice.keys.resource IS 'The resource, with the kind of work: what a sweep sees is held against sweeps.';
COMMENT ON COLUMN sluice.keys.path IS 'The key of the record, as upstream spells it.';
COMMENT ON COLUMN sluice.keys.came_run IS 'The last run in which most records of an answer carried it.';
COMMENT ON COLUMN sluice.keys.came_at IS 'When that was, the first time in that run.';
COMMENT ON COLUMN sluice.keys.lacking_run IS 'The last run in which most records of an answer lacked it; 0 if there was none.';
COMMENT ON COLUMN sluice.keys.lacking IS 'How many records lacked it since then, those of earlier runs of the same spell among them.';
COMMENT ON COLUMN sluice.keys.lacking_since IS 'When they began to lack it.';
COMMENT ON COLUMN sluice.keys.lacking_at IS 'When records last lacked it.';
COMMENT ON COLUMN sluice.keys.sometimes IS 'One run brought answers with it and answers without it, so that its absence says nothing.';

CREATE VIEW sluice.missing_keys AS
SELECT organization_id, service, resource, path, lacking, lacking_since, lacking_at
FROM sluice.keys WHERE lacking_run > came_run AND NOT sometimes;
COMMENT ON VIEW sluice.missing_keys IS 'Declared keys that most records of a list carried and do not carry any more.';
COMMENT ON COLUMN sluice.missing_keys.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.missing_keys.service IS 'The service.';
COMMENT ON COLUMN sluice.missing_keys.resource IS 'The resource, with the kind of work.';
COMMENT ON COLUMN sluice.missing_keys.path IS 'The key of the record, as upstream spells it.';
COMMENT ON COLUMN sluice.missing_keys.lacking IS 'How many records came without it since.';
COMMENT ON COLUMN sluice.missing_keys.lacking_since IS 'Since when.';
COMMENT ON COLUMN sluice.missing_keys.lacking_at IS 'When the last of them came.';

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
