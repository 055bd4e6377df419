-- +goose Up
-- What a next version may bring: columns, and their values in rows that are there. Tests of migrations apply it behind the
-- released files, and make rolling builds a program that has it, if there is no earlier release to upgrade from. Tables that
-- are written all the time change, and one that an analyst uses meanwhile.

-- sluice:step inventory.bills
ALTER TABLE inventory.bills ADD COLUMN _next_note text, ADD COLUMN _next_turn integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN inventory.bills._next_note IS 'A column of the next version.';
COMMENT ON COLUMN inventory.bills._next_turn IS 'A column of the next version.';
-- sluice:step inventory.items
ALTER TABLE inventory.items ADD COLUMN _next_note text;
-- sluice:step accounting.vendor_payments
ALTER TABLE accounting.vendor_payments ADD COLUMN _next_note text;
-- sluice:step sluice.streams
ALTER TABLE sluice.streams ADD COLUMN next_turn integer NOT NULL DEFAULT 0;
-- sluice:step sluice.runs
ALTER TABLE sluice.runs ADD COLUMN next_turn integer NOT NULL DEFAULT 0;
-- sluice:step sluice.calls
ALTER TABLE sluice.calls ADD COLUMN next_turn integer NOT NULL DEFAULT 0;
-- sluice:step sluice.raw_records
ALTER TABLE sluice.raw_records ADD COLUMN next_note text;
-- sluice:step the index of inventory.bills
CREATE INDEX bills_next ON inventory.bills (organization_id, status);
-- sluice:step the rows of inventory.bills
UPDATE inventory.bills SET _next_turn = 1;
