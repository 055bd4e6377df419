-- +goose Up
-- A standby that was promoted, and a database that was restored, may have forgotten what was
-- committed last (docs/decisions/0064-poolers-and-failover). Both continue on another timeline than
-- before, or are another server. So the timeline is a part of what a worker relies on.

-- +goose StatementBegin
CREATE FUNCTION sluice.timeline() RETURNS text LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
    -- The control file has the timeline of the last checkpoint only, which may be that before a promotion.
    SELECT s.system_identifier::text || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) FROM pg_control_system() s
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.timeline IS 'Names the history of the database: the identifier of the server and its timeline, which a promotion and a restore to an instant change. It fails on a standby.';

CREATE TABLE sluice.last_timeline (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    timeline text NOT NULL,
    seen_at timestamptz NOT NULL
);
COMMENT ON TABLE sluice.last_timeline IS 'One row: the timeline on which calls were last reserved.';
COMMENT ON COLUMN sluice.last_timeline.one IS 'Always true: there is one row.';
COMMENT ON COLUMN sluice.last_timeline.timeline IS 'The timeline, as sluice.timeline() names it.';
COMMENT ON COLUMN sluice.last_timeline.seen_at IS 'When a call was first reserved on it; -infinity for the timeline of the migration.';
INSERT INTO sluice.last_timeline (timeline, seen_at) VALUES (sluice.timeline(), '-infinity');

-- +goose StatementBegin
CREATE FUNCTION sluice.timeline_wait(p_lease interval) RETURNS bigint LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_timeline text := sluice.timeline();
    v_until timestamptz;
BEGIN
    SELECT l.seen_at + p_lease INTO v_until FROM sluice.last_timeline l WHERE l.timeline = v_timeline;
    IF NOT FOUND THEN
        INSERT INTO sluice.last_timeline AS l (timeline, seen_at) VALUES (v_timeline, clock_timestamp())
        ON CONFLICT (one) DO UPDATE SET timeline = excluded.timeline, seen_at = excluded.seen_at WHERE l.timeline <> excluded.timeline;
        SELECT l.seen_at + p_lease INTO v_until FROM sluice.last_timeline l;
    END IF;
    IF v_until > clock_timestamp() THEN
        RETURN greatest(1, ceil(extract(epoch FROM v_until - clock_timestamp()) * 1000));
    END IF;
    RETURN 0;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.timeline_wait IS 'How many milliseconds no call may leave, because the database may have forgotten calls: a lease since the first reservation on this timeline.';

-- A call that the database forgot left at most a third of a minute after it was reserved, and ended
-- within a lease. So no forgotten call is under way, or in the last minute of upstream, later.
-- +goose StatementBegin
CREATE FUNCTION sluice.reserve_call_on_timeline(
    p_organization text, p_service text, p_resource text, p_class text, p_run bigint,
    p_method text, p_path text, p_page integer,
    p_shared text, p_per_minute integer, p_concurrent integer, p_daily integer,
    p_lease interval, p_window interval, p_day interval,
    p_floors double precision[], p_ceilings double precision[], p_reset_hour integer, p_zone text,
    OUT call_id bigint, OUT refused text, OUT wait_ms bigint
) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    call_id := 0;
    refused := 'forgotten';
    wait_ms := sluice.timeline_wait(p_lease);
    IF wait_ms = 0 THEN
        SELECT r.call_id, r.refused, r.wait_ms INTO STRICT call_id, refused, wait_ms
        FROM sluice.reserve_call(p_organization, p_service, p_resource, p_class, p_run, p_method, p_path, p_page,
            p_shared, p_per_minute, p_concurrent, p_daily, p_lease, p_window, p_day, p_floors, p_ceilings, p_reset_hour, p_zone) r;
    END IF;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.reserve_call_on_timeline IS 'Reserves a call, or says which limit refuses it, as reserve_call does; and refuses calls for a lease after the timeline changed.';
