CREATE OR REPLACE FUNCTION analytics.rate_on(organization text, currency text, day date)
RETURNS TABLE (rate numeric, source text, valid_from date)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT 1::numeric, 'base currency'::text, NULL::date
  FROM analytics.organizations AS o
  WHERE o.organization_id = organization AND o.base_currency = currency
  UNION ALL
  (SELECT r.rate, r.source, r.valid_from
  FROM analytics.fx_rates AS r
  WHERE r.organization_id = organization AND r.currency_code = currency AND r.valid_from <= day
  ORDER BY r.valid_from DESC, pg_catalog.array_position(ARRAY['list', 'adjustment', 'document'], r.source)
  LIMIT 1);
END;

COMMENT ON FUNCTION analytics.rate_on(text, text, date) IS 'The price of one unit of a currency in the base currency of an organization on a day: one row, or none if no rate is known by then. The newest rate wins whose first day is not later; of rates of one day that of the list, then of an adjustment, then of documents. source says which it is, valid_from how old; the base currency has 1 and no day. Join it with LEFT JOIN LATERAL … ON true, so that an unknown rate stays null.';
