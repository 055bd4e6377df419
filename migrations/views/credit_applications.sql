CREATE OR REPLACE VIEW analytics.credit_applications WITH (security_barrier) AS
SELECT
  n.organization_id,
  n.creditnote_id,
  u.kind,
  u.line,
  n.customer_id,
  n.customer_name,
  u.date,
  u.invoice_id,
  u.invoice_number,
  n.currency_code,
  n.exchange_rate,
  n.base_currency,
  u.amount,
  u.amount * n.exchange_rate AS amount_base
FROM analytics.credit_notes AS n
CROSS JOIN LATERAL (
  SELECT 'invoice' AS kind, i._position AS line, i.date, i.invoice_id, i.invoice_number, coalesce(i.credited_amount, i.amount_applied) AS amount
  FROM inventory.credit_notes_invoices_credited AS i
  WHERE i.organization_id = n.organization_id AND i._parent_id = n.creditnote_id
  UNION ALL
  -- The documents' name of the same array.
  SELECT 'invoice', i._position, NULL, i.invoice_id, i.invoice_number, i.amount
  FROM inventory.credit_notes_invoices AS i
  WHERE i.organization_id = n.organization_id AND i._parent_id = n.creditnote_id AND NOT EXISTS (
    SELECT FROM inventory.credit_notes_invoices_credited AS c
    WHERE c.organization_id = n.organization_id AND c._parent_id = n.creditnote_id
  )
  UNION ALL
  SELECT 'refund', b._position, b.date, NULL, NULL, b.amount_fcy
  FROM inventory.credit_notes_creditnote_refunds AS b
  WHERE b.organization_id = n.organization_id AND b._parent_id = n.creditnote_id
) AS u
WHERE n.is_posted AND n.lines_loaded;

COMMENT ON VIEW analytics.credit_applications IS 'One row for each use of a posted credit note on an invoice, and for each refund of it; key: (organization_id, creditnote_id, kind, line). Amounts are in the currency of the credit note. Uses of credit notes whose lines are not loaded are unknown: analytics.completeness has their share.';
COMMENT ON COLUMN analytics.credit_applications.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.credit_applications.creditnote_id IS 'Identifier of the credit note.';
COMMENT ON COLUMN analytics.credit_applications.kind IS 'invoice: used on an invoice; refund: paid back.';
COMMENT ON COLUMN analytics.credit_applications.line IS 'Place of the use among those of its kind, from 0.';
COMMENT ON COLUMN analytics.credit_applications.customer_id IS 'Identifier of the customer.';
COMMENT ON COLUMN analytics.credit_applications.customer_name IS 'Name of the customer on the credit note.';
COMMENT ON COLUMN analytics.credit_applications.date IS 'Day of the use; null where upstream says none.';
COMMENT ON COLUMN analytics.credit_applications.invoice_id IS 'Invoice that it was used on; null for a refund.';
COMMENT ON COLUMN analytics.credit_applications.invoice_number IS 'Number of that invoice as the customer sees it.';
COMMENT ON COLUMN analytics.credit_applications.currency_code IS 'ISO code of the currency of the credit note.';
COMMENT ON COLUMN analytics.credit_applications.exchange_rate IS 'Price of one unit of that currency in the base currency, as on the credit note; null if it is unknown.';
COMMENT ON COLUMN analytics.credit_applications.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.credit_applications.amount IS 'Part of the credit that was used.';
COMMENT ON COLUMN analytics.credit_applications.amount_base IS 'The same in the base currency; null without a rate.';
