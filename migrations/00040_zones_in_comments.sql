-- +goose Up
-- Instants in comments name their zone: without one they are in that of the session, and a day ends hours early or late.

COMMENT ON SCHEMA history IS 'What tables held earlier: SELECT * FROM history.inventory_bills_as_of(''2026-11-01 00:00 Asia/Kolkata'').';
COMMENT ON FUNCTION history.as_of IS 'The rows that a table held at an instant, those with a tombstone left out: SELECT * FROM history.as_of(NULL::inventory.bills, ''2026-11-01 00:00 Asia/Kolkata''). By upstream''s modification times instead of when we saw it: by_upstream => true.';
COMMENT ON FUNCTION history.on_day IS 'The values by day that were the last ones on a day of the organization: SELECT organization_id, account_id, current_balance FROM history.on_day(NULL::accounting.chart_of_accounts, ''2026-10-31''). Other columns than those that are kept by day are null.';
