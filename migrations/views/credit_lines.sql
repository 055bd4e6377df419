CREATE OR REPLACE VIEW analytics.credit_lines WITH (security_barrier) AS
-- A union is hidden in a subquery, because the barrier of a bare one lets conditions through.
SELECT
  u.organization_id,
  u.creditnote_id,
  u.line,
  u.line_kind,
  u.customer_id,
  u.customer_name,
  u.date,
  u.item_id,
  u.item_name,
  u.account_id,
  u.location_id,
  u.quantity,
  u.currency_code,
  u.exchange_rate,
  u.base_currency,
  u.net,
  u.net_base
FROM (
  SELECT
    n.organization_id,
    n.creditnote_id,
    l._position AS line,
    'line' AS line_kind,
    n.customer_id,
    n.customer_name,
    n.date,
    l.item_id,
    l.name AS item_name,
    l.account_id,
    l.location_id,
    l.quantity,
    n.currency_code,
    n.exchange_rate,
    n.base_currency,
    coalesce(l.item_total, l.quantity * l.rate) AS net,
    coalesce(l.item_total, l.quantity * l.rate) * n.exchange_rate AS net_base
  FROM analytics.credit_notes AS n
  JOIN inventory.credit_notes_line_items AS l ON l.organization_id = n.organization_id AND l._parent_id = n.creditnote_id
  WHERE n.is_posted AND n.lines_loaded
  UNION ALL
  SELECT
    n.organization_id,
    n.creditnote_id,
    -1,
    CASE WHEN n.lines_loaded THEN 'rest' ELSE 'not loaded' END,
    n.customer_id,
    n.customer_name,
    n.date,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    n.currency_code,
    n.exchange_rate,
    n.base_currency,
    n.net - coalesce(s.net, 0),
    (n.net - coalesce(s.net, 0)) * n.exchange_rate
  FROM analytics.credit_notes AS n
  LEFT JOIN LATERAL (
    SELECT sum(coalesce(l.item_total, l.quantity * l.rate)) AS net
    FROM inventory.credit_notes_line_items AS l
    WHERE l.organization_id = n.organization_id AND l._parent_id = n.creditnote_id AND n.lines_loaded
  ) AS s ON true
  WHERE n.is_posted AND (NOT n.lines_loaded OR n.net <> coalesce(s.net, 0))
) AS u;

COMMENT ON VIEW analytics.credit_lines IS 'One row for each line of each posted credit note, and one more for what no line shows; key: (organization_id, creditnote_id, line). Sums of net are those of analytics.credit_notes in every cut. A credit note whose lines are not loaded has one row, and its net is null until its taxes are known.';
COMMENT ON COLUMN analytics.credit_lines.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.credit_lines.creditnote_id IS 'Identifier of the credit note.';
COMMENT ON COLUMN analytics.credit_lines.line IS 'Place of the line on the credit note, from 0; -1 for what no line shows.';
COMMENT ON COLUMN analytics.credit_lines.line_kind IS 'line; not loaded: the whole credit note, whose lines are not loaded yet; rest: what the lines lack of its sum, such as freight and discounts.';
COMMENT ON COLUMN analytics.credit_lines.customer_id IS 'Identifier of the customer.';
COMMENT ON COLUMN analytics.credit_lines.customer_name IS 'Name of the customer on the credit note.';
COMMENT ON COLUMN analytics.credit_lines.date IS 'Day of the credit note.';
COMMENT ON COLUMN analytics.credit_lines.item_id IS 'Item that is credited; null for a line of free text.';
COMMENT ON COLUMN analytics.credit_lines.item_name IS 'Name of what is credited.';
COMMENT ON COLUMN analytics.credit_lines.account_id IS 'Account that the line is booked on.';
COMMENT ON COLUMN analytics.credit_lines.location_id IS 'Location that takes the goods back.';
COMMENT ON COLUMN analytics.credit_lines.quantity IS 'Number of units credited.';
COMMENT ON COLUMN analytics.credit_lines.currency_code IS 'ISO code of the currency of the credit note.';
COMMENT ON COLUMN analytics.credit_lines.exchange_rate IS 'Price of one unit of that currency in the base currency; null if it is unknown.';
COMMENT ON COLUMN analytics.credit_lines.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.credit_lines.net IS 'Amount before tax, in the currency of the credit note.';
COMMENT ON COLUMN analytics.credit_lines.net_base IS 'The same in the base currency; null without a rate.';
