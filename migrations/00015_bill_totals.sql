-- +goose Up
ALTER TABLE inventory.bills ADD COLUMN total numeric;
COMMENT ON COLUMN inventory.bills.total IS 'What the vendor charged with tax, in the bill''s currency.';
