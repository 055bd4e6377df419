CREATE OR REPLACE VIEW analytics.spend_lines WITH (security_barrier) AS
SELECT
  b.organization_id,
  b.bill_id,
  l._position AS line,
  'line' AS line_kind,
  b.vendor_id,
  b.vendor_name,
  b.date,
  l.account_id,
  l.account_name,
  l.name AS item_name,
  l.location_id,
  l.quantity,
  b.currency_code,
  b.exchange_rate,
  b.base_currency,
  l.item_total AS net,
  l.item_total * b.exchange_rate AS net_base
FROM analytics.bills AS b
JOIN inventory.bills_line_items AS l ON l.organization_id = b.organization_id AND l._parent_id = b.bill_id
WHERE b.is_posted AND b.lines_loaded
UNION ALL
SELECT
  b.organization_id,
  b.bill_id,
  -1,
  CASE WHEN b.lines_loaded THEN 'rest' ELSE 'not loaded' END,
  b.vendor_id,
  b.vendor_name,
  b.date,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  b.currency_code,
  b.exchange_rate,
  b.base_currency,
  b.net - coalesce(s.net, 0),
  (b.net - coalesce(s.net, 0)) * b.exchange_rate
FROM analytics.bills AS b
LEFT JOIN LATERAL (
  SELECT sum(l.item_total) AS net
  FROM inventory.bills_line_items AS l
  WHERE l.organization_id = b.organization_id AND l._parent_id = b.bill_id AND b.lines_loaded
) AS s ON true
WHERE b.is_posted AND (NOT b.lines_loaded OR b.net <> coalesce(s.net, 0));

COMMENT ON VIEW analytics.spend_lines IS 'One row for each line of each posted bill, and one more for what no line shows; key: (organization_id, bill_id, line). Sums of net_base are those of analytics.bills in every cut: bills whose lines are not loaded have one row with the sum of their header. Joined with payments, lines repeat: add up each for itself first.';
COMMENT ON COLUMN analytics.spend_lines.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.spend_lines.bill_id IS 'Identifier of the bill.';
COMMENT ON COLUMN analytics.spend_lines.line IS 'Place of the line on the bill, from 0; -1 for what no line shows.';
COMMENT ON COLUMN analytics.spend_lines.line_kind IS 'line; not loaded: the whole bill, whose lines are not loaded yet; rest: what the lines lack of the sum of the bill.';
COMMENT ON COLUMN analytics.spend_lines.vendor_id IS 'Identifier of the vendor.';
COMMENT ON COLUMN analytics.spend_lines.vendor_name IS 'Name of the vendor on the bill.';
COMMENT ON COLUMN analytics.spend_lines.date IS 'Day of the bill.';
COMMENT ON COLUMN analytics.spend_lines.account_id IS 'Account that the line is booked on; null where no line shows it.';
COMMENT ON COLUMN analytics.spend_lines.account_name IS 'Name of that account on the bill.';
COMMENT ON COLUMN analytics.spend_lines.item_name IS 'Name of what was delivered; no identifier of the item is documented for lines.';
COMMENT ON COLUMN analytics.spend_lines.location_id IS 'Location that the goods were delivered to.';
COMMENT ON COLUMN analytics.spend_lines.quantity IS 'Number of units delivered.';
COMMENT ON COLUMN analytics.spend_lines.currency_code IS 'ISO code of the bill''s currency.';
COMMENT ON COLUMN analytics.spend_lines.exchange_rate IS 'Price of one unit of that currency in the base currency; null if upstream gave none.';
COMMENT ON COLUMN analytics.spend_lines.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.spend_lines.net IS 'Amount before tax, in the bill''s currency; null where the header has no sum before tax.';
COMMENT ON COLUMN analytics.spend_lines.net_base IS 'The same in the base currency; null without a rate.';
