CREATE OR REPLACE VIEW analytics.past_periods WITH (security_barrier) AS
SELECT
  p.organization_id,
  p.service || '.' || p.resource AS resource,
  p.asked_at,
  CASE WHEN p.versions THEN greatest(p.began_at, p.dropped_to) END AS versions_from,
  CASE WHEN p.versions AND p.began_at IS NOT NULL THEN coalesce(p.ended_at, 'infinity') END AS versions_to,
  p.daily,
  CASE WHEN p.daily <> '{}' THEN (p.asked_at AT TIME ZONE p.time_zone)::date END AS days_from,
  CASE WHEN p.daily <> '{}' THEN coalesce((p.ended_at AT TIME ZONE p.time_zone)::date, 'infinity') END AS days_to,
  p.time_zone
FROM history.periods AS p
WHERE p.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.past_periods IS 'One row for each time in which earlier values of a table were kept; key: (organization_id, resource, asked_at). Outside of these times no view knows what a table had: an answer about them is empty, and that does not mean that there was nothing.';
COMMENT ON COLUMN analytics.past_periods.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.past_periods.resource IS 'Service and resource, as inventory.bills.';
COMMENT ON COLUMN analytics.past_periods.asked_at IS 'Since when the configuration asks for it.';
COMMENT ON COLUMN analytics.past_periods.versions_from IS 'From when on each version of each record is known; null if versions are not kept, or the rows that were there are still being taken in.';
COMMENT ON COLUMN analytics.past_periods.versions_to IS 'Until when, exclusive; infinity while they are kept.';
COMMENT ON COLUMN analytics.past_periods.daily IS 'Columns, and tables of arrays, whose values are kept by day; empty if none are.';
COMMENT ON COLUMN analytics.past_periods.days_from IS 'First day of which those values are known; null if none are kept.';
COMMENT ON COLUMN analytics.past_periods.days_to IS 'Last such day; infinity while they are kept.';
COMMENT ON COLUMN analytics.past_periods.time_zone IS 'Time zone of the days.';
