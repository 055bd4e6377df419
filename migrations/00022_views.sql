-- +goose Up
-- Which text of each view for analysts the database has. Written by migrations alone.

CREATE TABLE sluice.views (
    name text PRIMARY KEY,
    digest bytea NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE sluice.views IS 'The views of schema analytics that sluice migrate made, one row for each, so that it makes them again when their text changes.';
COMMENT ON COLUMN sluice.views.name IS 'Name of the view in schema analytics.';
COMMENT ON COLUMN sluice.views.digest IS 'SHA-256 of the text that it was made of.';
COMMENT ON COLUMN sluice.views.applied_at IS 'When that text was applied.';
