CREATE OR REPLACE VIEW analytics.ap_ageing WITH (security_barrier) AS
SELECT
  organization_id,
  coalesce(vendor_id, '') AS vendor_id,
  coalesce(currency_code, '') AS currency_code,
  max(vendor_name) AS vendor_name,
  base_currency,
  count(*) AS bills,
  sum(open) AS open,
  sum(open_base) AS open_base,
  coalesce(sum(open_base) FILTER (WHERE bucket = 'not due'), 0) AS not_due_base,
  coalesce(sum(open_base) FILTER (WHERE bucket = '1 to 30'), 0) AS days_1_to_30_base,
  coalesce(sum(open_base) FILTER (WHERE bucket = '31 to 60'), 0) AS days_31_to_60_base,
  coalesce(sum(open_base) FILTER (WHERE bucket = '61 to 90'), 0) AS days_61_to_90_base,
  coalesce(sum(open_base) FILTER (WHERE bucket = 'over 90'), 0) AS over_90_days_base,
  coalesce(sum(open_base) FILTER (WHERE bucket = 'no due date'), 0) AS no_due_date_base,
  min(due_date) AS first_due,
  count(*) FILTER (WHERE exchange_rate IS NULL) AS bills_without_rate
FROM analytics.bills
WHERE is_posted AND open > 0
GROUP BY organization_id, coalesce(vendor_id, ''), coalesce(currency_code, ''), base_currency;

COMMENT ON VIEW analytics.ap_ageing IS 'One row for each vendor and currency with open bills; key: (organization_id, vendor_id, currency_code). What is left to pay today, by the organization''s day. Columns that end with _base are in the base currency at the rates of the bills, open is in currency_code. The buckets add up to open_base; bills without a rate are in none of them and are counted.';
COMMENT ON COLUMN analytics.ap_ageing.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.ap_ageing.vendor_id IS 'Identifier of the vendor; empty if upstream names none.';
COMMENT ON COLUMN analytics.ap_ageing.currency_code IS 'ISO code of the currency of the bills; empty if upstream names none.';
COMMENT ON COLUMN analytics.ap_ageing.vendor_name IS 'One of the names on the vendor''s bills.';
COMMENT ON COLUMN analytics.ap_ageing.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.ap_ageing.bills IS 'Number of open bills.';
COMMENT ON COLUMN analytics.ap_ageing.open IS 'What is left to pay, in currency_code.';
COMMENT ON COLUMN analytics.ap_ageing.open_base IS 'What is left to pay in the base currency; null if no bill has a rate.';
COMMENT ON COLUMN analytics.ap_ageing.not_due_base IS 'Part that is not due yet.';
COMMENT ON COLUMN analytics.ap_ageing.days_1_to_30_base IS 'Part that is overdue by 1 to 30 days.';
COMMENT ON COLUMN analytics.ap_ageing.days_31_to_60_base IS 'Part that is overdue by 31 to 60 days.';
COMMENT ON COLUMN analytics.ap_ageing.days_61_to_90_base IS 'Part that is overdue by 61 to 90 days.';
COMMENT ON COLUMN analytics.ap_ageing.over_90_days_base IS 'Part that is overdue by more than 90 days.';
COMMENT ON COLUMN analytics.ap_ageing.no_due_date_base IS 'Part of bills without a due date.';
COMMENT ON COLUMN analytics.ap_ageing.first_due IS 'Earliest day on which one of them was due.';
COMMENT ON COLUMN analytics.ap_ageing.bills_without_rate IS 'Number of open bills without an exchange rate: they are in open alone.';
