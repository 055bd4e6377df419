CREATE OR REPLACE VIEW analytics.credit_notes WITH (security_barrier) AS
SELECT
  n.organization_id,
  n.creditnote_id,
  n.creditnote_number,
  n.customer_id,
  n.customer_name,
  n.status,
  n.status NOT IN ('draft', 'void') AND n._deleted_at IS NULL AS is_posted,
  n._deleted_at IS NOT NULL AS is_deleted,
  n.date,
  n.location_id,
  n.currency_code,
  r.exchange_rate,
  n.base_currency,
  n.total - t.tax AS net,
  t.tax,
  n.total AS gross,
  u.used,
  u.refunded,
  n.balance AS open,
  (n.total - t.tax) * r.exchange_rate AS net_base,
  t.tax * r.exchange_rate AS tax_base,
  n.total * r.exchange_rate AS gross_base,
  u.used * r.exchange_rate AS used_base,
  u.refunded * r.exchange_rate AS refunded_base,
  n.balance * r.exchange_rate AS open_base,
  n._detail_state IN ('none_needed', 'current') AS lines_loaded,
  CASE WHEN n.sees_personal THEN n.email ELSE '***@' || split_part(n.email, '@', 2) END AS email,
  encode(sha256(convert_to(n.token_key || lower(n.email), 'UTF8')), 'hex') AS email_token
FROM (
  SELECT
    c.organization_id, c.creditnote_id, c.creditnote_number, c.customer_id, c.customer_name, c.status, c.date, c.location_id,
    c.currency_code, c.exchange_rate, c.total, c.tax_total, c.total_credits_used, c.total_refunded_amount, c.balance, c.email, c._deleted_at, c._detail_state,
    o.base_currency,
    (SELECT sees_personal FROM sluice.viewer) AS sees_personal,
    (SELECT token_key FROM sluice.viewer) AS token_key
  FROM inventory.credit_notes AS c
  LEFT JOIN analytics.organizations AS o ON o.organization_id = c.organization_id
  WHERE c.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
) AS n
CROSS JOIN LATERAL (
  SELECT CASE WHEN n.currency_code = n.base_currency THEN coalesce(nullif(n.exchange_rate, 0), 1) ELSE nullif(n.exchange_rate, 0) END AS exchange_rate
) AS r
CROSS JOIN LATERAL (
  SELECT coalesce(n.tax_total, CASE WHEN n._detail_state IN ('none_needed', 'current') THEN coalesce((
    SELECT sum(x.tax_amount) FROM inventory.credit_notes_taxes AS x
    WHERE x.organization_id = n.organization_id AND x._parent_id = n.creditnote_id
  ), 0) END) AS tax
) AS t
CROSS JOIN LATERAL (
  SELECT
    coalesce(n.total_credits_used, CASE WHEN n._detail_state IN ('none_needed', 'current') THEN coalesce((
      SELECT sum(coalesce(i.credited_amount, i.amount_applied)) FROM inventory.credit_notes_invoices_credited AS i
      WHERE i.organization_id = n.organization_id AND i._parent_id = n.creditnote_id
    ), (
      SELECT sum(i.amount) FROM inventory.credit_notes_invoices AS i
      WHERE i.organization_id = n.organization_id AND i._parent_id = n.creditnote_id
    ), 0) END) AS used,
    coalesce(n.total_refunded_amount, CASE WHEN n._detail_state IN ('none_needed', 'current') THEN coalesce((
      SELECT sum(b.amount_fcy) FROM inventory.credit_notes_creditnote_refunds AS b
      WHERE b.organization_id = n.organization_id AND b._parent_id = n.creditnote_id
    ), 0) END) AS refunded
) AS u;

COMMENT ON VIEW analytics.credit_notes IS 'One row for each credit note to a customer; key: (organization_id, creditnote_id). Amounts are in the currency of the credit note, those that end with _base in the base currency of the organization. Drafts, void and deleted ones are in it and have a balance, too: count WHERE is_posted.';
COMMENT ON COLUMN analytics.credit_notes.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.credit_notes.creditnote_id IS 'Identifier of the credit note; unique within the organization.';
COMMENT ON COLUMN analytics.credit_notes.creditnote_number IS 'Number of the credit note as the customer sees it.';
COMMENT ON COLUMN analytics.credit_notes.customer_id IS 'Identifier of the customer; group by it, since names change and repeat.';
COMMENT ON COLUMN analytics.credit_notes.customer_name IS 'Name of the customer on the credit note.';
COMMENT ON COLUMN analytics.credit_notes.status IS 'Where the credit note stood when it was read last: draft, open, closed or void.';
COMMENT ON COLUMN analytics.credit_notes.is_posted IS 'Whether it counts: neither a draft nor void nor deleted; null if its status is unknown.';
COMMENT ON COLUMN analytics.credit_notes.is_deleted IS 'Whether it is gone upstream.';
COMMENT ON COLUMN analytics.credit_notes.date IS 'Day of the credit note.';
COMMENT ON COLUMN analytics.credit_notes.location_id IS 'Location of the organization that it is booked for.';
COMMENT ON COLUMN analytics.credit_notes.currency_code IS 'ISO code of its currency.';
COMMENT ON COLUMN analytics.credit_notes.exchange_rate IS 'Price of one unit of its currency in the base currency: 1 in the base currency itself, null if it is unknown.';
COMMENT ON COLUMN analytics.credit_notes.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.credit_notes.net IS 'What is credited before tax, in its currency; null until its taxes are known.';
COMMENT ON COLUMN analytics.credit_notes.tax IS 'Sum of the taxes, in its currency; null until they are known.';
COMMENT ON COLUMN analytics.credit_notes.gross IS 'What is credited with tax, in its currency.';
COMMENT ON COLUMN analytics.credit_notes.used IS 'Part that was used on invoices, in its currency; null until it is known.';
COMMENT ON COLUMN analytics.credit_notes.refunded IS 'Part that was paid back, in its currency; null until it is known.';
COMMENT ON COLUMN analytics.credit_notes.open IS 'Part that is not used yet, in its currency.';
COMMENT ON COLUMN analytics.credit_notes.net_base IS 'What is credited before tax, in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.credit_notes.tax_base IS 'Sum of the taxes in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.credit_notes.gross_base IS 'What is credited with tax, in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.credit_notes.used_base IS 'Part that was used on invoices, in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.credit_notes.refunded_base IS 'Part that was paid back, in the base currency at the rate of the credit note; null without a rate.';
COMMENT ON COLUMN analytics.credit_notes.open_base IS 'Part that is not used yet, in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.credit_notes.lines_loaded IS 'Whether its lines are loaded, in the newest version known.';
COMMENT ON COLUMN analytics.credit_notes.email IS 'Address that it is sent to; masked readers see its domain alone.';
COMMENT ON COLUMN analytics.credit_notes.email_token IS 'Stands for the address in joins and counts: equal addresses have equal tokens, and no token leads back to its address.';
