CREATE OR REPLACE VIEW analytics.after_close WITH (security_barrier) AS
SELECT
  f.organization_id,
  f.period,
  f.table_name,
  f.record_id,
  f.kind,
  f.day_before,
  f.day_after,
  f.before,
  f.after,
  f.currency_code,
  f.effect,
  f.base_currency,
  coalesce(f.effect_base, '{}') AS effect_base,
  n.noticed_at,
  f.changed_at,
  f.closed_at
FROM (
  SELECT
    p.*,
    o.base_currency,
    d.before,
    d.after,
    CASE WHEN NOT p.was_in OR NOT p.is_present OR p.currency_before IS NOT DISTINCT FROM p.currency_after THEN coalesce(e.effect, '{}') END AS effect,
    e.effect_base,
    CASE
      WHEN p.was_in AND NOT p.is_in THEN CASE WHEN p.is_present THEN 'moved_out' ELSE 'deleted' END
      WHEN NOT p.was_in THEN CASE WHEN p.first_seen_at < p.closed_at THEN 'moved_in' ELSE 'arrived' END
      WHEN p.is_deleted AND NOT p.was_deleted THEN 'deleted'
      WHEN p.was_deleted AND NOT p.is_deleted THEN 'restored'
      ELSE 'changed'
    END AS kind
  FROM (
    -- What was closed, beside what there is.
    SELECT
      c.id, c.organization_id, c.period, c.closed_at, r.table_name, r.record_id, true AS was_in,
      r.day AS day_before, r.is_deleted AS was_deleted, r.is_whole AS was_whole, r.counts AS counted, r.currency_code AS currency_before,
      r.exchange_rate AS rate_before, r.figures AS figures_before, r.content AS content_before,
      w.record_id IS NOT NULL AS is_present, coalesce(w.day BETWEEN c.first_day AND c.last_day, false) AS is_in,
      w.day AS day_after, coalesce(w.is_deleted, true) AS is_deleted, coalesce(w.is_whole, true) AS is_whole, w.counts, coalesce(w.currency_code, r.currency_code) AS currency_code,
      w.currency_code AS currency_after, w.exchange_rate AS rate_after, w.figures AS figures_after, w.content AS content_after, w.first_seen_at, w.changed_at
    FROM sluice.closings AS c
    JOIN sluice.closed_records AS r ON r.closing_id = c.id
    LEFT JOIN sluice.dated_records AS w ON w.organization_id = c.organization_id AND w.table_name = r.table_name AND w.record_id = r.record_id
    WHERE c.reopened_at IS NULL AND c.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
    UNION ALL
    -- What came into the period since. A record that came and is gone again has no effect.
    SELECT
      c.id, c.organization_id, c.period, c.closed_at, w.table_name, w.record_id, false,
      NULL, true, true, NULL, NULL, NULL, NULL, NULL,
      true, true, w.day, w.is_deleted, w.is_whole, w.counts, w.currency_code, w.currency_code, w.exchange_rate, w.figures, w.content, w.first_seen_at, w.changed_at
    FROM sluice.closings AS c
    JOIN sluice.dated_records AS w ON w.organization_id = c.organization_id AND w.day BETWEEN c.first_day AND c.last_day AND NOT w.is_deleted
    WHERE c.reopened_at IS NULL AND c.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
      AND NOT EXISTS (SELECT FROM sluice.closed_records AS r WHERE r.closing_id = c.id AND r.table_name = w.table_name AND r.record_id = w.record_id)
  ) AS p
  LEFT JOIN analytics.organizations AS o ON o.organization_id = p.organization_id
  -- The columns that differ. Without its single record a record lacks values and lines: what arrives with it is no change.
  CROSS JOIN LATERAL (
    SELECT jsonb_object_agg(k.key, k.was) FILTER (WHERE p.was_in) AS before, jsonb_object_agg(k.key, k.became) FILTER (WHERE p.is_present) AS after, count(*) AS n
    FROM (
      SELECT coalesce(b.key, a.key) AS key, coalesce(b.value, 'null') AS was, coalesce(a.value, 'null') AS became
      FROM jsonb_each(p.figures_before || p.content_before || jsonb_build_object('day', p.day_before, 'counts', p.counted, 'currency_code', p.currency_before, 'exchange_rate', p.rate_before)) AS b
      FULL JOIN jsonb_each(p.figures_after || p.content_after || jsonb_build_object('day', p.day_after, 'counts', p.counts, 'currency_code', p.currency_after, 'exchange_rate', p.rate_after)) AS a ON a.key = b.key
      WHERE NOT (p.was_in AND p.is_present) OR b.key IS NOT NULL AND a.key IS NOT NULL AND a.value <> b.value
        AND NOT (NOT p.was_whole AND b.value = 'null') AND NOT (NOT p.is_whole AND a.value = 'null')
    ) AS k
  ) AS d
  CROSS JOIN LATERAL (
    SELECT
      jsonb_object_agg(u.key, u.is_sum - u.was_sum) FILTER (WHERE u.is_sum <> u.was_sum) AS effect,
      jsonb_object_agg(u.key, u.is_sum * (CASE WHEN u.is_sum = 0 THEN 0 ELSE u.rate_now END) - u.was_sum * (CASE WHEN u.was_sum = 0 THEN 0 ELSE u.rate_then END))
        FILTER (WHERE u.is_sum <> u.was_sum OR u.is_sum <> 0 AND u.rate_now IS DISTINCT FROM u.rate_then) AS effect_base
    FROM (
      SELECT
        k.key,
        CASE WHEN p.is_in AND NOT p.is_deleted AND p.counts THEN coalesce((p.figures_after ->> k.key)::numeric, 0) ELSE 0 END AS is_sum,
        CASE WHEN p.was_in AND NOT p.was_deleted AND p.counted THEN coalesce((p.figures_before ->> k.key)::numeric, 0) ELSE 0 END AS was_sum,
        CASE WHEN p.currency_after = o.base_currency THEN coalesce(nullif(p.rate_after, 0), 1) ELSE nullif(p.rate_after, 0) END AS rate_now,
        CASE WHEN p.currency_before = o.base_currency THEN coalesce(nullif(p.rate_before, 0), 1) ELSE nullif(p.rate_before, 0) END AS rate_then
      FROM jsonb_object_keys(coalesce(p.figures_before, p.figures_after)) AS k (key)
      WHERE NOT (p.was_in AND NOT p.was_whole AND p.figures_before -> k.key = 'null')
    ) AS u
  ) AS e
  WHERE NOT p.was_in OR NOT (p.was_deleted AND p.is_deleted) AND (NOT p.is_in OR p.is_deleted <> p.was_deleted OR d.n > 0)
) AS f
LEFT JOIN sluice.after_close_notices AS n ON n.closing_id = f.id AND n.table_name = f.table_name AND n.record_id = f.record_id;

