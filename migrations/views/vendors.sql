CREATE OR REPLACE VIEW analytics.vendors WITH (security_barrier) AS
SELECT
  v.organization_id,
  v.vendor_id,
  (array_agg(v.name ORDER BY v.last_seen DESC NULLS LAST, v.name) FILTER (WHERE v.name <> ''))[1] AS name,
  array_agg(DISTINCT v.name ORDER BY v.name) FILTER (WHERE v.name <> '') AS names,
  CASE WHEN (SELECT sees_personal FROM sluice.viewer) THEN array_agg(DISTINCT v.tax_number ORDER BY v.tax_number) FILTER (WHERE v.tax_number <> '') END
    AS tax_numbers,
  array_agg(DISTINCT v.currency_code ORDER BY v.currency_code) FILTER (WHERE v.currency_code <> '') AS currencies,
  min(v.first_document) AS first_document,
  max(v.last_document) AS last_document,
  sum(v.bills) AS bills,
  sum(v.payments) AS payments,
  sum(v.expenses) AS expenses,
  o.base_currency,
  coalesce(max(a.open_bills), 0) AS open_bills,
  CASE WHEN max(a.open_bills) IS NULL THEN 0 ELSE max(a.open_base) END AS open_base,
  coalesce(max(a.bills_without_rate), 0) AS open_bills_without_rate
FROM (
  SELECT
    organization_id, vendor_id, vendor_name AS name, gst_no AS tax_number, currency_code, max(last_modified_time) AS last_seen,
    min(date) AS first_document, max(date) AS last_document, count(*) AS bills, 0 AS payments, 0 AS expenses
  FROM inventory.bills
  WHERE _deleted_at IS NULL AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  GROUP BY organization_id, vendor_id, vendor_name, gst_no, currency_code
  UNION ALL
  SELECT organization_id, vendor_id, vendor_name, NULL, NULL, max(last_modified_time), min(date), max(date), 0, count(*), 0
  FROM accounting.vendor_payments
  WHERE _deleted_at IS NULL AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  GROUP BY organization_id, vendor_id, vendor_name
  UNION ALL
  SELECT organization_id, vendor_id, NULL, gst_no, currency_code, max(last_modified_time), min(date), max(date), 0, 0, count(*)
  FROM accounting.expenses
  WHERE _deleted_at IS NULL AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  GROUP BY organization_id, vendor_id, gst_no, currency_code
  UNION ALL
  SELECT organization_id, vendor_id, vendor_name, NULL, NULL, max(last_modified_time), NULL, NULL, 0, 0, 0
  FROM inventory.items
  WHERE _deleted_at IS NULL AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  GROUP BY organization_id, vendor_id, vendor_name
) AS v
LEFT JOIN analytics.organizations AS o ON o.organization_id = v.organization_id
LEFT JOIN (
  SELECT organization_id, vendor_id, sum(bills) AS open_bills, sum(open_base) AS open_base, sum(bills_without_rate) AS bills_without_rate
  FROM analytics.ap_ageing
  GROUP BY organization_id, vendor_id
) AS a ON a.organization_id = v.organization_id AND a.vendor_id = v.vendor_id
WHERE v.vendor_id <> ''
GROUP BY v.organization_id, v.vendor_id, o.base_currency;

COMMENT ON VIEW analytics.vendors IS 'One row for each vendor that a bill, a payment, an expense or an item names; key: (organization_id, vendor_id). No list of vendors is copied, so vendors without any of them are missing. Amounts are in the base currency.';
COMMENT ON COLUMN analytics.vendors.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.vendors.vendor_id IS 'Identifier of the vendor.';
COMMENT ON COLUMN analytics.vendors.name IS 'Name on the record that changed last.';
COMMENT ON COLUMN analytics.vendors.names IS 'All names that records have for it.';
COMMENT ON COLUMN analytics.vendors.tax_numbers IS 'All tax numbers on its bills and expenses; null for readers who see no personal values.';
COMMENT ON COLUMN analytics.vendors.currencies IS 'ISO codes of the currencies of its bills and expenses.';
COMMENT ON COLUMN analytics.vendors.first_document IS 'Day of its first bill, payment or expense.';
COMMENT ON COLUMN analytics.vendors.last_document IS 'Day of its last one.';
COMMENT ON COLUMN analytics.vendors.bills IS 'Number of its bills, drafts and void ones included.';
COMMENT ON COLUMN analytics.vendors.payments IS 'Number of payments to it.';
COMMENT ON COLUMN analytics.vendors.expenses IS 'Number of expenses with it.';
COMMENT ON COLUMN analytics.vendors.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.vendors.open_bills IS 'Number of its open bills.';
COMMENT ON COLUMN analytics.vendors.open_base IS 'What is left to pay in the base currency; null if none of its open bills has a rate.';
COMMENT ON COLUMN analytics.vendors.open_bills_without_rate IS 'Number of open bills without an exchange rate: they are not in open_base.';
