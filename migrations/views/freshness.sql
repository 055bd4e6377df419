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
    WHERE q.state = 'open' AND q.organization_id = s.organization_id AND q.service = s.service AND q.resource = s.resource) AS in_quarantine
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
