-- +goose Up
-- What others spend, by quarters of an hour (docs/decisions/0034-calls-of-others). Written by
-- pipeline/warehouse/calls, through the trigger below.

CREATE TABLE sluice.external_quarters (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    began_at timestamptz NOT NULL,
    calls double precision NOT NULL,
    seconds double precision NOT NULL,
    spread boolean NOT NULL,
    PRIMARY KEY (organization_id, service, began_at)
);
COMMENT ON TABLE sluice.external_quarters IS 'What others spent of the daily allowance, by quarters of an hour. Eight weeks are kept. No row: no answer of upstream covers that time.';
COMMENT ON COLUMN sluice.external_quarters.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.external_quarters.service IS 'The service.';
COMMENT ON COLUMN sluice.external_quarters.began_at IS 'When the quarter of an hour began.';
COMMENT ON COLUMN sluice.external_quarters.calls IS 'Calls of others in it. What came between two answers is spread evenly over the time between them.';
COMMENT ON COLUMN sluice.external_quarters.seconds IS 'How much of the quarter answers cover.';
COMMENT ON COLUMN sluice.external_quarters.spread IS 'Whether a part was spread over more than an hour, because no answer came in between.';

CREATE TABLE sluice.external_seen (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    reset_at timestamptz NOT NULL,
    calls integer NOT NULL,
    PRIMARY KEY (organization_id, service)
);
COMMENT ON TABLE sluice.external_seen IS 'Up to where the calls of others are in sluice.external_quarters.';
COMMENT ON COLUMN sluice.external_seen.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.external_seen.service IS 'The service.';
COMMENT ON COLUMN sluice.external_seen.at IS 'When the last answer came that was looked at.';
COMMENT ON COLUMN sluice.external_seen.reset_at IS 'When that answer said the day turns.';
COMMENT ON COLUMN sluice.external_seen.calls IS 'The most calls of others that an answer of that day showed.';

-- note_external adds what others spent since the last look. The count of a day only grows: our
-- calls under way make it look smaller for a moment. A day is a new one if it ends later than the
-- last one and began after the last look; the hour of slack is for days of 23 hours. An answer
-- without a reset, which counts as a day that ends in an hour, so begins no new day.
-- +goose StatementBegin
CREATE FUNCTION sluice.note_external() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_calls integer := sluice.external_calls(NEW.organization_id, NEW.service);
    v_begins timestamptz := NEW.reset_at - interval '24 hours';
    v_last sluice.external_seen;
    v_since timestamptz;
    v_grown integer;
    v_new boolean;
BEGIN
    SELECT * INTO v_last FROM sluice.external_seen e WHERE e.organization_id = NEW.organization_id AND e.service = NEW.service;
    v_new := NOT FOUND OR NEW.reset_at > v_last.reset_at + interval '30 minutes' AND v_last.at <= v_begins + interval '1 hour';
    v_since := CASE WHEN v_new THEN greatest(v_begins, v_last.at) ELSE v_last.at END;
    v_grown := CASE WHEN v_new THEN v_calls ELSE v_calls - v_last.calls END;
    IF (v_calls >= 0 AND v_since < NEW.seen_at) IS NOT TRUE THEN
        RETURN NULL;
    END IF;
    INSERT INTO sluice.external_quarters AS e (organization_id, service, began_at, calls, seconds, spread)
    SELECT NEW.organization_id, NEW.service, q.at, greatest(0, v_grown) * s.seconds / extract(epoch FROM NEW.seen_at - v_since), s.seconds,
        NEW.seen_at - v_since > interval '1 hour'
    FROM generate_series(date_bin('15 minutes', v_since, 'epoch'), NEW.seen_at, '15 minutes') AS q (at)
    CROSS JOIN LATERAL (SELECT extract(epoch FROM least(q.at + interval '15 minutes', NEW.seen_at) - greatest(q.at, v_since)) AS seconds) AS s
    WHERE s.seconds > 0
    ON CONFLICT (organization_id, service, began_at) DO UPDATE SET
        calls = e.calls + excluded.calls, seconds = e.seconds + excluded.seconds, spread = e.spread OR excluded.spread;
    INSERT INTO sluice.external_seen AS e (organization_id, service, at, reset_at, calls)
    VALUES (NEW.organization_id, NEW.service, NEW.seen_at, NEW.reset_at, v_calls)
    ON CONFLICT (organization_id, service) DO UPDATE SET at = excluded.at, reset_at = excluded.reset_at,
        calls = CASE WHEN v_new THEN excluded.calls ELSE greatest(e.calls, excluded.calls) END;
    IF v_new THEN
        DELETE FROM sluice.external_quarters e
        WHERE e.organization_id = NEW.organization_id AND e.service = NEW.service AND e.began_at < NEW.seen_at - interval '56 days';
    END IF;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.note_external IS 'Adds to sluice.external_quarters what others spent since the last look.';

-- It looks once a minute at most: at the first answer to a call of another minute.
CREATE TRIGGER external_noted AFTER UPDATE ON sluice.day_budgets FOR EACH ROW
    WHEN (NEW.limit_seen > 0 AND NEW.seen_bucket IS DISTINCT FROM OLD.seen_bucket) EXECUTE FUNCTION sluice.note_external();
CREATE TRIGGER external_begun AFTER INSERT ON sluice.day_budgets FOR EACH ROW
    WHEN (NEW.limit_seen > 0 AND NEW.seen_bucket IS NOT NULL) EXECUTE FUNCTION sluice.note_external();
