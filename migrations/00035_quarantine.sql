-- +goose Up
-- What the open entries of the quarantine have in common is counted from this index alone.
CREATE INDEX quarantine_causes ON sluice.quarantine (organization_id, service, resource, code, path, id)
    INCLUDE (first_seen_at, last_seen_at) WHERE state = 'open';
-- Status counts them, of each stream, from this one alone.
CREATE INDEX quarantine_counts ON sluice.quarantine (organization_id, service, resource, run_id) INCLUDE (weighed, asked_at) WHERE state = 'open';
