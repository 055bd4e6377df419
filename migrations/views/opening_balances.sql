CREATE OR REPLACE VIEW analytics.opening_balances WITH (security_barrier) AS
SELECT
  l.organization_id,
  l._parent_id AS opening_balance_id,
  l._position AS line,
  b.date,
  l.account_id,
  l.account_name,
  a.account_type,
  l.location_id,
  l.currency_code,
  r.rate AS exchange_rate,
  o.base_currency,
  CASE WHEN l.debit_or_credit = 'debit' THEN l.amount ELSE 0 END AS debit,
  CASE WHEN l.debit_or_credit = 'credit' THEN l.amount ELSE 0 END AS credit,
  CASE WHEN l.debit_or_credit = 'debit' THEN coalesce(l.bcy_amount, l.amount * r.rate) ELSE 0 END AS debit_base,
  CASE WHEN l.debit_or_credit = 'credit' THEN coalesce(l.bcy_amount, l.amount * r.rate) ELSE 0 END AS credit_base
FROM accounting.opening_balances_accounts AS l
JOIN accounting.opening_balances AS b ON b.organization_id = l.organization_id AND b.opening_balance_id = l._parent_id
LEFT JOIN accounting.chart_of_accounts AS a ON a.organization_id = l.organization_id AND a.account_id = l.account_id
LEFT JOIN analytics.organizations AS o ON o.organization_id = l.organization_id
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN l.currency_code = o.base_currency THEN coalesce(nullif(l.exchange_rate, 0), 1)
    ELSE nullif(l.exchange_rate, 0)
  END AS rate
) AS r
WHERE b._deleted_at IS NULL AND l.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.opening_balances IS 'One row for each line of the opening balance: an account in a currency; key: (organization_id, opening_balance_id, line). debit and credit are in the line''s currency, those that end with _base in the base currency, in which both sides are equal. Movements since then are not copied.';
COMMENT ON COLUMN analytics.opening_balances.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.opening_balances.opening_balance_id IS 'Identifier of the opening balance; an organization has one at most.';
COMMENT ON COLUMN analytics.opening_balances.line IS 'Place of the line, from 0.';
COMMENT ON COLUMN analytics.opening_balances.date IS 'Day on which the balances stood.';
COMMENT ON COLUMN analytics.opening_balances.account_id IS 'Account that the amount stood on.';
COMMENT ON COLUMN analytics.opening_balances.account_name IS 'Name of that account.';
COMMENT ON COLUMN analytics.opening_balances.account_type IS 'Kind of that account; null if it is not copied.';
COMMENT ON COLUMN analytics.opening_balances.location_id IS 'Location that the line is booked for.';
COMMENT ON COLUMN analytics.opening_balances.currency_code IS 'ISO code of the line''s currency.';
COMMENT ON COLUMN analytics.opening_balances.exchange_rate IS 'Price of one unit of that currency in the base currency; null if upstream gave none.';
COMMENT ON COLUMN analytics.opening_balances.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.opening_balances.debit IS 'Amount on the debit side, in the line''s currency.';
COMMENT ON COLUMN analytics.opening_balances.credit IS 'Amount on the credit side, in the line''s currency.';
COMMENT ON COLUMN analytics.opening_balances.debit_base IS 'Amount on the debit side in the base currency; null if neither it nor a rate is known.';
COMMENT ON COLUMN analytics.opening_balances.credit_base IS 'Amount on the credit side in the base currency; null if neither it nor a rate is known.';
