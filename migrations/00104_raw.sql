-- +goose Up
-- Records as they came, how long they are kept, and rebuilds of rows out of them. Written by
-- pipeline/warehouse/raw; rebuilds by pipeline/lineage.

-- Raw records -------------------------------------------------------------------------------------

CREATE TABLE sluice.raw_records (
    call_id bigint NOT NULL,
    first_position integer NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    records text NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    record_count integer CHECK (record_count > 0),
    PRIMARY KEY (call_id, first_position)
);
-- Which calls brought a record is looked up by stream, newest first (sluice explain).
CREATE INDEX raw_records_stream ON sluice.raw_records (organization_id, service, resource, call_id DESC, first_position DESC);
COMMENT ON TABLE sluice.raw_records IS 'The records as they came, one row per transaction that brought something new: _call_id and _raw_position of a row lead here.';
COMMENT ON COLUMN sluice.raw_records.call_id IS 'The call that brought them.';
COMMENT ON COLUMN sluice.raw_records.first_position IS 'The _raw_position of the first of them: an export is one call and many transactions.';
COMMENT ON COLUMN sluice.raw_records.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.raw_records.service IS 'The service.';
COMMENT ON COLUMN sluice.raw_records.resource IS 'The resource.';
COMMENT ON COLUMN sluice.raw_records.records IS 'A JSON array of the records that were new or changed.';
COMMENT ON COLUMN sluice.raw_records.kept_at IS 'When they were kept.';
COMMENT ON COLUMN sluice.raw_records.record_count IS 'How many records are in the array; null in rows from before it was noted.';
-- lz4 loads twice as fast as the default, but not every server is built with it, and versions
-- before 14 do not know it.
-- +goose StatementBegin
DO $block$
BEGIN
    EXECUTE 'ALTER TABLE sluice.raw_records ALTER COLUMN records SET COMPRESSION lz4';
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value OR syntax_error THEN
    RAISE NOTICE 'this server has no lz4: raw records are compressed with its default';
END
$block$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION sluice.raw_record(call_id bigint, "position" integer) RETURNS json LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS
'SELECT r.records::json -> ($2 - r.first_position) FROM sluice.raw_records r
WHERE r.call_id = $1 AND r.first_position <= $2 ORDER BY r.first_position DESC LIMIT 1';
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.raw_record IS 'The record behind a row, as it came: sluice.raw_record(_call_id, _raw_position).';

-- Retention (docs/decisions/0015-raw-records) -----------------------------------------------------

CREATE TABLE sluice.raw_looks (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    looked_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, service, resource)
);
COMMENT ON TABLE sluice.raw_looks IS 'When the raw records of each resource were last looked through for those that are not needed any more.';
COMMENT ON COLUMN sluice.raw_looks.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.raw_looks.service IS 'The service.';
COMMENT ON COLUMN sluice.raw_looks.resource IS 'The resource.';
COMMENT ON COLUMN sluice.raw_looks.looked_at IS 'When that was, by the clock of the database.';

-- prune_raw drops archives of one resource of one organization: those that were kept longer than
-- p_keep and that nothing leads to, no row by its list record or its single record, no row of a
-- table of history, no open entry of the quarantine. An archive goes whole or not at all, so
-- positions stay what they are. It reads the table of the resource once, which is why each resource
-- has its turn once a day; its caller goes on until it says that there was none left to look at
-- (null).
--
-- A row leads to archives of its own transaction only, so what is older than p_keep can lose
-- references and gains none.
-- +goose StatementBegin
CREATE FUNCTION sluice.prune_raw(p_keep interval, p_batch integer DEFAULT 1000) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_before timestamptz := clock_timestamp() - p_keep;
    v_stream record;
    v_place record;
    v_unless text := '';
    v_dropped integer;
