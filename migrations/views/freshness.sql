CREATE OR REPLACE VIEW analytics.freshness WITH (security_barrier) AS
SELECT
  s.organization_id,
  s.service || '.' || s.resource AS resource,
  s.watermark AS complete_up_to,
  clock_timestamp() - s.watermark AS age,
  s.last_done_at AS last_looked_at,
  s.next_due_at AS next_look_at,
  CASE
    WHEN NOT s.enabled THEN 'not copied any more'
    WHEN s.state IN ('denied', 'failed') THEN s.state
    WHEN s.watermark IS NULL THEN 'first copy under way'
    ELSE 'copied'
  END AS state,
  (SELECT count(*) FROM sluice.quarantine AS q
    WHERE q.state = 'open' AND q.organization_id = s.organization_id AND q.service = s.service AND q.resource = s.resource) AS in_quarantine,
  CASE s.service || '.' || s.resource
    WHEN 'inventory.bills' THEN (SELECT count(*) FROM inventory.bills AS d
      WHERE d.organization_id = s.organization_id AND d._detail_state IN ('pending', 'stale', 'failed') AND d._deleted_at IS NULL)
    WHEN 'accounting.vendor_payments' THEN (SELECT count(*) FROM accounting.vendor_payments AS d
      WHERE d.organization_id = s.organization_id AND d._detail_state IN ('pending', 'stale', 'failed') AND d._deleted_at IS NULL)
    WHEN 'inventory.items' THEN (SELECT count(*) FROM inventory.items AS d
      WHERE d.organization_id = s.organization_id AND d._detail_state IN ('pending', 'stale', 'failed') AND d._deleted_at IS NULL)
    WHEN 'inventory.composite_items' THEN (SELECT count(*) FROM inventory.composite_items AS d
      WHERE d.organization_id = s.organization_id AND d._detail_state IN ('pending', 'stale', 'failed') AND d._deleted_at IS NULL)
    WHEN 'inventory.credit_notes' THEN (SELECT count(*) FROM inventory.credit_notes AS d
      WHERE d.organization_id = s.organization_id AND d._detail_state IN ('pending', 'stale', 'failed') AND d._deleted_at IS NULL)
    WHEN 'accounting.base_currency_adjustments' THEN (SELECT count(*) FROM accounting.base_currency_adjustments AS d
      WHERE d.organization_id = s.organization_id AND d._detail_state IN ('pending', 'stale', 'failed') AND d._deleted_at IS NULL)
  END AS backlog,
  (SELECT round(sum(c.complete) / sum(c.documents), 4) FROM analytics.completeness AS c
    WHERE c.organization_id = s.organization_id AND c.resource = s.service || '.' || s.resource) AS share_complete,
  (SELECT max(r.started_at) FROM sluice.runs AS r
    WHERE r.organization_id = s.organization_id AND r.service = s.service AND r.outcome = 'done' AND r.proof <> ''
      AND (r.resource = s.resource || '.sweep' OR r.resource = s.resource AND r.bound IS NULL)) AS deletions_known_up_to,
  (SELECT min(p.versions_from) FROM analytics.past_periods AS p
    WHERE p.organization_id = s.organization_id AND p.resource = s.service || '.' || s.resource AND p.versions_to = 'infinity') AS past_since,
  (SELECT l.published_at FROM lake.last_publication AS l) AS lake_published_at
FROM sluice.streams AS s
WHERE s.resource NOT LIKE '%.%'
  AND s.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.freshness IS 'One row for each copied table of each organization; key: (organization_id, resource). How old the rows may be. When a row changed last says nothing about when it was looked at.';
COMMENT ON COLUMN analytics.freshness.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.freshness.resource IS 'Service and resource, as inventory.bills. The table has the same name; that of a list which the configuration declares is in schema custom.';
COMMENT ON COLUMN analytics.freshness.complete_up_to IS 'Every change until this instant is in the table, by upstream''s clock; null until the first copy is complete.';
COMMENT ON COLUMN analytics.freshness.age IS 'How long ago that is.';
COMMENT ON COLUMN analytics.freshness.last_looked_at IS 'When the last complete run ended; null if there was none.';
COMMENT ON COLUMN analytics.freshness.next_look_at IS 'When the next run is due.';
COMMENT ON COLUMN analytics.freshness.state IS 'copied; first copy under way; denied: upstream refuses the list; failed: the last run failed; not copied any more.';
COMMENT ON COLUMN analytics.freshness.in_quarantine IS 'Number of records that did not fit the table and are kept aside.';
COMMENT ON COLUMN analytics.freshness.backlog IS 'Number of records whose single record, with lines and taxes, is still to be read; null if the list has it all, and for lists that the configuration declares.';
COMMENT ON COLUMN analytics.freshness.share_complete IS 'Part of the records whose single record is loaded, from 0 to 1; null as for backlog. By month: analytics.completeness.';
COMMENT ON COLUMN analytics.freshness.deletions_known_up_to IS 'When the last clean reading of the whole list began. A record is marked as deleted when two of them did not show it; null if none was clean yet.';
COMMENT ON COLUMN analytics.freshness.past_since IS 'Since when each earlier version of its records is known; null if versions are not kept.';
COMMENT ON COLUMN analytics.freshness.lake_published_at IS 'The lake (Iceberg tables, for other engines) has the table as it was at this instant or later; the same for all tables. Null without a lake.';
