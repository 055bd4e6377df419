CREATE OR REPLACE VIEW analytics.change_rows WITH (security_barrier) AS
SELECT
  c.seq,
  c.xact,
  c.at,
  c.organization_id,
  c.table_name,
  c.op,
  c.records,
  c.record_ids
FROM sluice.changes AS c
WHERE c.op IN ('new', 'changed', 'completed', 'deleted', 'revived', 'rewritten')
  AND c.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.change_rows IS 'One row for each write of one op to a table of an organization; key: (seq). analytics.changes reads it. Rows appear behind later ones, so follow changes by analytics.changes.';
COMMENT ON COLUMN analytics.change_rows.seq IS 'Of two changes of one record the larger one is the later one.';
COMMENT ON COLUMN analytics.change_rows.xact IS 'The transaction that made the change.';
COMMENT ON COLUMN analytics.change_rows.at IS 'When the change was written, by the clock of the database; others saw it some time later, when the transaction committed.';
COMMENT ON COLUMN analytics.change_rows.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.change_rows.table_name IS 'Schema and name of the table, as inventory.bills.';
COMMENT ON COLUMN analytics.change_rows.op IS 'What became of the records: see analytics.changes.';
COMMENT ON COLUMN analytics.change_rows.records IS 'Number of the records.';
COMMENT ON COLUMN analytics.change_rows.record_ids IS 'Keys of the records.';
