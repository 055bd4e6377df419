-- +goose Up
-- The lists of accounts and expenses can carry headers only. Rows without the elements by which
-- headers are told wait for their single records.
ALTER TABLE accounting.chart_of_accounts ADD COLUMN _detail_state text NOT NULL DEFAULT 'none_needed' CHECK (_detail_state IN ('none_needed', 'pending', 'current', 'stale', 'failed'));
COMMENT ON COLUMN accounting.chart_of_accounts._detail_state IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
ALTER TABLE accounting.chart_of_accounts ADD COLUMN _detail_hash bytea;
COMMENT ON COLUMN accounting.chart_of_accounts._detail_hash IS 'Content hash of the single record that was last loaded; null if none was.';
ALTER TABLE accounting.chart_of_accounts ADD COLUMN _detail_call_id bigint;
COMMENT ON COLUMN accounting.chart_of_accounts._detail_call_id IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
ALTER TABLE accounting.chart_of_accounts ADD COLUMN _detail_raw_position integer;
COMMENT ON COLUMN accounting.chart_of_accounts._detail_raw_position IS 'Place of the single record''s bytes among those of its call, from 0.';
ALTER TABLE accounting.chart_of_accounts ADD COLUMN _detail_at timestamptz;
COMMENT ON COLUMN accounting.chart_of_accounts._detail_at IS 'When the single record was last loaded or tried.';
CREATE INDEX chart_of_accounts_details ON accounting.chart_of_accounts (organization_id, last_modified_time DESC)
  WHERE _detail_state IN ('pending', 'stale', 'failed');
ALTER TABLE accounting.expenses ADD COLUMN _detail_state text NOT NULL DEFAULT 'none_needed' CHECK (_detail_state IN ('none_needed', 'pending', 'current', 'stale', 'failed'));
COMMENT ON COLUMN accounting.expenses._detail_state IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
ALTER TABLE accounting.expenses ADD COLUMN _detail_hash bytea;
COMMENT ON COLUMN accounting.expenses._detail_hash IS 'Content hash of the single record that was last loaded; null if none was.';
ALTER TABLE accounting.expenses ADD COLUMN _detail_call_id bigint;
COMMENT ON COLUMN accounting.expenses._detail_call_id IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
ALTER TABLE accounting.expenses ADD COLUMN _detail_raw_position integer;
COMMENT ON COLUMN accounting.expenses._detail_raw_position IS 'Place of the single record''s bytes among those of its call, from 0.';
ALTER TABLE accounting.expenses ADD COLUMN _detail_at timestamptz;
COMMENT ON COLUMN accounting.expenses._detail_at IS 'When the single record was last loaded or tried.';
CREATE INDEX expenses_details ON accounting.expenses (organization_id, last_modified_time DESC)
  WHERE _detail_state IN ('pending', 'stale', 'failed');
-- Their indexes have the modification time, so that room on a page saves nothing.
ALTER TABLE accounting.chart_of_accounts RESET (fillfactor);
ALTER TABLE accounting.expenses RESET (fillfactor);
UPDATE accounting.chart_of_accounts AS t SET _detail_state = 'pending' WHERE t._deleted_at IS NULL AND NOT EXISTS (
  SELECT FROM accounting.chart_of_accounts_custom_fields AS f WHERE (f.organization_id, f._parent_id) = (t.organization_id, t.account_id));
UPDATE accounting.expenses AS t SET _detail_state = 'pending' WHERE t._deleted_at IS NULL AND NOT EXISTS (
  SELECT FROM accounting.expenses_line_items AS l WHERE (l.organization_id, l._parent_id) = (t.organization_id, t.expense_id));
