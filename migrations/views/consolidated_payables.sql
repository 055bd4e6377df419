CREATE OR REPLACE FUNCTION analytics.consolidated_payables(currency text, day date)
RETURNS TABLE (
  organization_id text, bucket text, base_currency text, bills bigint, amount_base numeric, rate numeric, rate_source text, rate_from date,
  currency_code text, amount numeric, missing_rate text, bills_without_rate bigint
)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT
    i.organization_id,
    i.bucket,
    i.base_currency,
    i.bills,
    i.amount_base,
    r.rate,
    r.source,
    r.valid_from,
    currency,
    i.amount_base / r.rate,
    CASE WHEN r.rate IS NULL THEN concat(currency, ' in ', coalesce(i.base_currency, 'an unknown base currency')) END,
    i.bills_without_rate
  FROM (
    SELECT
      p.organization_id, coalesce(p.bucket, 'unknown') AS bucket, p.base_currency, count(*) AS bills, sum(p.open_base) AS amount_base,
      count(*) FILTER (WHERE p.exchange_rate IS NULL) AS bills_without_rate
    FROM analytics.ap_open_items(day) AS p
    GROUP BY p.organization_id, coalesce(p.bucket, 'unknown'), p.base_currency
  ) AS i
  LEFT JOIN LATERAL analytics.rate_on(i.organization_id, currency, day) AS r ON true;
END;

COMMENT ON FUNCTION analytics.consolidated_payables(text, date) IS 'One row for each organization and age of its bills that were open at the end of a day; key: (organization_id, bucket). amount_base is in the base currency of the organization, at the rates of the bills; amount is the same in the currency asked for, so that organizations can be added up. rate is the price of one unit of that currency in the base currency on the day. Where no rate is known amount is null and missing_rate names it: a sum over organizations lacks these. The bucket unknown has bills that may have been open or not.';
