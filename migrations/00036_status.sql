-- +goose Up
-- sluice:step sluice.runs
-- Status shows the last proof of each stream. Most streams have none, and without this index all
-- their runs are read to find that out.
CREATE INDEX runs_proven ON sluice.runs (organization_id, service, resource, id) WHERE proof <> '';
-- sluice:step sluice.quarantine
-- Status counts the open entries of the quarantine of each stream from this index alone.
CREATE INDEX quarantine_counts ON sluice.quarantine (organization_id, service, resource, run_id) INCLUDE (weighed, asked_at) WHERE state = 'open';
