CREATE OR REPLACE VIEW analytics.settlements WITH (security_barrier) AS
-- A union is hidden in a subquery, because the barrier of a bare one lets conditions through.
SELECT
  u.organization_id,
  u.bill_id,
  u.settlement_id,
  u.kind,
  u.payment_id,
  u.date,
  u.applied_on,
  u.amount,
  u.exchange_rate,
  u.seen_on,
  u.is_off
FROM (
  SELECT
    p.organization_id,
    p._parent_id AS bill_id,
    coalesce(nullif(p.bill_payment_id, ''), concat(p.payment_id, '/', p._parent_id, '/', p._position)) AS settlement_id,
    'payment' AS kind,
    p.payment_id,
    p.date,
    coalesce(p.apply_date, p.date) AS applied_on,
    p.amount,
    p.exchange_rate,
    CASE WHEN EXISTS (
      SELECT FROM accounting.vendor_payments_bills AS v
      WHERE v.organization_id = p.organization_id AND v._parent_id = p.payment_id AND v.bill_payment_id = p.bill_payment_id
    ) THEN 'both' ELSE 'bill' END AS seen_on,
    f.payment_id IS NOT NULL AS is_off
  FROM inventory.bills_payments AS p
  LEFT JOIN (
    SELECT organization_id, payment_id
    FROM accounting.vendor_payments
    WHERE _deleted_at IS NOT NULL OR status IN ('draft', 'void')
  ) AS f ON f.organization_id = p.organization_id AND f.payment_id = p.payment_id
  WHERE p.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  UNION ALL
  -- What no bill shows, since its single record is not loaded.
  SELECT
    v.organization_id,
    coalesce(v.bill_id, ''),
    coalesce(nullif(v.bill_payment_id, ''), concat(v._parent_id, '/', v.bill_id, '/', v._position)),
    'payment',
    v._parent_id,
    y.date,
    coalesce(v.apply_date, y.date),
    v.amount_applied,
    y.exchange_rate,
    'payment',
    y._deleted_at IS NOT NULL OR coalesce(y.status, '') IN ('draft', 'void')
  FROM accounting.vendor_payments_bills AS v
  JOIN accounting.vendor_payments AS y ON y.organization_id = v.organization_id AND y.payment_id = v._parent_id
  WHERE v.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
    AND NOT EXISTS (
      SELECT FROM inventory.bills_payments AS p
      WHERE p.organization_id = v.organization_id AND p._parent_id = v.bill_id
        AND coalesce(nullif(p.bill_payment_id, ''), p.payment_id) IN (v.bill_payment_id, v._parent_id)
    )
  UNION ALL
  SELECT
    c.organization_id,
    c._parent_id,
    coalesce(nullif(c.vendor_credit_bill_id, ''), concat(c.vendor_credit_id, '/', c._parent_id, '/', c._position)),
    'credit',
    NULL,
    c.date,
    c.date,
    c.amount,
    NULL,
    'bill',
    false
  FROM inventory.bills_vendor_credits AS c
  WHERE c.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
) AS u;

COMMENT ON VIEW analytics.settlements IS 'One row for each payment or credit on each bill that it settled; key: (organization_id, kind, bill_id, settlement_id). The bare rows, in the bill''s currency: analytics.applications and analytics.vendor_credit_uses have them with the bill, its rate and its state.';
COMMENT ON COLUMN analytics.settlements.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.settlements.bill_id IS 'Identifier of the bill.';
COMMENT ON COLUMN analytics.settlements.settlement_id IS 'Identifier of the settlement; made of both identifiers where upstream gives none.';
COMMENT ON COLUMN analytics.settlements.kind IS 'payment or credit.';
COMMENT ON COLUMN analytics.settlements.payment_id IS 'Identifier of the payment; null for a credit.';
COMMENT ON COLUMN analytics.settlements.date IS 'Day of the payment, or of the use of the credit.';
COMMENT ON COLUMN analytics.settlements.applied_on IS 'Day on which it was set against the bill; date where upstream says none. It can be before the day of the bill.';
COMMENT ON COLUMN analytics.settlements.amount IS 'Part that settles the bill, in the bill''s currency.';
COMMENT ON COLUMN analytics.settlements.exchange_rate IS 'Rate on the payment as upstream has it.';
COMMENT ON COLUMN analytics.settlements.seen_on IS 'Which record shows it: bill, payment or both.';
COMMENT ON COLUMN analytics.settlements.is_off IS 'Whether the payment is a draft, void or deleted.';
