CREATE OR REPLACE VIEW analytics.ar_ageing WITH (security_barrier) AS
SELECT
  organization_id,
  coalesce(customer_id, '') AS customer_id,
  coalesce(currency_code, '') AS currency_code,
  max(customer_name) AS customer_name,
  base_currency,
  count(*) AS invoices,
  sum(open) AS open,
  sum(open_base) AS open_base,
  coalesce(sum(open_base) FILTER (WHERE days_overdue = 0), 0) AS not_due_base,
  coalesce(sum(open_base) FILTER (WHERE days_overdue BETWEEN 1 AND 30), 0) AS days_1_to_30_base,
  coalesce(sum(open_base) FILTER (WHERE days_overdue BETWEEN 31 AND 60), 0) AS days_31_to_60_base,
  coalesce(sum(open_base) FILTER (WHERE days_overdue BETWEEN 61 AND 90), 0) AS days_61_to_90_base,
  coalesce(sum(open_base) FILTER (WHERE days_overdue > 90), 0) AS over_90_days_base,
  coalesce(sum(open_base) FILTER (WHERE days_overdue IS NULL), 0) AS no_due_date_base,
  count(*) FILTER (WHERE exchange_rate IS NULL) AS invoices_without_rate
FROM analytics.invoices
WHERE is_posted AND open > 0
GROUP BY organization_id, coalesce(customer_id, ''), coalesce(currency_code, ''), base_currency;

COMMENT ON VIEW analytics.ar_ageing IS 'One row for each customer and currency with open invoices; key: (organization_id, customer_id, currency_code). What is left to receive today, by the organization''s day. Columns that end with _base are in the base currency at the rates of the invoices, open is in currency_code. The buckets add up to open_base; invoices without a rate are in none of them and are counted. Only where the configuration has catalogue: [invoices].';
COMMENT ON COLUMN analytics.ar_ageing.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.ar_ageing.customer_id IS 'Identifier of the customer; empty if upstream names none.';
COMMENT ON COLUMN analytics.ar_ageing.currency_code IS 'ISO code of the currency of the invoices; empty if upstream names none.';
COMMENT ON COLUMN analytics.ar_ageing.customer_name IS 'One of the names on the customer''s invoices.';
COMMENT ON COLUMN analytics.ar_ageing.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.ar_ageing.invoices IS 'Number of open invoices.';
COMMENT ON COLUMN analytics.ar_ageing.open IS 'What is left to receive, in currency_code.';
COMMENT ON COLUMN analytics.ar_ageing.open_base IS 'What is left to receive in the base currency; null if no invoice has a rate.';
COMMENT ON COLUMN analytics.ar_ageing.not_due_base IS 'Part that is not due yet.';
COMMENT ON COLUMN analytics.ar_ageing.days_1_to_30_base IS 'Part that is overdue by 1 to 30 days.';
COMMENT ON COLUMN analytics.ar_ageing.days_31_to_60_base IS 'Part that is overdue by 31 to 60 days.';
COMMENT ON COLUMN analytics.ar_ageing.days_61_to_90_base IS 'Part that is overdue by 61 to 90 days.';
COMMENT ON COLUMN analytics.ar_ageing.over_90_days_base IS 'Part that is overdue by more than 90 days.';
COMMENT ON COLUMN analytics.ar_ageing.no_due_date_base IS 'Part of invoices without a due date.';
COMMENT ON COLUMN analytics.ar_ageing.invoices_without_rate IS 'Number of open invoices without an exchange rate: they are in open alone.';
