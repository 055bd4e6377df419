CREATE OR REPLACE VIEW analytics.ap_activity WITH (security_barrier) AS
WITH moved AS (
  SELECT
    u.organization_id,
    u.vendor_id,
    date_trunc('month', u.day::timestamp)::date AS month,
    max(u.vendor_name) AS vendor_name,
    sum(u.billed) AS billed,
    sum(u.paid) AS paid,
    sum(u.credited) AS credited,
    sum(u.undated) AS undated,
    sum(u.complete) AS complete,
    sum(u.bills) AS bills,
    sum(u.without_rate) AS without_rate
  FROM (
    SELECT
      b.organization_id, coalesce(b.vendor_id, '') AS vendor_id, b.date AS day, b.vendor_name, coalesce(b.gross_base, 0) AS billed, 0 AS paid, 0 AS credited,
      -- Settled by the header. The rows below take off what has a day.
      coalesce(b.gross_base - b.open_base, 0) AS undated,
      CASE WHEN b.lines_loaded OR b.open = b.gross THEN coalesce(b.gross_base, 0) ELSE 0 END AS complete,
      1 AS bills,
      CASE WHEN b.exchange_rate IS NULL THEN 1 ELSE 0 END AS without_rate
    FROM analytics.bills AS b
    WHERE b.is_posted AND b.date IS NOT NULL
    UNION ALL
    SELECT a.organization_id, coalesce(a.vendor_id, ''), a.settled_on, NULL, 0, coalesce(a.amount_base, 0), 0, 0, 0, 0, 0
    FROM analytics.applications AS a
    WHERE a.is_posted AND a.bill_date IS NOT NULL
    UNION ALL
    SELECT a.organization_id, coalesce(a.vendor_id, ''), a.bill_date, NULL, 0, 0, 0, -coalesce(a.amount_base, 0), 0, 0, 0
    FROM analytics.applications AS a
    WHERE a.is_posted AND a.bill_date IS NOT NULL
    UNION ALL
    SELECT c.organization_id, coalesce(c.vendor_id, ''), c.settled_on, NULL, 0, 0, coalesce(c.amount_base, 0), 0, 0, 0, 0
    FROM analytics.vendor_credit_uses AS c
    WHERE c.is_posted AND c.bill_date IS NOT NULL
    UNION ALL
    SELECT c.organization_id, coalesce(c.vendor_id, ''), c.bill_date, NULL, 0, 0, 0, -coalesce(c.amount_base, 0), 0, 0, 0
    FROM analytics.vendor_credit_uses AS c
    WHERE c.is_posted AND c.bill_date IS NOT NULL
  ) AS u
  GROUP BY u.organization_id, u.vendor_id, date_trunc('month', u.day::timestamp)::date
)
SELECT
  a.organization_id,
  a.vendor_id,
  a.month,
  max(a.vendor_name) OVER (PARTITION BY a.organization_id, a.vendor_id) AS vendor_name,
  a.base_currency,
  a.closing - a.billed + a.paid + a.credited + a.undated AS opening,
  a.billed,
  a.paid,
  a.credited,
  a.undated,
  a.closing,
  round(
    a.closing * (least((a.month + interval '1 month')::date, a.today + 1) - (a.month - interval '2 months')::date)
    / nullif(sum(a.billed) OVER (
      PARTITION BY a.organization_id, a.vendor_id ORDER BY a.month RANGE BETWEEN interval '2 months' PRECEDING AND CURRENT ROW
    ), 0), 1) AS dpo,
  a.bills,
  round(a.complete / nullif(a.billed, 0), 4) AS share_complete,
  a.bills_without_rate
FROM (
  SELECT
    v.organization_id,
    v.vendor_id,
    s.month::date AS month,
    m.vendor_name,
    o.base_currency,
    o.today,
    coalesce(m.billed, 0) AS billed,
    coalesce(m.paid, 0) AS paid,
    coalesce(m.credited, 0) AS credited,
    coalesce(m.undated, 0) AS undated,
    sum(coalesce(m.billed - m.paid - m.credited - m.undated, 0)) OVER (PARTITION BY v.organization_id, v.vendor_id ORDER BY s.month) AS closing,
    coalesce(m.complete, 0) AS complete,
    coalesce(m.bills, 0) AS bills,
    coalesce(m.without_rate, 0) AS bills_without_rate
  FROM (SELECT organization_id, vendor_id, min(month) AS first, max(month) AS last FROM moved GROUP BY organization_id, vendor_id) AS v
  JOIN analytics.organizations AS o ON o.organization_id = v.organization_id
  CROSS JOIN LATERAL generate_series(v.first::timestamp, greatest(v.last::timestamp, date_trunc('month', o.today::timestamp)), interval '1 month') AS s (month)
  LEFT JOIN moved AS m ON m.organization_id = v.organization_id AND m.vendor_id = v.vendor_id AND m.month = s.month::date
) AS a;

COMMENT ON VIEW analytics.ap_activity IS 'One row for each vendor and month, from its first bill to the present month; key: (organization_id, vendor_id, month). Posted bills in the base currency, at the rates of the bills: opening + billed - paid - credited - undated = closing, and the closing of a month is the opening of the next. The last closing is what is open today. Bills without a day or a rate are in no sum. Payments that settle no bill are in analytics.payments.';
COMMENT ON COLUMN analytics.ap_activity.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.ap_activity.vendor_id IS 'Identifier of the vendor; empty if upstream names none.';
COMMENT ON COLUMN analytics.ap_activity.month IS 'First day of the month.';
COMMENT ON COLUMN analytics.ap_activity.vendor_name IS 'One of the names on the vendor''s bills.';
COMMENT ON COLUMN analytics.ap_activity.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.ap_activity.opening IS 'What was open before the month.';
COMMENT ON COLUMN analytics.ap_activity.billed IS 'Bills that are dated in the month, with tax.';
COMMENT ON COLUMN analytics.ap_activity.paid IS 'What payments settled in the month, in advance of the bill included.';
COMMENT ON COLUMN analytics.ap_activity.credited IS 'What credits of the vendor settled in the month.';
COMMENT ON COLUMN analytics.ap_activity.undated IS 'What was settled of bills of the month on a day that is not known, since payments are not loaded yet, or otherwise, as by withheld tax. It counts as settled at once, so the closing of past months is too low by it.';
COMMENT ON COLUMN analytics.ap_activity.closing IS 'What was open at the end of the month.';
COMMENT ON COLUMN analytics.ap_activity.dpo IS 'Days payable outstanding: closing, divided by what was billed in the month and the two before it, times their days, until today at most; null if nothing was billed.';
COMMENT ON COLUMN analytics.ap_activity.bills IS 'Number of bills that are dated in the month.';
COMMENT ON COLUMN analytics.ap_activity.share_complete IS 'Part of billed whose payments and credits are loaded, or of which nothing is settled, from 0 to 1; null if nothing was billed.';
COMMENT ON COLUMN analytics.ap_activity.bills_without_rate IS 'Number of bills of the month without an exchange rate: they are in no sum.';
