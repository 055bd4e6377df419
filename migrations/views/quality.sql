CREATE OR REPLACE VIEW analytics.quality WITH (security_barrier) AS
-- A union is hidden in a subquery, because the barrier of a bare one lets conditions through.
SELECT
  u.organization_id,
  u.resource,
  u.record_id,
  u.check_name,
  u.severity,
  u.date,
  u.amount,
  u.currency_code,
  u.sentence
FROM (
  SELECT
    b.organization_id,
    'inventory.bills' AS resource,
    b.bill_id AS record_id,
    c.check_name,
    c.severity,
    b.date,
    c.amount,
    b.currency_code,
    c.sentence
  FROM analytics.bills AS b
  -- Bill by bill: OFFSET keeps a question about one month from adding up all bills.
  LEFT JOIN LATERAL (
    SELECT m.lines, m.taxes, m.paid, m.credits, m.sub_total, m.tax_total, m.balance, m.is_reverse_charge_applied, m.tolerance
    FROM sluice.bill_sums AS m
    WHERE m.organization_id = b.organization_id AND m.bill_id = b.bill_id
    OFFSET 0
  ) AS s ON true
  LEFT JOIN (
    SELECT organization_id, vendor_id, lower(bill_number) AS number, count(*) AS bills
    FROM analytics.bills
    WHERE is_posted AND vendor_id <> '' AND bill_number <> ''
    GROUP BY organization_id, vendor_id, lower(bill_number)
    HAVING count(*) > 1
  ) AS n ON b.is_posted AND n.organization_id = b.organization_id AND n.vendor_id = b.vendor_id AND n.number = lower(b.bill_number)
  LEFT JOIN (
    SELECT organization_id, vendor_id, date, currency_code, gross, count(*) AS bills
    FROM analytics.bills
    WHERE is_posted AND vendor_id <> '' AND date IS NOT NULL AND gross <> 0
    GROUP BY organization_id, vendor_id, date, currency_code, gross
    HAVING count(*) > 1
  ) AS a ON b.is_posted AND a.organization_id = b.organization_id AND a.vendor_id = b.vendor_id AND a.date = b.date
    AND a.currency_code IS NOT DISTINCT FROM b.currency_code AND a.gross = b.gross
  CROSS JOIN LATERAL (VALUES
    ('bill_lines', 'violation', abs(coalesce(s.lines, 0) - s.sub_total) > s.tolerance, abs(coalesce(s.lines, 0) - s.sub_total),
      'The lines add up to ' || coalesce(s.lines, 0) || ', the bill says ' || s.sub_total || ' before tax.'),
    ('bill_taxes', 'violation', s.is_reverse_charge_applied IS NOT TRUE AND abs(coalesce(s.taxes, 0) - s.tax_total) > s.tolerance,
      abs(coalesce(s.taxes, 0) - s.tax_total), 'The taxes add up to ' || coalesce(s.taxes, 0) || ', the bill says ' || s.tax_total || '.'),
    ('bill_balances', 'violation', s.is_reverse_charge_applied IS NOT TRUE AND abs(s.sub_total + s.tax_total - s.paid - s.credits - s.balance) > s.tolerance,
      abs(s.sub_total + s.tax_total - s.paid - s.credits - s.balance),
      'Of ' || (s.sub_total + s.tax_total) || ' with tax, ' || (s.paid + s.credits) || ' are paid or credited, and ' || s.balance || ' are said to be open.'),
    ('status_unknown', 'notice', b.is_posted IS NULL, b.gross, 'Whether it is posted is not known: it is in no sum.'),
    ('amount_unknown', 'notice', b.gross IS NULL, b.gross, 'No amount is known: it is in no sum.'),
    ('currency_unknown', 'notice', nullif(b.currency_code, '') IS NULL, b.gross, 'No currency is known.'),
    ('date_unknown', 'notice', b.date IS NULL, b.gross, 'No day is known: it is in no month.'),
    ('rate_unknown', 'notice', b.exchange_rate IS NULL, b.gross, 'No exchange rate is known: it is in no sum in the base currency.'),
    ('due_date_unknown', 'notice', b.bucket = 'no due date', b.open, 'It is open and no due date is known.'),
    ('bill_number_repeated', 'notice', n.bills > 1, b.gross, 'The vendor has ' || n.bills || ' bills of this number.'),
    ('bill_amount_repeated', 'notice', a.bills > 1, b.gross, 'The vendor has ' || a.bills || ' bills of this day and amount.')
  ) AS c (check_name, severity, is_met, amount, sentence)
  WHERE b.is_posted IS NOT FALSE AND c.is_met
  UNION ALL
  SELECT p.organization_id, 'accounting.vendor_payments', p.payment_id, c.check_name, c.severity, p.date, c.amount, p.currency_code, c.sentence
  FROM analytics.payments AS p
  LEFT JOIN sluice.check_payments_applied AS a ON a.organization_id = p.organization_id AND a.record_id = p.payment_id
  CROSS JOIN LATERAL (VALUES
    ('payments_applied', 'violation', a.record_id IS NOT NULL, p.applied - p.amount, 'Bills got ' || p.applied || ' of a payment of ' || p.amount || '.'),
    ('amount_unknown', 'notice', p.amount IS NULL, p.amount, 'No amount is known: it is in no sum.'),
    ('currency_unknown', 'notice', nullif(p.currency_code, '') IS NULL, p.amount, 'No currency is known.'),
    ('date_unknown', 'notice', p.date IS NULL, p.amount, 'No day is known: it is in no month.'),
    ('rate_unknown', 'notice', p.exchange_rate IS NULL, p.amount, 'No exchange rate is known: it is in no sum in the base currency.')
  ) AS c (check_name, severity, is_met, amount, sentence)
  WHERE p.is_posted AND c.is_met
  UNION ALL
  SELECT n.organization_id, 'inventory.credit_notes', n.creditnote_id, c.check_name, c.severity, n.date, c.amount, n.currency_code, c.sentence
  FROM analytics.credit_notes AS n
  LEFT JOIN sluice.check_credits_applied AS a ON a.organization_id = n.organization_id AND a.record_id = n.creditnote_id
  CROSS JOIN LATERAL (VALUES
    ('credits_applied', 'violation', a.record_id IS NOT NULL, NULL, 'It is used for more than it is worth: ' || a.detail || '.'),
    ('status_unknown', 'notice', n.is_posted IS NULL, n.gross, 'Whether it is posted is not known: it is in no sum.'),
    ('amount_unknown', 'notice', n.gross IS NULL, n.gross, 'No amount is known: it is in no sum.'),
    ('currency_unknown', 'notice', nullif(n.currency_code, '') IS NULL, n.gross, 'No currency is known.'),
    ('date_unknown', 'notice', n.date IS NULL, n.gross, 'No day is known: it is in no month.'),
    ('rate_unknown', 'notice', n.exchange_rate IS NULL, n.gross, 'No exchange rate is known: it is in no sum in the base currency.')
  ) AS c (check_name, severity, is_met, amount, sentence)
  WHERE n.is_posted IS NOT FALSE AND c.is_met
  UNION ALL
  SELECT organization_id, 'inventory.bills', bill_id, 'paid_before_billed', 'notice', min(bill_date), sum(amount), currency_code,
    'It is dated ' || min(bill_date) || ' and was paid from ' || min(payment_date) || ' on.'
  FROM analytics.applications
  WHERE is_posted AND payment_date < bill_date
  GROUP BY organization_id, bill_id, currency_code
  UNION ALL
  SELECT organization_id, 'accounting.base_currency_adjustments', adjustment_id, 'adjustment_accounts', 'violation', date, abs(gain_or_loss_base), base_currency,
    'The accounts lack ' || gain_or_loss_base || ' of its gain or loss.'
  FROM analytics.fx_adjustments
  WHERE line_kind = 'rest'
  UNION ALL
  SELECT organization_id, 'analytics.ap_control', currency_code, 'control_differs', 'notice', NULL, abs(difference), currency_code,
    'Open bills less unapplied payments are ' || subledger_open || ', the accounts of payables (' || account_names || ') have ' || ledger_balance || '.'
  FROM analytics.ap_control
  WHERE round(difference, 2) <> 0 -- accounts show cents, open bills in foreign currency less
  UNION ALL
  SELECT organization_id, 'accounting.opening_balances', record_id, 'opening_balances', 'violation', NULL, NULL, NULL, 'It does not balance: ' || detail || '.'
  FROM sluice.check_opening_balances
  WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  UNION ALL
  SELECT organization_id, service || '.' || resource, '', 'quarantine', 'notice', NULL, NULL, NULL,
    count(*) || ' records did not fit the table and are kept aside: they are in no sum.'
  FROM sluice.quarantine
  WHERE state = 'open' AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  GROUP BY organization_id, service, resource
  UNION ALL
  SELECT organization_id, 'analytics.organizations', organization_id, 'base_currency_unknown', 'notice', NULL, NULL, NULL,
    'The settings of the organization are not copied: nothing can be said in its base currency.'
  FROM analytics.organizations
  WHERE base_currency IS NULL
) AS u;

COMMENT ON VIEW analytics.quality IS 'One row for each record that does not pass a check; key: (organization_id, resource, record_id, check_name). violation: figures contradict each other. notice: figures are missing, or worth a look. Amounts are in currency_code: never add up different ones.';
COMMENT ON COLUMN analytics.quality.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.quality.resource IS 'Service and resource of the record, as inventory.bills.';
COMMENT ON COLUMN analytics.quality.record_id IS 'Identifier of the record; empty if it is about the table.';
COMMENT ON COLUMN analytics.quality.check_name IS 'Name of the check, such as bill_lines or rate_unknown.';
COMMENT ON COLUMN analytics.quality.severity IS 'violation or notice.';
COMMENT ON COLUMN analytics.quality.date IS 'Day of the record; null if it has none.';
COMMENT ON COLUMN analytics.quality.amount IS 'Of sums that differ the difference, otherwise the amount of the record that it is about; null if there is none.';
COMMENT ON COLUMN analytics.quality.currency_code IS 'ISO code of the currency of the amount.';
COMMENT ON COLUMN analytics.quality.sentence IS 'What was found.';
