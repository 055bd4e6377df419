CREATE OR REPLACE VIEW analytics.invoices WITH (security_barrier) AS
SELECT
  i.organization_id,
  i.invoice_id,
  i.invoice_number,
  i.customer_id,
  i.customer_name,
  i.status,
  i.status NOT IN ('draft', 'void') AND i._deleted_at IS NULL AS is_posted,
  i._deleted_at IS NOT NULL AS is_deleted,
  i.date,
  i.due_date,
  i.currency_code,
  r.rate AS exchange_rate,
  o.base_currency,
  i.sub_total AS net,
  i.total AS gross,
  i.balance AS open,
  i.sub_total * r.rate AS net_base,
  i.total * r.rate AS gross_base,
  i.balance * r.rate AS open_base,
  CASE WHEN i.balance > 0 AND i.due_date IS NOT NULL THEN greatest(o.today - i.due_date, 0) END AS days_overdue,
  date_trunc('month', i.date::timestamp)::date AS month
FROM custom.invoices AS i
LEFT JOIN analytics.organizations AS o ON o.organization_id = i.organization_id
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN i.currency_code = o.base_currency THEN coalesce(nullif(i.exchange_rate, 0), 1)
    ELSE nullif(i.exchange_rate, 0)
  END AS rate
) AS r
WHERE i.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.invoices IS 'One row for each invoice to a customer; key: (organization_id, invoice_id). Amounts are in the invoice''s currency, those that end with _base in the base currency of the organization. Drafts, void and deleted invoices are in it: count WHERE is_posted. Only where the configuration has catalogue: [invoices]; such a list shows no deletions.';
COMMENT ON COLUMN analytics.invoices.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.invoices.invoice_id IS 'Identifier of the invoice; unique within the organization.';
COMMENT ON COLUMN analytics.invoices.invoice_number IS 'Number of the invoice as the organization shows it.';
COMMENT ON COLUMN analytics.invoices.customer_id IS 'Identifier of the customer; group by it, since names change and repeat.';
COMMENT ON COLUMN analytics.invoices.customer_name IS 'Name of the customer on the invoice.';
COMMENT ON COLUMN analytics.invoices.status IS 'Where the invoice stood when it was read last; whether it is overdue say due_date and open.';
COMMENT ON COLUMN analytics.invoices.is_posted IS 'Whether the customer owes or owed it: neither a draft nor void nor deleted; null if its status is unknown.';
COMMENT ON COLUMN analytics.invoices.is_deleted IS 'Whether it is gone upstream.';
COMMENT ON COLUMN analytics.invoices.date IS 'Day of the invoice.';
COMMENT ON COLUMN analytics.invoices.due_date IS 'Day on which it is due; null where upstream says none.';
COMMENT ON COLUMN analytics.invoices.currency_code IS 'ISO code of its currency.';
COMMENT ON COLUMN analytics.invoices.exchange_rate IS 'Price of one unit of its currency in the base currency; null if upstream gave none.';
COMMENT ON COLUMN analytics.invoices.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.invoices.net IS 'Sum before tax, in its currency; null until it is known.';
COMMENT ON COLUMN analytics.invoices.gross IS 'What the customer was charged with tax, in its currency.';
COMMENT ON COLUMN analytics.invoices.open IS 'What is left to receive, in its currency.';
COMMENT ON COLUMN analytics.invoices.net_base IS 'Sum before tax in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.invoices.gross_base IS 'What the customer was charged in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.invoices.open_base IS 'What is left to receive in the base currency, at the rate of the invoice; null without a rate.';
COMMENT ON COLUMN analytics.invoices.days_overdue IS 'Days since it was due, by the organization''s day; 0 if it is not due, null if nothing is open or no due date is known.';
COMMENT ON COLUMN analytics.invoices.month IS 'First day of the month of the invoice.';
