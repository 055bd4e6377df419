CREATE OR REPLACE FUNCTION analytics.ap_open_items(day date)
RETURNS TABLE (
  organization_id text, bill_id text, bill_number text, vendor_id text, vendor_name text, date date, due_date date, currency_code text,
  exchange_rate numeric, base_currency text, gross numeric, open numeric, open_base numeric, days_overdue integer, bucket text, is_known boolean
)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT
    b.organization_id,
    b.bill_id,
    b.bill_number,
    b.vendor_id,
    b.vendor_name,
    b.date,
    b.due_date,
    b.currency_code,
    b.exchange_rate,
    b.base_currency,
    b.gross,
    i.open,
    i.open * b.exchange_rate,
    CASE WHEN b.due_date IS NOT NULL THEN greatest(day - b.due_date, 0) END,
    CASE
      WHEN NOT k.is_known THEN NULL
      WHEN b.due_date IS NULL THEN 'no due date'
      WHEN day <= b.due_date THEN 'not due'
      WHEN day - b.due_date <= 30 THEN '1 to 30'
      WHEN day - b.due_date <= 60 THEN '31 to 60'
      WHEN day - b.due_date <= 90 THEN '61 to 90'
      ELSE 'over 90'
    END,
    k.is_known
  FROM analytics.bills AS b
  JOIN analytics.organizations AS o ON o.organization_id = b.organization_id
  LEFT JOIN (
    SELECT u.organization_id, u.bill_id, sum(u.amount) AS settled, sum(u.amount) FILTER (WHERE u.applied_on > day) AS settled_later
    FROM analytics.settlements AS u
    WHERE NOT u.is_off
    GROUP BY u.organization_id, u.bill_id
  ) AS s ON s.organization_id = b.organization_id AND s.bill_id = b.bill_id
  CROSS JOIN LATERAL (
    SELECT day >= o.today OR b.lines_loaded OR coalesce(b.gross - b.open = coalesce(s.settled, 0), false) AS is_known
  ) AS k
  -- What is open today, and what was settled since.
  CROSS JOIN LATERAL (SELECT CASE WHEN k.is_known THEN b.open + coalesce(s.settled_later, 0) END AS open) AS i
  WHERE b.is_posted AND (b.date <= day OR b.date IS NULL) AND (i.open > 0 OR NOT k.is_known);
END;

COMMENT ON FUNCTION analytics.ap_open_items(date) IS 'One row for each posted bill that was open at the end of a day; key: (organization_id, bill_id). open is what is open today and what was settled after the day, in the bill''s currency; open_base is at the rate of the bill. Bills that are void or deleted today are left out. Where payments are not loaded yet and something was paid, the day of it is unknown: then is_known is false, open null, and the bill may have been open or not.';
