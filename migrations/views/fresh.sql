-- A procedure that commits can have no search path of its own, so each of its transactions begins by
-- setting one: the role that calls it may have objects of others in its path. It waits in
-- transactions of half a second, which hold nothing back.
CREATE OR REPLACE PROCEDURE analytics.fresh(resource pg_catalog.text, id pg_catalog.text, within pg_catalog.interval DEFAULT '10 min', organization pg_catalog.text DEFAULT NULL)
LANGUAGE plpgsql AS $procedure$
DECLARE
  v_want pg_catalog.int8;
  v_until pg_catalog.timestamptz;
  v_outcome pg_catalog.text;
  v_hindered pg_catalog.text;
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  v_want := analytics.want(fresh.resource, fresh.id, fresh.organization);
  v_until := clock_timestamp() + coalesce(within, interval '10 min');
  COMMIT;
  LOOP
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    SELECT w.outcome, w.hindered INTO v_outcome, v_hindered FROM analytics.wants AS w WHERE w.want = v_want;
    EXIT WHEN v_outcome IS NOT NULL OR clock_timestamp() >= v_until;
    PERFORM pg_sleep(least(0.5, extract(epoch FROM v_until - clock_timestamp())));
    COMMIT;
  END LOOP;
  CASE
    WHEN v_outcome = 'read' THEN
      RAISE NOTICE '% % is read', fresh.resource, fresh.id;
    WHEN v_outcome = 'gone' THEN
      RAISE NOTICE '% % is gone: upstream does not know it', fresh.resource, fresh.id;
    WHEN v_outcome IS NULL THEN
      RAISE EXCEPTION '% % was not read within %', fresh.resource, fresh.id, within
        USING DETAIL = CASE v_hindered WHEN 'waiting' THEN 'The calls of the day for such reads are spent.' WHEN 'denied' THEN 'Upstream refuses access.'
          WHEN 'retrying' THEN 'The call failed and is tried again.' WHEN 'failed' THEN 'The calls failed.' ELSE 'No process has answered yet.' END,
          HINT = 'It is still asked for: analytics.wants shows how it ends.', ERRCODE = 'object_not_in_prerequisite_state';
    ELSE
      RAISE EXCEPTION '% % could not be read: %', fresh.resource, fresh.id, v_outcome
        USING DETAIL = CASE v_outcome WHEN 'quarantined' THEN 'The record does not fit its table. The operator sees it with sluice quarantine.'
          WHEN 'not found' THEN 'Upstream gave no record.' ELSE 'It was not read within a day.' END, ERRCODE = 'object_not_in_prerequisite_state';
  END CASE;
END
$procedure$;

COMMENT ON PROCEDURE analytics.fresh IS 'Asks for a record as analytics.want does, and waits until it is read: analytics.fresh(''inventory.bills'', ''460000000038049'', within => ''10 min''), as a call. A notice says that it is read, an error why it is not. It commits, so it has to be called outside of a transaction.';
