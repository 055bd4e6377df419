CREATE OR REPLACE VIEW analytics.wants WITH (security_barrier) AS
SELECT
  w.id AS want,
  w.organization_id,
  w.resource,
  w.record_id,
  w.asked_by,
  w.asked_at,
  w.answered_at,
  w.outcome,
  CASE WHEN w.answered_at IS NULL THEN (
    SELECT s.state FROM sluice.streams AS s
    WHERE s.organization_id = w.organization_id AND s.service || '.' || s.resource = w.resource || '.hinted' AND s.state IN ('retrying', 'waiting', 'denied', 'failed')
  ) END AS hindered
FROM sluice.wants AS w
WHERE w.asked_by = current_user
  AND w.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
WITH CASCADED CHECK OPTION;

COMMENT ON VIEW analytics.wants IS 'One row for each record that the querying role asked for, of the last days; key: want. Ask by analytics.want or analytics.fresh.';
COMMENT ON COLUMN analytics.wants.want IS 'Number of the want.';
COMMENT ON COLUMN analytics.wants.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.wants.resource IS 'Service and resource, as inventory.bills. The table has the same name; that of a list which the configuration declares is in schema custom.';
COMMENT ON COLUMN analytics.wants.record_id IS 'Identifier of the record.';
COMMENT ON COLUMN analytics.wants.asked_by IS 'The role that asked: that of the query.';
COMMENT ON COLUMN analytics.wants.asked_at IS 'When it asked.';
COMMENT ON COLUMN analytics.wants.answered_at IS 'When it was answered; null while it waits.';
COMMENT ON COLUMN analytics.wants.outcome IS 'read; gone: upstream does not know the record; not found: upstream gave no record, and no proof that there is none; quarantined: the record does not fit its table; expired: it could not be read within a day. Null while it waits.';
COMMENT ON COLUMN analytics.wants.hindered IS 'Why it waits longer than seconds: waiting (for calls), retrying (after an error), denied (by upstream) or failed; null if nothing hinders it.';
