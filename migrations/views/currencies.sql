CREATE OR REPLACE VIEW analytics.currencies WITH (security_barrier) AS
SELECT
  c.organization_id,
  c.currency_code,
  max(c.name) AS name,
  c.currency_code = o.base_currency AS is_base,
  max(c.decimals) AS decimals,
  array_agg(DISTINCT c.seen_in ORDER BY c.seen_in) AS seen_in
FROM (
  SELECT organization_id, currency_code, 'invoicing.currencies' AS seen_in, currency_name AS name, price_precision AS decimals
  FROM invoicing.currencies
  WHERE _deleted_at IS NULL
  UNION ALL
  SELECT organization_id, currency_code, 'accounting.chart_of_accounts', NULL, NULL
  FROM accounting.chart_of_accounts
  WHERE _deleted_at IS NULL
  UNION ALL
  SELECT organization_id, base_currency, 'analytics.organizations', NULL, NULL
  FROM analytics.organizations
  UNION ALL
  SELECT organization_id, currency_code, 'accounting.base_currency_adjustments', NULL, NULL
  FROM accounting.base_currency_adjustments
  WHERE _deleted_at IS NULL
  UNION ALL
  SELECT organization_id, currency_code, 'accounting.opening_balances', NULL, NULL
  FROM accounting.opening_balances_accounts
  WHERE _deleted_at IS NULL
  UNION ALL
  (SELECT DISTINCT organization_id, currency_code, 'inventory.bills', NULL, NULL::bigint
  FROM inventory.bills
  WHERE _deleted_at IS NULL)
  UNION ALL
  (SELECT DISTINCT organization_id, currency_code, 'inventory.credit_notes', NULL, NULL::bigint
  FROM inventory.credit_notes
  WHERE _deleted_at IS NULL)
  UNION ALL
  (SELECT DISTINCT organization_id, currency_code, 'accounting.expenses', NULL, NULL::bigint
  FROM accounting.expenses
  WHERE _deleted_at IS NULL)
  UNION ALL
  (SELECT DISTINCT p.organization_id, coalesce(nullif(p.currency_code, ''), i.currency_code), 'accounting.vendor_payments', NULL, NULL::bigint
  FROM accounting.vendor_payments AS p
  LEFT JOIN analytics.currency_ids AS i ON i.organization_id = p.organization_id AND i.currency_id = p.currency_id
  WHERE p._deleted_at IS NULL)
) AS c
LEFT JOIN analytics.organizations AS o ON o.organization_id = c.organization_id
WHERE c.currency_code <> ''
  AND c.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
GROUP BY c.organization_id, c.currency_code, o.base_currency;

COMMENT ON VIEW analytics.currencies IS 'One row for each currency that an organization has in its settings or on a document; key: (organization_id, currency_code). Rates are in analytics.fx_rates.';
COMMENT ON COLUMN analytics.currencies.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.currencies.currency_code IS 'ISO code of the currency.';
COMMENT ON COLUMN analytics.currencies.name IS 'Name of the currency; null where the list of currencies is not copied.';
COMMENT ON COLUMN analytics.currencies.is_base IS 'Whether the books are kept in it; null until the base currency of the organization is known.';
COMMENT ON COLUMN analytics.currencies.decimals IS 'Decimals that prices in it are shown with; null where the list of currencies is not copied.';
COMMENT ON COLUMN analytics.currencies.seen_in IS 'Names of the tables that mention it, as inventory.bills.';
