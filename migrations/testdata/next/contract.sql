-- +goose Up
-- What the version behind the next one may take away: it refuses programs before the next one, whose number stands in the
-- place of NEXT, and waits for the end of their processes.
-- sluice:contract

SELECT sluice.raise_floor(NEXT);
ALTER TABLE sluice.runs DROP COLUMN next_turn;
ALTER TABLE sluice.streams DROP COLUMN next_turn;
