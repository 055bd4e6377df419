-- +goose Up
-- What a next version may bring: columns, and their values in rows that are there. Tests of migrations apply it behind the
-- released files, and make rolling builds a program that has it, if there is no earlier release to upgrade from. Tables that
-- are written all the time change, and one that an analyst uses meanwhile.

ALTER TABLE inventory.bills ADD COLUMN _next_note text, ADD COLUMN _next_turn integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN inventory.bills._next_note IS 'A column of the next version.';
COMMENT ON COLUMN inventory.bills._next_turn IS 'A column of the next version.';
ALTER TABLE inventory.items ADD COLUMN _next_note text;
ALTER TABLE accounting.vendor_payments ADD COLUMN _next_note text;
ALTER TABLE sluice.streams ADD COLUMN next_turn integer NOT NULL DEFAULT 0;
ALTER TABLE sluice.runs ADD COLUMN next_turn integer NOT NULL DEFAULT 0;
ALTER TABLE sluice.calls ADD COLUMN next_turn integer NOT NULL DEFAULT 0;
ALTER TABLE sluice.raw_records ADD COLUMN next_note text;
CREATE INDEX bills_next ON inventory.bills (organization_id, status);
UPDATE inventory.bills SET _next_turn = 1;
