CREATE OR REPLACE FUNCTION analytics.bills_as_of(instant timestamptz, by_upstream boolean DEFAULT false)
RETURNS TABLE (
  organization_id text, bill_id text, bill_number text, vendor_id text, vendor_name text, status text, is_posted boolean, date date, due_date date,
  currency_code text, exchange_rate numeric, base_currency text, net numeric, tax numeric, gross numeric, open numeric,
  net_base numeric, tax_base numeric, gross_base numeric, open_base numeric, days_overdue integer, bucket text, lines_loaded boolean, day date
) LANGUAGE sql STABLE
BEGIN ATOMIC
SELECT
  v.organization_id,
  v.bill_id,
  v.bill_number,
  v.vendor_id,
  v.vendor_name,
  v.status,
  v.is_posted,
  v.date,
  v.due_date,
  v.currency_code,
  v.exchange_rate,
  v.base_currency,
  v.net,
  v.tax,
  v.gross,
  v.open,
  v.net_base,
  v.tax_base,
  v.gross_base,
  v.open_base,
  CASE WHEN v.open > 0 AND v.due_date IS NOT NULL THEN greatest(d.day - v.due_date, 0) END,
  CASE
    WHEN v.open > 0 THEN CASE
      WHEN v.due_date IS NULL THEN 'no due date'
      WHEN d.day <= v.due_date THEN 'not due'
      WHEN d.day - v.due_date <= 30 THEN '1 to 30'
      WHEN d.day - v.due_date <= 60 THEN '31 to 60'
      WHEN d.day - v.due_date <= 90 THEN '61 to 90'
      ELSE 'over 90'
    END
  END,
  v.lines_loaded,
  d.day
FROM analytics.bill_versions AS v
JOIN analytics.organizations AS o ON o.organization_id = v.organization_id
CROSS JOIN LATERAL (SELECT ((instant - interval '1 microsecond') AT TIME ZONE o.time_zone)::date AS day) AS d
WHERE CASE WHEN by_upstream THEN v.upstream_from <= instant AND instant < v.upstream_to ELSE v.valid_from <= instant AND instant < v.valid_to END
  AND EXISTS (
    SELECT FROM analytics.past_periods AS p
    WHERE p.organization_id = v.organization_id AND p.resource = 'inventory.bills' AND p.versions_from <= instant AND instant < p.versions_to
  );
END;

COMMENT ON FUNCTION analytics.bills_as_of(timestamptz, boolean) IS 'One row for each bill that the table had at an instant, deleted ones left out; key: (organization_id, bill_id). SELECT * FROM analytics.bills_as_of(''2026-11-01 00:00 Asia/Kolkata''). Columns as in analytics.bills; day is that of the organization that ends at the instant or has it. With by_upstream => true by the modification times upstream. For one bill read analytics.bill_versions, which finds it by its key. No rows of an organization whose versions were not kept then: analytics.past_periods.';
