CREATE OR REPLACE VIEW analytics.price_changes WITH (security_barrier) AS
SELECT
  c.organization_id,
  CASE c.resource WHEN 'items' THEN 'item' ELSE 'bundle' END AS kind,
  c.record_id AS item_id,
  c.price_kind,
  c.seen_at,
  c.name AS item_name,
  c.sku,
  o.base_currency,
  c.price_before,
  c.price,
  round((c.price - c.price_before) / nullif(c.price_before, 0) * 100, 2) AS percent,
  c.changed_at,
  (c.changed_at AT TIME ZONE o.time_zone)::date AS day,
  lead(c.changed_at) OVER (PARTITION BY c.organization_id, c.resource, c.record_id, c.price_kind ORDER BY c.seen_at) AS until,
  c.is_exact
FROM (
  SELECT
    v.organization_id, v.resource, v.record_id, p.price_kind, v.valid_from AS seen_at, r.name, r.sku, p.price,
    lag(p.price) OVER (PARTITION BY v.organization_id, v.resource, v.record_id, p.price_kind ORDER BY v.valid_from) AS price_before,
    v.upstream_from AS changed_at, v.began <> 'present' AS is_exact
  FROM history.versions AS v
  CROSS JOIN LATERAL jsonb_to_record(v.record) AS r (name text, sku text, rate numeric, purchase_rate numeric)
  CROSS JOIN LATERAL (VALUES ('selling', r.rate), ('buying', r.purchase_rate)) AS p (price_kind, price)
  WHERE v.service = 'inventory' AND v.resource IN ('items', 'composite_items') AND p.price IS NOT NULL
    AND v.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
) AS c
LEFT JOIN analytics.organizations AS o ON o.organization_id = c.organization_id
WHERE c.price <> c.price_before;

COMMENT ON VIEW analytics.price_changes IS 'One row for each change of a price of an item or bundle; key: (organization_id, kind, item_id, price_kind, seen_at). Prices are of one unit, in the base currency. Only where the configuration keeps versions of items, history: true, and only since then.';
COMMENT ON COLUMN analytics.price_changes.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.price_changes.kind IS 'item or bundle.';
COMMENT ON COLUMN analytics.price_changes.item_id IS 'Identifier of the item or bundle.';
COMMENT ON COLUMN analytics.price_changes.price_kind IS 'selling or buying.';
COMMENT ON COLUMN analytics.price_changes.seen_at IS 'When the new price was copied.';
COMMENT ON COLUMN analytics.price_changes.item_name IS 'Name of the item since then.';
COMMENT ON COLUMN analytics.price_changes.sku IS 'The organization''s own code of the item since then.';
COMMENT ON COLUMN analytics.price_changes.base_currency IS 'ISO code of the organization''s base currency, which prices are in.';
COMMENT ON COLUMN analytics.price_changes.price_before IS 'Price before the change.';
COMMENT ON COLUMN analytics.price_changes.price IS 'Price since the change.';
COMMENT ON COLUMN analytics.price_changes.percent IS 'Change in percent of the price before, rounded to two decimals; a fall is negative, null if the price was 0.';
COMMENT ON COLUMN analytics.price_changes.changed_at IS 'When it changed upstream, by the modification time of the item.';
COMMENT ON COLUMN analytics.price_changes.day IS 'Day of the organization of that instant.';
COMMENT ON COLUMN analytics.price_changes.until IS 'When it changed again; null if it did not.';
COMMENT ON COLUMN analytics.price_changes.is_exact IS 'Whether the instant is that of the change; false if it happened at some time before, while no versions were kept.';
