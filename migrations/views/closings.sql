CREATE OR REPLACE VIEW analytics.closings WITH (security_barrier) AS
SELECT
  c.organization_id,
  c.period,
  s.table_name,
  s.currency_code,
  c.first_day,
  c.last_day,
  c.closed_at,
  s.records,
  s.counted,
  s.figures,
  c.digest,
  c.lacks
FROM sluice.closings AS c
JOIN sluice.closing_sums AS s ON s.closing_id = c.id
WHERE c.reopened_at IS NULL
  AND c.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.closings IS 'One row for each table and currency of each closed period; key: (organization_id, period, table_name, currency_code). What the period was when it was closed: counts and sums. analytics.after_close says what changed since.';
COMMENT ON COLUMN analytics.closings.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.closings.period IS 'The period, as 2026-10, 2026-Q3, 2026, or 2026-10-01..2026-10-15.';
COMMENT ON COLUMN analytics.closings.table_name IS 'The table with its schema, as inventory.bills.';
COMMENT ON COLUMN analytics.closings.currency_code IS 'ISO code of the currency of the sums; empty for sums in the base currency, and for records that name no currency.';
COMMENT ON COLUMN analytics.closings.first_day IS 'First day of the period.';
COMMENT ON COLUMN analytics.closings.last_day IS 'Last day of the period.';
COMMENT ON COLUMN analytics.closings.closed_at IS 'When it was closed.';
COMMENT ON COLUMN analytics.closings.records IS 'Number of records dated in the period, drafts and deleted ones included.';
COMMENT ON COLUMN analytics.closings.counted IS 'Number of those that are in the sums.';
COMMENT ON COLUMN analytics.closings.figures IS 'Sum of each figure as JSON, by its column: {"total": 1210.50}.';
COMMENT ON COLUMN analytics.closings.digest IS 'SHA-256 of all that was closed: two closings with equal digests closed the same.';
COMMENT ON COLUMN analytics.closings.lacks IS 'What was missing when the period was closed nevertheless; empty if nothing was.';
