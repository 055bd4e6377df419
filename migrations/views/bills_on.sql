CREATE OR REPLACE FUNCTION analytics.bills_on(organization text, on_day date, by_upstream boolean DEFAULT false)
RETURNS TABLE (
  organization_id text, bill_id text, bill_number text, vendor_id text, vendor_name text, status text, is_posted boolean, date date, due_date date,
  currency_code text, exchange_rate numeric, base_currency text, net numeric, tax numeric, gross numeric, open numeric,
  net_base numeric, tax_base numeric, gross_base numeric, open_base numeric, days_overdue integer, bucket text, lines_loaded boolean, day date
) LANGUAGE sql STABLE
BEGIN ATOMIC
SELECT
  b.organization_id,
  b.bill_id,
  b.bill_number,
  b.vendor_id,
  b.vendor_name,
  b.status,
  b.is_posted,
  b.date,
  b.due_date,
  b.currency_code,
  b.exchange_rate,
  b.base_currency,
  b.net,
  b.tax,
  b.gross,
  b.open,
  b.net_base,
  b.tax_base,
  b.gross_base,
  b.open_base,
  b.days_overdue,
  b.bucket,
  b.lines_loaded,
  b.day
FROM analytics.organizations AS o
CROSS JOIN LATERAL analytics.bills_as_of((on_day + 1)::timestamp AT TIME ZONE o.time_zone, by_upstream) AS b
WHERE o.organization_id = organization AND b.organization_id = organization;
END;

COMMENT ON FUNCTION analytics.bills_on(text, date, boolean) IS 'One row for each bill of an organization as the table had it at the end of one of its days; key: (organization_id, bill_id). SELECT * FROM analytics.bills_on(''10234695'', ''2026-10-31''). Columns as in analytics.bills. With by_upstream => true as they were upstream. No rows if versions were not kept then: analytics.past_periods.';
