CREATE OR REPLACE VIEW analytics.bill_versions WITH (security_barrier) AS
SELECT
  v.organization_id,
  v.record_id AS bill_id,
  v.valid_from,
  v.valid_to,
  v.upstream_from,
  v.upstream_to,
  v.began,
  v.ended,
  r.bill_number,
  r.vendor_id,
  r.vendor_name,
  r.status,
  r.status NOT IN ('draft', 'void') AS is_posted,
  r.date,
  r.due_date,
  r.currency_code,
  x.exchange_rate,
  o.base_currency,
  r.sub_total AS net,
  r.tax_total AS tax,
  coalesce(r.total, r.sub_total + r.tax_total) AS gross,
  r.balance AS open,
  r.sub_total * x.exchange_rate AS net_base,
  r.tax_total * x.exchange_rate AS tax_base,
  coalesce(r.total, r.sub_total + r.tax_total) * x.exchange_rate AS gross_base,
  r.balance * x.exchange_rate AS open_base,
  r._detail_state IN ('none_needed', 'current') AS lines_loaded
FROM history.versions AS v
LEFT JOIN analytics.organizations AS o ON o.organization_id = v.organization_id
CROSS JOIN LATERAL jsonb_to_record(v.record) AS r (
  bill_number text, vendor_id text, vendor_name text, status text, date date, due_date date, currency_code text, exchange_rate numeric,
  sub_total numeric, tax_total numeric, total numeric, balance numeric, _detail_state text
)
CROSS JOIN LATERAL (
  SELECT CASE WHEN r.currency_code = o.base_currency THEN coalesce(nullif(r.exchange_rate, 0), 1) ELSE nullif(r.exchange_rate, 0) END AS exchange_rate
) AS x
WHERE v.service = 'inventory' AND v.resource = 'bills'
  AND v.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.bill_versions IS 'One row for each version of each bill; key: (organization_id, bill_id, valid_from). Amounts are in the bill''s currency, those that end with _base in the base currency of the organization. Never add up versions: the function bills_as_of picks those of one instant. Only where the configuration keeps versions of bills, history: true, and only since then.';
COMMENT ON COLUMN analytics.bill_versions.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.bill_versions.bill_id IS 'Identifier of the bill.';
COMMENT ON COLUMN analytics.bill_versions.valid_from IS 'Since when the table had it so.';
COMMENT ON COLUMN analytics.bill_versions.valid_to IS 'Until when, exclusive; infinity for the present version.';
COMMENT ON COLUMN analytics.bill_versions.upstream_from IS 'Since when it was so upstream.';
COMMENT ON COLUMN analytics.bill_versions.upstream_to IS 'Until when upstream, exclusive.';
COMMENT ON COLUMN analytics.bill_versions.began IS 'seen: new or changed; restored: it came back; present: it was there when versions began to be kept.';
COMMENT ON COLUMN analytics.bill_versions.ended IS 'replaced: another version followed; deleted: it was gone upstream; null while it is valid.';
COMMENT ON COLUMN analytics.bill_versions.bill_number IS 'Number of the bill as the vendor wrote it.';
COMMENT ON COLUMN analytics.bill_versions.vendor_id IS 'Identifier of the vendor.';
COMMENT ON COLUMN analytics.bill_versions.vendor_name IS 'Name of the vendor on the bill.';
COMMENT ON COLUMN analytics.bill_versions.status IS 'Where the bill stood.';
COMMENT ON COLUMN analytics.bill_versions.is_posted IS 'Whether the organization owed it: neither a draft nor void; null if its status is unknown.';
COMMENT ON COLUMN analytics.bill_versions.date IS 'Day of the bill.';
COMMENT ON COLUMN analytics.bill_versions.due_date IS 'Day on which it was due; null where upstream said none.';
COMMENT ON COLUMN analytics.bill_versions.currency_code IS 'ISO code of its currency.';
COMMENT ON COLUMN analytics.bill_versions.exchange_rate IS 'Price of one unit of its currency in the base currency: 1 in the base currency itself, null if it is unknown.';
COMMENT ON COLUMN analytics.bill_versions.base_currency IS 'ISO code of the organization''s present base currency.';
COMMENT ON COLUMN analytics.bill_versions.net IS 'Sum before tax, in its currency; null while it was unknown.';
COMMENT ON COLUMN analytics.bill_versions.tax IS 'Sum of the taxes, in its currency; null while it was unknown.';
COMMENT ON COLUMN analytics.bill_versions.gross IS 'What the vendor charged with tax, in its currency; null while it was unknown.';
COMMENT ON COLUMN analytics.bill_versions.open IS 'What was left to pay, in its currency.';
COMMENT ON COLUMN analytics.bill_versions.net_base IS 'Sum before tax in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.bill_versions.tax_base IS 'Sum of the taxes in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.bill_versions.gross_base IS 'What the vendor charged in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.bill_versions.open_base IS 'What was left to pay in the base currency, at the rate of the bill; null without a rate.';
COMMENT ON COLUMN analytics.bill_versions.lines_loaded IS 'Whether its lines were loaded.';
