-- +goose Up
-- What the program has to know beyond lists: which parents' lists were read when, and whose organization an identifier is.

CREATE TABLE sluice.parents (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    parent_id text COLLATE "C" NOT NULL,
    listed boolean NOT NULL DEFAULT false,
    active boolean NOT NULL DEFAULT true,
    first_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    read_at timestamptz,
    tried_at timestamptz,
    run_id bigint,
    failures integer NOT NULL DEFAULT 0,
    note text NOT NULL DEFAULT '',
    PRIMARY KEY (organization_id, service, resource, parent_id)
);
CREATE INDEX parents_next ON sluice.parents (organization_id, service, resource, tried_at NULLS FIRST, parent_id) WHERE active;
COMMENT ON TABLE sluice.parents IS 'One row per parent of a resource that has a list under each parent: when it was last read, and how that went.';
COMMENT ON COLUMN sluice.parents.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.parents.service IS 'The service of the resource that is listed under the parent.';
COMMENT ON COLUMN sluice.parents.resource IS 'The resource that is listed under the parent.';
COMMENT ON COLUMN sluice.parents.parent_id IS 'Identifier of the parent, as it stands in the address of its list.';
COMMENT ON COLUMN sluice.parents.listed IS 'Whether the configuration names the parent; others were found in the warehouse.';
COMMENT ON COLUMN sluice.parents.active IS 'Whether its list is read: it is named by the configuration, or a row of the warehouse refers to it.';
COMMENT ON COLUMN sluice.parents.first_seen_at IS 'When the parent was first found or named.';
COMMENT ON COLUMN sluice.parents.read_at IS 'When its list was last read to its end; null if it never was.';
COMMENT ON COLUMN sluice.parents.tried_at IS 'When its list was last read or could not be read. The one that was tried longest ago is next.';
COMMENT ON COLUMN sluice.parents.run_id IS 'The run that tried it last: a run tries each parent once.';
COMMENT ON COLUMN sluice.parents.failures IS 'Failures in a row, back to 0 when its list was read.';
COMMENT ON COLUMN sluice.parents.note IS 'Why its list could not be read the last time, in words.';

CREATE TABLE sluice.organizations (
    organization_id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    time_zone text NOT NULL DEFAULT '',
    is_active boolean NOT NULL DEFAULT true,
    pinned_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    checked_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE sluice.organizations IS 'The name that upstream gave each organization when it was first met: another name under the same identifier stops the program.';
COMMENT ON COLUMN sluice.organizations.organization_id IS 'The word under which rows of the organization are kept; its identifier upstream unless the configuration says otherwise.';
COMMENT ON COLUMN sluice.organizations.name IS 'The name that it is pinned to.';
COMMENT ON COLUMN sluice.organizations.time_zone IS 'Its time zone by upstream''s word when it was last checked; empty if upstream did not say.';
COMMENT ON COLUMN sluice.organizations.is_active IS 'Whether upstream said that it is active when it was last checked.';
COMMENT ON COLUMN sluice.organizations.pinned_at IS 'When it was pinned to that name: at first sight, or when a person accepted another name.';
COMMENT ON COLUMN sluice.organizations.checked_at IS 'When upstream last gave that name.';

-- detail_backlog counts the rows of a resource that wait for their single record. It finds the table by the name of the
-- stream, so that a report over all streams is one question; rows that wait for nothing are not in the index that it reads.
-- +goose StatementBegin
CREATE FUNCTION sluice.detail_backlog(
    p_organization text, p_service text, p_stream text, OUT pending bigint, OUT stale bigint, OUT failed bigint
) LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_name text := regexp_replace(p_stream, '\.details$', '');
    v_table regclass := coalesce(to_regclass(format('%I.%I', p_service, v_name)), to_regclass(format('custom.%I', v_name)));
BEGIN
    IF v_name = p_stream OR NOT EXISTS (
        SELECT FROM pg_attribute WHERE attrelid = v_table AND attname = '_detail_state' AND NOT attisdropped
    ) THEN
        RETURN;
    END IF;
    EXECUTE format($sql$SELECT count(*) FILTER (WHERE _detail_state = 'pending'), count(*) FILTER (WHERE _detail_state = 'stale'),
        count(*) FILTER (WHERE _detail_state = 'failed')
        FROM %s WHERE organization_id = $1 AND _detail_state IN ('pending', 'stale', 'failed')$sql$, v_table)
    INTO pending, stale, failed USING p_organization;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.detail_backlog IS 'Rows that wait for their single record, by state; null for a stream that is not one of details.';
