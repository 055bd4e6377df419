-- +goose Up
-- What the program copies, and where each copy stands: processes, organizations, runs, streams and
-- the parents of streams. Written by pipeline/warehouse/streams, processes by pipeline/jobs.
--
-- Rights: the role that migrates owns the schemas sluice, river, history, analytics and those of
-- the services. A role for analysts needs USAGE and SELECT on the services' schemas only: nothing
-- in this schema is meant for them, and sluice.tokens holds (sealed) secrets.

CREATE SCHEMA IF NOT EXISTS sluice;
COMMENT ON SCHEMA sluice IS 'The tables of the program itself: schedules, positions, runs, the call log, quarantine.';

-- What is the program's ---------------------------------------------------------------------------
--
-- Other roles may have objects in the same schemas (docs/decisions/0019-shared-database). What
-- walks through tables looks at those that the program made, functions see no schema but
-- pg_catalog, and no lock that any role can take stops anything.

CREATE VIEW sluice.service_schemas AS
SELECT name COLLATE "C" AS name FROM unnest('{accounting,billing,chat,custom,inventory,invoicing}'::text[]) AS name;
COMMENT ON VIEW sluice.service_schemas IS 'The schemas that hold tables of resources. A migration that makes one for a new service replaces this view.';
COMMENT ON COLUMN sluice.service_schemas.name IS 'The schema.';

-- The role that migrates owns all that is ours: a worker need own nothing, so the role of a session
-- says nothing.
CREATE VIEW sluice.owner AS
SELECT c.relowner AS role FROM pg_catalog.pg_class c WHERE c.oid = 'sluice.schema_version'::regclass;
COMMENT ON VIEW sluice.owner IS 'The role that made the program''s tables. What other roles have made in the program''s schemas is none of the program''s.';
COMMENT ON COLUMN sluice.owner.role IS 'The role.';

-- The one definition of "ours": ordinary tables in those schemas, of the role that made the control
-- tables, and of them the columns of types of Postgres itself. Casts, comparisons and functions of
-- other types may be another role's, and would run with our rights.
CREATE VIEW sluice.table_columns AS
SELECT t.oid::regclass AS whole, n.nspname::text AS schema, t.relname::text AS name, a.attname::text AS column_name, a.attnum AS column_number
FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type y ON y.oid = a.atttypid AND y.typnamespace = 'pg_catalog'::regnamespace
WHERE t.relkind = 'r' AND n.nspname IN (SELECT s.name FROM sluice.service_schemas s)
    AND t.relowner = (SELECT o.role FROM sluice.owner o);
COMMENT ON VIEW sluice.table_columns IS 'Columns of the tables of resources that the program made. Tables of other roles, or in other schemas, are none of them.';
COMMENT ON COLUMN sluice.table_columns.whole IS 'The table.';
COMMENT ON COLUMN sluice.table_columns.schema IS 'The schema of the table.';
COMMENT ON COLUMN sluice.table_columns.name IS 'The name of the table.';
COMMENT ON COLUMN sluice.table_columns.column_name IS 'The column.';
COMMENT ON COLUMN sluice.table_columns.column_number IS 'The number of the column in its table.';

-- Turns and signs of life -------------------------------------------------------------------------

-- Any role that may connect can take any advisory lock; the lock of a row takes rights to the
-- table.
CREATE TABLE sluice.housekeeping (
    work text COLLATE "C" PRIMARY KEY,
    pruned_to timestamptz,
    at timestamptz
);
COMMENT ON TABLE sluice.housekeeping IS 'What one process at a time does; it holds the lock of the row meanwhile.';
COMMENT ON COLUMN sluice.housekeeping.work IS 'What it is.';
COMMENT ON COLUMN sluice.housekeeping.pruned_to IS 'Up to which instant entries went, by what each was kept from; null where rows say that themselves.';
COMMENT ON COLUMN sluice.housekeeping.at IS 'When a process last looked for due streams, in the row tick, by the clock of the database; null before.';
INSERT INTO sluice.housekeeping VALUES ('tick'), ('calls'), ('raw'), ('runs'), ('versions'), ('quarantine'), ('gone');

-- +goose StatementBegin
CREATE FUNCTION sluice.take_turn(p_work text) RETURNS boolean LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    PERFORM FROM sluice.housekeeping h WHERE h.work = p_work FOR UPDATE SKIP LOCKED;
    RETURN FOUND;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.take_turn IS 'Takes a work for this transaction; false if another process is at it.';

