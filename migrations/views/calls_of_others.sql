CREATE OR REPLACE VIEW analytics.calls_of_others WITH (security_barrier) AS
SELECT
  q.organization_id,
  q.service,
  (q.began_at AT TIME ZONE o.time_zone)::date AS day,
  extract(hour FROM q.began_at AT TIME ZONE o.time_zone)::integer AS hour,
  round(sum(q.calls)::numeric, 1) AS calls,
  round((sum(q.seconds) / 60)::numeric)::integer AS minutes_seen,
  bool_or(q.spread) AS is_spread
FROM sluice.external_quarters AS q
JOIN analytics.organizations AS o ON o.organization_id = q.organization_id
WHERE q.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
GROUP BY 1, 2, 3, 4;

COMMENT ON VIEW analytics.calls_of_others IS 'One row for each hour in which upstream told how many calls other programs had made of the daily allowance; key: (organization_id, service, day, hour). Eight weeks are kept.';
COMMENT ON COLUMN analytics.calls_of_others.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.calls_of_others.service IS 'Service whose allowance they spent, as inventory.';
COMMENT ON COLUMN analytics.calls_of_others.day IS 'Date in the time zone of the organization.';
COMMENT ON COLUMN analytics.calls_of_others.hour IS 'Hour of that date, from 0 to 23.';
COMMENT ON COLUMN analytics.calls_of_others.calls IS 'Calls that other programs made. What came between two answers is spread evenly over the time between them, so it has fractions.';
COMMENT ON COLUMN analytics.calls_of_others.minutes_seen IS 'How many minutes of the hour answers of upstream cover. Of the others nothing is known.';
COMMENT ON COLUMN analytics.calls_of_others.is_spread IS 'Whether a part was spread over more than an hour, because no answer came in between.';
