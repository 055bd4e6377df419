-- +goose Up
-- What was adopted from the warehouses of other programs, without a call. Written by
-- pipeline/warehouse/adoptions.

CREATE TABLE sluice.adoptions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    source text NOT NULL CHECK (source IN ('airbyte', 'fivetran', 'singer', 'jsonl')),
    origin text NOT NULL,
    run_id bigint NOT NULL,
    last_key text COLLATE "C" NOT NULL DEFAULT '',
    records bigint NOT NULL DEFAULT 0,
    whole bigint NOT NULL DEFAULT 0,
    inserted bigint NOT NULL DEFAULT 0,
    updated bigint NOT NULL DEFAULT 0,
    unchanged bigint NOT NULL DEFAULT 0,
    superseded bigint NOT NULL DEFAULT 0,
    older bigint NOT NULL DEFAULT 0,
    deleted bigint NOT NULL DEFAULT 0,
    rejected bigint NOT NULL DEFAULT 0,
    modified_until timestamptz,
    extracted_until timestamptz,
    watermark timestamptz,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz,
    outcome text CHECK (outcome IN ('done', 'withheld', 'superseded')),
    CHECK ((ended_at IS NULL) = (outcome IS NULL))
);
CREATE UNIQUE INDEX adoptions_open ON sluice.adoptions (organization_id, service, resource) WHERE ended_at IS NULL;
COMMENT ON TABLE sluice.adoptions IS 'Records that were taken over from the warehouse of another program, by sluice adopt, without a call. An adoption that was stopped or killed goes on behind its last key.';
COMMENT ON COLUMN sluice.adoptions.id IS 'Number of the adoption.';
COMMENT ON COLUMN sluice.adoptions.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.adoptions.service IS 'The service.';
COMMENT ON COLUMN sluice.adoptions.resource IS 'The resource.';
COMMENT ON COLUMN sluice.adoptions.source IS 'The program that read the records upstream, or jsonl for files.';
COMMENT ON COLUMN sluice.adoptions.origin IS 'The table or the file that holds them.';
COMMENT ON COLUMN sluice.adoptions.run_id IS 'The run under which they were loaded; its class is adopt.';
COMMENT ON COLUMN sluice.adoptions.last_key IS 'The key of the last record that was looked at; empty if none.';
COMMENT ON COLUMN sluice.adoptions.records IS 'Records that were looked at, one for each key: the newest version.';
COMMENT ON COLUMN sluice.adoptions.whole IS 'Those of them that carry what only single records have: their details need no call.';
COMMENT ON COLUMN sluice.adoptions.inserted IS 'Records that were new.';
COMMENT ON COLUMN sluice.adoptions.updated IS 'Records that replaced a row that was older by its modification time.';
COMMENT ON COLUMN sluice.adoptions.unchanged IS 'Records equal to their row.';
COMMENT ON COLUMN sluice.adoptions.superseded IS 'Records that are not newer than their row, which stayed.';
COMMENT ON COLUMN sluice.adoptions.older IS 'Older versions of the records, which were left out.';
COMMENT ON COLUMN sluice.adoptions.deleted IS 'Records that the other program knew as deleted: they were left out.';
COMMENT ON COLUMN sluice.adoptions.rejected IS 'Records that went to quarantine.';
COMMENT ON COLUMN sluice.adoptions.modified_until IS 'The latest modification time among the records that is not later than their extraction.';
COMMENT ON COLUMN sluice.adoptions.extracted_until IS 'When the other program read the last of them upstream.';
COMMENT ON COLUMN sluice.adoptions.watermark IS 'The watermark that the stream got; null if none.';
COMMENT ON COLUMN sluice.adoptions.started_at IS 'When it began.';
COMMENT ON COLUMN sluice.adoptions.ended_at IS 'When it ended; null if it is under way, or was stopped.';
COMMENT ON COLUMN sluice.adoptions.outcome IS 'done, withheld (too many records were rejected, so that the watermark did not move) or superseded (another source took its place before it ended).';

-- Raw records are stored by call. What was adopted came by none: each batch takes a number of the
-- call log and no line in it, so nothing that counts calls counts it.
CREATE TABLE sluice.adopted_batches (
    call_id bigint PRIMARY KEY,
    adoption_id bigint NOT NULL REFERENCES sluice.adoptions ON DELETE CASCADE,
    single boolean NOT NULL,
    records integer NOT NULL,
    extracted_from timestamptz,
    extracted_until timestamptz
);
COMMENT ON TABLE sluice.adopted_batches IS 'Batches of adopted records, by the number that stands for a call in the columns _call_id and _detail_call_id. They are no calls: no budget counts them.';
COMMENT ON COLUMN sluice.adopted_batches.call_id IS 'The number, drawn from those of the call log.';
COMMENT ON COLUMN sluice.adopted_batches.adoption_id IS 'The adoption.';
COMMENT ON COLUMN sluice.adopted_batches.single IS 'Whether the records carry what only single records have.';
COMMENT ON COLUMN sluice.adopted_batches.records IS 'Records in the batch.';
COMMENT ON COLUMN sluice.adopted_batches.extracted_from IS 'When the other program read the first of them upstream; null if unknown.';
COMMENT ON COLUMN sluice.adopted_batches.extracted_until IS 'When it read the last of them; null if unknown.';

COMMENT ON COLUMN sluice.streams.last_done_at IS 'When a run was last done. After an adoption and before the first run: when the other program last read the list.';
COMMENT ON COLUMN sluice.runs.class IS 'The class of work: incremental, details, sweep, backfill, probe, hinted; adopt for records of another program''s warehouse.';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.rows_without_call()
RETURNS TABLE (organization_id text, service text, resource text, record_id text, detail text) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v record;
    v_oldest bigint := (SELECT min(id) FROM sluice.calls);
BEGIN
    FOR v IN
        SELECT t.schema, t.name, t.whole, k.column_name AS key
        FROM sluice.table_columns t JOIN pg_index i ON i.indrelid = t.whole AND i.indisprimary
        JOIN sluice.table_columns k ON k.whole = t.whole AND k.column_number = i.indkey[1]
        WHERE t.column_name = '_raw_position'
        ORDER BY 1, 2
    LOOP
        RETURN QUERY EXECUTE format($sql$SELECT t.organization_id::text, %L::text, %L::text, t.%I::text,
            'call ' || t._call_id || ', which brought the row, is not in the call log'
            FROM %s AS t WHERE t._call_id >= $1 AND NOT EXISTS (SELECT FROM sluice.calls AS c WHERE c.id = t._call_id)
                AND NOT EXISTS (SELECT FROM sluice.adopted_batches AS a WHERE a.call_id = t._call_id)$sql$,
            v.schema, v.name, v.key, v.whole) USING v_oldest;
    END LOOP;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.rows_without_call IS 'Rows whose call is not in the call log although it is not older than the log, and that were not adopted.';
