-- +goose Up
-- What the metrics ask for at every scrape.
--
-- When a process last ticked: each process shows the same instant, whichever of them ticked. Written
-- by pipeline/warehouse/streams, in the transaction of the tick.

CREATE TABLE sluice.last_tick (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    at timestamptz
);
COMMENT ON TABLE sluice.last_tick IS 'One row: when a process last looked for due streams.';
COMMENT ON COLUMN sluice.last_tick.one IS 'Always true: there is one row.';
COMMENT ON COLUMN sluice.last_tick.at IS 'The instant, by the clock of the database; null before the first tick.';
INSERT INTO sluice.last_tick DEFAULT VALUES;

-- What the last verification of each list found.
CREATE INDEX verified_streams_newest ON sluice.verified_streams (organization_id, service, resource, verification_id DESC);
