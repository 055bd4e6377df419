CREATE OR REPLACE VIEW analytics.ap_control WITH (security_barrier) AS
WITH account AS (
  SELECT
    a.organization_id,
    coalesce(nullif(a.currency_code, ''), a.base_currency, '') AS currency_code,
    count(*) AS accounts,
    string_agg(a.name, ', ' ORDER BY a.name, a.account_id) AS account_names,
    sum(a.balance) AS balance
  FROM analytics.accounts AS a
  WHERE a.type = 'accounts_payable' AND NOT a.is_deleted
  GROUP BY a.organization_id, coalesce(nullif(a.currency_code, ''), a.base_currency, '')
), item AS (
  SELECT g.organization_id, g.base_currency, coalesce(g.currency_code, '') AS currency_code, g.open, 0 AS unapplied, g.open_base, 0 AS unapplied_base, g.without_rate
  FROM (
    SELECT
      organization_id, base_currency, currency_code, sum(open) AS open, coalesce(sum(open_base), 0) AS open_base,
      count(*) FILTER (WHERE exchange_rate IS NULL) AS without_rate
    FROM analytics.bills
    WHERE is_posted AND open <> 0
    GROUP BY organization_id, base_currency, currency_code
  ) AS g
  UNION ALL
  SELECT g.organization_id, g.base_currency, coalesce(g.currency_code, ''), 0, g.unapplied, 0, g.unapplied_base, g.without_rate
  FROM (
    SELECT
      organization_id, base_currency, currency_code, sum(unapplied) AS unapplied, coalesce(sum(unapplied_base), 0) AS unapplied_base,
      count(*) FILTER (WHERE exchange_rate IS NULL) AS without_rate
    FROM analytics.payments
    WHERE is_posted AND unapplied <> 0
    GROUP BY organization_id, base_currency, currency_code
  ) AS g
), side AS (
  -- What has no payables account in its own currency stands on those in the base currency.
  SELECT
    i.organization_id,
    CASE WHEN a.accounts > 0 THEN i.currency_code ELSE coalesce(i.base_currency, '') END AS currency_code,
    sum(CASE WHEN a.accounts > 0 AND i.currency_code IS DISTINCT FROM i.base_currency THEN i.open ELSE i.open_base END) AS open,
    sum(CASE WHEN a.accounts > 0 AND i.currency_code IS DISTINCT FROM i.base_currency THEN i.unapplied ELSE i.unapplied_base END) AS unapplied,
    sum(CASE WHEN a.accounts > 0 AND i.currency_code IS DISTINCT FROM i.base_currency THEN 0 ELSE i.without_rate END) AS without_rate
  FROM item AS i
  LEFT JOIN account AS a ON a.organization_id = i.organization_id AND a.currency_code = i.currency_code
  GROUP BY i.organization_id, CASE WHEN a.accounts > 0 THEN i.currency_code ELSE coalesce(i.base_currency, '') END
)
SELECT
  coalesce(a.organization_id, s.organization_id) AS organization_id,
  coalesce(a.currency_code, s.currency_code) AS currency_code,
  coalesce(s.open, 0) AS open_bills,
  coalesce(s.unapplied, 0) AS unapplied_payments,
  coalesce(s.open, 0) - coalesce(s.unapplied, 0) AS subledger_open,
  coalesce(a.accounts, 0) AS accounts,
  a.account_names,
  a.balance AS ledger_balance,
  a.balance - coalesce(s.open, 0) + coalesce(s.unapplied, 0) AS difference,
  coalesce(s.without_rate, 0) AS documents_without_rate
FROM account AS a
FULL JOIN side AS s ON s.organization_id = a.organization_id AND s.currency_code = a.currency_code;

COMMENT ON VIEW analytics.ap_control IS 'One row for each currency of an organization''s payables accounts; key: (organization_id, currency_code). What bills leave to pay, less what payments in advance have left, against the balance of the accounts of type accounts_payable. Currencies without such an account are in the row of the base currency, at the rates of the documents. Several accounts of a currency are added up and named. Credits of vendors that settle nothing yet are not copied, and are a difference.';
COMMENT ON COLUMN analytics.ap_control.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.ap_control.currency_code IS 'ISO code of the currency of the amounts; empty if none is known.';
COMMENT ON COLUMN analytics.ap_control.open_bills IS 'What posted bills leave to pay.';
COMMENT ON COLUMN analytics.ap_control.unapplied_payments IS 'What payments have left that settled no bill yet.';
COMMENT ON COLUMN analytics.ap_control.subledger_open IS 'Open bills less unapplied payments.';
COMMENT ON COLUMN analytics.ap_control.accounts IS 'Number of payables accounts in the currency.';
COMMENT ON COLUMN analytics.ap_control.account_names IS 'Their names.';
COMMENT ON COLUMN analytics.ap_control.ledger_balance IS 'Sum of their balances at the last read; null without an account.';
COMMENT ON COLUMN analytics.ap_control.difference IS 'Ledger less subledger; null without an account. Balances and bills are read at different times, so a difference may pass.';
COMMENT ON COLUMN analytics.ap_control.documents_without_rate IS 'Number of bills and payments that are in no sum, since they have no exchange rate.';
