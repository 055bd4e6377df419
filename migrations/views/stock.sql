CREATE OR REPLACE VIEW analytics.stock WITH (security_barrier) AS
SELECT
  i.organization_id,
  i.item_id,
  l.location_id,
  i.name AS item_name,
  i.sku,
  i.status,
  l.location_name,
  i.unit,
  l.on_hand,
  l.available,
  l.really_available,
  i.purchase_rate,
  o.base_currency,
  l.on_hand * i.purchase_rate AS value_at_purchase_rate,
  l.is_loaded
FROM inventory.items AS i
LEFT JOIN analytics.organizations AS o ON o.organization_id = i.organization_id
CROSS JOIN LATERAL (
  SELECT
    coalesce(p.location_id, '') AS location_id, max(p.location_name) AS location_name, sum(p.location_stock_on_hand) AS on_hand,
    sum(p.location_available_stock) AS available, sum(p.location_actual_available_stock) AS really_available, true AS is_loaded
  FROM inventory.items_locations AS p
  WHERE p.organization_id = i.organization_id AND p._parent_id = i.item_id AND i._detail_state IN ('none_needed', 'current')
  GROUP BY coalesce(p.location_id, '')
  UNION ALL
  SELECT '', NULL, i.stock_on_hand, i.available_stock, i.actual_available_stock, false
  WHERE i._detail_state NOT IN ('none_needed', 'current')
) AS l
WHERE i._deleted_at IS NULL AND (i.item_type = 'inventory' OR i.track_inventory) AND i.product_type IS DISTINCT FROM 'service' AND i.is_combo_product IS NOT TRUE
  AND NOT EXISTS (SELECT FROM inventory.composite_items AS c WHERE c.organization_id = i.organization_id AND c.composite_item_id = i.item_id)
  AND i.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.stock IS 'One row for each item that is kept in stock and each location; key: (organization_id, item_id, location_id). Quantities are in the unit of the item, at the time of the last read. Services are left out, and so are bundles, whose parts are items themselves. value_at_purchase_rate is an estimate: upstream shows no cost of the stock.';
COMMENT ON COLUMN analytics.stock.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.stock.item_id IS 'Identifier of the item.';
COMMENT ON COLUMN analytics.stock.location_id IS 'Identifier of the location; empty for the sum over all while stock by location is not loaded, and if upstream names none.';
COMMENT ON COLUMN analytics.stock.item_name IS 'Name of the item.';
COMMENT ON COLUMN analytics.stock.sku IS 'The organization''s own code of the item.';
COMMENT ON COLUMN analytics.stock.status IS 'Whether the item can still be used: active or inactive.';
COMMENT ON COLUMN analytics.stock.location_name IS 'Name of the location.';
COMMENT ON COLUMN analytics.stock.unit IS 'Unit that quantities are counted in.';
COMMENT ON COLUMN analytics.stock.on_hand IS 'Units at the location by the books; null if they are unknown.';
COMMENT ON COLUMN analytics.stock.available IS 'Units that the books leave for new orders.';
COMMENT ON COLUMN analytics.stock.really_available IS 'Units that are really there for new orders, after what is shipped and received.';
COMMENT ON COLUMN analytics.stock.purchase_rate IS 'Present buying price of one unit, in the base currency.';
COMMENT ON COLUMN analytics.stock.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.stock.value_at_purchase_rate IS 'An estimate: units on hand at the present buying price, in the base currency.';
COMMENT ON COLUMN analytics.stock.is_loaded IS 'Whether the stock by location is loaded.';
