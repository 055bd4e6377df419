CREATE OR REPLACE VIEW analytics.payments WITH (security_barrier) AS
SELECT
  p.organization_id,
  p.payment_id,
  p.payment_number,
  p.date,
  p.vendor_id,
  p.vendor_name,
  p.status,
  p._deleted_at IS NULL AND coalesce(p.status, '') NOT IN ('draft', 'void') AS is_posted,
  p._deleted_at IS NOT NULL AS is_deleted,
  p.payment_mode AS mode,
  p.paid_through_account_id,
  p.paid_through_account_name,
  c.currency_code,
  r.rate AS exchange_rate,
  o.base_currency,
  p.amount,
  s.applied,
  p.balance AS unapplied,
  s.refunded,
  coalesce(p.amount * r.rate, p.bcy_amount) AS amount_base,
  s.applied * r.rate AS applied_base,
  coalesce(p.balance * r.rate, p.bcy_balance) AS unapplied_base,
  s.refunded * r.rate AS refunded_base,
  p._detail_state IN ('none_needed', 'current') AS applications_loaded,
  date_trunc('month', p.date::timestamp)::date AS month
FROM accounting.vendor_payments AS p
LEFT JOIN analytics.organizations AS o ON o.organization_id = p.organization_id
LEFT JOIN analytics.currency_ids AS i ON i.organization_id = p.organization_id AND i.currency_id = p.currency_id
CROSS JOIN LATERAL (
  -- A payment is in the currency of the bills that it settles.
  SELECT coalesce(nullif(p.currency_code, ''), i.currency_code, (
    SELECT b.currency_code
    FROM accounting.vendor_payments_bills AS v
    JOIN inventory.bills AS b ON b.organization_id = v.organization_id AND b.bill_id = v.bill_id
    WHERE v.organization_id = p.organization_id AND v._parent_id = p.payment_id
    ORDER BY v._position
    LIMIT 1
  )) AS currency_code
) AS c
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN c.currency_code = o.base_currency THEN coalesce(nullif(p.exchange_rate, 0), 1)
    ELSE nullif(p.exchange_rate, 0)
  END AS rate
) AS r
CROSS JOIN LATERAL (
  SELECT
    CASE
      WHEN p._detail_state IN ('none_needed', 'current') THEN coalesce((
        SELECT sum(v.amount_applied) FROM accounting.vendor_payments_bills AS v
        WHERE v.organization_id = p.organization_id AND v._parent_id = p.payment_id
      ), 0)
      WHEN p.balance = p.amount THEN 0
    END AS applied,
    CASE
      WHEN p._detail_state IN ('none_needed', 'current') THEN coalesce((
        SELECT sum(coalesce(f.amount_fcy, CASE WHEN r.rate = 1 THEN f.amount_bcy ELSE f.amount_bcy / r.rate END)) FROM accounting.vendor_payments_vendorpayment_refunds AS f
        WHERE f.organization_id = p.organization_id AND f._parent_id = p.payment_id
      ), 0)
      WHEN p.balance = p.amount THEN 0
    END AS refunded
) AS s
WHERE p.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.payments IS 'One row for each payment to a vendor; key: (organization_id, payment_id). Amounts are in the currency of the payment, those that end with _base in the base currency at its own rate. The amount is what was applied to bills, what is unapplied and what was refunded. Deleted ones are in it: count WHERE is_posted. The bills that it settled are in analytics.applications.';
COMMENT ON COLUMN analytics.payments.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.payments.payment_id IS 'Identifier of the payment; unique within the organization.';
COMMENT ON COLUMN analytics.payments.payment_number IS 'Running number of the payment.';
COMMENT ON COLUMN analytics.payments.date IS 'Day of the payment.';
COMMENT ON COLUMN analytics.payments.vendor_id IS 'Identifier of the vendor; group by it, since names change and repeat.';
COMMENT ON COLUMN analytics.payments.vendor_name IS 'Name of the vendor on the payment.';
COMMENT ON COLUMN analytics.payments.status IS 'Where the payment stood when it was read last; null where upstream says nothing.';
COMMENT ON COLUMN analytics.payments.is_posted IS 'Whether the money left: neither a draft nor void nor deleted.';
COMMENT ON COLUMN analytics.payments.is_deleted IS 'Whether it is gone upstream.';
COMMENT ON COLUMN analytics.payments.mode IS 'How it was paid, such as cash, check or bank transfer.';
COMMENT ON COLUMN analytics.payments.paid_through_account_id IS 'Account that the money left.';
COMMENT ON COLUMN analytics.payments.paid_through_account_name IS 'Name of that account.';
COMMENT ON COLUMN analytics.payments.currency_code IS 'ISO code of its currency, by the payment, its currency''s identifier or its first bill; null if none of them is known.';
COMMENT ON COLUMN analytics.payments.exchange_rate IS 'Price of one unit of its currency in the base currency; null if upstream gave none, or 0. A payment in the base currency has 1.';
COMMENT ON COLUMN analytics.payments.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.payments.amount IS 'Amount paid, in its currency.';
COMMENT ON COLUMN analytics.payments.applied IS 'Part that settled bills; null until its bills are loaded, unless nothing of it is used.';
COMMENT ON COLUMN analytics.payments.unapplied IS 'Part that settled no bill yet.';
COMMENT ON COLUMN analytics.payments.refunded IS 'Part that the vendor paid back; null until its bills are loaded, unless nothing of it is used.';
COMMENT ON COLUMN analytics.payments.amount_base IS 'Amount paid in the base currency, at the rate or as upstream gives it; null without both.';
COMMENT ON COLUMN analytics.payments.applied_base IS 'Part that settled bills in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.payments.unapplied_base IS 'Part that settled no bill yet in the base currency, at the rate or as upstream gives it; null without both.';
COMMENT ON COLUMN analytics.payments.refunded_base IS 'Part that the vendor paid back in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.payments.applications_loaded IS 'Whether its bills and refunds are loaded, in the newest version known.';
COMMENT ON COLUMN analytics.payments.month IS 'First day of the month of the payment. A filter on date is faster.';
