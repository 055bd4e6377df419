CREATE OR REPLACE VIEW analytics.organizations WITH (security_barrier) AS
SELECT
  o.organization_id,
  o.name,
  b.currency_code AS base_currency,
  coalesce(nullif(o.time_zone, ''), 'UTC') AS time_zone,
  (clock_timestamp() AT TIME ZONE coalesce(nullif(o.time_zone, ''), 'UTC'))::date AS today
FROM sluice.organizations AS o
LEFT JOIN LATERAL (
  SELECT s.currency_code
  FROM (
    SELECT organization_id, id, name, currency_code, _changed_at FROM accounting.organizations WHERE _deleted_at IS NULL
    UNION ALL
    SELECT organization_id, id, name, currency_code, _changed_at FROM inventory.organizations WHERE _deleted_at IS NULL
    UNION ALL
    SELECT organization_id, id, name, currency_code, _changed_at FROM invoicing.organizations WHERE _deleted_at IS NULL
    UNION ALL
    SELECT organization_id, id, name, currency_code, _changed_at FROM billing.organizations WHERE _deleted_at IS NULL
  ) AS s
  WHERE s.organization_id = o.organization_id AND (s.id = o.organization_id OR s.name = o.name)
  ORDER BY s.id = o.organization_id DESC, s._changed_at DESC
  LIMIT 1
) AS b ON true
WHERE o.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.organizations IS 'One row for each organization that is copied; key: organization_id. Take the day of an organization from here: current_date is the day of the session.';
COMMENT ON COLUMN analytics.organizations.organization_id IS 'Key of the organization, as in all tables.';
COMMENT ON COLUMN analytics.organizations.name IS 'Name of the organization.';
COMMENT ON COLUMN analytics.organizations.base_currency IS 'ISO code of the currency that its books are kept in; null until its settings are copied.';
COMMENT ON COLUMN analytics.organizations.time_zone IS 'Time zone of the organization; UTC until it is known.';
COMMENT ON COLUMN analytics.organizations.today IS 'The present day in that zone.';
