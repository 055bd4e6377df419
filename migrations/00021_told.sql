-- +goose Up
-- The metrics of change notifications ask for the last callback of each module, at every scrape.

CREATE INDEX callbacks_told ON sluice.callbacks (organization_id, dialect, module, repeated_at);
