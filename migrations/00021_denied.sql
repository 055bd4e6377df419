-- +goose Up
-- What is denied no longer waits for a person alone.

COMMENT ON COLUMN sluice.streams.state IS 'idle, queued, running, retrying (after an error), waiting (for a budget), denied (tried again a day later, if nobody acts before) or failed.';
