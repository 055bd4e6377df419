CREATE OR REPLACE VIEW analytics.bills WITH (security_barrier) AS
SELECT
  b.organization_id,
  b.bill_id,
  b.bill_number,
  b.vendor_id,
  b.vendor_name,
  b.status,
  b.status NOT IN ('draft', 'void') AND b._deleted_at IS NULL AS is_posted,
  b._deleted_at IS NOT NULL AS is_deleted,
  b.date,
  b.due_date,
  b.currency_code,
  r.rate AS exchange_rate,
  o.base_currency,
  b.sub_total AS net,
  b.tax_total AS tax,
  coalesce(b.total, b.sub_total + b.tax_total) AS gross,
  b.balance AS open,
  b.sub_total * r.rate AS net_base,
  b.tax_total * r.rate AS tax_base,
  coalesce(b.total, b.sub_total + b.tax_total) * r.rate AS gross_base,
  b.balance * r.rate AS open_base,
  CASE WHEN b.balance > 0 AND b.due_date IS NOT NULL THEN greatest(o.today - b.due_date, 0) END AS days_overdue,
  CASE
    WHEN b.balance > 0 THEN CASE
      WHEN b.due_date IS NULL THEN 'no due date'
      WHEN o.today <= b.due_date THEN 'not due'
      WHEN o.today - b.due_date <= 30 THEN '1 to 30'
      WHEN o.today - b.due_date <= 60 THEN '31 to 60'
      WHEN o.today - b.due_date <= 90 THEN '61 to 90'
      ELSE 'over 90'
    END
  END AS bucket,
  b._detail_state IN ('none_needed', 'current') AS lines_loaded,
  s.paid,
  s.credited,
  s.paid * r.rate AS paid_base,
  s.credited * r.rate AS credited_base,
  CASE
    WHEN coalesce(b.total, b.sub_total + b.tax_total) IS NULL THEN 'unknown'
    WHEN b._detail_state = 'current' THEN 'single record'
    ELSE 'list'
  END AS amounts_from,
  date_trunc('month', b.date::timestamp)::date AS month,
  b.is_reverse_charge_applied AS is_reverse_charge,
  b.discount_total AS discount,
  b.adjustment,
  b.account_id
FROM inventory.bills AS b
LEFT JOIN analytics.organizations AS o ON o.organization_id = b.organization_id
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN b.currency_code = o.base_currency THEN coalesce(nullif(b.exchange_rate, 0), 1)
    ELSE nullif(b.exchange_rate, 0)
  END AS rate
) AS r
CROSS JOIN LATERAL (
  SELECT
    CASE
      WHEN b._detail_state IN ('none_needed', 'current') THEN coalesce((
        SELECT sum(p.amount) FROM inventory.bills_payments AS p
        WHERE p.organization_id = b.organization_id AND p._parent_id = b.bill_id
      ), 0)
      WHEN b.balance = coalesce(b.total, b.sub_total + b.tax_total) THEN 0
    END AS paid,
    CASE
      WHEN b._detail_state IN ('none_needed', 'current') THEN coalesce((
        SELECT sum(c.amount) FROM inventory.bills_vendor_credits AS c
        WHERE c.organization_id = b.organization_id AND c._parent_id = b.bill_id
      ), 0)
      WHEN b.balance = coalesce(b.total, b.sub_total + b.tax_total) THEN 0
    END AS credited
) AS s
WHERE b.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.bills IS 'One row for each bill; key: (organization_id, bill_id). Amounts are in the bill''s currency, those that end with _base in the base currency of the organization. Drafts, void and deleted bills are in it: count WHERE is_posted.';
COMMENT ON COLUMN analytics.bills.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.bills.bill_id IS 'Identifier of the bill; unique within the organization.';
COMMENT ON COLUMN analytics.bills.bill_number IS 'Number of the bill as the vendor wrote it.';
COMMENT ON COLUMN analytics.bills.vendor_id IS 'Identifier of the vendor; group by it, since names change and repeat.';
COMMENT ON COLUMN analytics.bills.vendor_name IS 'Name of the vendor on the bill.';
COMMENT ON COLUMN analytics.bills.status IS 'Where the bill stood when it was read last; whether it is overdue say due_date and open.';
COMMENT ON COLUMN analytics.bills.is_posted IS 'Whether the organization owes or owed it: neither a draft nor void nor deleted; null if its status is unknown.';
COMMENT ON COLUMN analytics.bills.is_deleted IS 'Whether it is gone upstream.';
COMMENT ON COLUMN analytics.bills.date IS 'Day of the bill.';
COMMENT ON COLUMN analytics.bills.due_date IS 'Day on which it is due; null where upstream says none.';
COMMENT ON COLUMN analytics.bills.currency_code IS 'ISO code of its currency.';
COMMENT ON COLUMN analytics.bills.exchange_rate IS 'Price of one unit of its currency in the base currency; null if upstream gave none, or 0. A bill in the base currency has 1.';
COMMENT ON COLUMN analytics.bills.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.bills.net IS 'Sum before tax, in its currency; null until it is known.';
COMMENT ON COLUMN analytics.bills.tax IS 'Sum of the taxes, in its currency; null until it is known.';
COMMENT ON COLUMN analytics.bills.gross IS 'What the vendor charged with tax, in its currency; null until it is known.';
COMMENT ON COLUMN analytics.bills.open IS 'What is left to pay, in its currency.';
COMMENT ON COLUMN analytics.bills.net_base IS 'Sum before tax in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.bills.tax_base IS 'Sum of the taxes in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.bills.gross_base IS 'What the vendor charged in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.bills.open_base IS 'What is left to pay in the base currency, at the rate of the bill; null without a rate.';
COMMENT ON COLUMN analytics.bills.days_overdue IS 'Days since it was due, by the organization''s day; 0 if it is not due, null if nothing is open or no due date is known.';
COMMENT ON COLUMN analytics.bills.bucket IS 'Its age: not due, 1 to 30, 31 to 60, 61 to 90, over 90 days, or no due date; null if nothing is open.';
COMMENT ON COLUMN analytics.bills.lines_loaded IS 'Whether its lines are loaded, in the newest version known.';
COMMENT ON COLUMN analytics.bills.paid IS 'What payments settled, in its currency; null until its lines are loaded, unless nothing is settled. See analytics.applications for single payments.';
COMMENT ON COLUMN analytics.bills.credited IS 'What credits of the vendor settled, in its currency; null until its lines are loaded, unless nothing is settled.';
COMMENT ON COLUMN analytics.bills.paid_base IS 'What payments settled in the base currency, at the rate of the bill; null without a rate.';
COMMENT ON COLUMN analytics.bills.credited_base IS 'What credits settled in the base currency, at the rate of the bill; null without a rate.';
COMMENT ON COLUMN analytics.bills.amounts_from IS 'Which answer the sums are of: single record; list, which may have no sum before tax; unknown.';
COMMENT ON COLUMN analytics.bills.month IS 'First day of the month that it is dated in. A filter on date is faster.';
COMMENT ON COLUMN analytics.bills.is_reverse_charge IS 'Whether the organization owes the tax in place of the vendor; null until its lines are loaded.';
COMMENT ON COLUMN analytics.bills.discount IS 'All discounts together, in its currency; null until its lines are loaded. Discounts of lines are in net already.';
COMMENT ON COLUMN analytics.bills.adjustment IS 'Correction of the sum that a person entered, in its currency; null until its lines are loaded.';
COMMENT ON COLUMN analytics.bills.account_id IS 'Payables account that it is booked on; null until its lines are loaded.';
