CREATE OR REPLACE FUNCTION analytics.ap_ageing_on(day date)
RETURNS TABLE (
  organization_id text, vendor_id text, currency_code text, vendor_name text, base_currency text, bills bigint, open numeric, open_base numeric,
  not_due_base numeric, days_1_to_30_base numeric, days_31_to_60_base numeric, days_61_to_90_base numeric, over_90_days_base numeric,
  no_due_date_base numeric, first_due date, bills_without_rate bigint, bills_unknown bigint, gross_unknown_base numeric
)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT
    i.organization_id,
    coalesce(i.vendor_id, ''),
    coalesce(i.currency_code, ''),
    max(i.vendor_name),
    i.base_currency,
    count(*) FILTER (WHERE i.is_known),
    sum(i.open),
    sum(i.open_base),
    coalesce(sum(i.open_base) FILTER (WHERE i.bucket = 'not due'), 0),
    coalesce(sum(i.open_base) FILTER (WHERE i.bucket = '1 to 30'), 0),
    coalesce(sum(i.open_base) FILTER (WHERE i.bucket = '31 to 60'), 0),
    coalesce(sum(i.open_base) FILTER (WHERE i.bucket = '61 to 90'), 0),
    coalesce(sum(i.open_base) FILTER (WHERE i.bucket = 'over 90'), 0),
    coalesce(sum(i.open_base) FILTER (WHERE i.bucket = 'no due date'), 0),
    min(i.due_date) FILTER (WHERE i.is_known),
    count(*) FILTER (WHERE i.is_known AND i.exchange_rate IS NULL),
    count(*) FILTER (WHERE NOT i.is_known),
    coalesce(sum(i.gross * i.exchange_rate) FILTER (WHERE NOT i.is_known), 0)
  FROM analytics.ap_open_items(day) AS i
  GROUP BY i.organization_id, coalesce(i.vendor_id, ''), coalesce(i.currency_code, ''), i.base_currency;
END;

COMMENT ON FUNCTION analytics.ap_ageing_on(date) IS 'One row for each vendor and currency with bills that were open at the end of a day; key: (organization_id, vendor_id, currency_code). The columns are those of analytics.ap_ageing, by that day. Bills of which it is unknown whether they were open are in none of the sums: bills_unknown counts them, and gross_unknown_base bounds what may be missing.';
