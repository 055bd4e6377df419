-- +goose Up
-- How far change notifications replace scheduled runs: a list is read at a longer interval as long as
-- its runs find nothing that no notification told of, and the way of the notifications is proven.
-- Columns of streams and runs are written by pipeline/warehouse/streams, gaps by
-- pipeline/warehouse/hints.

ALTER TABLE sluice.streams ADD COLUMN hinted_every interval CHECK (hinted_every > interval '0'),
    ADD COLUMN announced_runs integer NOT NULL DEFAULT 0, ADD COLUMN told_until timestamptz;
CREATE INDEX streams_hinted ON sluice.streams (organization_id) WHERE hinted_every IS NOT NULL;
COMMENT ON COLUMN sluice.streams.hinted_every IS 'The interval while notifications are trusted; null if they do not replace scheduled runs.';
COMMENT ON COLUMN sluice.streams.announced_runs IS 'How many scheduled runs in a row found no change that no notification had told of.';
COMMENT ON COLUMN sluice.streams.told_until IS 'Until when the way of the notifications counts as proven; null if it is not proven.';

ALTER TABLE sluice.runs ADD COLUMN unannounced bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN sluice.runs.unannounced IS 'Rows that the run changed and of whose change no notification told; counted where notifications may replace scheduled runs.';

CREATE TABLE sluice.channel_gaps (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    channel text COLLATE "C" NOT NULL,
    opened_at timestamptz NOT NULL,
    closed_at timestamptz CHECK (closed_at >= opened_at),
    reason text NOT NULL
);
CREATE UNIQUE INDEX channel_gaps_open ON sluice.channel_gaps (organization_id, channel) WHERE closed_at IS NULL;
COMMENT ON TABLE sluice.channel_gaps IS 'Times in which nothing could have told of a change. When one closes, the lists are read that it was about.';
COMMENT ON COLUMN sluice.channel_gaps.id IS 'Number of the gap.';
COMMENT ON COLUMN sluice.channel_gaps.organization_id IS 'The organization upstream.';
COMMENT ON COLUMN sluice.channel_gaps.channel IS 'The module of a channel; empty if callbacks of all channels and rules could not arrive.';
COMMENT ON COLUMN sluice.channel_gaps.opened_at IS 'The last instant at which the way surely worked.';
COMMENT ON COLUMN sluice.channel_gaps.closed_at IS 'The first instant at which it surely works again; null while the gap is open.';
COMMENT ON COLUMN sluice.channel_gaps.reason IS 'Why callbacks could not arrive, in words.';
