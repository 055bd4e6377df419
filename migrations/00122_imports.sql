-- +goose Up
-- Where records are from that were imported without API calls. Written by
-- pipeline/warehouse/imports.

-- Raw records are stored by call. What was imported came by none: each batch takes a number of the
-- call log and no line in it, so nothing that counts calls counts it.
CREATE TABLE sluice.imports (
    call_id bigint PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    run_id bigint NOT NULL,
    file text NOT NULL,
    first_line bigint NOT NULL,
    last_line bigint NOT NULL,
    single boolean NOT NULL,
    imported_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE sluice.imports IS 'Batches of records that sluice import loaded, by the number that stands for a call in the columns _call_id and _detail_call_id. They are no calls: no budget counts them.';
COMMENT ON COLUMN sluice.imports.call_id IS 'The number, drawn from those of the call log.';
COMMENT ON COLUMN sluice.imports.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.imports.service IS 'The service.';
COMMENT ON COLUMN sluice.imports.resource IS 'The resource.';
COMMENT ON COLUMN sluice.imports.run_id IS 'The run that loaded the batch; its class is import.';
COMMENT ON COLUMN sluice.imports.file IS 'The file, or standard input.';
COMMENT ON COLUMN sluice.imports.first_line IS 'The first line of the batch.';
COMMENT ON COLUMN sluice.imports.last_line IS 'The last line of the batch.';
COMMENT ON COLUMN sluice.imports.single IS 'Whether the records carry what only single records have.';
COMMENT ON COLUMN sluice.imports.imported_at IS 'When the batch was loaded.';
