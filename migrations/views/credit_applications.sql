CREATE OR REPLACE VIEW analytics.credit_applications WITH (security_barrier) AS
SELECT
  n.organization_id,
  n.creditnote_id,
  'invoice' AS kind,
  i._position AS line,
  n.customer_id,
  n.customer_name,
  NULL::date AS date,
  i.invoice_id,
  i.invoice_number,
  n.currency_code,
  n.exchange_rate,
  n.base_currency,
  i.amount,
  i.amount * n.exchange_rate AS amount_base
FROM analytics.credit_notes AS n
JOIN inventory.credit_notes_invoices AS i ON i.organization_id = n.organization_id AND i._parent_id = n.creditnote_id
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
