CREATE OR REPLACE VIEW analytics.bill_taxes WITH (security_barrier) AS
SELECT
  t.organization_id,
  t.bill_id,
  t.line,
  t.line_kind,
  t.vendor_id,
  t.vendor_name,
  t.date,
  (date_trunc('month', t.date::timestamp)
    - make_interval(months => (extract(month FROM t.date)::integer - o.fiscal_start_month + 12) % 3))::date AS fiscal_quarter_start,
  coalesce(nullif(t.tax_id, ''), x.tax_id) AS tax_id,
  t.tax_name,
  coalesce(i.tax_percentage, x.tax_percentage) AS rate,
  t.is_reverse_charge,
  t.currency_code,
  t.exchange_rate,
  t.base_currency,
  t.tax,
  t.tax * t.exchange_rate AS tax_base
FROM (
  SELECT
    b.organization_id, b.bill_id, l._position AS line, 'tax' AS line_kind, b.vendor_id, b.vendor_name, b.date,
    l.tax_id, l.tax_name, b.is_reverse_charge, b.currency_code, b.exchange_rate, b.base_currency, l.tax_amount AS tax
  FROM analytics.bills AS b
  JOIN inventory.bills_taxes AS l ON l.organization_id = b.organization_id AND l._parent_id = b.bill_id
  WHERE b.is_posted AND b.lines_loaded
  UNION ALL
  SELECT
    b.organization_id, b.bill_id, -1, CASE WHEN b.lines_loaded THEN 'rest' ELSE 'not loaded' END, b.vendor_id, b.vendor_name, b.date,
    NULL, NULL, b.is_reverse_charge, b.currency_code, b.exchange_rate, b.base_currency, b.tax - s.tax
  FROM analytics.bills AS b
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(l.tax_amount), 0) AS tax
    FROM inventory.bills_taxes AS l
    WHERE l.organization_id = b.organization_id AND l._parent_id = b.bill_id AND b.lines_loaded
  ) AS s
  WHERE b.is_posted AND (NOT b.lines_loaded AND b.tax IS DISTINCT FROM 0 OR b.tax <> s.tax)
  UNION ALL
  SELECT
    b.organization_id, b.bill_id, -2 - l._position, 'reverse charge', b.vendor_id, b.vendor_name, b.date,
    l.reverse_charge_tax_id, l.reverse_charge_tax_name, true, b.currency_code, b.exchange_rate, b.base_currency, l.reverse_charge_tax_amount
  FROM analytics.bills AS b
  JOIN inventory.bills_line_items AS l ON l.organization_id = b.organization_id AND l._parent_id = b.bill_id
  WHERE b.is_posted AND b.lines_loaded AND l.reverse_charge_tax_amount <> 0
) AS t
LEFT JOIN analytics.organizations AS o ON o.organization_id = t.organization_id
LEFT JOIN inventory.taxes AS i ON i.organization_id = t.organization_id AND i.tax_id = t.tax_id
LEFT JOIN (
  SELECT organization_id, tax_name, min(tax_id) AS tax_id, min(tax_percentage) AS tax_percentage
  FROM inventory.taxes
  WHERE _deleted_at IS NULL
  GROUP BY organization_id, tax_name
  HAVING count(*) = 1
) AS x ON x.organization_id = t.organization_id AND x.tax_name = t.tax_name AND coalesce(t.tax_id, '') = '';

COMMENT ON VIEW analytics.bill_taxes IS 'One row for each tax on each posted bill, one more for tax that no row shows, and one for each line under reverse charge; key: (organization_id, bill_id, line). Without the kind reverse charge the sums are those of analytics.bills. Tax is in the bill''s currency, tax_base in the base currency. Under reverse charge the organization owes the tax itself, the vendor does not charge it: keep it apart.';
COMMENT ON COLUMN analytics.bill_taxes.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.bill_taxes.bill_id IS 'Identifier of the bill.';
COMMENT ON COLUMN analytics.bill_taxes.line IS 'Place of the tax on the bill, from 0; -1 for what no row shows; for reverse charge -2 less the place of the line.';
COMMENT ON COLUMN analytics.bill_taxes.line_kind IS 'tax; not loaded: the tax of a whole bill, whose taxes are not loaded yet; rest: what the taxes lack of the sum of the bill; reverse charge: what the organization owes itself for a line.';
COMMENT ON COLUMN analytics.bill_taxes.vendor_id IS 'Identifier of the vendor.';
COMMENT ON COLUMN analytics.bill_taxes.vendor_name IS 'Name of the vendor on the bill.';
COMMENT ON COLUMN analytics.bill_taxes.date IS 'Day of the bill.';
COMMENT ON COLUMN analytics.bill_taxes.fiscal_quarter_start IS 'First day of the fiscal quarter of the bill; null until the beginning of the fiscal year is known.';
COMMENT ON COLUMN analytics.bill_taxes.tax_id IS 'Identifier of the tax: as the bill says, or of the only tax with the name; null otherwise.';
COMMENT ON COLUMN analytics.bill_taxes.tax_name IS 'Name of the tax on the bill.';
COMMENT ON COLUMN analytics.bill_taxes.rate IS 'Present rate of that tax, in percent.';
COMMENT ON COLUMN analytics.bill_taxes.is_reverse_charge IS 'Whether the organization owes the tax in place of the vendor; null where that is not loaded.';
COMMENT ON COLUMN analytics.bill_taxes.currency_code IS 'ISO code of the bill''s currency.';
COMMENT ON COLUMN analytics.bill_taxes.exchange_rate IS 'Price of one unit of that currency in the base currency; null if upstream gave none.';
COMMENT ON COLUMN analytics.bill_taxes.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.bill_taxes.tax IS 'Amount of the tax, in the bill''s currency; null where the header has none.';
COMMENT ON COLUMN analytics.bill_taxes.tax_base IS 'The same in the base currency; null without a rate.';
