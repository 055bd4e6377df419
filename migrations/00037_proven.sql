-- +goose Up
-- Status shows the last proof of each stream. Most streams have none, and without this index all
-- their runs are read to find that out.
CREATE INDEX runs_proven ON sluice.runs (organization_id, service, resource, id) WHERE proof <> '';
