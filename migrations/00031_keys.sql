-- +goose Up
-- Keys that came with most records of a list and do not any more: values stay as they were last, and somebody should know.

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

CREATE VIEW sluice.gone_keys AS
SELECT organization_id, service, resource, path, lacking, lacking_since, lacking_at
FROM sluice.keys WHERE lacking_run > came_run AND NOT sometimes;
COMMENT ON VIEW sluice.gone_keys IS 'Declared keys that most records of a list carried and do not carry any more.';
COMMENT ON COLUMN sluice.gone_keys.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.gone_keys.service IS 'The service.';
COMMENT ON COLUMN sluice.gone_keys.resource IS 'The resource, with the kind of work.';
COMMENT ON COLUMN sluice.gone_keys.path IS 'The key of the record, as upstream spells it.';
COMMENT ON COLUMN sluice.gone_keys.lacking IS 'How many records came without it since.';
COMMENT ON COLUMN sluice.gone_keys.lacking_since IS 'Since when.';
COMMENT ON COLUMN sluice.gone_keys.lacking_at IS 'When the last of them came.';
