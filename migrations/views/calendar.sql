CREATE OR REPLACE VIEW analytics.calendar WITH (security_barrier) AS
SELECT
  d.organization_id,
  d.day,
  d.day - extract(isodow FROM d.day)::integer + 1 AS week_start,
  extract(isoyear FROM d.day)::integer AS week_year,
  extract(week FROM d.day)::integer AS week,
  date_trunc('month', d.day::timestamp)::date AS month,
  date_trunc('quarter', d.day::timestamp)::date AS quarter,
  extract(year FROM d.day)::integer AS year,
  -- The year in which it ends: a fiscal year that begins in January is the calendar year.
  extract(year FROM d.day + make_interval(months => (13 - d.fiscal_start_month) % 12))::integer AS fiscal_year,
  (d.fiscal_month - 1) / 3 + 1 AS fiscal_quarter,
  d.fiscal_month,
  (date_trunc('month', d.day::timestamp) - make_interval(months => (d.fiscal_month - 1) % 3))::date AS fiscal_quarter_start,
  (date_trunc('month', d.day::timestamp) - make_interval(months => d.fiscal_month - 1))::date AS fiscal_year_start,
  extract(day FROM d.day + 1) = 1 AS is_month_end
FROM (
  SELECT
    o.organization_id,
    s.day::date AS day,
    o.fiscal_start_month,
    (extract(month FROM s.day)::integer - o.fiscal_start_month + 12) % 12 + 1 AS fiscal_month
  FROM analytics.organizations AS o
  CROSS JOIN LATERAL generate_series(
    -- A wrong date of centuries ago makes no calendar of centuries.
    greatest(
      (o.today - interval '30 years')::timestamp,
      date_trunc('year', least(
        o.today::timestamp,
        (SELECT min(b.date) FROM inventory.bills AS b WHERE b.organization_id = o.organization_id)::timestamp,
        (SELECT min(p.date) FROM accounting.vendor_payments AS p WHERE p.organization_id = o.organization_id)::timestamp,
        (SELECT min(e.date) FROM accounting.expenses AS e WHERE e.organization_id = o.organization_id)::timestamp,
        (SELECT min(n.date) FROM inventory.credit_notes AS n WHERE n.organization_id = o.organization_id)::timestamp
      ))
    ),
    date_trunc('year', o.today::timestamp) + interval '2 years' - interval '1 day',
    interval '1 day'
  ) AS s (day)
) AS d;

COMMENT ON VIEW analytics.calendar IS 'One row for each day of each organization; key: (organization_id, day). From the year of the first document, thirty years back at most, to the end of next year. For months without documents, and for fiscal periods.';
COMMENT ON COLUMN analytics.calendar.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.calendar.day IS 'The day.';
COMMENT ON COLUMN analytics.calendar.week_start IS 'Monday of its week.';
COMMENT ON COLUMN analytics.calendar.week_year IS 'Year that its week belongs to, by ISO 8601.';
COMMENT ON COLUMN analytics.calendar.week IS 'Number of its week, by ISO 8601.';
COMMENT ON COLUMN analytics.calendar.month IS 'First day of its month.';
COMMENT ON COLUMN analytics.calendar.quarter IS 'First day of its calendar quarter.';
COMMENT ON COLUMN analytics.calendar.year IS 'Its calendar year.';
COMMENT ON COLUMN analytics.calendar.fiscal_year IS 'Calendar year in which its fiscal year ends; null until the beginning of the fiscal year is known, as all fiscal columns.';
COMMENT ON COLUMN analytics.calendar.fiscal_quarter IS 'Quarter of its fiscal year, from 1 to 4.';
COMMENT ON COLUMN analytics.calendar.fiscal_month IS 'Month of its fiscal year, from 1 to 12.';
COMMENT ON COLUMN analytics.calendar.fiscal_quarter_start IS 'First day of its fiscal quarter.';
COMMENT ON COLUMN analytics.calendar.fiscal_year_start IS 'First day of its fiscal year.';
COMMENT ON COLUMN analytics.calendar.is_month_end IS 'Whether it is the last day of its month.';
