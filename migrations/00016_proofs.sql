-- +goose Up
ALTER TABLE sluice.runs ADD COLUMN proof text NOT NULL DEFAULT '';
COMMENT ON COLUMN sluice.runs.proof IS 'How the run knows that no record of its list escaped it, such as overlapping pages or two equal passes; empty if it does not know.';
