CREATE OR REPLACE VIEW analytics.bill_lines_loaded WITH (security_barrier) AS
SELECT
  organization_id,
  month,
  count(*) AS bills,
  count(*) FILTER (WHERE loaded) AS bills_with_lines,
  round(count(*) FILTER (WHERE loaded) / count(*)::numeric, 4) AS share_of_bills,
  sum(value) AS value,
  coalesce(sum(value) FILTER (WHERE loaded), 0) AS value_with_lines,
  round(coalesce(sum(value) FILTER (WHERE loaded), 0) / nullif(sum(value), 0), 4) AS share_of_value,
  count(*) FILTER (WHERE value IS NULL) AS bills_without_value
FROM (
  SELECT
    organization_id,
    date_trunc('month', date::timestamp)::date AS month,
    _detail_state IN ('none_needed', 'current') AS loaded,
    coalesce(sub_total + coalesce(tax_total, 0), total) * exchange_rate AS value
  FROM inventory.bills
  WHERE _deleted_at IS NULL AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
) AS bill
GROUP BY organization_id, month;
COMMENT ON VIEW analytics.bill_lines_loaded IS 'One row for each month of bills of each organization; key: (organization_id, month). The share of bills, and of their value in the base currency, whose lines are loaded. The month is null for bills without a date. Drafts and void bills count.';
COMMENT ON COLUMN analytics.bill_lines_loaded.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.bill_lines_loaded.month IS 'First day of the month that the bills are dated in; null for bills without a date.';
COMMENT ON COLUMN analytics.bill_lines_loaded.bills IS 'Number of bills that are dated in the month.';
COMMENT ON COLUMN analytics.bill_lines_loaded.bills_with_lines IS 'Number of those whose lines are loaded and those of the newest version known.';
COMMENT ON COLUMN analytics.bill_lines_loaded.share_of_bills IS 'Part of the bills whose lines are loaded, from 0 to 1.';
COMMENT ON COLUMN analytics.bill_lines_loaded.value IS 'Sum of the bills with tax in the base currency.';
COMMENT ON COLUMN analytics.bill_lines_loaded.value_with_lines IS 'Part of the value that lies on bills whose lines are loaded, in the base currency.';
COMMENT ON COLUMN analytics.bill_lines_loaded.share_of_value IS 'The same part from 0 to 1; null if the value is zero or unknown.';
COMMENT ON COLUMN analytics.bill_lines_loaded.bills_without_value IS 'Number of bills that are in no value, because their sum or their rate is unknown.';
