CREATE OR REPLACE FUNCTION analytics.fx_exposure(day date)
RETURNS TABLE (
  organization_id text, currency_code text, base_currency text, payables numeric, document_base numeric, rate numeric, rate_source text, rate_from date,
  revalued_base numeric, unrealized_base numeric, bank numeric, bank_revalued_base numeric, bills_without_rate bigint, bills_unknown bigint,
  accounts_unknown bigint
)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT
    e.organization_id,
    e.currency_code,
    e.base_currency,
    e.payables,
    e.document_base,
    r.rate,
    r.source,
    r.valid_from,
    e.payables * r.rate,
    e.document_base - e.payables_with_rate * r.rate,
    e.bank,
    e.bank * r.rate,
    e.bills_without_rate,
    e.bills_unknown,
    e.accounts_unknown
  FROM (
    SELECT
      u.organization_id,
      u.currency_code,
      u.base_currency,
      sum(u.payables) AS payables,
      sum(u.payables) FILTER (WHERE u.document_base IS NOT NULL) AS payables_with_rate,
      sum(u.document_base) AS document_base,
      sum(u.bank) AS bank,
      sum(u.bills_without_rate)::bigint AS bills_without_rate,
      sum(u.bills_unknown)::bigint AS bills_unknown,
      sum(u.accounts_unknown)::bigint AS accounts_unknown
    FROM (
      SELECT
        i.organization_id, coalesce(i.currency_code, '') AS currency_code, i.base_currency, i.open AS payables, i.open_base AS document_base,
        NULL::numeric AS bank, (i.is_known AND i.exchange_rate IS NULL)::integer AS bills_without_rate, (NOT i.is_known)::integer AS bills_unknown,
        0 AS accounts_unknown
      FROM analytics.ap_open_items(fx_exposure.day) AS i
      WHERE i.currency_code IS DISTINCT FROM i.base_currency
      UNION ALL
      SELECT a.organization_id, coalesce(a.currency_code, ''), a.base_currency, NULL, NULL, b.balance, 0, 0, (b.balance IS NULL)::integer
      FROM analytics.accounts AS a
      JOIN analytics.organizations AS o ON o.organization_id = a.organization_id
      LEFT JOIN analytics.balance_days AS d ON d.organization_id = a.organization_id AND d.account_id = a.account_id AND d.day = fx_exposure.day
      CROSS JOIN LATERAL (SELECT CASE WHEN fx_exposure.day >= o.today THEN a.balance ELSE d.balance END AS balance) AS b
      WHERE a.type IN ('bank', 'cash') AND NOT a.is_deleted AND a.currency_code <> a.base_currency
    ) AS u
    GROUP BY u.organization_id, u.currency_code, u.base_currency
  ) AS e
  LEFT JOIN LATERAL analytics.rate_on(e.organization_id, e.currency_code, fx_exposure.day) AS r ON true;
END;

COMMENT ON FUNCTION analytics.fx_exposure(date) IS 'One row for each foreign currency of open bills and of accounts of type bank or cash at the end of a day; key: (organization_id, currency_code). payables and bank are in currency_code; document_base is at the rates of the bills, what ends with _revalued_base or is revalued_base at the rate of the day (rate_source and rate_from say which). unrealized_base is what paying all at that rate would gain: document_base less the same bills revalued, so bills without a rate are not in it. Unknown rates leave null. Balances of an earlier day are known only where they are kept by day; accounts_unknown counts the others, bills_unknown the bills that may have been open.';
