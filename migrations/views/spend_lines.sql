CREATE OR REPLACE VIEW analytics.spend_lines WITH (security_barrier) AS
-- A union is hidden in a subquery, because the barrier of a bare one lets conditions through.
SELECT
  u.organization_id,
  u.bill_id,
  u.line,
  u.line_kind,
  u.vendor_id,
  u.vendor_name,
  u.date,
  u.account_id,
  u.account_name,
  u.item_name,
  u.location_id,
  u.quantity,
  u.currency_code,
  u.exchange_rate,
  u.base_currency,
  u.net,
  u.net_base,
  u.source,
  u.document_id,
  u.item_id,
  u.item_match,
  u.sku,
  u.gross,
  u.gross_base,
  u.project_id,
  u.project_name
FROM (
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
    l.item_total * b.exchange_rate AS net_base,
    'bill' AS source,
    b.bill_id AS document_id,
    coalesce(nullif(l.item_id, ''), i.item_id) AS item_id,
    CASE WHEN l.item_id <> '' THEN 'id' WHEN i.item_id IS NOT NULL THEN 'name' ELSE 'none' END AS item_match,
    coalesce(nullif(l.sku, ''), i.sku) AS sku,
    b.gross * l.item_total / nullif(b.net, 0) AS gross,
    b.gross_base * l.item_total / nullif(b.net, 0) AS gross_base,
    l.project_id,
    l.project_name
  FROM analytics.bills AS b
  JOIN inventory.bills_line_items AS l ON l.organization_id = b.organization_id AND l._parent_id = b.bill_id
  LEFT JOIN (
    SELECT organization_id, name, min(item_id) AS item_id, min(sku) AS sku
    FROM inventory.items
    WHERE _deleted_at IS NULL
    GROUP BY organization_id, name
    HAVING count(*) = 1
  ) AS i ON i.organization_id = l.organization_id AND i.name = l.name
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
    b.net - s.net,
    (b.net - s.net) * b.exchange_rate,
    'bill',
    b.bill_id,
    NULL,
    'none',
    NULL,
    b.gross - s.gross,
    (b.gross - s.gross) * b.exchange_rate,
    NULL,
    NULL
  FROM analytics.bills AS b
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(l.item_total), 0) AS net, coalesce(sum(b.gross * l.item_total / nullif(b.net, 0)), 0) AS gross
    FROM inventory.bills_line_items AS l
    WHERE l.organization_id = b.organization_id AND l._parent_id = b.bill_id AND b.lines_loaded
  ) AS s
  WHERE b.is_posted AND (NOT b.lines_loaded OR b.net <> s.net OR b.net = 0 AND b.gross <> 0 OR b.net IS NULL AND b.gross IS NOT NULL)
  UNION ALL
  SELECT
    e.organization_id,
    NULL,
    coalesce(l._position, 0),
    'line',
    e.vendor_id,
    e.vendor_name,
    e.date,
    CASE WHEN l._position IS NULL THEN e.account_id ELSE l.account_id END,
    CASE WHEN l._position IS NULL OR l.account_id = e.account_id THEN e.account_name ELSE coalesce(l.account_name, a.account_name) END,
    NULL,
    CASE WHEN l._position IS NULL THEN e.location_id ELSE l.location_id END,
    NULL,
    e.currency_code,
    e.exchange_rate,
    e.base_currency,
    n.net,
    CASE WHEN l._position IS NULL THEN e.net_base ELSE n.net * e.exchange_rate END,
    'expense',
    e.expense_id,
    NULL,
    'none',
    NULL,
    CASE WHEN l._position IS NULL THEN e.gross ELSE e.gross * n.net / nullif(e.net, 0) END,
    CASE WHEN l._position IS NULL THEN e.gross_base ELSE e.gross_base * n.net / nullif(e.net, 0) END,
    e.project_id,
    e.project_name
  FROM analytics.expenses AS e
  LEFT JOIN accounting.expenses_line_items AS l ON l.organization_id = e.organization_id AND l._parent_id = e.expense_id
  LEFT JOIN accounting.chart_of_accounts AS a ON a.organization_id = l.organization_id AND a.account_id = l.account_id
  CROSS JOIN LATERAL (SELECT CASE WHEN l._position IS NULL THEN e.net ELSE coalesce(l.item_total, l.amount) END AS net) AS n
  WHERE NOT e.is_deleted
  UNION ALL
  SELECT
    e.organization_id,
    NULL,
    -1,
    'rest',
    e.vendor_id,
    e.vendor_name,
    e.date,
    NULL,
    NULL,
    NULL,
    e.location_id,
    NULL,
    e.currency_code,
    e.exchange_rate,
    e.base_currency,
    e.net - s.net,
    (e.net - s.net) * e.exchange_rate,
    'expense',
    e.expense_id,
    NULL,
    'none',
    NULL,
    e.gross - s.gross,
    e.gross_base - s.gross_base,
    e.project_id,
    e.project_name
  FROM analytics.expenses AS e
  CROSS JOIN LATERAL (
    SELECT
      sum(coalesce(l.item_total, l.amount)) AS net,
      coalesce(sum(e.gross * coalesce(l.item_total, l.amount) / nullif(e.net, 0)), 0) AS gross,
      coalesce(sum(e.gross_base * coalesce(l.item_total, l.amount) / nullif(e.net, 0)), 0) AS gross_base
    FROM accounting.expenses_line_items AS l
    WHERE l.organization_id = e.organization_id AND l._parent_id = e.expense_id
  ) AS s
  WHERE NOT e.is_deleted AND (e.net <> s.net OR e.net = 0 AND e.gross <> 0 AND s.net IS NOT NULL)
) AS u;

