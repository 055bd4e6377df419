-- +goose Up
-- Upstream that is set back is counted with the run that saw it.

ALTER TABLE sluice.runs ADD COLUMN rollbacks bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN sluice.runs.rollbacks IS 'Those of the updated records whose modification time went back: upstream was set back.';
