CREATE OR REPLACE VIEW analytics.stock_days WITH (security_barrier) AS
SELECT
  d.organization_id,
  CASE d.resource WHEN 'items' THEN 'item' ELSE 'bundle' END AS kind,
  d.record_id AS item_id,
  q.location_id,
  d.day,
  q.on_hand,
  q.available,
  q.really_available,
  d.day <> c.day AS is_carried
FROM (
  SELECT f.organization_id, f.resource, f.record_id, f.first_day + n.n AS day
  FROM (
    SELECT h.organization_id, h.resource, h.record_id, min(h.day) AS first_day
    FROM history.days AS h
    WHERE h.service = 'inventory' AND h.resource IN ('items', 'composite_items')
      AND h.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
    GROUP BY h.organization_id, h.resource, h.record_id
  ) AS f
  JOIN analytics.organizations AS o ON o.organization_id = f.organization_id
  CROSS JOIN LATERAL generate_series(0, o.today - f.first_day) AS n (n)
) AS d
CROSS JOIN LATERAL (
  SELECT h.day, h.content
  FROM history.days AS h
  WHERE h.service = 'inventory' AND h.resource = d.resource AND h.organization_id = d.organization_id AND h.record_id = d.record_id AND h.day <= d.day
  ORDER BY h.day DESC
  LIMIT 1
) AS c
CROSS JOIN LATERAL (
  SELECT
    coalesce(e ->> 'location_id', '') AS location_id, sum((e ->> 'location_stock_on_hand')::numeric) AS on_hand,
    sum((e ->> 'location_available_stock')::numeric) AS available, sum((e ->> 'location_actual_available_stock')::numeric) AS really_available
  FROM jsonb_array_elements(c.content -> 'items_locations') AS e
  GROUP BY coalesce(e ->> 'location_id', '')
  UNION ALL
  SELECT '', (c.content ->> 'stock_on_hand')::numeric, (c.content ->> 'available_stock')::numeric, (c.content ->> 'actual_available_stock')::numeric
  WHERE c.content ?| ARRAY['stock_on_hand', 'available_stock', 'actual_available_stock'] AND NOT c.content ? 'items_locations'
) AS q
WHERE EXISTS (
  SELECT FROM analytics.past_periods AS p
  WHERE p.organization_id = d.organization_id AND p.resource = 'inventory.' || d.resource AND d.day BETWEEN p.days_from AND p.days_to
);

COMMENT ON VIEW analytics.stock_days IS 'One row for each item or bundle, location and day; key: (organization_id, kind, item_id, location_id, day). Quantities at the end of the day, in the unit of the item. Only where the configuration keeps them by day, daily: [items_locations] or [stock_on_hand], and only since then.';
COMMENT ON COLUMN analytics.stock_days.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.stock_days.kind IS 'item or bundle. The parts of a bundle are items: do not add up both.';
COMMENT ON COLUMN analytics.stock_days.item_id IS 'Identifier of the item or bundle.';
COMMENT ON COLUMN analytics.stock_days.location_id IS 'Identifier of the location; empty where the sum over all locations is kept.';
COMMENT ON COLUMN analytics.stock_days.day IS 'Day of the organization.';
COMMENT ON COLUMN analytics.stock_days.on_hand IS 'Units by the books.';
COMMENT ON COLUMN analytics.stock_days.available IS 'Units that the books leave for new orders.';
COMMENT ON COLUMN analytics.stock_days.really_available IS 'Units that are really there for new orders, after what is shipped and received.';
COMMENT ON COLUMN analytics.stock_days.is_carried IS 'Whether the values are those of an earlier day, because no run saw others since.';
