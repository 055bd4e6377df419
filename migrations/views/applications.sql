CREATE OR REPLACE VIEW analytics.applications WITH (security_barrier) AS
SELECT
  s.organization_id,
  s.bill_id,
  s.bill_payment_id,
  s.payment_id,
  b.vendor_id,
  b.vendor_name,
  b.bill_number,
  b.date AS bill_date,
  b.due_date,
  s.payment_date,
  greatest(s.applied_on, b.date) AS settled_on,
  b.status NOT IN ('draft', 'void') AND b._deleted_at IS NULL AND NOT s.payment_is_off AS is_posted,
  b.currency_code,
  r.bill_rate,
  r.payment_rate,
  o.base_currency,
  s.amount,
  s.amount * r.bill_rate AS amount_base,
  s.amount * (r.bill_rate - r.payment_rate) AS gain_or_loss_base,
  s.payment_date - b.date AS days_to_pay,
  s.payment_date - b.due_date AS days_late,
  s.seen_on
FROM (
  SELECT
    p.organization_id,
    p._parent_id AS bill_id,
    coalesce(nullif(p.bill_payment_id, ''), concat(p.payment_id, '/', p._parent_id)) AS bill_payment_id,
    p.payment_id,
    p.date AS payment_date,
    coalesce(p.apply_date, p.date) AS applied_on,
    p.amount,
    p.exchange_rate,
    y._deleted_at IS NOT NULL OR coalesce(y.status, '') IN ('draft', 'void') AS payment_is_off,
    CASE WHEN EXISTS (
      SELECT FROM accounting.vendor_payments_bills AS v
      WHERE v.organization_id = p.organization_id AND v._parent_id = p.payment_id AND v.bill_payment_id = p.bill_payment_id
    ) THEN 'both' ELSE 'bill' END AS seen_on
  FROM inventory.bills_payments AS p
  LEFT JOIN accounting.vendor_payments AS y ON y.organization_id = p.organization_id AND y.payment_id = p.payment_id
  WHERE p.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
    AND NOT EXISTS (
      SELECT FROM inventory.bills_payments AS q
      WHERE q.organization_id = p.organization_id AND q._parent_id = p._parent_id AND q._position < p._position
        AND coalesce(nullif(q.bill_payment_id, ''), q.payment_id) = coalesce(nullif(p.bill_payment_id, ''), p.payment_id)
    )
  UNION ALL
  SELECT
    v.organization_id,
    coalesce(v.bill_id, ''),
    coalesce(nullif(v.bill_payment_id, ''), concat(v._parent_id, '/', v.bill_id)),
    v._parent_id,
    y.date,
    coalesce(v.apply_date, y.date),
    v.amount_applied,
    y.exchange_rate,
    y._deleted_at IS NOT NULL OR coalesce(y.status, '') IN ('draft', 'void'),
    'payment'
  FROM accounting.vendor_payments_bills AS v
  JOIN accounting.vendor_payments AS y ON y.organization_id = v.organization_id AND y.payment_id = v._parent_id
  WHERE v.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
    AND NOT EXISTS (
      SELECT FROM inventory.bills_payments AS p
      WHERE p.organization_id = v.organization_id AND p._parent_id = v.bill_id
        AND coalesce(nullif(p.bill_payment_id, ''), p.payment_id) IN (v.bill_payment_id, v._parent_id)
    )
    AND NOT EXISTS (
      SELECT FROM accounting.vendor_payments_bills AS q
      WHERE q.organization_id = v.organization_id AND q._parent_id = v._parent_id AND q._position < v._position
        AND q.bill_id IS NOT DISTINCT FROM v.bill_id
        AND coalesce(q.bill_payment_id, '') = coalesce(v.bill_payment_id, '')
    )
) AS s
LEFT JOIN inventory.bills AS b ON b.organization_id = s.organization_id AND b.bill_id = s.bill_id
LEFT JOIN analytics.organizations AS o ON o.organization_id = s.organization_id
CROSS JOIN LATERAL (
  SELECT
    CASE WHEN b.currency_code = o.base_currency THEN coalesce(nullif(b.exchange_rate, 0), 1) ELSE nullif(b.exchange_rate, 0) END AS bill_rate,
    CASE WHEN b.currency_code = o.base_currency THEN coalesce(nullif(s.exchange_rate, 0), 1) ELSE nullif(s.exchange_rate, 0) END AS payment_rate
) AS r;

COMMENT ON VIEW analytics.applications IS 'One row for each payment on each bill that it settled; key: (organization_id, bill_id, bill_payment_id). Bills and payments both tell of it; it is here once, whichever was read. Amounts are in the bill''s currency, those that end with _base in the base currency. Count WHERE is_posted. Joined with lines of bills, amounts repeat: add up each for itself first.';
COMMENT ON COLUMN analytics.applications.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.applications.bill_id IS 'Identifier of the bill.';
COMMENT ON COLUMN analytics.applications.bill_payment_id IS 'Identifier of the settlement: this payment on this bill; made of both identifiers where upstream gives none.';
COMMENT ON COLUMN analytics.applications.payment_id IS 'Identifier of the payment.';
COMMENT ON COLUMN analytics.applications.vendor_id IS 'Identifier of the vendor of the bill; null if the bill is not copied yet.';
COMMENT ON COLUMN analytics.applications.vendor_name IS 'Name of the vendor on the bill.';
COMMENT ON COLUMN analytics.applications.bill_number IS 'Number of the bill as the vendor wrote it.';
COMMENT ON COLUMN analytics.applications.bill_date IS 'Day of the bill.';
COMMENT ON COLUMN analytics.applications.due_date IS 'Day on which the bill is due.';
COMMENT ON COLUMN analytics.applications.payment_date IS 'Day of the payment.';
COMMENT ON COLUMN analytics.applications.settled_on IS 'Day from which the bill is settled by it: on which the payment was set against it, or that of the payment; that of the bill if it was paid in advance.';
COMMENT ON COLUMN analytics.applications.is_posted IS 'Whether it counts: the bill is neither a draft nor void nor deleted, and so is the payment; null if the bill is unknown.';
COMMENT ON COLUMN analytics.applications.currency_code IS 'ISO code of the bill''s currency.';
COMMENT ON COLUMN analytics.applications.bill_rate IS 'Price of one unit of that currency in the base currency on the bill; null if unknown.';
COMMENT ON COLUMN analytics.applications.payment_rate IS 'The same on the payment; null if unknown.';
COMMENT ON COLUMN analytics.applications.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.applications.amount IS 'Part of the payment that settles the bill, in the bill''s currency.';
COMMENT ON COLUMN analytics.applications.amount_base IS 'The same in the base currency at the rate of the bill; null without a rate.';
COMMENT ON COLUMN analytics.applications.gain_or_loss_base IS 'Realized exchange result in the base currency: positive if the payment cost less than the bill was booked at; null if a rate is unknown.';
COMMENT ON COLUMN analytics.applications.days_to_pay IS 'Days from the bill to the payment; negative if it was paid in advance.';
COMMENT ON COLUMN analytics.applications.days_late IS 'Days from the due date to the payment; negative if it was paid early, null without a due date.';
COMMENT ON COLUMN analytics.applications.seen_on IS 'Which record shows it: bill, payment or both.';
