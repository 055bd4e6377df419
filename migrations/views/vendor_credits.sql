CREATE OR REPLACE VIEW analytics.vendor_credits WITH (security_barrier) AS
SELECT
  c.organization_id,
  c.vendor_credit_id,
  c.vendor_credit_number,
  c.vendor_id,
  c.vendor_name,
  c.status,
  c.status NOT IN ('draft', 'void') AND c._deleted_at IS NULL AS is_posted,
  c._deleted_at IS NOT NULL AS is_deleted,
  c.date,
  c.currency_code,
  r.rate AS exchange_rate,
  o.base_currency,
  c.total AS gross,
  c.balance AS open,
  c.total * r.rate AS gross_base,
  c.balance * r.rate AS open_base
FROM custom.vendor_credits AS c
LEFT JOIN analytics.organizations AS o ON o.organization_id = c.organization_id
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN c.currency_code = o.base_currency THEN coalesce(nullif(c.exchange_rate, 0), 1)
    ELSE nullif(c.exchange_rate, 0)
  END AS rate
) AS r
WHERE c.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.vendor_credits IS 'One row for each credit that a vendor granted; key: (organization_id, vendor_credit_id). Amounts are in its currency, those that end with _base in the base currency. Drafts, void and deleted ones are in it: count WHERE is_posted. open is what no bill has used yet; the uses are in analytics.vendor_credit_uses. Only where the configuration has catalogue: [vendor_credits]; such a list shows no deletions.';
COMMENT ON COLUMN analytics.vendor_credits.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.vendor_credits.vendor_credit_id IS 'Identifier of the credit; unique within the organization.';
COMMENT ON COLUMN analytics.vendor_credits.vendor_credit_number IS 'Number of the credit as the organization shows it.';
COMMENT ON COLUMN analytics.vendor_credits.vendor_id IS 'Identifier of the vendor.';
COMMENT ON COLUMN analytics.vendor_credits.vendor_name IS 'Name of the vendor on the credit.';
COMMENT ON COLUMN analytics.vendor_credits.status IS 'Where the credit stood when it was read last.';
COMMENT ON COLUMN analytics.vendor_credits.is_posted IS 'Whether it counts: neither a draft nor void nor deleted; null if its status is unknown.';
COMMENT ON COLUMN analytics.vendor_credits.is_deleted IS 'Whether it is gone upstream.';
COMMENT ON COLUMN analytics.vendor_credits.date IS 'Day of the credit.';
COMMENT ON COLUMN analytics.vendor_credits.currency_code IS 'ISO code of its currency.';
COMMENT ON COLUMN analytics.vendor_credits.exchange_rate IS 'Price of one unit of its currency in the base currency; null if upstream gave none.';
COMMENT ON COLUMN analytics.vendor_credits.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.vendor_credits.gross IS 'Amount with tax, in its currency.';
COMMENT ON COLUMN analytics.vendor_credits.open IS 'What no bill has used yet, in its currency.';
COMMENT ON COLUMN analytics.vendor_credits.gross_base IS 'Amount with tax in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.vendor_credits.open_base IS 'What no bill has used yet, in the base currency; null without a rate.';
