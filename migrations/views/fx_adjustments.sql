CREATE OR REPLACE VIEW analytics.fx_adjustments WITH (security_barrier) AS
SELECT
  a.organization_id,
  a.base_currency_adjustment_id AS adjustment_id,
  l.line,
  l.line_kind,
  a.adjustment_date AS date,
  a.currency_code,
  a.exchange_rate,
  o.base_currency,
  l.account_id,
  l.account_name,
  l.balance,
  l.before_base,
  l.after_base,
  l.gain_or_loss_base
FROM accounting.base_currency_adjustments AS a
LEFT JOIN analytics.organizations AS o ON o.organization_id = a.organization_id
CROSS JOIN LATERAL (
  SELECT
    b._position AS line, 'account' AS line_kind, b.account_id, b.account_name, b.fcy_balance AS balance, b.bcy_balance AS before_base,
    b.adjusted_balance AS after_base, b.gain_or_loss AS gain_or_loss_base
  FROM accounting.base_currency_adjustments_accounts AS b
  WHERE b.organization_id = a.organization_id AND b._parent_id = a.base_currency_adjustment_id AND a._detail_state IN ('none_needed', 'current')
  UNION ALL
  SELECT -1, CASE WHEN a._detail_state IN ('none_needed', 'current') THEN 'rest' ELSE 'not loaded' END, NULL, NULL, NULL, NULL, NULL,
    a.gain_or_loss - coalesce(sum(b.gain_or_loss), 0)
  FROM accounting.base_currency_adjustments_accounts AS b
  WHERE b.organization_id = a.organization_id AND b._parent_id = a.base_currency_adjustment_id AND a._detail_state IN ('none_needed', 'current')
  HAVING a._detail_state NOT IN ('none_needed', 'current') OR a.gain_or_loss <> coalesce(sum(b.gain_or_loss), 0)
) AS l
WHERE a._deleted_at IS NULL AND a.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.fx_adjustments IS 'One row for each account of each base currency adjustment, and one more for what no account shows; key: (organization_id, adjustment_id, line). gain_or_loss_base adds up to that of the adjustments. balance is in currency_code, what ends with _base in the base currency.';
COMMENT ON COLUMN analytics.fx_adjustments.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.fx_adjustments.adjustment_id IS 'Identifier of the adjustment.';
COMMENT ON COLUMN analytics.fx_adjustments.line IS 'Place of the account in the adjustment, from 0; -1 for what no account shows.';
COMMENT ON COLUMN analytics.fx_adjustments.line_kind IS 'account; not loaded: the whole adjustment, whose accounts are not loaded yet; rest: what the accounts lack of its gain or loss.';
COMMENT ON COLUMN analytics.fx_adjustments.date IS 'Day from which the new rate counts.';
COMMENT ON COLUMN analytics.fx_adjustments.currency_code IS 'ISO code of the currency whose rate the adjustment sets.';
COMMENT ON COLUMN analytics.fx_adjustments.exchange_rate IS 'The new price of one unit of the currency in the base currency.';
COMMENT ON COLUMN analytics.fx_adjustments.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.fx_adjustments.account_id IS 'Account whose balance was adjusted; null where no account shows it.';
COMMENT ON COLUMN analytics.fx_adjustments.account_name IS 'Name of that account.';
COMMENT ON COLUMN analytics.fx_adjustments.balance IS 'Balance of the account in the currency that was adjusted.';
COMMENT ON COLUMN analytics.fx_adjustments.before_base IS 'Balance before the adjustment, in the base currency.';
COMMENT ON COLUMN analytics.fx_adjustments.after_base IS 'Balance after the adjustment, in the base currency.';
COMMENT ON COLUMN analytics.fx_adjustments.gain_or_loss_base IS 'Gain by the new rate in the base currency; a loss is negative.';
