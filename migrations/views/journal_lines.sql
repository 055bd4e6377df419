CREATE OR REPLACE VIEW analytics.journal_lines WITH (security_barrier) AS
SELECT
  j.organization_id,
  j.journal_id,
  l._position AS line,
  j.entry_number,
  j.journal_date AS date,
  j.status,
  j.status IS DISTINCT FROM 'draft' AND j._deleted_at IS NULL AS is_posted,
  l.account_id,
  l.account_name,
  l.customer_id AS contact_id,
  l.project_id,
  j.currency_code,
  r.rate AS exchange_rate,
  o.base_currency,
  CASE WHEN l.debit_or_credit = 'debit' THEN l.amount ELSE 0 END AS debit,
  CASE WHEN l.debit_or_credit = 'credit' THEN l.amount ELSE 0 END AS credit,
  CASE WHEN l.debit_or_credit = 'debit' THEN coalesce(l.bcy_amount, l.amount * r.rate) ELSE 0 END AS debit_base,
  CASE WHEN l.debit_or_credit = 'credit' THEN coalesce(l.bcy_amount, l.amount * r.rate) ELSE 0 END AS credit_base
FROM custom.journals AS j
JOIN custom.journals_line_items AS l ON l.organization_id = j.organization_id AND l._parent_id = j.journal_id
LEFT JOIN analytics.organizations AS o ON o.organization_id = j.organization_id
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN j.currency_code = o.base_currency THEN coalesce(nullif(j.exchange_rate, 0), 1)
    ELSE nullif(j.exchange_rate, 0)
  END AS rate
) AS r
WHERE j.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.journal_lines IS 'One row for each line of each manual journal whose single record is loaded; key: (organization_id, journal_id, line). Amounts are in the currency of the journal, those that end with _base in the base currency. Only manual entries: what documents book is in no journal, so this is no ledger. Only where the configuration has catalogue: [journals].';
COMMENT ON COLUMN analytics.journal_lines.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.journal_lines.journal_id IS 'Identifier of the journal; unique within the organization.';
COMMENT ON COLUMN analytics.journal_lines.line IS 'Place of the line in the journal, from 0.';
COMMENT ON COLUMN analytics.journal_lines.entry_number IS 'Number of the journal as the organization shows it.';
COMMENT ON COLUMN analytics.journal_lines.date IS 'Day of the journal.';
COMMENT ON COLUMN analytics.journal_lines.status IS 'Where the journal stood when it was read last.';
COMMENT ON COLUMN analytics.journal_lines.is_posted IS 'Whether it counts: neither a draft nor deleted.';
COMMENT ON COLUMN analytics.journal_lines.account_id IS 'Account that the line is booked on.';
COMMENT ON COLUMN analytics.journal_lines.account_name IS 'Name of that account.';
COMMENT ON COLUMN analytics.journal_lines.contact_id IS 'Contact that the line concerns; null without one.';
COMMENT ON COLUMN analytics.journal_lines.project_id IS 'Project that the line concerns; null without one.';
COMMENT ON COLUMN analytics.journal_lines.currency_code IS 'ISO code of the currency of the journal.';
COMMENT ON COLUMN analytics.journal_lines.exchange_rate IS 'Price of one unit of that currency in the base currency; null if upstream gave none.';
COMMENT ON COLUMN analytics.journal_lines.base_currency IS 'ISO code of the organization''s base currency.';
COMMENT ON COLUMN analytics.journal_lines.debit IS 'Amount that is debited, in the currency of the journal.';
COMMENT ON COLUMN analytics.journal_lines.credit IS 'Amount that is credited, in the currency of the journal.';
COMMENT ON COLUMN analytics.journal_lines.debit_base IS 'Amount that is debited in the base currency; null without a rate.';
COMMENT ON COLUMN analytics.journal_lines.credit_base IS 'Amount that is credited in the base currency; null without a rate.';
