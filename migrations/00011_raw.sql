-- +goose Up
-- How many records an archive holds, beside it: an export is one call in many parts, and each part had to take its predecessor
-- apart to know where it begins (docs/decisions/0017).

ALTER TABLE sluice.raw_records ADD COLUMN record_count integer CHECK (record_count > 0);
COMMENT ON COLUMN sluice.raw_records.record_count IS 'How many records are in the array; null in rows from before it was noted.';
