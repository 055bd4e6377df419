-- +goose Up
-- The columns that are left out of records or hashed (docs/decisions/0078-left-out-and-hashed). The
-- configuration decides; this table says since when, and whether what came before is gone. All of it
-- is written by pipeline/warehouse/leftout.

CREATE TABLE sluice.left_out (
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    how text NOT NULL CHECK (how IN ('omitted', 'hashed')),
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz,
    scrubbed_at timestamptz,
    key_fingerprint text,
    PRIMARY KEY (service, resource, path),
    CHECK (how = 'omitted' OR key_fingerprint IS NOT NULL)
);
COMMENT ON TABLE sluice.left_out IS 'The columns that are left out of records, or hashed, before anything is stored.';
COMMENT ON COLUMN sluice.left_out.service IS 'The service.';
COMMENT ON COLUMN sluice.left_out.resource IS 'The resource.';
COMMENT ON COLUMN sluice.left_out.path IS 'The column, with the arrays that lead to it: contact_persons.email; _extra stands for keys without a column.';
COMMENT ON COLUMN sluice.left_out.how IS 'omitted: the key is left out of each record; hashed: a keyed hash is in its place.';
COMMENT ON COLUMN sluice.left_out.since IS 'When the first process worked by it.';
COMMENT ON COLUMN sluice.left_out.ended_at IS 'When the first process worked that no longer did so; null while it is in force.';
COMMENT ON COLUMN sluice.left_out.scrubbed_at IS 'When rows, versions, raw records and quarantine of before were brought in line; null if they were not.';
COMMENT ON COLUMN sluice.left_out.key_fingerprint IS 'A salted hash of the key whose hashes the column has or may still have; it tells nothing of the key. Null if it has none.';
