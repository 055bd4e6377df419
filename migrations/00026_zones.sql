-- +goose Up
-- An organization that changes its time zone, upstream or in the configuration: values without an offset are read anew.

ALTER TABLE sluice.streams
	ADD COLUMN zone text NOT NULL DEFAULT '',
	ADD COLUMN zone_gen integer NOT NULL DEFAULT 0,
	ADD COLUMN rezoned_gen integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN sluice.streams.zone IS 'The time zone in which the last chunk of the stream read times without an offset; empty if there was none.';
COMMENT ON COLUMN sluice.streams.zone_gen IS 'Of a list: grows whenever a stream that writes its table begins to read in another time zone because the configuration says so.';
COMMENT ON COLUMN sluice.streams.rezoned_gen IS 'Of a list: up to which zone_gen its rows were written anew since.';

ALTER TABLE sluice.organizations ADD COLUMN time_zone_before text NOT NULL DEFAULT '';
COMMENT ON COLUMN sluice.organizations.time_zone_before IS 'The time zone that upstream named before this one; empty if it was never another.';
