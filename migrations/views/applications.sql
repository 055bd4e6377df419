CREATE OR REPLACE VIEW analytics.applications WITH (security_barrier) AS
SELECT
  s.organization_id,
  s.bill_id,
  s.settlement_id AS bill_payment_id,
  s.payment_id,
  b.vendor_id,
  b.vendor_name,
  b.bill_number,
  b.date AS bill_date,
  b.due_date,
  s.date AS payment_date,
  greatest(s.applied_on, b.date) AS settled_on,
  b.status NOT IN ('draft', 'void') AND b._deleted_at IS NULL AND NOT s.is_off AS is_posted,
  b.currency_code,
  r.bill_rate,
  r.payment_rate,
  o.base_currency,
  s.amount,
  s.amount * r.bill_rate AS amount_base,
  s.amount * (r.bill_rate - r.payment_rate) AS gain_or_loss_base,
  s.date - b.date AS days_to_pay,
  s.date - b.due_date AS days_late,
  s.seen_on
FROM analytics.settlements AS s
LEFT JOIN inventory.bills AS b ON b.organization_id = s.organization_id AND b.bill_id = s.bill_id
LEFT JOIN analytics.organizations AS o ON o.organization_id = s.organization_id
CROSS JOIN LATERAL (
  SELECT
    CASE WHEN b.currency_code = o.base_currency THEN coalesce(nullif(b.exchange_rate, 0), 1) ELSE nullif(b.exchange_rate, 0) END AS bill_rate,
    CASE WHEN b.currency_code = o.base_currency THEN coalesce(nullif(s.exchange_rate, 0), 1) ELSE nullif(s.exchange_rate, 0) END AS payment_rate
) AS r
WHERE s.kind = 'payment';

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
