-- +goose Up
-- Raw records for a time, and rebuilds that a kill does not throw back (docs/decisions/0022).

-- Rows without their raw record --------------------------------------------------------------------------------------

-- sluice.rows_without_raw looks at the list record and at the single record of each row: a rebuild needs both.
-- +goose StatementBegin
CREATE FUNCTION sluice.rows_without_raw()
RETURNS TABLE (organization_id text, service text, resource text, record_id text, detail text) LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT n.nspname AS schema, t.relname AS name, t.oid::regclass AS whole, k.attname AS key, p.attname AS position,
            replace(p.attname, 'raw_position', 'call_id') AS call
        FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
        JOIN pg_attribute p ON p.attrelid = t.oid AND p.attname IN ('_raw_position', '_detail_raw_position') AND NOT p.attisdropped
        JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
        JOIN pg_attribute k ON k.attrelid = t.oid AND k.attnum = i.indkey[1]
        WHERE t.relkind = 'r' AND n.nspname NOT IN ('sluice', 'river') AND n.nspname NOT LIKE 'pg\_%'
        ORDER BY 1, 2, 5 DESC
    LOOP
        RETURN QUERY EXECUTE format($sql$SELECT t.organization_id::text, %1$L::text, %2$L::text, t.%3$I::text,
            'the raw record ' || t.%5$I || ' of call ' || t.%6$I || ', which made the row, is not kept'
            FROM %4$s AS t WHERE t.%6$I IS NOT NULL AND NOT EXISTS (
                SELECT FROM sluice.raw_records AS r WHERE r.call_id = t.%6$I AND r.first_position <= t.%5$I
                    AND t.%5$I < r.first_position + coalesce(r.record_count, json_array_length(r.records::json)))$sql$,
            v.schema, v.name, v.key, v.whole, v.position, v.call);
    END LOOP;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.rows_without_raw IS 'Rows whose raw record is not kept: they cannot be rebuilt without a call.';

CREATE VIEW sluice.check_rows_without_raw AS SELECT organization_id, service, resource, record_id, detail FROM sluice.rows_without_raw();
COMMENT ON VIEW sluice.check_rows_without_raw IS 'Rows whose raw record is not kept; must be empty.';
COMMENT ON COLUMN sluice.check_rows_without_raw.organization_id IS 'The organization; empty if it is about a table.';
COMMENT ON COLUMN sluice.check_rows_without_raw.service IS 'The service, or the schema of the table.';
COMMENT ON COLUMN sluice.check_rows_without_raw.resource IS 'The resource.';
COMMENT ON COLUMN sluice.check_rows_without_raw.record_id IS 'The record; empty if it is about none.';
COMMENT ON COLUMN sluice.check_rows_without_raw.detail IS 'What was found, in words and figures.';
INSERT INTO sluice.checks (name, severity, means) VALUES
    ('rows_without_raw', 'violation', 'A row''s raw record is not kept: it was deleted past the program, and only upstream can say again what the row was made of.');

-- How long raw records are kept ----------------------------------------------------------------------------------------

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

-- sluice.keep_raw drops archives of one resource of one organization, those that were kept longer than p_keep and that nothing leads
-- to: no row by its list record or its single record, no row of a table of history, no open entry of the quarantine. An archive goes
-- whole or not at all, so positions stay what they are. It reads the table of the resource once, which is why each resource has its
-- turn once a day; who calls goes on until it says that there was none left to look at (null).
--
-- A row leads to archives of its own transaction only, so what is older than p_keep can lose references and gains none.
-- +goose StatementBegin
CREATE FUNCTION sluice.keep_raw(p_keep interval, p_batch integer DEFAULT 1000) RETURNS integer LANGUAGE plpgsql AS $function$
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
    -- "rawr" in ASCII.
    IF NOT pg_try_advisory_xact_lock(1918990194) THEN
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
    -- Tables of the resource, and of its history: <resource>, <resource>_…, <service>_<resource>…. One that names a call without a
    -- position keeps all that came with the call.
    FOR v_place IN
        SELECT c.attrelid::regclass AS whole, c.attname AS call, p.attname AS position
        FROM pg_attribute c JOIN pg_class t ON t.oid = c.attrelid AND t.relkind IN ('r', 'p') JOIN pg_namespace n ON n.oid = t.relnamespace
        JOIN pg_attribute o ON o.attrelid = t.oid AND o.attname = 'organization_id' AND NOT o.attisdropped
        LEFT JOIN pg_attribute p ON p.attrelid = t.oid AND p.attname = regexp_replace(c.attname, 'call_id$', 'raw_position') AND NOT p.attisdropped
        WHERE c.attname ~ '(^|_)call_id$' AND NOT c.attisdropped
            AND n.nspname NOT IN ('sluice', 'river', 'information_schema') AND n.nspname NOT LIKE 'pg\_%'
            AND (t.relname = v_stream.resource OR starts_with(t.relname, v_stream.resource || '_')
                OR starts_with(t.relname, v_stream.service || '_' || v_stream.resource))
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
COMMENT ON FUNCTION sluice.keep_raw IS 'Drops raw records of one resource that are older than they are kept and that nothing leads to, and says how many archives; null if no resource has its turn.';

-- Rebuilds -------------------------------------------------------------------------------------------------------------

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
    unfit bigint NOT NULL DEFAULT 0,
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
COMMENT ON COLUMN sluice.rebuilds.scope IS 'all: every row is written anew. changed: those of which the declaration, or the rule of the content hash, makes something else.';
COMMENT ON COLUMN sluice.rebuilds.declaration IS 'Digest of the declaration and of the rule of the content hash: with another one a rebuild begins anew.';
COMMENT ON COLUMN sluice.rebuilds.run_id IS 'The run under which it last wrote.';
COMMENT ON COLUMN sluice.rebuilds.fence IS 'The claim under which it last wrote.';
COMMENT ON COLUMN sluice.rebuilds.last_key IS 'The key of the last row that it looked at; empty if none.';
COMMENT ON COLUMN sluice.rebuilds.rows IS 'Rows that it looked at.';
COMMENT ON COLUMN sluice.rebuilds.rewritten IS 'Rows that it wrote anew.';
COMMENT ON COLUMN sluice.rebuilds.unfit IS 'Rows whose raw record does not fit the declaration any more: they stayed as they were.';
COMMENT ON COLUMN sluice.rebuilds.lost IS 'Rows without a raw record: they stayed as they were.';
COMMENT ON COLUMN sluice.rebuilds.started_at IS 'When it began.';
COMMENT ON COLUMN sluice.rebuilds.ended_at IS 'When it ended; null if it is under way, or was stopped.';
COMMENT ON COLUMN sluice.rebuilds.outcome IS 'done, or superseded (the declaration or the scope was another one when it was begun again).';

-- Rows from before have the hash of rule 1.
ALTER TABLE sluice.streams ADD COLUMN hash_rule integer NOT NULL DEFAULT 1;
COMMENT ON COLUMN sluice.streams.hash_rule IS 'The rule by which the content hashes of the rows of this list were made; one that is not the program''s is brought up to date by a rebuild, without a call.';
