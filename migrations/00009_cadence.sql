-- +goose Up
-- Intervals that are learned from how often a stream's records change (docs/decisions/0014).

ALTER TABLE sluice.streams
    ADD COLUMN ceiling interval CHECK (ceiling > interval '0'),
    ADD COLUMN planned_every interval CHECK (planned_every > interval '0'),
    ADD COLUMN planned_at timestamptz,
    ADD COLUMN planned jsonb;
CREATE INDEX streams_learned ON sluice.streams (organization_id, service) WHERE enabled AND ceiling IS NOT NULL;
COMMENT ON COLUMN sluice.streams.every IS 'The interval between two scheduled runs, where none was learned.';
COMMENT ON COLUMN sluice.streams.ceiling IS 'The longest interval that may be learned; null where the interval is fixed.';
COMMENT ON COLUMN sluice.streams.planned_every IS 'The interval that was learned; null where it is fixed, or nothing was learned yet.';
COMMENT ON COLUMN sluice.streams.planned_at IS 'When the interval was last worked out.';
COMMENT ON COLUMN sluice.streams.planned IS 'What it was worked out from: changes an hour, calls, bounds, and what decided.';