COMMENT ON VIEW analytics.after_close IS 'One row for each record that changed a period after it was closed; key: (organization_id, period, table_name, record_id). Frozen values beside present ones: a change that was undone is gone from here. What moves with later documents, such as a payment of a bill, changes no period but its own.';
COMMENT ON COLUMN analytics.after_close.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.after_close.period IS 'The closed period.';
COMMENT ON COLUMN analytics.after_close.table_name IS 'The table with its schema, as inventory.bills.';
COMMENT ON COLUMN analytics.after_close.record_id IS 'Key of the record in its table.';
COMMENT ON COLUMN analytics.after_close.kind IS 'changed; deleted: gone upstream; restored: it was gone when the period was closed; arrived: it came later; moved_in and moved_out: its day was changed.';
COMMENT ON COLUMN analytics.after_close.day_before IS 'Day that it was dated when the period was closed; null if it was not in the period.';
COMMENT ON COLUMN analytics.after_close.day_after IS 'Day that it is dated now; null if it has none, or no row.';
COMMENT ON COLUMN analytics.after_close.before IS 'What differs, as it was when the period was closed, by column; counts says whether it was in the sums. Null if it was not in the period.';
COMMENT ON COLUMN analytics.after_close.after IS 'The same as it is now; null if there is no row any more.';
COMMENT ON COLUMN analytics.after_close.currency_code IS 'ISO code of the currency of effect; null for figures in the base currency.';
COMMENT ON COLUMN analytics.after_close.effect IS 'What it does to the sums of the period as JSON, by figure: {"total": -12.50}; empty if nothing, null where the record changed its currency.';
COMMENT ON COLUMN analytics.after_close.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.after_close.effect_base IS 'The same in the base currency, each side at its own rate; null for a figure whose rate is unknown.';
COMMENT ON COLUMN analytics.after_close.noticed_at IS 'When the program noticed and told it; null until it did.';
COMMENT ON COLUMN analytics.after_close.changed_at IS 'When its row last changed; null if there is none any more.';
COMMENT ON COLUMN analytics.after_close.closed_at IS 'When the period was closed.';