-- A process takes another lock of its class if its number's is taken, and says which session holds
-- it: no other session speaks for it.
CREATE TABLE sluice.processes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    stopped_at timestamptz,
    lock_number integer,
    lock_pid integer,
    program bigint
);
COMMENT ON TABLE sluice.processes IS 'Processes that work on jobs. One that lives is in the view live_processes.';
COMMENT ON COLUMN sluice.processes.id IS 'Number of the process.';
COMMENT ON COLUMN sluice.processes.name IS 'The name under which the queue knows it.';
COMMENT ON COLUMN sluice.processes.started_at IS 'When it started.';
COMMENT ON COLUMN sluice.processes.stopped_at IS 'When it stopped, or was found dead.';
COMMENT ON COLUMN sluice.processes.lock_number IS 'Number of the session advisory lock that it holds while it lives; null: that of the process.';
COMMENT ON COLUMN sluice.processes.lock_pid IS 'The server''s process of the session that holds it; null if an older version of the program did not say.';
COMMENT ON COLUMN sluice.processes.program IS 'Number of the newest migration of its program; null if it is of an older version, which did not say. A migration that raises the floor waits for the end of processes below.';

CREATE VIEW sluice.live_processes AS
SELECT p.id FROM sluice.processes p JOIN pg_catalog.pg_locks l ON l.objid::bigint = coalesce(p.lock_number, p.id) AND l.pid = coalesce(p.lock_pid, l.pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.classid::bigint = 20928 AND l.objsubid = 2
    AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database());
COMMENT ON VIEW sluice.live_processes IS 'Processes that live: their session holds their lock.';
COMMENT ON COLUMN sluice.live_processes.id IS 'Number of the process.';

-- Organizations -----------------------------------------------------------------------------------

CREATE TABLE sluice.organizations (
    organization_id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    time_zone text NOT NULL DEFAULT '',
    is_active boolean NOT NULL DEFAULT true,
    pinned_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    checked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    time_zone_before text NOT NULL DEFAULT ''
);
COMMENT ON TABLE sluice.organizations IS 'The name that upstream gave each organization when it was first met: another name under the same identifier stops the program.';
COMMENT ON COLUMN sluice.organizations.organization_id IS 'The word under which rows of the organization are kept; its identifier upstream unless the configuration says otherwise.';
COMMENT ON COLUMN sluice.organizations.name IS 'The name that it is pinned to.';
COMMENT ON COLUMN sluice.organizations.time_zone IS 'Its time zone by upstream''s word when it was last checked; empty if upstream did not say.';
COMMENT ON COLUMN sluice.organizations.is_active IS 'Whether upstream said that it is active when it was last checked.';
COMMENT ON COLUMN sluice.organizations.pinned_at IS 'When it was pinned to that name: at first sight, or when a person accepted another name.';
COMMENT ON COLUMN sluice.organizations.checked_at IS 'When upstream last gave that name.';
COMMENT ON COLUMN sluice.organizations.time_zone_before IS 'The time zone that upstream named before this one; empty if it was never another.';

