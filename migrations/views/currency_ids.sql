CREATE OR REPLACE VIEW analytics.currency_ids WITH (security_barrier) AS
SELECT
  c.organization_id,
  c.currency_id,
  max(c.currency_code) AS currency_code
FROM (
  SELECT organization_id, currency_id, currency_code FROM invoicing.currencies
  UNION ALL
  SELECT organization_id, currency_id, currency_code FROM accounting.chart_of_accounts
  UNION ALL
  SELECT organization_id, currency_id, currency_code FROM accounting.base_currency_adjustments
  UNION ALL
  SELECT organization_id, currency_id, currency_code FROM accounting.opening_balances_accounts
  UNION ALL
  SELECT organization_id, currency_id, currency_code FROM accounting.organizations WHERE id = organization_id
  UNION ALL
  SELECT organization_id, currency_id, currency_code FROM inventory.organizations WHERE id = organization_id
) AS c
WHERE c.currency_id <> '' AND c.currency_code <> ''
  AND c.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
GROUP BY c.organization_id, c.currency_id;

COMMENT ON VIEW analytics.currency_ids IS 'One row for each identifier of a currency whose code is known; key: (organization_id, currency_id). For tables that have the identifier alone. From settings, accounts, adjustments and the opening balance; documents are not looked through.';
COMMENT ON COLUMN analytics.currency_ids.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.currency_ids.currency_id IS 'Identifier of the currency upstream.';
COMMENT ON COLUMN analytics.currency_ids.currency_code IS 'ISO code of the currency.';
