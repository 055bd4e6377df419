CREATE OR REPLACE VIEW analytics.fx_rates WITH (security_barrier) AS
SELECT
  r.organization_id,
  r.currency_code,
  r.valid_from,
  r.source,
  r.rate,
  lead(r.valid_from) OVER (PARTITION BY r.organization_id, r.currency_code, r.source ORDER BY r.valid_from) AS valid_to,
  r.base_currency,
  r.documents,
  r.lowest,
  r.highest
FROM (
  (SELECT DISTINCT ON (organization_id, currency_code, valid_from)
    organization_id, currency_code, valid_from, 'list' AS source, rate, base_currency, NULL::bigint AS documents, rate AS lowest, rate AS highest
  FROM (
    SELECT
      h.organization_id,
      i.currency_code,
      coalesce(h.effective_date, (h._seen_at AT TIME ZONE o.time_zone)::date) AS valid_from,
      h.exchange_rate AS rate,
      o.base_currency,
      h._seen_at AS seen_at
    FROM invoicing.currencies_history AS h
    JOIN analytics.organizations AS o ON o.organization_id = h.organization_id
    JOIN analytics.currency_ids AS i ON i.organization_id = h.organization_id AND i.currency_id = h.currency_id
    WHERE h.exchange_rate > 0 AND h.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
    UNION ALL
    -- Loaded before the history began.
    SELECT
      c.organization_id,
      c.currency_code,
      coalesce(c.effective_date, (c._changed_at AT TIME ZONE o.time_zone)::date),
      c.exchange_rate,
      o.base_currency,
      c._changed_at
    FROM invoicing.currencies AS c
    JOIN analytics.organizations AS o ON o.organization_id = c.organization_id
    WHERE c.exchange_rate > 0 AND c._deleted_at IS NULL
      AND NOT EXISTS (
        SELECT FROM invoicing.currencies_history AS h
        WHERE h.exchange_rate > 0 AND h.organization_id = c.organization_id AND h.currency_id = c.currency_id
      )
      AND c.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  ) AS listed
  ORDER BY organization_id, currency_code, valid_from, seen_at DESC, rate)
  UNION ALL
  (SELECT DISTINCT ON (a.organization_id, a.currency_code, a.adjustment_date)
    a.organization_id, a.currency_code, a.adjustment_date, 'adjustment', a.exchange_rate, o.base_currency, NULL, a.exchange_rate, a.exchange_rate
  FROM accounting.base_currency_adjustments AS a
  JOIN analytics.organizations AS o ON o.organization_id = a.organization_id
  WHERE a._deleted_at IS NULL AND a.exchange_rate > 0
    AND a.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  ORDER BY a.organization_id, a.currency_code, a.adjustment_date, a.base_currency_adjustment_id DESC)
  UNION ALL
  SELECT
    d.organization_id,
    d.currency_code,
    d.date,
    'document',
    mode() WITHIN GROUP (ORDER BY d.exchange_rate),
    o.base_currency,
    count(*),
    min(d.exchange_rate),
    max(d.exchange_rate)
  FROM (
    SELECT organization_id, currency_code, date, exchange_rate
    FROM inventory.bills
    WHERE _deleted_at IS NULL AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
    UNION ALL
    SELECT organization_id, currency_code, date, exchange_rate
    FROM accounting.expenses
    WHERE _deleted_at IS NULL AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
    UNION ALL
    SELECT p.organization_id, coalesce(nullif(p.currency_code, ''), i.currency_code), p.date, p.exchange_rate
    FROM accounting.vendor_payments AS p
    LEFT JOIN analytics.currency_ids AS i ON i.organization_id = p.organization_id AND i.currency_id = p.currency_id
    WHERE p._deleted_at IS NULL AND p.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
    UNION ALL
    SELECT organization_id, currency_code, date, exchange_rate
    FROM inventory.credit_notes
    WHERE _deleted_at IS NULL AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
    UNION ALL
    SELECT a.organization_id, a.currency_code, b.date, a.exchange_rate
    FROM accounting.opening_balances_accounts AS a
    JOIN accounting.opening_balances AS b ON b.organization_id = a.organization_id AND b.opening_balance_id = a._parent_id
    WHERE a._deleted_at IS NULL AND a.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  ) AS d
  JOIN analytics.organizations AS o ON o.organization_id = d.organization_id
  WHERE d.exchange_rate > 0 AND d.currency_code IS DISTINCT FROM o.base_currency
  GROUP BY d.organization_id, d.currency_code, d.date, o.base_currency
) AS r
WHERE r.currency_code <> '' AND r.valid_from IS NOT NULL
  AND r.currency_code IS DISTINCT FROM r.base_currency;

COMMENT ON VIEW analytics.fx_rates IS 'One row for each day and source from which a rate of a foreign currency counts; key: (organization_id, currency_code, valid_from, source). The price of one unit in the base currency. Rates of 0 are unknown to upstream and left out. analytics.rate_on(organization, currency, day) picks one.';
COMMENT ON COLUMN analytics.fx_rates.organization_id IS 'Key of the organization, whose books decide the rate.';
COMMENT ON COLUMN analytics.fx_rates.currency_code IS 'ISO code of the foreign currency.';
COMMENT ON COLUMN analytics.fx_rates.valid_from IS 'First day on which the rate counts; the day of the documents for the source document.';
COMMENT ON COLUMN analytics.fx_rates.source IS 'list: the organization''s list of currencies; adjustment: a base currency adjustment; document: bills, credit notes, expenses, payments and the opening balance of the day.';
COMMENT ON COLUMN analytics.fx_rates.rate IS 'Price of one unit of the currency in the base currency; of documents the most frequent one of the day.';
COMMENT ON COLUMN analytics.fx_rates.valid_to IS 'First day on which the next rate of the same source counts; null for the newest.';
COMMENT ON COLUMN analytics.fx_rates.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.fx_rates.documents IS 'Number of documents of the day with a rate; null for other sources.';
COMMENT ON COLUMN analytics.fx_rates.lowest IS 'Lowest rate on a document of the day; the rate itself for other sources.';
COMMENT ON COLUMN analytics.fx_rates.highest IS 'Highest rate on a document of the day; the rate itself for other sources.';
