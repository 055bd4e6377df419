-- +goose Up
-- What operators did in the console, and where the console is. Written by
-- pipeline/warehouse/actions.

CREATE TABLE sluice.actions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor text NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    organization_id text COLLATE "C",
    before jsonb,
    after jsonb,
    outcome text NOT NULL CHECK (outcome IN ('done', 'failed')),
    error text,
    CHECK ((outcome = 'failed') = (error IS NOT NULL))
);
CREATE INDEX actions_time ON sluice.actions (at);
COMMENT ON TABLE sluice.actions IS 'What operators did in the console, one row for each action. Commands write nothing here. No process changes a row; old ones are dropped with the runs of their time.';
COMMENT ON COLUMN sluice.actions.id IS 'Number of the action: of two actions the larger one was noted later.';
COMMENT ON COLUMN sluice.actions.at IS 'When it was noted, by the clock of the database.';
COMMENT ON COLUMN sluice.actions.actor IS 'The operator, by the name with which the console knows people.';
COMMENT ON COLUMN sluice.actions.action IS 'What was done, in the words of the command that does the same: backfill pause.';
COMMENT ON COLUMN sluice.actions.target IS 'What it was done to: a stream, or the number of a backfill.';
COMMENT ON COLUMN sluice.actions.organization_id IS 'The organization that the target belongs to; null if it belongs to none.';
COMMENT ON COLUMN sluice.actions.before IS 'The target before; null if there was none.';
COMMENT ON COLUMN sluice.actions.after IS 'The target after; null if there is none, and if the action failed.';
COMMENT ON COLUMN sluice.actions.outcome IS 'done, or failed.';
COMMENT ON COLUMN sluice.actions.error IS 'Why it failed, without secrets; null if it was done.';

-- It has the owner's rights, because the worker may add actions, and change and delete none. So a
-- worker in wrong hands cannot make the last 35 days undone.
-- +goose StatementBegin
CREATE FUNCTION sluice.prune_actions(p_keep interval, p_batch integer DEFAULT 10000) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_dropped integer;
BEGIN
    DELETE FROM sluice.actions WHERE id IN (
        SELECT a.id FROM sluice.actions a WHERE a.at < clock_timestamp() - greatest(p_keep, interval '35 days') ORDER BY a.at LIMIT p_batch);
    GET DIAGNOSTICS v_dropped = ROW_COUNT;
    RETURN v_dropped;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.prune_actions IS 'Drops actions that are older than they are kept, 35 days at least, and says how many.';
REVOKE ALL ON FUNCTION sluice.prune_actions(interval, integer) FROM PUBLIC;

CREATE TABLE sluice.console_address (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    address text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE sluice.console_address IS 'One row: where people reach the console. No row if there is no console.';
COMMENT ON COLUMN sluice.console_address.one IS 'Always true: there is one row.';
COMMENT ON COLUMN sluice.console_address.address IS 'The address without a slash at its end, as https://sluice.example.com.';
COMMENT ON COLUMN sluice.console_address.changed_at IS 'Since when it is this one.';

-- +goose StatementBegin
CREATE FUNCTION sluice.percent_encoded(p_text text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF p_text COLLATE "C" ~ '^[A-Za-z0-9._~-]*$' THEN
        RETURN p_text;
    END IF;
    RETURN (
        SELECT string_agg(CASE WHEN c.one COLLATE "C" ~ '^[A-Za-z0-9._~-]$' THEN c.one
            ELSE regexp_replace(upper(encode(convert_to(c.one, 'UTF8'), 'hex')), '(..)', '%\1', 'g') END, '' ORDER BY c.place)
        FROM string_to_table(p_text, NULL) WITH ORDINALITY AS c (one, place));
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.percent_encoded IS 'A text as a part of an address: each byte but letters of ASCII, digits, and - . _ ~ is written as % and two digits (RFC 3986).';

-- Readers cannot use schema sluice, so that the function stands where they are, and has the owner's
-- rights. It gives the address of the console, and of no row that it would look at.
-- +goose StatementBegin
CREATE FUNCTION analytics.explain_url(organization text, resource text, id text) RETURNS text LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN (SELECT a.address || '/r/' || sluice.percent_encoded(resource) || '/' || sluice.percent_encoded(id) || '?org=' || sluice.percent_encoded(organization)
        FROM sluice.console_address a);
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION analytics.explain_url IS 'The address of the page on which the console explains a record: its versions, calls and raw records. analytics.explain_url(organization_id, ''inventory.bills'', bill_id). The address is permanent, also where the record is gone. Null if a part of it is null, and if there is no console. Whether there is such a record is not looked at.';
