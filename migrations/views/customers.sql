CREATE OR REPLACE VIEW analytics.customers WITH (security_barrier) AS
SELECT
  c.organization_id,
  c.customer_id,
  (array_agg(c.name ORDER BY c.last_seen DESC NULLS LAST, c.name) FILTER (WHERE c.name <> ''))[1] AS name,
  array_agg(DISTINCT c.name ORDER BY c.name) FILTER (WHERE c.name <> '') AS names,
  CASE WHEN (SELECT sees_personal FROM sluice.viewer) THEN array_agg(DISTINCT c.tax_number ORDER BY c.tax_number) FILTER (WHERE c.tax_number <> '') END
    AS tax_numbers,
  array_agg(DISTINCT c.currency_code ORDER BY c.currency_code) FILTER (WHERE c.currency_code <> '') AS currencies,
  min(c.date) AS first_document,
  max(c.date) AS last_document,
  count(*) FILTER (WHERE c.kind = 'credit note') AS credit_notes,
  count(*) FILTER (WHERE c.kind = 'expense') AS expenses
FROM (
  SELECT organization_id, customer_id, customer_name AS name, coalesce(nullif(gst_no, ''), vat_reg_no) AS tax_number, currency_code, date,
    updated_time AS last_seen, 'credit note' AS kind
  FROM inventory.credit_notes
  WHERE _deleted_at IS NULL AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  UNION ALL
  SELECT organization_id, customer_id, customer_name, NULL, NULL, date, last_modified_time, 'expense'
  FROM accounting.expenses
  WHERE _deleted_at IS NULL AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
) AS c
WHERE c.customer_id <> ''
GROUP BY c.organization_id, c.customer_id;

COMMENT ON VIEW analytics.customers IS 'One row for each customer that a credit note or an expense names; key: (organization_id, customer_id). No list of customers and no invoices are copied, so most customers may be missing.';
COMMENT ON COLUMN analytics.customers.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.customers.customer_id IS 'Identifier of the customer.';
COMMENT ON COLUMN analytics.customers.name IS 'Name on the record that changed last.';
COMMENT ON COLUMN analytics.customers.names IS 'All names that records have for it.';
COMMENT ON COLUMN analytics.customers.tax_numbers IS 'All tax numbers on its credit notes; null for readers who see no personal values.';
COMMENT ON COLUMN analytics.customers.currencies IS 'ISO codes of the currencies of its credit notes.';
COMMENT ON COLUMN analytics.customers.first_document IS 'Day of its first credit note or expense.';
COMMENT ON COLUMN analytics.customers.last_document IS 'Day of its last one.';
COMMENT ON COLUMN analytics.customers.credit_notes IS 'Number of its credit notes, drafts and void ones included.';
COMMENT ON COLUMN analytics.customers.expenses IS 'Number of expenses that were made for it.';
