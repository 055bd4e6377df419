CREATE OR REPLACE VIEW analytics.vendor_credit_uses WITH (security_barrier) AS
SELECT
  c.organization_id,
  c._parent_id AS bill_id,
  c._position AS line,
  c.vendor_credit_id,
  c.vendor_credit_bill_id,
  c.vendor_credit_number,
  b.vendor_id,
  b.vendor_name,
  b.bill_number,
  b.date AS bill_date,
  c.date AS credit_date,
  greatest(c.date, b.date) AS settled_on,
  b.status NOT IN ('draft', 'void') AND b._deleted_at IS NULL AS is_posted,
  b.currency_code,
  r.rate AS exchange_rate,
  o.base_currency,
  c.amount,
  c.amount * r.rate AS amount_base
FROM inventory.bills_vendor_credits AS c
JOIN inventory.bills AS b ON b.organization_id = c.organization_id AND b.bill_id = c._parent_id
LEFT JOIN analytics.organizations AS o ON o.organization_id = c.organization_id
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN b.currency_code = o.base_currency THEN coalesce(nullif(b.exchange_rate, 0), 1)
    ELSE nullif(b.exchange_rate, 0)
  END AS rate
) AS r
WHERE c.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.vendor_credit_uses IS 'One row for each use of a vendor''s credit on a bill; key: (organization_id, bill_id, line). Amounts are in the bill''s currency, amount_base in the base currency at the rate of the bill. Only bills show credits: what of a credit is left is unknown. Count WHERE is_posted.';
COMMENT ON COLUMN analytics.vendor_credit_uses.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.vendor_credit_uses.bill_id IS 'Identifier of the bill that the credit settles.';
COMMENT ON COLUMN analytics.vendor_credit_uses.line IS 'Place of the credit on the bill, from 0.';
COMMENT ON COLUMN analytics.vendor_credit_uses.vendor_credit_id IS 'Identifier of the credit.';
COMMENT ON COLUMN analytics.vendor_credit_uses.vendor_credit_bill_id IS 'Identifier of the settlement: this credit on this bill.';
COMMENT ON COLUMN analytics.vendor_credit_uses.vendor_credit_number IS 'Number of the credit.';
COMMENT ON COLUMN analytics.vendor_credit_uses.vendor_id IS 'Identifier of the vendor.';
COMMENT ON COLUMN analytics.vendor_credit_uses.vendor_name IS 'Name of the vendor on the bill.';
COMMENT ON COLUMN analytics.vendor_credit_uses.bill_number IS 'Number of the bill as the vendor wrote it.';
COMMENT ON COLUMN analytics.vendor_credit_uses.bill_date IS 'Day of the bill.';
COMMENT ON COLUMN analytics.vendor_credit_uses.credit_date IS 'Day on which the credit was used.';
COMMENT ON COLUMN analytics.vendor_credit_uses.settled_on IS 'Day from which the bill is settled by it: that of the use, or of the bill if that is later.';
COMMENT ON COLUMN analytics.vendor_credit_uses.is_posted IS 'Whether it counts: the bill is neither a draft nor void nor deleted; null if its status is unknown.';
COMMENT ON COLUMN analytics.vendor_credit_uses.currency_code IS 'ISO code of the bill''s currency.';
COMMENT ON COLUMN analytics.vendor_credit_uses.exchange_rate IS 'Price of one unit of that currency in the base currency on the bill; null if unknown.';
COMMENT ON COLUMN analytics.vendor_credit_uses.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.vendor_credit_uses.amount IS 'Part of the credit that settles the bill, in the bill''s currency.';
COMMENT ON COLUMN analytics.vendor_credit_uses.amount_base IS 'The same in the base currency; null without a rate.';
