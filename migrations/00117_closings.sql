-- +goose Up
-- Closed periods: what belonged to a period when it was closed, and what became of it since. And
-- schema as_of: tables and views as they were on a day (docs/decisions/0016-versions). The tables
-- are written by pipeline/warehouse/closings.

CREATE TABLE sluice.closings (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    period text COLLATE "C" NOT NULL,
    first_day date NOT NULL,
    last_day date NOT NULL CHECK (last_day >= first_day),
    time_zone text NOT NULL,
    closed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    reopened_at timestamptz CHECK (reopened_at >= closed_at),
    records bigint NOT NULL DEFAULT 0,
    digest text NOT NULL DEFAULT '',
    lacks text[] NOT NULL DEFAULT '{}',
    looked_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX closings_open ON sluice.closings (organization_id, period) WHERE reopened_at IS NULL;
COMMENT ON TABLE sluice.closings IS 'One row for each time that a period of an organization was closed.';
COMMENT ON COLUMN sluice.closings.id IS 'Number of the closing.';
COMMENT ON COLUMN sluice.closings.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN sluice.closings.period IS 'The period: 2026-10, 2026-Q3, 2026, or first and last day as 2026-10-01..2026-10-15.';
COMMENT ON COLUMN sluice.closings.first_day IS 'First day of the period.';
COMMENT ON COLUMN sluice.closings.last_day IS 'Last day of the period, it included.';
COMMENT ON COLUMN sluice.closings.time_zone IS 'Time zone of the organization, in which its last day ended.';
COMMENT ON COLUMN sluice.closings.closed_at IS 'When it was closed, by the clock of the database.';
COMMENT ON COLUMN sluice.closings.reopened_at IS 'When it was opened again; null while it is closed.';
COMMENT ON COLUMN sluice.closings.records IS 'How many records were dated in it, drafts and deleted ones included.';
COMMENT ON COLUMN sluice.closings.digest IS 'SHA-256 of all rows of closed_records in the order of their key: two closings with equal digests closed the same.';
COMMENT ON COLUMN sluice.closings.lacks IS 'What was missing when it was closed nevertheless, in sentences; empty if nothing was.';
COMMENT ON COLUMN sluice.closings.looked_at IS 'Up to when changes were looked for and told.';

CREATE TABLE sluice.closing_sums (
    closing_id bigint NOT NULL REFERENCES sluice.closings ON DELETE CASCADE,
    table_name text COLLATE "C" NOT NULL,
    currency_code text COLLATE "C" NOT NULL,
    records bigint NOT NULL,
    counted bigint NOT NULL,
    figures jsonb NOT NULL,
    PRIMARY KEY (closing_id, table_name, currency_code)
);
COMMENT ON TABLE sluice.closing_sums IS 'Counts and sums of a closed period, a row for each table and currency.';
COMMENT ON COLUMN sluice.closing_sums.closing_id IS 'The closing.';
COMMENT ON COLUMN sluice.closing_sums.table_name IS 'The table with its schema, as inventory.bills.';
COMMENT ON COLUMN sluice.closing_sums.currency_code IS 'ISO code of the currency of the sums; empty for sums in the base currency, and where a record names none.';
COMMENT ON COLUMN sluice.closing_sums.records IS 'Records dated in the period.';
COMMENT ON COLUMN sluice.closing_sums.counted IS 'Those of them that are in the sums: no drafts, nothing void or deleted.';
COMMENT ON COLUMN sluice.closing_sums.figures IS 'The sum of each figure, by its column.';

CREATE TABLE sluice.closed_records (
    closing_id bigint NOT NULL REFERENCES sluice.closings ON DELETE CASCADE,
    table_name text COLLATE "C" NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    day date NOT NULL,
    counts boolean NOT NULL,
    is_deleted boolean NOT NULL,
    is_whole boolean NOT NULL,
    currency_code text COLLATE "C",
    exchange_rate numeric,
    figures jsonb NOT NULL,
    content jsonb NOT NULL,
    PRIMARY KEY (closing_id, table_name, record_id)
);
COMMENT ON TABLE sluice.closed_records IS 'What each record of a closed period was when the period was closed: the declared part of it, which names no person.';
COMMENT ON COLUMN sluice.closed_records.closing_id IS 'The closing.';
COMMENT ON COLUMN sluice.closed_records.table_name IS 'The table with its schema, as inventory.bills.';
COMMENT ON COLUMN sluice.closed_records.record_id IS 'Key of the record.';
COMMENT ON COLUMN sluice.closed_records.day IS 'The day that it was dated.';
COMMENT ON COLUMN sluice.closed_records.counts IS 'Whether its state was one that counts: neither a draft nor void.';
COMMENT ON COLUMN sluice.closed_records.is_deleted IS 'Whether it was gone upstream.';
COMMENT ON COLUMN sluice.closed_records.is_whole IS 'Whether its single record was read, if it has one: without it values and lines may be missing.';
COMMENT ON COLUMN sluice.closed_records.currency_code IS 'ISO code of the currency of its figures; null for figures in the base currency, and where it names none.';
COMMENT ON COLUMN sluice.closed_records.exchange_rate IS 'Its rate as upstream gave it; 1 for figures in the base currency.';
COMMENT ON COLUMN sluice.closed_records.figures IS 'Its figures, by their columns; null where one was not known.';
COMMENT ON COLUMN sluice.closed_records.content IS 'What else belongs to the period, by column; the lines under the name of their array.';

CREATE TABLE sluice.after_close_notices (
    closing_id bigint NOT NULL REFERENCES sluice.closings ON DELETE CASCADE,
    table_name text COLLATE "C" NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    before jsonb,
    after jsonb,
    effect jsonb,
    noticed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (closing_id, table_name, record_id)
);
COMMENT ON TABLE sluice.after_close_notices IS 'The changes in closed periods that were told: to the log, to status, to metrics and to the log of changes.';
COMMENT ON COLUMN sluice.after_close_notices.closing_id IS 'The closing.';
COMMENT ON COLUMN sluice.after_close_notices.table_name IS 'The table with its schema.';
COMMENT ON COLUMN sluice.after_close_notices.record_id IS 'Key of the record.';
COMMENT ON COLUMN sluice.after_close_notices.kind IS 'changed, deleted, restored, arrived, moved_in or moved_out, as analytics.after_close has it.';
COMMENT ON COLUMN sluice.after_close_notices.before IS 'What differs, as it was when the period was closed.';
COMMENT ON COLUMN sluice.after_close_notices.after IS 'What differs, as it was when it was told.';
COMMENT ON COLUMN sluice.after_close_notices.effect IS 'What that does to the sums of the period, by figure; null where the record changed its currency.';
COMMENT ON COLUMN sluice.after_close_notices.noticed_at IS 'When the change was first noticed.';
COMMENT ON COLUMN sluice.after_close_notices.changed_at IS 'When it was last told, because it became another one.';

-- What belongs to a period of the records of all tables. The declarations say what that is, so
-- sluice migrate makes this view anew when they change; until then it has no rows.
CREATE VIEW sluice.dated_records AS
SELECT NULL::text COLLATE "C" AS organization_id, NULL::text COLLATE "C" AS service, NULL::text COLLATE "C" AS resource, NULL::text COLLATE "C" AS table_name,
    NULL::text COLLATE "C" AS record_id, NULL::date AS day, NULL::boolean AS counts, NULL::boolean AS is_deleted, NULL::boolean AS is_whole,
    NULL::text COLLATE "C" AS currency_code, NULL::numeric AS exchange_rate, NULL::jsonb AS figures, NULL::jsonb AS content,
    NULL::timestamptz AS first_seen_at, NULL::timestamptz AS changed_at
WHERE false;
COMMENT ON VIEW sluice.dated_records IS 'Present records that belong to a period, with what of them belongs to it. Made of the declarations by sluice migrate.';
COMMENT ON COLUMN sluice.dated_records.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN sluice.dated_records.service IS 'The service.';
COMMENT ON COLUMN sluice.dated_records.resource IS 'The resource.';
COMMENT ON COLUMN sluice.dated_records.table_name IS 'The table with its schema.';
COMMENT ON COLUMN sluice.dated_records.record_id IS 'Key of the record.';
COMMENT ON COLUMN sluice.dated_records.day IS 'The day that it is dated; null if it has none.';
COMMENT ON COLUMN sluice.dated_records.counts IS 'Whether its state is one that counts.';
COMMENT ON COLUMN sluice.dated_records.is_deleted IS 'Whether it is gone upstream.';
COMMENT ON COLUMN sluice.dated_records.is_whole IS 'Whether its single record is read, if it has one.';
COMMENT ON COLUMN sluice.dated_records.currency_code IS 'ISO code of the currency of its figures; null for figures in the base currency.';
COMMENT ON COLUMN sluice.dated_records.exchange_rate IS 'Its rate as upstream gives it; 1 for figures in the base currency.';
COMMENT ON COLUMN sluice.dated_records.figures IS 'Its figures, by their columns.';
COMMENT ON COLUMN sluice.dated_records.content IS 'What else belongs to the period; lines are null while the single record is not read.';
COMMENT ON COLUMN sluice.dated_records.first_seen_at IS 'When the row was made.';
COMMENT ON COLUMN sluice.dated_records.changed_at IS 'When the row last changed.';

-- As of a day -------------------------------------------------------------------------------------

-- sluice migrate makes the views as_of.<service>_<table> of the tables whose versions are kept, and
-- those over them, and drops them when they are not kept any more (migrations/history.go).

CREATE SCHEMA as_of;
COMMENT ON SCHEMA as_of IS 'Tables with history: true, and the views over them, as they were at the end of a day, which the setting sluice.as_of of the session names.';

-- +goose StatementBegin
CREATE FUNCTION as_of.day() RETURNS date LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_set text := nullif(current_setting('sluice.as_of', true), '');
    v_day date;
BEGIN
    IF v_set IS NULL THEN
        RAISE EXCEPTION 'no day is set'
            USING HINT = 'SET sluice.as_of = ''2026-10-31'': schema as_of has what the tables had at the end of that day.', ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF v_set ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' THEN
        BEGIN
            v_day := make_date(left(v_set, 4)::integer, substr(v_set, 6, 2)::integer, right(v_set, 2)::integer);
        EXCEPTION WHEN datetime_field_overflow THEN
            v_day := NULL;
        END;
    END IF;
    IF v_day IS NULL THEN
        RAISE EXCEPTION 'sluice.as_of is "%", and no day', left(v_set, 100)
            USING HINT = 'Write it as 2026-10-31.', ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN v_day;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION as_of.day IS 'The day that the setting sluice.as_of of this session names, as 2026-10-31. The days of an organization end in its time zone.';

-- +goose StatementBegin
CREATE FUNCTION as_of.chosen(organization text) RETURNS boolean LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_set text := nullif(current_setting('sluice.as_of_organizations', true), '');
BEGIN
    RETURN v_set IS NULL OR organization = ANY (regexp_split_to_array(btrim(v_set), '\s*,\s*'));
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION as_of.chosen IS 'Whether an organization is one of those that the setting sluice.as_of_organizations of this session names, with commas between them. All, if it names none.';

-- It reads as its owner: who copies what is in schema sluice.
CREATE VIEW as_of.coverage AS
SELECT s.organization_id, s.service, s.resource, e.at,
    EXISTS (SELECT FROM history.periods p WHERE (p.service, p.resource, p.organization_id) = (s.service, s.resource, s.organization_id) AND history.known(p, e.at)) AS is_known,
    (SELECT min(greatest(p.began_at, p.dropped_to)) FROM history.periods p
        WHERE (p.service, p.resource, p.organization_id) = (s.service, s.resource, s.organization_id) AND p.versions) AS began_at,
    (as_of.day() <= (clock_timestamp() AT TIME ZONE o.zone)::date) AS has_begun
FROM (
    SELECT o.organization_id, coalesce(nullif(o.time_zone, ''), 'UTC') AS zone FROM sluice.organizations o WHERE as_of.chosen(o.organization_id)
) AS o
JOIN sluice.streams s ON s.organization_id = o.organization_id AND s.resource !~ '[.]'
CROSS JOIN LATERAL (SELECT (as_of.day() + 1)::timestamp AT TIME ZONE o.zone AS at) AS e
WHERE o.organization_id = ANY (ARRAY(SELECT v.organization_id FROM sluice.visible_organizations v));
COMMENT ON VIEW as_of.coverage IS 'One row for each copied table of each organization: whether it is known what the table had at the end of the day of this session.';
COMMENT ON COLUMN as_of.coverage.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN as_of.coverage.service IS 'The service.';
COMMENT ON COLUMN as_of.coverage.resource IS 'The resource.';
COMMENT ON COLUMN as_of.coverage.at IS 'The instant at which the day ended in the organization''s time zone.';
COMMENT ON COLUMN as_of.coverage.is_known IS 'Whether versions were kept then and still are.';
COMMENT ON COLUMN as_of.coverage.began_at IS 'From when on versions are known; null if they never were kept.';
COMMENT ON COLUMN as_of.coverage.has_begun IS 'Whether the day is not in the future.';

-- ends refuses what the versions cannot answer: an answer without the rows of an organization would
-- look like one in which it had none.
-- +goose StatementBegin
CREATE FUNCTION as_of.ends(in_schema text, table_name text) RETURNS TABLE (organization_id text, service text, at timestamptz) LANGUAGE plpgsql STABLE ROWS 10
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    c record;
    v_day date := as_of.day();
    v_asked text := nullif(current_setting('sluice.as_of_organizations', true), '');
BEGIN
    IF v_asked IS NOT NULL THEN
        FOR c IN SELECT u.name FROM regexp_split_to_table(btrim(v_asked), '\s*,\s*') AS u (name)
            WHERE u.name NOT IN (SELECT o.organization_id FROM analytics.organizations o)
        LOOP
            RAISE EXCEPTION 'sluice.as_of_organizations names "%", and there is no such organization', left(c.name, 100)
                USING HINT = 'SELECT organization_id FROM analytics.organizations', ERRCODE = 'invalid_parameter_value';
        END LOOP;
    END IF;
    -- A list that the configuration declares is in schema custom, and of any service.
    FOR c IN
        SELECT k.* FROM as_of.coverage k WHERE k.resource = table_name
            AND (k.service = in_schema OR in_schema = 'custom' AND to_regclass(format('%I.%I', k.service, k.resource)) IS NULL)
        ORDER BY k.organization_id
    LOOP
        IF NOT c.has_begun THEN
            RAISE EXCEPTION 'the day % has not begun in organization %', v_day, c.organization_id USING ERRCODE = 'invalid_parameter_value';
        ELSIF c.is_known THEN
            organization_id := c.organization_id;
            service := c.service;
            at := c.at;
            RETURN NEXT;
        ELSIF c.began_at IS NULL THEN
            RAISE EXCEPTION 'versions of %.% of organization % were never kept', c.service, c.resource, c.organization_id
                USING HINT = 'The configuration asks for them: resources, history: true. Other organizations alone: SET sluice.as_of_organizations.', ERRCODE = 'object_not_in_prerequisite_state';
        ELSE
            RAISE EXCEPTION 'versions of %.% of organization % were not kept at the end of %, or are not any more', c.service, c.resource, c.organization_id, v_day
                USING DETAIL = format('They are known from %s on.', c.began_at),
                HINT = 'analytics.past_periods says when they were. Other organizations alone: SET sluice.as_of_organizations.', ERRCODE = 'object_not_in_prerequisite_state';
        END IF;
    END LOOP;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION as_of.ends IS 'The organizations that a table was copied of, each with the instant at which the day of this session ended there. An error if versions of one of them are not known.';

-- +goose StatementBegin
CREATE FUNCTION as_of.is_answerable(in_schema text, table_name text) RETURNS boolean LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    PERFORM as_of.ends(in_schema, table_name);
    RETURN true;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION as_of.is_answerable IS 'True, or the error of as_of.ends. Views ask it once, so that a table without any version gives no empty answer.';
