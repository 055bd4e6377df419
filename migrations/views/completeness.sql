CREATE OR REPLACE VIEW analytics.completeness WITH (security_barrier) AS
SELECT
  organization_id,
  resource,
  coalesce(to_char(month, 'YYYY-MM'), 'undated') AS period,
  month,
  count(*) AS documents,
  count(*) FILTER (WHERE complete) AS complete,
  round(count(*) FILTER (WHERE complete) / count(*)::numeric, 4) AS share_of_documents,
  sum(value) AS value_base,
  coalesce(sum(value) FILTER (WHERE complete), 0) AS complete_value_base,
  round(coalesce(sum(value) FILTER (WHERE complete), 0) / nullif(sum(value), 0), 4) AS share_of_value,
  count(*) FILTER (WHERE value IS NULL) AS documents_without_value,
  max(c.counted) AS upstream_records,
  max(c.counted_ours) AS records,
  max(c.counted_at) AS counted_at
FROM (
  SELECT d.organization_id, 'inventory.bills' AS resource, d.month, d.lines_loaded AS complete, d.gross_base AS value
  FROM analytics.bills AS d
  WHERE NOT d.is_deleted
  UNION ALL
  SELECT d.organization_id, 'accounting.vendor_payments', d.month, d.applications_loaded, d.amount_base
  FROM analytics.payments AS d
  WHERE NOT d.is_deleted
  UNION ALL
  SELECT d.organization_id, 'inventory.credit_notes', date_trunc('month', d.date::timestamp)::date, d.lines_loaded, d.gross_base
  FROM analytics.credit_notes AS d
  WHERE NOT d.is_deleted
  UNION ALL
  SELECT d.organization_id, 'accounting.base_currency_adjustments', date_trunc('month', d.adjustment_date::timestamp)::date,
    d._detail_state IN ('none_needed', 'current'), abs(d.gain_or_loss)
  FROM accounting.base_currency_adjustments AS d
  WHERE d._deleted_at IS NULL
  UNION ALL
  SELECT d.organization_id, 'inventory.items', NULL, d._detail_state IN ('none_needed', 'current'), NULL
  FROM inventory.items AS d
  WHERE d._deleted_at IS NULL
  UNION ALL
  SELECT d.organization_id, 'inventory.composite_items', NULL, d._detail_state IN ('none_needed', 'current'), NULL
  FROM inventory.composite_items AS d
  WHERE d._deleted_at IS NULL
) AS document
LEFT JOIN (
  SELECT organization_id AS organization, service || '.' || resource AS list, counted, counted_ours, counted_at FROM sluice.streams WHERE counted_at IS NOT NULL
) AS c ON c.organization = document.organization_id AND c.list = document.resource
WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
GROUP BY organization_id, resource, month;

COMMENT ON VIEW analytics.completeness IS 'One row for each month of each table with single records; key: (organization_id, resource, period). The share of documents, and of their value in the base currency, whose single record is loaded: lines, taxes and uses of the others are missing. Drafts and void documents count, deleted ones do not.';
COMMENT ON COLUMN analytics.completeness.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.completeness.resource IS 'Service and resource, as inventory.bills.';
COMMENT ON COLUMN analytics.completeness.period IS 'Year and month, as 2026-10; undated for documents without a day, and for items.';
COMMENT ON COLUMN analytics.completeness.month IS 'First day of the month; null if undated.';
COMMENT ON COLUMN analytics.completeness.documents IS 'Number of documents.';
COMMENT ON COLUMN analytics.completeness.complete IS 'Number of those whose single record is loaded, in the newest version known.';
COMMENT ON COLUMN analytics.completeness.share_of_documents IS 'Part of the documents that is complete, from 0 to 1.';
COMMENT ON COLUMN analytics.completeness.value_base IS 'Sum of the documents with tax in the base currency; of adjustments, the sum of gains and losses without their sign; null for items.';
COMMENT ON COLUMN analytics.completeness.complete_value_base IS 'Part of that value that is on complete documents.';
COMMENT ON COLUMN analytics.completeness.share_of_value IS 'The same part from 0 to 1; null if the value is zero or unknown.';
COMMENT ON COLUMN analytics.completeness.documents_without_value IS 'Number of documents that are in no value, because their sum or their rate is unknown.';
COMMENT ON COLUMN analytics.completeness.upstream_records IS 'Number of records of the whole list by upstream''s own last count, the same in each row of the list; null where it was not counted.';
COMMENT ON COLUMN analytics.completeness.records IS 'How many of these were here then; null where that is uncertain.';
COMMENT ON COLUMN analytics.completeness.counted_at IS 'When upstream counted.';
