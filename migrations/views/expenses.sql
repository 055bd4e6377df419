CREATE OR REPLACE VIEW analytics.expenses WITH (security_barrier) AS
SELECT
  e.organization_id,
  e.expense_id,
  e.date,
  e.status,
  e._deleted_at IS NOT NULL AS is_deleted,
  e.vendor_id,
  e.vendor_name,
  e.customer_id,
  e.customer_name,
  e.account_id,
  e.account_name,
  e.paid_through_account_id,
  e.paid_through_account_name,
  e.project_id,
  e.project_name,
  e.location_id,
  e.is_billable,
  e.currency_code,
  r.rate AS exchange_rate,
  o.base_currency,
  a.net,
  e.tax_amount AS tax,
  a.gross,
  coalesce(a.net * r.rate, e.bcy_total_without_tax) AS net_base,
  e.tax_amount * r.rate AS tax_base,
  coalesce(a.gross * r.rate, e.bcy_total) AS gross_base
FROM accounting.expenses AS e
LEFT JOIN analytics.organizations AS o ON o.organization_id = e.organization_id
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN e.currency_code = o.base_currency THEN coalesce(nullif(e.exchange_rate, 0), 1)
    ELSE nullif(e.exchange_rate, 0)
  END AS rate
) AS r
CROSS JOIN LATERAL (
  SELECT
    coalesce(e.sub_total, e.total_without_tax, e.total - e.tax_amount, CASE WHEN e.is_inclusive_tax THEN e.amount - e.tax_amount ELSE e.amount END) AS net,
    coalesce(e.total, CASE WHEN e.is_inclusive_tax THEN e.amount ELSE e.amount + coalesce(e.tax_amount, 0) END) AS gross
) AS a
WHERE e.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.expenses IS 'One row for each expense; key: (organization_id, expense_id). Amounts are in the currency of the expense, those that end with _base in the base currency. Empty unless the configuration enables accounting.expenses. Deleted ones are in it: count WHERE NOT is_deleted.';
COMMENT ON COLUMN analytics.expenses.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.expenses.expense_id IS 'Identifier of the expense; unique within the organization.';
COMMENT ON COLUMN analytics.expenses.date IS 'Day on which the money was spent.';
COMMENT ON COLUMN analytics.expenses.status IS 'Whether it was charged to a customer, when it was read last.';
COMMENT ON COLUMN analytics.expenses.is_deleted IS 'Whether it is gone upstream.';
COMMENT ON COLUMN analytics.expenses.vendor_id IS 'Identifier of the vendor; null where none is named.';
COMMENT ON COLUMN analytics.expenses.vendor_name IS 'Name of that vendor.';
COMMENT ON COLUMN analytics.expenses.customer_id IS 'Identifier of the customer for whom it was spent.';
COMMENT ON COLUMN analytics.expenses.customer_name IS 'Name of that customer.';
COMMENT ON COLUMN analytics.expenses.account_id IS 'Account that it is booked on; some lists have the name alone.';
COMMENT ON COLUMN analytics.expenses.account_name IS 'Name of that account.';
COMMENT ON COLUMN analytics.expenses.paid_through_account_id IS 'Account that the money left; some lists have the name alone.';
COMMENT ON COLUMN analytics.expenses.paid_through_account_name IS 'Name of that account.';
COMMENT ON COLUMN analytics.expenses.project_id IS 'Project for which it was spent.';
COMMENT ON COLUMN analytics.expenses.project_name IS 'Name of that project.';
COMMENT ON COLUMN analytics.expenses.location_id IS 'Location that it is booked for.';
COMMENT ON COLUMN analytics.expenses.is_billable IS 'Whether it is to be charged to the customer.';
COMMENT ON COLUMN analytics.expenses.currency_code IS 'ISO code of its currency.';
COMMENT ON COLUMN analytics.expenses.exchange_rate IS 'Price of one unit of its currency in the base currency; null if upstream gave none, or 0. An expense in the base currency has 1.';
COMMENT ON COLUMN analytics.expenses.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.expenses.net IS 'Amount before tax, in its currency; null until it is known.';
COMMENT ON COLUMN analytics.expenses.tax IS 'Tax in it, in its currency; null until it is known.';
COMMENT ON COLUMN analytics.expenses.gross IS 'Amount with tax, in its currency; null until it is known.';
COMMENT ON COLUMN analytics.expenses.net_base IS 'Amount before tax in the base currency, at the rate or as upstream gives it; null without both.';
COMMENT ON COLUMN analytics.expenses.tax_base IS 'Tax in it in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.expenses.gross_base IS 'Amount with tax in the base currency, at the rate or as upstream gives it; null without both.';
