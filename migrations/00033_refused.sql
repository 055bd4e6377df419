-- +goose Up
-- A run of which too much did not fit moves no mark (promise 1), and what is in quarantine is asked for again. So runs count what did not fit
-- and was not known before, and entries say whether a run was judged with them and when they were asked for again.

ALTER TABLE sluice.runs
    ADD COLUMN refused bigint NOT NULL DEFAULT 0,
    ADD COLUMN clashed bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN sluice.runs.refused IS 'Records that went to quarantine and were no known entry of it: above quarantine.max_share of those received the run moves no mark.';
COMMENT ON COLUMN sluice.runs.clashed IS 'Those of refused that came under an identifier which other records of the same answer had.';

-- What was open before this version is asked for again, too, and keeps no further mark waiting.
ALTER TABLE sluice.quarantine
    ADD COLUMN opened_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN asked_at timestamptz,
    ADD COLUMN weighed text NOT NULL DEFAULT 'passed' CHECK (weighed IN ('', 'passed', 'withheld'));
ALTER TABLE sluice.quarantine ALTER COLUMN opened_at SET DEFAULT clock_timestamp(), ALTER COLUMN weighed SET DEFAULT '';
COMMENT ON COLUMN sluice.quarantine.opened_at IS 'When it was opened; of a record that was refused for the same reason before, when that began.';
COMMENT ON COLUMN sluice.quarantine.asked_at IS 'When the list was last read whole because of it; null if not yet.';
COMMENT ON COLUMN sluice.quarantine.weighed IS 'What the run came to that met it first: passed (so few did not fit that the mark moved), withheld (the mark waited), empty if none ended yet.';
COMMENT ON COLUMN sluice.quarantine.state IS 'open, retried (the record was loaded since, in this version or a later one, or the list does not show it any more) or resolved (a person set it aside).';
COMMENT ON COLUMN sluice.quarantine.note IS 'Why a person set it aside, or why it was closed.';