BEGIN
    IF p_keep < interval '2 days' THEN
        RAISE EXCEPTION 'raw records are kept for %: keep them for two days at least', p_keep;
    END IF;
    IF NOT sluice.take_turn('raw') THEN
        RETURN NULL;
    END IF;
    SELECT s.organization_id, s.service, s.resource INTO v_stream
    FROM sluice.streams s LEFT JOIN sluice.raw_looks l USING (organization_id, service, resource)
    WHERE coalesce(l.looked_at < clock_timestamp() - interval '1 day', true) AND EXISTS (
        SELECT FROM sluice.raw_records r
        WHERE (r.organization_id, r.service, r.resource) = (s.organization_id, s.service, s.resource) AND r.kept_at < v_before)
    ORDER BY l.looked_at NULLS FIRST, 1, 2, 3 LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    -- Its table may have come to belong to another role, which the check of rights names: what its rows lead to is not known then, so nothing goes.
    IF EXISTS (
        SELECT FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
        WHERE t.relname = v_stream.resource AND t.relkind IN ('r', 'p') AND n.nspname IN (v_stream.service, 'custom')
            AND t.oid NOT IN (SELECT c.whole FROM sluice.table_columns c WHERE c.column_name = '_call_id')
    ) THEN
        INSERT INTO sluice.raw_looks VALUES (v_stream.organization_id, v_stream.service, v_stream.resource, clock_timestamp())
        ON CONFLICT (organization_id, service, resource) DO UPDATE SET looked_at = excluded.looked_at;
        RETURN 0;
    END IF;
    -- Tables of the resource, and of its history: <resource>, <resource>_…, <service>_<resource>…, of those that are the program's. One that names a call without a
    -- position keeps all that came with the call.
    FOR v_place IN
        SELECT c.whole, c.column_name AS call, p.column_name AS position
        FROM sluice.table_columns c JOIN sluice.table_columns o ON o.whole = c.whole AND o.column_name = 'organization_id'
        LEFT JOIN sluice.table_columns p ON p.whole = c.whole AND p.column_name = regexp_replace(c.column_name, 'call_id$', 'raw_position')
        WHERE c.column_name ~ '(^|_)call_id$' AND (c.name = v_stream.resource OR starts_with(c.name, v_stream.resource || '_')
            OR starts_with(c.name, v_stream.service || '_' || v_stream.resource))
        ORDER BY 1, 2
    LOOP
        v_unless := v_unless || format(' AND NOT EXISTS (SELECT FROM %s AS t WHERE t.organization_id = r.organization_id AND t.%I = r.call_id',
            v_place.whole, v_place.call);
        IF v_place.position IS NOT NULL THEN
            v_unless := v_unless || format(' AND t.%1$I >= r.first_position AND (r.record_count IS NULL OR t.%1$I < r.first_position + r.record_count)',
                v_place.position);
        END IF;
        v_unless := v_unless || ')';
    END LOOP;
    EXECUTE 'DELETE FROM sluice.raw_records WHERE (call_id, first_position) IN (
        SELECT r.call_id, r.first_position FROM sluice.raw_records r
        WHERE (r.organization_id, r.service, r.resource) = ($1, $2, $3) AND r.kept_at < $4
            AND NOT EXISTS (SELECT FROM sluice.quarantine q WHERE q.state = ''open'' AND q.call_id = r.call_id)' || v_unless || '
        LIMIT $5)'
    USING v_stream.organization_id, v_stream.service, v_stream.resource, v_before, p_batch;
    GET DIAGNOSTICS v_dropped = ROW_COUNT;
    IF v_dropped < p_batch THEN
        INSERT INTO sluice.raw_looks VALUES (v_stream.organization_id, v_stream.service, v_stream.resource, clock_timestamp())
        ON CONFLICT (organization_id, service, resource) DO UPDATE SET looked_at = excluded.looked_at;
    END IF;
    RETURN v_dropped;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.prune_raw IS 'Drops raw records of one resource that are older than they are kept and that nothing leads to, and says how many archives; null if no resource has its turn.';

-- Rebuilds ----------------------------------------------------------------------------------------

CREATE TABLE sluice.rebuilds (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    scope text NOT NULL CHECK (scope IN ('all', 'changed')),
    declaration bytea NOT NULL,
    run_id bigint NOT NULL,
    fence bigint NOT NULL,
    last_key text COLLATE "C" NOT NULL DEFAULT '',
    rows bigint NOT NULL DEFAULT 0,
    rewritten bigint NOT NULL DEFAULT 0,
    rejected bigint NOT NULL DEFAULT 0,
    lost bigint NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz,
    outcome text CHECK (outcome IN ('done', 'superseded')),
    CHECK ((ended_at IS NULL) = (outcome IS NULL))
);
CREATE UNIQUE INDEX rebuilds_open ON sluice.rebuilds (organization_id, service, resource) WHERE ended_at IS NULL;
COMMENT ON TABLE sluice.rebuilds IS 'Rebuilds of tables out of raw records. One that was stopped or killed goes on behind its last key.';
COMMENT ON COLUMN sluice.rebuilds.id IS 'Number of the rebuild.';
COMMENT ON COLUMN sluice.rebuilds.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.rebuilds.service IS 'The service.';
COMMENT ON COLUMN sluice.rebuilds.resource IS 'The resource.';
COMMENT ON COLUMN sluice.rebuilds.scope IS 'all: every row is held against what its raw records make of it, and written if it differs. changed: those rows of which the declaration, or the rule of the content hash, makes something else.';
COMMENT ON COLUMN sluice.rebuilds.declaration IS 'Digest of the declaration and of the rule of the content hash: with another one a rebuild begins anew.';
COMMENT ON COLUMN sluice.rebuilds.run_id IS 'The run under which it last wrote.';
COMMENT ON COLUMN sluice.rebuilds.fence IS 'The claim under which it last wrote.';
COMMENT ON COLUMN sluice.rebuilds.last_key IS 'The key of the last row that it looked at; empty if none.';
COMMENT ON COLUMN sluice.rebuilds.rows IS 'Rows that it looked at.';
COMMENT ON COLUMN sluice.rebuilds.rewritten IS 'Rows that it wrote anew.';
COMMENT ON COLUMN sluice.rebuilds.rejected IS 'Rows whose raw record does not fit the declaration any more: they stayed as they were.';
COMMENT ON COLUMN sluice.rebuilds.lost IS 'Rows without a raw record: they stayed as they were.';
COMMENT ON COLUMN sluice.rebuilds.started_at IS 'When it began.';
COMMENT ON COLUMN sluice.rebuilds.ended_at IS 'When it ended; null if it is under way, or was stopped.';
COMMENT ON COLUMN sluice.rebuilds.outcome IS 'done, or superseded (the declaration or the scope was another one when it was begun again).';
