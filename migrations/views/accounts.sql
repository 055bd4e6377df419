CREATE OR REPLACE VIEW analytics.accounts WITH (security_barrier) AS
WITH RECURSIVE account AS (
  SELECT
    organization_id, account_id, account_name, account_code, account_type, parent_account_id, currency_code,
    coalesce(current_balance, closing_balance) AS balance, isdebit, is_active, _changed_at, _deleted_at
  FROM accounting.chart_of_accounts
  WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
), tree AS (
  SELECT a.organization_id, a.account_id, a.account_name AS path, 0 AS level
  FROM account AS a
  WHERE NOT EXISTS (
    SELECT FROM account AS p WHERE p.organization_id = a.organization_id AND p.account_id = a.parent_account_id
  )
  UNION ALL
  SELECT a.organization_id, a.account_id, concat_ws(' > ', t.path, a.account_name), t.level + 1
  FROM tree AS t
  JOIN account AS a ON a.organization_id = t.organization_id AND a.parent_account_id = t.account_id
)
SELECT
  a.organization_id,
  a.account_id,
  a.account_name AS name,
  a.account_code AS code,
  a.account_type AS type,
  c.class,
  CASE WHEN c.class IN ('asset', 'expense') THEN 'debit' WHEN c.class IS NOT NULL THEN 'credit' END AS normal_side,
  a.parent_account_id AS parent_id,
  t.path,
  t.level,
  a.currency_code,
  o.base_currency,
  a.balance,
  CASE WHEN a.isdebit THEN 'debit' WHEN NOT a.isdebit THEN 'credit' END AS balance_side,
  a._changed_at AS balance_as_of,
  a.is_active,
  a._deleted_at IS NOT NULL AS is_deleted
FROM account AS a
LEFT JOIN tree AS t ON t.organization_id = a.organization_id AND t.account_id = a.account_id
LEFT JOIN analytics.organizations AS o ON o.organization_id = a.organization_id
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN a.account_type IN (
      'accounts_receivable', 'bank', 'cash', 'contingent_asset', 'contract_asset', 'financial_asset', 'fixed_asset', 'intangible_asset',
      'other_asset', 'other_current_asset', 'payment_clearing', 'right_to_use_asset', 'stock'
    ) THEN 'asset'
    WHEN a.account_type IN (
      'accounts_payable', 'contingent_liability', 'contract_liability', 'credit_card', 'employee_benefit_liability', 'financial_liability',
      'lease_liability', 'loans_and_borrowing', 'long_term_liability', 'other_current_liability', 'other_liability', 'refund_liability'
    ) THEN 'liability'
    WHEN a.account_type IN ('equity', 'other_comprehensive_income') THEN 'equity'
    WHEN a.account_type IN ('finance_income', 'income', 'other_income') THEN 'income'
    WHEN a.account_type IN (
      'cost_of_goods_sold', 'depreciation_expense', 'employee_benefit_expense', 'expense', 'finance_expense', 'impairment_expense',
      'lease_expense', 'manufacturing_expense', 'other_expense', 'tax_expense'
    ) THEN 'expense'
  END AS class
) AS c;

COMMENT ON VIEW analytics.accounts IS 'One row for each account of the ledger; key: (organization_id, account_id). The balance is in the currency of the account and has a side only where balance_side says one: normal_side says on which it mostly stands. Bookings are not copied, so there is no ledger, and no balance of an earlier day unless values by day are kept.';
COMMENT ON COLUMN analytics.accounts.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.accounts.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN analytics.accounts.name IS 'Name of the account.';
COMMENT ON COLUMN analytics.accounts.code IS 'Code that the organization gave the account.';
COMMENT ON COLUMN analytics.accounts.type IS 'Kind of the account, as upstream has it; more kinds occur than documented.';
COMMENT ON COLUMN analytics.accounts.class IS 'asset, liability, equity, income or expense, by the type; null if the type is not documented.';
COMMENT ON COLUMN analytics.accounts.normal_side IS 'Side on which its balance mostly stands: debit or credit; null if the class is unknown.';
COMMENT ON COLUMN analytics.accounts.parent_id IS 'Identifier of the account that it is a part of; null at the top.';
COMMENT ON COLUMN analytics.accounts.path IS 'Names of the accounts above it and its own, with > between them; null if accounts are parts of each other.';
COMMENT ON COLUMN analytics.accounts.level IS 'Number of accounts above it.';
COMMENT ON COLUMN analytics.accounts.currency_code IS 'ISO code of the currency that it is kept in; null where upstream says none, mostly the base currency.';
COMMENT ON COLUMN analytics.accounts.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.accounts.balance IS 'Balance at the last read, in its currency.';
COMMENT ON COLUMN analytics.accounts.balance_side IS 'Side on which it stands: debit or credit; null where upstream does not say.';
COMMENT ON COLUMN analytics.accounts.balance_as_of IS 'When the row last changed here. Bookings do not mark an account as changed, so the balance may be newer upstream.';
COMMENT ON COLUMN analytics.accounts.is_active IS 'Whether amounts can still be booked on it.';
COMMENT ON COLUMN analytics.accounts.is_deleted IS 'Whether it is gone upstream.';
