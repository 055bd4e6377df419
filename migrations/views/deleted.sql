CREATE OR REPLACE VIEW analytics.deleted WITH (security_barrier) AS
SELECT
  t.organization_id,
  t.service || '.' || t.resource AS resource,
  t.record_id,
  t.deleted_at AS gone_at,
  CASE t.proof WHEN 'scan' THEN 'two whole lists did not show it' WHEN 'not_found' THEN 'upstream does not know it any more' END AS evidence,
  CASE t.decided_by WHEN 'rule' THEN 'the program' WHEN 'person' THEN 'a person' END AS decided_by,
  t.state = 'deleted' AS is_gone,
  t.restored_at AS back_at
FROM sluice.tombstones AS t
WHERE (t.state = 'deleted' OR t.state = 'restored' AND t.deleted_at IS NOT NULL)
  AND t.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.deleted IS 'One row for each record that is or was gone upstream; key: (organization_id, resource, record_id). Its row stays in the table, with _deleted_at while it is gone, as long as the operator keeps such rows (retention.gone).';
COMMENT ON COLUMN analytics.deleted.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.deleted.resource IS 'Service and resource, as inventory.bills. The table has the same name; that of a list which the configuration declares is in schema custom.';
COMMENT ON COLUMN analytics.deleted.record_id IS 'Identifier of the record.';
COMMENT ON COLUMN analytics.deleted.gone_at IS 'When it was found to be gone, by upstream''s clock.';
COMMENT ON COLUMN analytics.deleted.evidence IS 'Why it counts as gone.';
COMMENT ON COLUMN analytics.deleted.decided_by IS 'Who decided: the program by its rule, or a person after a review.';
COMMENT ON COLUMN analytics.deleted.is_gone IS 'Whether it is gone now; false if it came back.';
COMMENT ON COLUMN analytics.deleted.back_at IS 'When it came back; null if it did not.';
