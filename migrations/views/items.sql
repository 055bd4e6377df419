CREATE OR REPLACE VIEW analytics.items WITH (security_barrier) AS
SELECT
  i.organization_id,
  i.item_id,
  i.kind,
  i.name,
  i.sku,
  i.status,
  i.product_type,
  i.unit,
  i.is_stocked,
  i.vendor_id,
  i.vendor_name,
  i.purchase_account_id,
  o.base_currency,
  i.rate AS sales_rate,
  i.purchase_rate,
  i.tax_percentage,
  i.reorder_level,
  i.on_hand,
  i.available,
  i.is_stocked AND i.on_hand < i.reorder_level AS below_reorder,
  i.locations_complete,
  i.is_deleted,
  i.category_name,
  i.brand
FROM (
  SELECT
    t.organization_id, t.item_id, 'item' AS kind, t.name, t.sku, t.status, t.product_type, t.unit, t.vendor_id, t.vendor_name,
    t.purchase_account_id, t.rate, t.purchase_rate, t.tax_percentage, t.reorder_level,
    coalesce(s.on_hand, t.stock_on_hand) AS on_hand, coalesce(s.available, t.available_stock) AS available,
    coalesce(t.track_inventory, t.item_type = 'inventory') AND t.product_type IS DISTINCT FROM 'service' AS is_stocked, t.category_name, t.brand,
    t._detail_state IN ('none_needed', 'current') AS locations_complete, t._deleted_at IS NOT NULL AS is_deleted
  FROM inventory.items AS t
  CROSS JOIN LATERAL (
    SELECT sum(l.location_stock_on_hand) AS on_hand, sum(l.location_available_stock) AS available
    FROM inventory.items_locations AS l
    WHERE l.organization_id = t.organization_id AND l._parent_id = t.item_id AND t._detail_state IN ('none_needed', 'current')
  ) AS s
  WHERE t.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
    AND NOT EXISTS (
      SELECT FROM inventory.composite_items AS c
      WHERE c.organization_id = t.organization_id AND c.composite_item_id = t.item_id
    )
  UNION ALL
  SELECT
    c.organization_id, c.composite_item_id, 'bundle', c.name, c.sku, c.status, NULL, c.unit, c.vendor_id, c.vendor_name,
    c.purchase_account_id, c.rate, c.purchase_rate, c.tax_percentage, c.reorder_level, 
    c.stock_on_hand, c.available_stock, false, c.category_name, c.brand,
    c._detail_state IN ('none_needed', 'current'), c._deleted_at IS NOT NULL
  FROM inventory.composite_items AS c
  WHERE c.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
) AS i
LEFT JOIN analytics.organizations AS o ON o.organization_id = i.organization_id;

COMMENT ON VIEW analytics.items IS 'One row for each item and each bundle; key: (organization_id, item_id). Prices are of today and in the base currency. Stock is by the books and summed over all locations; that of a bundle is also that of its parts, so leave one of them out. Deleted ones are in it.';
COMMENT ON COLUMN analytics.items.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.items.item_id IS 'Identifier of the item or bundle.';
COMMENT ON COLUMN analytics.items.kind IS 'item or bundle.';
COMMENT ON COLUMN analytics.items.name IS 'Its name.';
COMMENT ON COLUMN analytics.items.sku IS 'Stock keeping unit: the organization''s own code of it.';
COMMENT ON COLUMN analytics.items.status IS 'Whether it can still be used: active or inactive.';
COMMENT ON COLUMN analytics.items.product_type IS 'goods or service; null for bundles.';
COMMENT ON COLUMN analytics.items.unit IS 'Unit that quantities are counted in.';
COMMENT ON COLUMN analytics.items.is_stocked IS 'Whether it is goods whose stock is counted: no service and no bundle; null if its kind is unknown.';
COMMENT ON COLUMN analytics.items.vendor_id IS 'Vendor whom it is usually bought from.';
COMMENT ON COLUMN analytics.items.vendor_name IS 'Name of that vendor.';
COMMENT ON COLUMN analytics.items.purchase_account_id IS 'Account that purchases of it are booked on.';
COMMENT ON COLUMN analytics.items.base_currency IS 'ISO code of the organization''s base currency, in which the prices are.';
COMMENT ON COLUMN analytics.items.sales_rate IS 'Selling price of one unit, in the base currency.';
COMMENT ON COLUMN analytics.items.purchase_rate IS 'Buying price of one unit, in the base currency.';
COMMENT ON COLUMN analytics.items.tax_percentage IS 'Rate of the tax on sales of it, in percent.';
COMMENT ON COLUMN analytics.items.reorder_level IS 'Stock below which it should be ordered again, in units; null where none is set.';
COMMENT ON COLUMN analytics.items.on_hand IS 'Units in stock by the books, over all locations; null until they are known.';
COMMENT ON COLUMN analytics.items.available IS 'Units that the books leave for new orders, over all locations; null until they are known.';
COMMENT ON COLUMN analytics.items.below_reorder IS 'Whether the stock is below the reorder level; null if one of them is unknown, false for what is not stocked.';
COMMENT ON COLUMN analytics.items.locations_complete IS 'Whether its stock by location is loaded, in the newest version known.';
COMMENT ON COLUMN analytics.items.is_deleted IS 'Whether it is gone upstream.';
COMMENT ON COLUMN analytics.items.category_name IS 'Its category; null where upstream says none.';
COMMENT ON COLUMN analytics.items.brand IS 'Its brand; null where upstream says none.';