-- Runs --------------------------------------------------------------------------------------------

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
    watermark_before timestamptz,
    watermark_after timestamptz,
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
    silent bigint NOT NULL DEFAULT 0,
    rollbacks bigint NOT NULL DEFAULT 0,
    refused bigint NOT NULL DEFAULT 0,
    clashed bigint NOT NULL DEFAULT 0,
    proof text NOT NULL DEFAULT '',
    unannounced bigint NOT NULL DEFAULT 0,
    forecast_calls bigint CHECK (forecast_calls >= 0),
    forecast_basis text CHECK (forecast_basis IN ('declared', 'measured', 'assumed')),
    rows_before bigint CHECK (rows_before >= 0),
    CHECK ((ended_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX runs_stream ON sluice.runs (organization_id, service, resource, id);
-- Status shows the last proof of each stream. Most streams have none, and without this index all
-- their runs are read to find that out.
CREATE INDEX runs_proven ON sluice.runs (organization_id, service, resource, id) WHERE proof <> '';
COMMENT ON TABLE sluice.runs IS 'One row per run: one execution of a stream.';
COMMENT ON COLUMN sluice.runs.id IS 'Number of the run.';
COMMENT ON COLUMN sluice.runs.organization_id IS 'The organization upstream.';
COMMENT ON COLUMN sluice.runs.service IS 'The service of the stream.';
COMMENT ON COLUMN sluice.runs.resource IS 'The resource of the stream.';
COMMENT ON COLUMN sluice.runs.class IS 'The class of work: incremental, details, sweep, backfill, probe, hinted; import for records of another program.';
COMMENT ON COLUMN sluice.runs.gen IS 'The requested_gen of the stream when the run began: requests up to it are served by this run.';
COMMENT ON COLUMN sluice.runs.started_at IS 'When the run began, by the clock of the database.';
COMMENT ON COLUMN sluice.runs.ended_at IS 'When the run ended; null while it is open.';
COMMENT ON COLUMN sluice.runs.outcome IS 'How the run ended: done, provisional (rows loaded, watermark unmoved) or failed; null while it is open.';
COMMENT ON COLUMN sluice.runs.kind IS 'The kind of error that ended a failed run.';
COMMENT ON COLUMN sluice.runs.note IS 'What is worth knowing about the run, in words.';
COMMENT ON COLUMN sluice.runs.bound IS 'The lower bound of the modification time that was asked for; null if everything was read.';
COMMENT ON COLUMN sluice.runs.watermark_before IS 'The watermark of the stream when the run began.';
COMMENT ON COLUMN sluice.runs.watermark_after IS 'The watermark of the stream when the run ended.';
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
COMMENT ON COLUMN sluice.runs.silent IS 'Those of the updated records that changed without a new modification time.';
COMMENT ON COLUMN sluice.runs.rollbacks IS 'Those of the updated records whose modification time went back: upstream was set back.';
COMMENT ON COLUMN sluice.runs.refused IS 'Records that went to quarantine and were no known entry of it: above quarantine.max_share of those received the run moves no watermark.';
COMMENT ON COLUMN sluice.runs.clashed IS 'Those of refused that came under an identifier which other records of the same answer had.';
COMMENT ON COLUMN sluice.runs.proof IS 'How the run knows that no record of its list escaped it, such as overlapping pages or two equal passes; empty if it does not know.';
COMMENT ON COLUMN sluice.runs.unannounced IS 'Rows that the run changed and of whose change no notification told; counted where notifications may replace scheduled runs.';
COMMENT ON COLUMN sluice.runs.forecast_calls IS 'The calls that the run was expected to make when it began, beside what it made; null if nothing was known.';
COMMENT ON COLUMN sluice.runs.forecast_basis IS 'What that figure rests on: declared by the documents, measured by earlier runs, or assumed.';
COMMENT ON COLUMN sluice.runs.rows_before IS 'Rows that all runs of the stream before this one inserted: the next forecast goes on from here; null without a forecast.';

-- Streams -----------------------------------------------------------------------------------------

-- The row of a stream is locked by every batch and every claim of it. So what a batch must have
-- seen stands here: its fence, its watermark, and whether it has to keep versions (history).
CREATE TABLE sluice.streams (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    every interval NOT NULL CHECK (every > interval '0'),
    next_due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    priority integer NOT NULL DEFAULT 0,
    watermark timestamptz,
    scan jsonb,
    fence bigint NOT NULL DEFAULT 0,
    run_id bigint REFERENCES sluice.runs,
    requested_gen bigint NOT NULL DEFAULT 0,
    served_gen bigint NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'idle'
        CHECK (state IN ('idle', 'queued', 'running', 'retrying', 'waiting', 'denied', 'failed')),
    reason text NOT NULL DEFAULT '',
    wait_until timestamptz,
    failures integer NOT NULL DEFAULT 0,
    last_run_id bigint REFERENCES sluice.runs,
    last_done_at timestamptz,
    note text NOT NULL DEFAULT '',
    scanned_until timestamptz,
    history boolean NOT NULL DEFAULT false,
    hash_rule integer NOT NULL DEFAULT 1,
    zone text NOT NULL DEFAULT '',
    zone_gen integer NOT NULL DEFAULT 0,
    rezoned_gen integer NOT NULL DEFAULT 0,
    hinted_every interval CHECK (hinted_every > interval '0'),
    announced_runs integer NOT NULL DEFAULT 0,
    told_until timestamptz,
    count_asked boolean NOT NULL DEFAULT false,
    counted_at timestamptz,
    counted bigint,
    counted_ours bigint,
    agreed_at timestamptz,
    sums jsonb,
    PRIMARY KEY (organization_id, service, resource)
);
CREATE INDEX streams_due ON sluice.streams (next_due_at) WHERE enabled;
-- Where notifications are trusted, a list is read at a longer interval: as long as its runs find
-- nothing that no notification told of, and the way of the notifications is proven.
CREATE INDEX streams_hinted ON sluice.streams (organization_id) WHERE hinted_every IS NOT NULL;
-- Every process looks here now and then: that costs nothing where there is nothing to find
-- (docs/scale.md).
CREATE INDEX streams_wanted ON sluice.streams (organization_id, service, resource) WHERE requested_gen > served_gen;
COMMENT ON INDEX sluice.streams_wanted IS 'Streams that were asked for and not yet read: nearly none.';
COMMENT ON TABLE sluice.streams IS 'One row per stream: one resource of one organization. Schedule, position, claim and state.';
COMMENT ON COLUMN sluice.streams.organization_id IS 'The organization upstream.';
COMMENT ON COLUMN sluice.streams.service IS 'The service.';
COMMENT ON COLUMN sluice.streams.resource IS 'The resource of the service.';
COMMENT ON COLUMN sluice.streams.enabled IS 'Whether the configuration asks for the stream.';
COMMENT ON COLUMN sluice.streams.every IS 'The interval between two scheduled runs.';
COMMENT ON COLUMN sluice.streams.next_due_at IS 'When the stream is due. Missed time needs no replay: one run covers it, since the watermark did not move.';
COMMENT ON COLUMN sluice.streams.priority IS 'Of two due streams the one with the higher figure is taken first.';
COMMENT ON COLUMN sluice.streams.watermark IS 'The instant up to which the stream is complete; null if it never was. Never moves back.';
COMMENT ON COLUMN sluice.streams.scan IS 'The half-finished scan; null between runs.';
COMMENT ON COLUMN sluice.streams.fence IS 'Grows with every claim; a write that carries an older figure is refused.';
COMMENT ON COLUMN sluice.streams.run_id IS 'The open run; null between runs.';
COMMENT ON COLUMN sluice.streams.requested_gen IS 'Counts requests for a run.';
COMMENT ON COLUMN sluice.streams.served_gen IS 'The requested_gen up to which requests were served by a run that ended.';
COMMENT ON COLUMN sluice.streams.state IS 'idle, queued, running, retrying (after an error), waiting (for a budget), denied (tried again a day later, unless an operator acts before) or failed.';
COMMENT ON COLUMN sluice.streams.reason IS 'Why the stream is retrying, waiting, denied or failed, in words.';
COMMENT ON COLUMN sluice.streams.wait_until IS 'When the stream goes on by itself, if that is known.';
COMMENT ON COLUMN sluice.streams.failures IS 'Failures in a row, back to 0 with a run that ends without one.';
COMMENT ON COLUMN sluice.streams.last_run_id IS 'The last run that ended.';
COMMENT ON COLUMN sluice.streams.last_done_at IS 'When a run was last done.';
COMMENT ON COLUMN sluice.streams.note IS 'The note of the last run that ended.';
COMMENT ON COLUMN sluice.streams.scanned_until IS 'Upstream''s clock when the last clean run began: what was modified before, it should have shown. The watermark lags behind it. Null if no run ended cleanly since this column exists.';
COMMENT ON COLUMN sluice.streams.history IS 'Whether versions of its records are kept.';
COMMENT ON COLUMN sluice.streams.hash_rule IS 'The rule by which the content hashes of the rows of this list were made; one that is not the program''s is brought up to date by a rebuild, without a call.';
COMMENT ON COLUMN sluice.streams.zone IS 'The time zone in which the last chunk of the stream read times without an offset; empty if there was none.';
COMMENT ON COLUMN sluice.streams.zone_gen IS 'Of a list: grows whenever a stream that writes its table begins to read in another time zone because the configuration says so.';
COMMENT ON COLUMN sluice.streams.rezoned_gen IS 'Of a list: up to which zone_gen its rows were written anew since.';
COMMENT ON COLUMN sluice.streams.hinted_every IS 'The interval while notifications are trusted; null if they do not replace scheduled runs.';
COMMENT ON COLUMN sluice.streams.announced_runs IS 'How many scheduled runs in a row found no change that no notification had told of.';
COMMENT ON COLUMN sluice.streams.told_until IS 'Until when the way of the notifications counts as proven; null if it is not proven.';
COMMENT ON COLUMN sluice.streams.count_asked IS 'Whether the next run asks for the count, however long ago the last one is.';
COMMENT ON COLUMN sluice.streams.counted_at IS 'When a run last asked upstream how many records the list has; null if none did.';
COMMENT ON COLUMN sluice.streams.counted IS 'How many it has, by upstream''s count, which was asked for before the run read anything.';
COMMENT ON COLUMN sluice.streams.counted_ours IS 'How many of them are here at the end of that run; null where that is uncertain, as while a record is created.';
COMMENT ON COLUMN sluice.streams.agreed_at IS 'When the two, and the sums, last agreed; null if they never did.';
COMMENT ON COLUMN sluice.streams.sums IS 'By column, the sum that upstream gave with that count, and ours at the end of that run; null where none is known to be comparable, or a record was edited meanwhile.';

-- Which parents' lists were read when.
CREATE TABLE sluice.parents (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    parent_id text COLLATE "C" NOT NULL,
    listed boolean NOT NULL DEFAULT false,
    active boolean NOT NULL DEFAULT true,
    first_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    read_at timestamptz,
    tried_at timestamptz,
    run_id bigint,
    failures integer NOT NULL DEFAULT 0,
    note text NOT NULL DEFAULT '',
    whole_run_id bigint,
    PRIMARY KEY (organization_id, service, resource, parent_id)
);
CREATE INDEX parents_next ON sluice.parents (organization_id, service, resource, tried_at NULLS FIRST, parent_id) WHERE active;
COMMENT ON TABLE sluice.parents IS 'One row per parent of a resource that has a list under each parent: when it was last read, and how that went.';
COMMENT ON COLUMN sluice.parents.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.parents.service IS 'The service of the resource that is listed under the parent.';
COMMENT ON COLUMN sluice.parents.resource IS 'The resource that is listed under the parent.';
COMMENT ON COLUMN sluice.parents.parent_id IS 'Identifier of the parent, as it stands in the address of its list.';
COMMENT ON COLUMN sluice.parents.listed IS 'Whether the configuration names the parent; others were found in the warehouse.';
COMMENT ON COLUMN sluice.parents.active IS 'Whether its list is read: it is named by the configuration, or a row of the warehouse refers to it.';
COMMENT ON COLUMN sluice.parents.first_seen_at IS 'When the parent was first found or named.';
COMMENT ON COLUMN sluice.parents.read_at IS 'When its list was last read to its end; null if it never was.';
COMMENT ON COLUMN sluice.parents.tried_at IS 'When its list was last read or could not be read. The one that was tried longest ago is next.';
COMMENT ON COLUMN sluice.parents.run_id IS 'The run that tried it last: a run tries each parent once.';
COMMENT ON COLUMN sluice.parents.failures IS 'Failures in a row, back to 0 when its list was read.';
COMMENT ON COLUMN sluice.parents.note IS 'Why its list could not be read the last time, in words.';
COMMENT ON COLUMN sluice.parents.whole_run_id IS 'The last run that read its list whole, or to which upstream said that it does not know the parent: what the run was not shown is missing. Null if none did.';

-- detail_backlog counts the rows of a resource that wait for their single record. It finds the
-- table by the name of the stream, so that a report over all streams is one question; rows that
-- wait for nothing are not in the index that it reads. A row whose record is gone waits for no
-- single record.
-- +goose StatementBegin
CREATE FUNCTION sluice.detail_backlog(
    p_organization text, p_service text, p_stream text, OUT pending bigint, OUT stale bigint, OUT failed bigint
) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_name text := regexp_replace(p_stream, '\.details$', '');
    v_table regclass := coalesce(to_regclass(format('%I.%I', p_service, v_name)), to_regclass(format('custom.%I', v_name)));
BEGIN
    IF v_name = p_stream OR 2 <> (
        SELECT count(*) FROM pg_attribute
        WHERE attrelid = v_table AND attname IN ('_detail_state', '_deleted_at') AND NOT attisdropped
    ) THEN
        RETURN;
    END IF;
    EXECUTE format($sql$SELECT count(*) FILTER (WHERE _detail_state = 'pending'), count(*) FILTER (WHERE _detail_state = 'stale'),
        count(*) FILTER (WHERE _detail_state = 'failed')
        FROM %s WHERE organization_id = $1 AND _detail_state IN ('pending', 'stale', 'failed') AND _deleted_at IS NULL$sql$, v_table)
    INTO pending, stale, failed USING p_organization;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.detail_backlog IS 'Rows that wait for their single record, by state; null for a stream that is not one of details.';

-- A call of detail_backlog for each stream was half of the time of a report over two thousand
-- streams. This function reads each table once.
-- +goose StatementBegin
CREATE FUNCTION sluice.detail_backlogs()
RETURNS TABLE (organization_id text, service text, resource text, pending bigint, stale bigint, failed bigint) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT d.service, d.stream, coalesce(to_regclass(format('%I.%I', d.service, d.name)), to_regclass(format('custom.%I', d.name))) AS relation
        FROM (SELECT DISTINCT s.service, s.resource AS stream, regexp_replace(s.resource, '\.details$', '') AS name
            FROM sluice.streams s WHERE s.resource LIKE '%.details') AS d
    LOOP
        CONTINUE WHEN 2 <> (SELECT count(*) FROM pg_attribute a
            WHERE a.attrelid = v.relation AND a.attname IN ('_detail_state', '_deleted_at') AND NOT a.attisdropped);
        RETURN QUERY EXECUTE format($sql$
            SELECT s.organization_id, s.service, s.resource, coalesce(w.pending, 0), coalesce(w.stale, 0), coalesce(w.failed, 0)
            FROM sluice.streams s LEFT JOIN (
                SELECT t.organization_id, count(*) FILTER (WHERE t._detail_state = 'pending') AS pending,
                    count(*) FILTER (WHERE t._detail_state = 'stale') AS stale, count(*) FILTER (WHERE t._detail_state = 'failed') AS failed
                FROM %s t WHERE t._detail_state IN ('pending', 'stale', 'failed') AND t._deleted_at IS NULL
                GROUP BY t.organization_id
            ) AS w ON w.organization_id = s.organization_id
            WHERE (s.service, s.resource) = ($1, $2)$sql$, v.relation) USING v.service, v.stream;
    END LOOP;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.detail_backlogs IS 'Rows that wait for their single record, by state, of every stream of details. sluice.detail_backlog answers for one stream.';

-- Backfills ---------------------------------------------------------------------------------------

-- What was asked for besides the schedule, and how far each is (docs/decisions/0006-jobs). A
-- backfill is worked as a stream of its own, <resource>.backfill in sluice.streams, which is
-- enabled while one is open.
CREATE TABLE sluice.backfills (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    column_name text NOT NULL DEFAULT '',
    from_day date,
    to_day date,
    windows integer NOT NULL CHECK (windows > 0),
    forecast_calls bigint CHECK (forecast_calls >= 0),
    forecast_basis text CHECK (forecast_basis IN ('declared', 'measured', 'assumed')),
    requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    requested_by text NOT NULL DEFAULT session_user,
    state text NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'running', 'paused', 'done', 'cancelled', 'failed')),
    scan jsonb NOT NULL,
    runs bigint[] NOT NULL DEFAULT '{}',
    ended_at timestamptz,
    note text NOT NULL DEFAULT '',
    CHECK ((ended_at IS NOT NULL) = (state IN ('done', 'cancelled', 'failed'))),
    CHECK ((forecast_calls IS NULL) = (forecast_basis IS NULL)),
    CHECK (from_day <= to_day)
);
-- Two of one stream at once would read the same list twice.
CREATE UNIQUE INDEX backfills_open ON sluice.backfills (organization_id, service, resource)
    WHERE state IN ('queued', 'running', 'paused');
