-- +goose Up
-- Backfills: what was asked for besides the schedule, and how far each is (docs/decisions/0012). A backfill is worked as a
-- stream of its own, <resource>.backfill in sluice.streams, which is enabled while one is open.

CREATE TABLE sluice.backfills (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    column_name text NOT NULL DEFAULT '',
    from_day date,
    to_day date,
    windows integer NOT NULL CHECK (windows > 0),
    forecast_calls bigint CHECK (forecast_calls >= 0),
    forecast_basis text CHECK (forecast_basis IN ('declared', 'measured', 'assumed')),
    requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    requested_by text NOT NULL DEFAULT session_user,
    state text NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'running', 'paused', 'done', 'cancelled', 'failed')),
    scan jsonb NOT NULL,
    runs bigint[] NOT NULL DEFAULT '{}',
    ended_at timestamptz,
    note text NOT NULL DEFAULT '',
    CHECK ((ended_at IS NOT NULL) = (state IN ('done', 'cancelled', 'failed'))),
    CHECK ((forecast_calls IS NULL) = (forecast_basis IS NULL)),
    CHECK (from_day <= to_day)
);
-- Two of one stream at once would read the same list twice.
CREATE UNIQUE INDEX backfills_open ON sluice.backfills (organization_id, service, resource)
    WHERE state IN ('queued', 'running', 'paused');
COMMENT ON TABLE sluice.backfills IS 'One row per backfill: a list that somebody asked to have read again, whole or between two days.';
COMMENT ON COLUMN sluice.backfills.id IS 'Number of the backfill.';
COMMENT ON COLUMN sluice.backfills.organization_id IS 'The organization upstream.';
COMMENT ON COLUMN sluice.backfills.service IS 'The service.';
COMMENT ON COLUMN sluice.backfills.resource IS 'The resource whose list is read; its stream is named with .backfill behind it.';
COMMENT ON COLUMN sluice.backfills.column_name IS 'The column that from_day and to_day are about; empty if the whole list is read.';
COMMENT ON COLUMN sluice.backfills.from_day IS 'The first day wanted, in the zone of the organization; null if there is none.';
COMMENT ON COLUMN sluice.backfills.to_day IS 'The last day wanted, in the zone of the organization; null if there is none.';
COMMENT ON COLUMN sluice.backfills.windows IS 'How many windows it is read in, one after the other; 1 where the list takes no filter by date.';
COMMENT ON COLUMN sluice.backfills.forecast_calls IS 'Calls that it was expected to take when it was asked for; null if nobody could say.';
COMMENT ON COLUMN sluice.backfills.forecast_basis IS 'What that figure rests on: declared by the documents, measured, or assumed.';
COMMENT ON COLUMN sluice.backfills.requested_at IS 'When it was asked for.';
COMMENT ON COLUMN sluice.backfills.requested_by IS 'The database role of the process that asked for it.';
COMMENT ON COLUMN sluice.backfills.state IS 'queued (also between two attempts), running, paused, done, cancelled, or failed (a person has to resume it).';
COMMENT ON COLUMN sluice.backfills.scan IS 'Where its next run begins. While a run is open, the position is in sluice.streams.';
COMMENT ON COLUMN sluice.backfills.runs IS 'Its runs, in their order: more than one if a run failed and another one went on.';
COMMENT ON COLUMN sluice.backfills.ended_at IS 'When it was done, was cancelled or failed; null before.';
COMMENT ON COLUMN sluice.backfills.note IS 'Why it failed or waits for another attempt, or what its last run noted.';
