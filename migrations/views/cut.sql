CREATE OR REPLACE FUNCTION analytics.cut(organization text DEFAULT NULL)
RETURNS TABLE (organization_id text, cut timestamptz, held_back_by text) LANGUAGE sql STABLE
BEGIN ATOMIC
SELECT DISTINCT ON (f.organization_id)
  f.organization_id,
  f.complete_up_to,
  f.resource
FROM analytics.freshness AS f
WHERE f.state <> 'not copied any more' AND (organization IS NULL OR f.organization_id = organization)
ORDER BY f.organization_id, f.complete_up_to NULLS FIRST, f.resource;
END;

COMMENT ON FUNCTION analytics.cut(text) IS 'One row for each organization: the greatest instant up to which all its tables are complete; key: organization_id. analytics.cut() has all, analytics.cut(''10234695'') one. Every change that upstream had until then is in the tables; held_back_by is the table that is the furthest behind. Null while the first copy of a table is under way. analytics.freshness has the instant of each table.';
