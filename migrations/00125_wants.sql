-- +goose Up
-- Records that roles of the database asked for (docs/decisions/0035-wants). A reader inserts by
-- analytics.want and analytics.fresh into the view analytics.wants, and has no right on this table.
-- All that happens to a want later is written by pipeline/warehouse/wants.

CREATE TABLE sluice.wantable (
    organization_id text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    per_day integer NOT NULL CHECK (per_day > 0),
    per_role integer NOT NULL CHECK (per_role > 0),
    PRIMARY KEY (organization_id, resource)
);
COMMENT ON TABLE sluice.wantable IS 'The copied tables of whose records each can be asked for, with the share that the configuration gives.';
COMMENT ON COLUMN sluice.wantable.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.wantable.resource IS 'Service and resource, as inventory.bills.';
COMMENT ON COLUMN sluice.wantable.per_day IS 'How many records of the organization, of all tables together, roles may ask for within 24 hours.';
COMMENT ON COLUMN sluice.wantable.per_role IS 'How many of them one role may ask for.';

CREATE TABLE sluice.wants (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    asked_by name NOT NULL DEFAULT current_user,
    asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    requested_at timestamptz,
    answered_at timestamptz,
    outcome text CHECK (outcome IN ('read', 'gone', 'not found', 'quarantined', 'expired')),
    call_id bigint,
    CHECK ((answered_at IS NULL) = (outcome IS NULL))
);
CREATE UNIQUE INDEX wants_open ON sluice.wants (organization_id, resource, record_id, asked_by) WHERE answered_at IS NULL;
CREATE INDEX wants_asked ON sluice.wants (organization_id, asked_at);
COMMENT ON TABLE sluice.wants IS 'One row for each record that a role asked for. It causes a read and nothing else: it writes no value and moves no watermark.';
COMMENT ON COLUMN sluice.wants.id IS 'Number of the want.';
COMMENT ON COLUMN sluice.wants.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.wants.resource IS 'Service and resource, as inventory.bills.';
COMMENT ON COLUMN sluice.wants.record_id IS 'The record.';
COMMENT ON COLUMN sluice.wants.asked_by IS 'The role that asked.';
COMMENT ON COLUMN sluice.wants.asked_at IS 'When it asked, by the clock of the database.';
COMMENT ON COLUMN sluice.wants.requested_at IS 'When a run was requested because of it; null before.';
COMMENT ON COLUMN sluice.wants.answered_at IS 'When it was answered; null while it waits.';
COMMENT ON COLUMN sluice.wants.outcome IS 'read; gone: upstream does not know the record; not found: upstream gave no record, and no proof that there is none; quarantined: the record does not fit; expired: it could not be read within a day.';
COMMENT ON COLUMN sluice.wants.call_id IS 'The call that answered it; null if none did.';

-- The trigger looks at what readers cannot see, so it has the owner's rights. It runs after the row
-- has passed the check of the view: its errors tell nothing of organizations that the role does not
-- see, and the name in asked_by is that of the role. The lock makes the count exact, and belongs to
-- asking alone: no statement of the program waits for it.
-- +goose StatementBegin
CREATE FUNCTION sluice.check_want() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $function$
DECLARE
    v_may sluice.wantable;
    v_others text;
    v_most integer;
    v_used bigint;
    v_again timestamptz;
    v_role name;
BEGIN
    SELECT w.* INTO v_may FROM sluice.wantable w WHERE (w.organization_id, w.resource) = (NEW.organization_id, NEW.resource);
    IF NOT FOUND THEN
        SELECT string_agg(w.resource, ', ' ORDER BY w.resource) INTO v_others FROM sluice.wantable w WHERE w.organization_id = NEW.organization_id;
        IF v_others IS NULL THEN
            RAISE EXCEPTION 'no record of organization % can be asked for', NEW.organization_id
                USING HINT = 'The operator gives calls for that in the configuration: budget.wants.', ERRCODE = 'object_not_in_prerequisite_state';
        END IF;
        RAISE EXCEPTION 'no record of "%" can be asked for in organization %', left(NEW.resource, 100), NEW.organization_id
            USING HINT = 'These tables have calls for single records: ' || v_others, ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NEW.record_id !~ '^[0-9A-Za-z]{1,64}$' THEN
        RAISE EXCEPTION '"%" is no identifier of a record of %', left(NEW.record_id, 100), NEW.resource
            USING HINT = 'Identifiers have letters and digits alone.', ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM pg_advisory_xact_lock('sluice.wants'::regclass::oid::integer, hashtext(NEW.organization_id));
    FOREACH v_role IN ARRAY ARRAY[NEW.asked_by, NULL] LOOP
        v_most := CASE WHEN v_role IS NULL THEN v_may.per_day ELSE v_may.per_role END;
        SELECT count(*) INTO v_used FROM sluice.wants w
        WHERE w.organization_id = NEW.organization_id AND w.asked_at > clock_timestamp() - interval '24 hours' AND w.asked_by = coalesce(v_role, w.asked_by);
        IF v_used > v_most THEN
            SELECT w.asked_at + interval '24 hours' INTO v_again FROM sluice.wants w
            WHERE w.organization_id = NEW.organization_id AND w.asked_at > clock_timestamp() - interval '24 hours' AND w.asked_by = coalesce(v_role, w.asked_by)
            ORDER BY w.asked_at OFFSET v_used - v_most - 1 LIMIT 1;
            RAISE EXCEPTION '% may ask for % of organization % within 24 hours', coalesce('role ' || v_role, 'all roles together'),
                CASE v_most WHEN 1 THEN '1 record' ELSE v_most || ' records' END, NEW.organization_id
                USING HINT = format('The next one can be asked for at %s (budget.wants.%s).', date_trunc('seconds', v_again),
                    CASE WHEN v_role IS NULL THEN 'per_day' ELSE 'per_role' END), ERRCODE = 'configuration_limit_exceeded';
        END IF;
    END LOOP;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.check_want IS 'Refuses a want of what cannot be asked for, and one above the share of the role or of the organization.';
REVOKE ALL ON FUNCTION sluice.check_want() FROM PUBLIC;
CREATE TRIGGER check_want AFTER INSERT ON sluice.wants FOR EACH ROW EXECUTE FUNCTION sluice.check_want();
