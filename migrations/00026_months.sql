-- +goose Up
-- Analysts ask by month: the views over bills and payments find one among a million rows.

CREATE INDEX bills_date ON inventory.bills (organization_id, date);
CREATE INDEX vendor_payments_date ON accounting.vendor_payments (organization_id, date);