COMMENT ON TABLE sluice.backfills IS 'One row per backfill: a list that an operator asked to have read again, whole or between two days.';
COMMENT ON COLUMN sluice.backfills.id IS 'Number of the backfill.';
COMMENT ON COLUMN sluice.backfills.organization_id IS 'The organization upstream.';
COMMENT ON COLUMN sluice.backfills.service IS 'The service.';
COMMENT ON COLUMN sluice.backfills.resource IS 'The resource whose list is read; its stream is named with .backfill behind it.';
COMMENT ON COLUMN sluice.backfills.column_name IS 'The column that from_day and to_day are about; empty if the whole list is read.';
COMMENT ON COLUMN sluice.backfills.from_day IS 'The first day wanted, in the zone of the organization; null if there is none.';
COMMENT ON COLUMN sluice.backfills.to_day IS 'The last day wanted, in the zone of the organization; null if there is none.';
COMMENT ON COLUMN sluice.backfills.windows IS 'How many windows it is read in, one after the other; 1 where the list takes no filter by date.';
COMMENT ON COLUMN sluice.backfills.forecast_calls IS 'Calls that it was expected to take when it was asked for; null if it could not be foreseen.';
COMMENT ON COLUMN sluice.backfills.forecast_basis IS 'What that figure rests on: declared by the documents, measured, or assumed.';
COMMENT ON COLUMN sluice.backfills.requested_at IS 'When it was asked for.';
COMMENT ON COLUMN sluice.backfills.requested_by IS 'The database role of the process that asked for it.';
COMMENT ON COLUMN sluice.backfills.state IS 'queued (also between two attempts), running, paused, done, cancelled, or failed (a person has to resume it).';
COMMENT ON COLUMN sluice.backfills.scan IS 'Where its next run begins. While a run is open, the position is in sluice.streams.';
COMMENT ON COLUMN sluice.backfills.runs IS 'Its runs, in their order: more than one if a run failed and another one went on.';
COMMENT ON COLUMN sluice.backfills.ended_at IS 'When it was done, was cancelled or failed; null before.';
COMMENT ON COLUMN sluice.backfills.note IS 'Why it failed or waits for another attempt, or what its last run noted.';

