-- +goose Up
-- Two looks that every process takes now and then cost nothing where there is nothing to find (docs/scale.md): for streams
-- that were asked for and that no ticket stands for, and for counts of days that are over.

CREATE INDEX streams_wanted ON sluice.streams (organization_id, service, resource) WHERE wanted_gen > done_gen;
COMMENT ON INDEX sluice.streams_wanted IS 'Streams that were asked for and not yet read: nearly none.';
CREATE INDEX spent_began ON sluice.spent (began_at);
COMMENT ON INDEX sluice.spent_began IS 'Finds the counts that are old enough to be dropped.';