COMMENT ON VIEW analytics.spend_lines IS 'One row for each line of each posted bill and each expense, and one more for what no line shows; key: (organization_id, source, document_id, line). Sums of net_base and gross_base are those of analytics.bills and analytics.expenses in every cut: bills whose lines are not loaded have one row with the sums of their header. Joined with payments, lines repeat: add up each for itself first.';
COMMENT ON COLUMN analytics.spend_lines.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.spend_lines.bill_id IS 'Identifier of the bill; null for an expense.';
COMMENT ON COLUMN analytics.spend_lines.line IS 'Place of the line on the document, from 0; -1 for what no line shows.';
COMMENT ON COLUMN analytics.spend_lines.line_kind IS 'line; not loaded: the whole bill, whose lines are not loaded yet; rest: what the lines lack of the sum of the document.';
COMMENT ON COLUMN analytics.spend_lines.vendor_id IS 'Identifier of the vendor.';
COMMENT ON COLUMN analytics.spend_lines.vendor_name IS 'Name of the vendor on the document.';
COMMENT ON COLUMN analytics.spend_lines.date IS 'Day of the bill or expense.';
COMMENT ON COLUMN analytics.spend_lines.account_id IS 'Account that the line is booked on; null where no line shows it.';
COMMENT ON COLUMN analytics.spend_lines.account_name IS 'Name of that account.';
COMMENT ON COLUMN analytics.spend_lines.item_name IS 'Name of what was delivered; item_id says which item.';
COMMENT ON COLUMN analytics.spend_lines.location_id IS 'Location that the goods were delivered to.';
COMMENT ON COLUMN analytics.spend_lines.quantity IS 'Number of units delivered.';
COMMENT ON COLUMN analytics.spend_lines.currency_code IS 'ISO code of the document''s currency.';
COMMENT ON COLUMN analytics.spend_lines.exchange_rate IS 'Price of one unit of that currency in the base currency; null if upstream gave none.';
COMMENT ON COLUMN analytics.spend_lines.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.spend_lines.net IS 'Amount before tax, in the document''s currency; null where the header has no sum before tax.';
COMMENT ON COLUMN analytics.spend_lines.net_base IS 'The same in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.spend_lines.source IS 'bill or expense; expenses are there only where the configuration enables their list.';
COMMENT ON COLUMN analytics.spend_lines.document_id IS 'Identifier of the bill or the expense.';
COMMENT ON COLUMN analytics.spend_lines.item_id IS 'Identifier of the item; null where neither the line nor its name says which.';
COMMENT ON COLUMN analytics.spend_lines.item_match IS 'How item_id is known. id: the line says it; name: exactly one item has the name of the line; none.';
COMMENT ON COLUMN analytics.spend_lines.sku IS 'Stock keeping unit of the item.';
COMMENT ON COLUMN analytics.spend_lines.gross IS 'Share of the line in the sum with tax, in proportion to net, in the document''s currency: taxes are not told apart by line.';
COMMENT ON COLUMN analytics.spend_lines.gross_base IS 'The same in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.spend_lines.project_id IS 'Project that it was bought for.';
COMMENT ON COLUMN analytics.spend_lines.project_name IS 'Name of that project.';
