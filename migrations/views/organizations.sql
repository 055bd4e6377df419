CREATE OR REPLACE VIEW analytics.organizations WITH (security_barrier) AS
SELECT
  o.organization_id,
  o.name,
  coalesce(b.currency_code, l.currency_code) AS base_currency,
  coalesce(nullif(o.time_zone, ''), 'UTC') AS time_zone,
  (clock_timestamp() AT TIME ZONE coalesce(nullif(o.time_zone, ''), 'UTC'))::date AS today,
  CASE WHEN b.fiscal_year_start_month BETWEEN 0 AND 11 THEN b.fiscal_year_start_month::integer + 1 END AS fiscal_start_month,
  ARRAY(
    SELECT DISTINCT s.service FROM sluice.streams AS s
    WHERE s.organization_id = o.organization_id AND s.enabled
    ORDER BY s.service
  ) AS services
FROM sluice.organizations AS o
LEFT JOIN LATERAL (
  SELECT s.currency_code, s.fiscal_year_start_month
  FROM (
    SELECT organization_id, id, name, currency_code, fiscal_year_start_month, _changed_at FROM accounting.organizations WHERE _deleted_at IS NULL
    UNION ALL
    SELECT organization_id, id, name, currency_code, fiscal_year_start_month, _changed_at FROM inventory.organizations WHERE _deleted_at IS NULL
    UNION ALL
    SELECT organization_id, id, name, currency_code, fiscal_year_start_month, _changed_at FROM invoicing.organizations WHERE _deleted_at IS NULL
    UNION ALL
    SELECT organization_id, id, name, currency_code, fiscal_year_start_month, _changed_at FROM billing.organizations WHERE _deleted_at IS NULL
  ) AS s
  WHERE s.organization_id = o.organization_id AND (s.id = o.organization_id OR s.name = o.name)
  ORDER BY s.id = o.organization_id DESC, s._changed_at DESC
  LIMIT 1
) AS b ON true
LEFT JOIN LATERAL (
  SELECT c.currency_code
  FROM invoicing.currencies AS c
  WHERE c.organization_id = o.organization_id AND c.is_base_currency AND c._deleted_at IS NULL
  ORDER BY c._changed_at DESC
  LIMIT 1
) AS l ON true
WHERE o.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.organizations IS 'One row for each organization that is copied; key: organization_id. Take the day of an organization from here: current_date is the day of the session.';
COMMENT ON COLUMN analytics.organizations.organization_id IS 'Key of the organization, as in all tables.';
COMMENT ON COLUMN analytics.organizations.name IS 'Name of the organization.';
COMMENT ON COLUMN analytics.organizations.base_currency IS 'ISO code of the currency that its books are kept in; null until its settings or its currencies are copied.';
COMMENT ON COLUMN analytics.organizations.time_zone IS 'Time zone of the organization; UTC until it is known.';
COMMENT ON COLUMN analytics.organizations.today IS 'The present day in that zone.';
COMMENT ON COLUMN analytics.organizations.fiscal_start_month IS 'Month in which its fiscal year begins, from 1 (January) to 12; null until its settings are copied. Assumed: upstream counts months from 0.';
COMMENT ON COLUMN analytics.organizations.services IS 'Names of the services that are copied, such as accounting.';