-- Retention ---------------------------------------------------------------------------------------

-- prune_runs drops runs that ended longer ago than p_keep, at most p_batch of each stream at a
-- time; then verifications and processes of that age. It keeps the last 400
-- runs of every stream, which forecasts are made from, what a stream or an entry of the quarantine
-- names, and processes that live. Raw records and rows stay: they name their run by its number.
-- +goose StatementBegin
CREATE FUNCTION sluice.prune_runs(p_keep interval, p_batch integer DEFAULT 1000) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_before timestamptz := clock_timestamp() - p_keep;
    v_stream record;
    v_last bigint;
    v_dropped integer := 0;
    v_count integer;
BEGIN
    IF p_keep < interval '35 days' THEN
        RAISE EXCEPTION 'runs are kept for %: the call log names runs for 35 days, keep at least that', p_keep;
    END IF;
    IF NOT sluice.take_turn('runs') THEN
        RETURN 0;
    END IF;
    FOR v_stream IN SELECT organization_id, service, resource FROM sluice.streams LOOP
        SELECT id INTO v_last FROM sluice.runs
        WHERE (organization_id, service, resource) = (v_stream.organization_id, v_stream.service, v_stream.resource)
        ORDER BY id DESC OFFSET 400 LIMIT 1;
        CONTINUE WHEN v_last IS NULL;
        BEGIN
            DELETE FROM sluice.runs WHERE id IN (
                SELECT r.id FROM sluice.runs r
                WHERE (r.organization_id, r.service, r.resource) = (v_stream.organization_id, v_stream.service, v_stream.resource)
                    AND r.id <= v_last AND r.ended_at < v_before
                    AND NOT EXISTS (SELECT FROM sluice.quarantine q WHERE q.run_id = r.id)
                    AND NOT EXISTS (SELECT FROM sluice.streams s WHERE r.id IN (s.run_id, s.last_run_id))
                ORDER BY r.id LIMIT p_batch);
            GET DIAGNOSTICS v_count = ROW_COUNT;
            v_dropped := v_dropped + v_count;
        EXCEPTION WHEN foreign_key_violation THEN
            NULL; -- another table names one of them: these stay
        END;
    END LOOP;
    DELETE FROM sluice.verifications WHERE id IN (
        SELECT id FROM sluice.verifications WHERE started_at < v_before ORDER BY id LIMIT p_batch);
    DELETE FROM sluice.processes WHERE id IN (
        SELECT p.id FROM sluice.processes p WHERE p.started_at < v_before AND p.id NOT IN (SELECT id FROM sluice.live_processes)
        ORDER BY p.id LIMIT p_batch);
    RETURN v_dropped;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.prune_runs IS 'Drops runs, verifications and processes that are older than they are kept, and says how many runs.';
