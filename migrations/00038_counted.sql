-- +goose Up
-- Status counts the open entries of the quarantine of each stream from this index alone.
CREATE INDEX quarantine_counts ON sluice.quarantine (organization_id, service, resource, run_id) INCLUDE (weighed, asked_at) WHERE state = 'open';
