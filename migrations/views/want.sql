-- It has the rights of the role that calls it. What the role may ask for is decided by the view
-- analytics.wants and the trigger behind it.
CREATE OR REPLACE FUNCTION analytics.want(resource text, id text, organization text DEFAULT NULL)
RETURNS bigint LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  v_all text[] := ARRAY(SELECT o.organization_id FROM analytics.organizations AS o ORDER BY o.organization_id);
  v_want bigint;
BEGIN
  IF want.organization IS NULL AND cardinality(v_all) > 1 THEN
    RAISE EXCEPTION 'the organization is missing: this role sees %', cardinality(v_all)
      USING HINT = 'Name one of ' || array_to_string(v_all[1:10], ', ') || ': analytics.want(resource, id, organization).', ERRCODE = 'invalid_parameter_value';
  ELSIF want.organization IS NULL AND cardinality(v_all) = 0 THEN
    RAISE EXCEPTION 'this role sees no organization'
      USING HINT = 'The operator allows one: sluice readers allow.', ERRCODE = 'insufficient_privilege';
  ELSIF want.organization <> ALL (v_all) THEN
    RAISE EXCEPTION 'there is no organization "%"', left(want.organization, 100)
      USING HINT = 'SELECT organization_id FROM analytics.organizations', ERRCODE = 'invalid_parameter_value';
  END IF;
  INSERT INTO analytics.wants (organization_id, resource, record_id) VALUES (coalesce(want.organization, v_all[1]), want.resource, want.id)
  ON CONFLICT DO NOTHING;
  SELECT w.want INTO v_want FROM analytics.wants AS w
  WHERE (w.organization_id, w.resource, w.record_id) = (coalesce(want.organization, v_all[1]), want.resource, want.id)
  ORDER BY w.want DESC LIMIT 1;
  RETURN v_want;
END
$function$;

COMMENT ON FUNCTION analytics.want IS 'Asks that a record be read from upstream now: analytics.want(''inventory.bills'', bill_id), with the organization as third argument where the role sees several. It gives the number of the want in analytics.wants. Asking again while it waits changes nothing.';
