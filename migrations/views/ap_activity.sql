CREATE OR REPLACE VIEW analytics.ap_activity WITH (security_barrier) AS
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
    m.organization_id,
    m.vendor_id,
    m.month,
    m.vendor_name,
    o.base_currency,
    o.today,
    m.billed,
    m.paid,
    m.credited,
    m.undated,
    sum(m.billed - m.paid - m.credited - m.undated) OVER (PARTITION BY m.organization_id, m.vendor_id ORDER BY m.month) AS closing,
    m.complete,
    m.bills,
    m.bills_without_rate
  FROM (
    SELECT
      u.organization_id,
      u.vendor_id,
      u.month,
      max(u.vendor_name) AS vendor_name,
      sum(u.billed) AS billed,
      sum(u.paid) AS paid,
      sum(u.credited) AS credited,
      sum(u.undated) AS undated,
      sum(u.complete) AS complete,
      sum(u.bills)::bigint AS bills,
      sum(u.without_rate)::bigint AS bills_without_rate
    FROM (
      SELECT
        b.organization_id,
        coalesce(b.vendor_id, '') AS vendor_id,
        b.month,
        max(b.vendor_name) AS vendor_name,
        coalesce(sum(b.gross_base), 0) AS billed,
        0 AS paid,
        0 AS credited,
        -- Settled by the header. The rows of settlements take off what has a day.
        coalesce(sum(b.gross_base - b.open_base), 0) AS undated,
        coalesce(sum(b.gross_base) FILTER (WHERE b.lines_loaded OR b.open = b.gross), 0) AS complete,
        count(*) AS bills,
        count(*) FILTER (WHERE b.exchange_rate IS NULL) AS without_rate
      FROM analytics.bills AS b
      WHERE b.is_posted AND b.date IS NOT NULL
      GROUP BY b.organization_id, coalesce(b.vendor_id, ''), b.month
      UNION ALL
      SELECT
        g.organization_id, g.vendor_id, d.month, NULL, 0,
        CASE WHEN g.kind = 'payment' THEN d.dated * g.amount ELSE 0 END,
        CASE WHEN g.kind = 'credit' THEN d.dated * g.amount ELSE 0 END,
        (d.dated - 1) * g.amount, 0, 0, 0
      FROM (
        SELECT
          b.organization_id,
          coalesce(b.vendor_id, '') AS vendor_id,
          date_trunc('month', b.date::timestamp)::date AS billed_in,
          date_trunc('month', greatest(s.applied_on, b.date)::timestamp)::date AS settled_in,
          s.kind,
          coalesce(sum(s.amount * CASE
            WHEN b.currency_code = o.base_currency THEN coalesce(nullif(b.exchange_rate, 0), 1)
            ELSE nullif(b.exchange_rate, 0)
          END), 0) AS amount
        FROM analytics.settlements AS s
        JOIN inventory.bills AS b ON b.organization_id = s.organization_id AND b.bill_id = s.bill_id
        LEFT JOIN analytics.organizations AS o ON o.organization_id = s.organization_id
        WHERE NOT s.is_off AND b.status NOT IN ('draft', 'void') AND b._deleted_at IS NULL AND b.date IS NOT NULL
        GROUP BY b.organization_id, coalesce(b.vendor_id, ''), billed_in, settled_in, s.kind
      ) AS g
      CROSS JOIN LATERAL (VALUES (g.settled_in, 1), (g.billed_in, 0)) AS d (month, dated)
      UNION ALL
      -- A row for each month, so that months without bills and payments are there.
      SELECT f.organization_id, f.vendor_id, s.month::date, NULL, 0, 0, 0, 0, 0, 0, 0
      FROM (
        SELECT b.organization_id, coalesce(b.vendor_id, '') AS vendor_id, min(b.month) AS first
        FROM analytics.bills AS b
        WHERE b.is_posted
        GROUP BY b.organization_id, coalesce(b.vendor_id, '')
      ) AS f
      JOIN analytics.organizations AS o ON o.organization_id = f.organization_id
      CROSS JOIN LATERAL generate_series(f.first::timestamp, o.today::timestamp, interval '1 month') AS s (month)
    ) AS u
    GROUP BY u.organization_id, u.vendor_id, u.month
  ) AS m
  JOIN analytics.organizations AS o ON o.organization_id = m.organization_id
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
