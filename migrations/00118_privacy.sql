-- +goose Up
-- What operators erased, and what is not to be loaded again (docs/decisions/0029-personal-data).
-- Written by pipeline/warehouse/erasures, which erases. No column holds what was erased.

-- Hashes are salted, so that they mean nothing outside of this database. Whoever reads the salt can
-- still try identifiers one by one: readers have no right on this schema.
CREATE TABLE sluice.erasure_salt (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    salt bytea NOT NULL
);
COMMENT ON TABLE sluice.erasure_salt IS 'One row: what the hashes of erased records are salted with.';
COMMENT ON COLUMN sluice.erasure_salt.one IS 'Always true: there is one row.';
COMMENT ON COLUMN sluice.erasure_salt.salt IS 'Random bytes, drawn once.';
INSERT INTO sluice.erasure_salt (salt) SELECT sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));

CREATE TABLE sluice.erasures (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    subject_hash bytea NOT NULL,
    asked_by text NOT NULL DEFAULT session_user,
    note text NOT NULL DEFAULT '',
    begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    places jsonb NOT NULL DEFAULT '{}',
    digest bytea NOT NULL DEFAULT '',
    allowed_at timestamptz
);
CREATE INDEX erasures_subject ON sluice.erasures (subject_hash);
COMMENT ON TABLE sluice.erasures IS 'One receipt for each erasure: where, how many and when, without what was erased.';
COMMENT ON COLUMN sluice.erasures.id IS 'Number of the erasure.';
COMMENT ON COLUMN sluice.erasures.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.erasures.service IS 'The service of the record.';
COMMENT ON COLUMN sluice.erasures.resource IS 'The resource of the record.';
COMMENT ON COLUMN sluice.erasures.subject_hash IS 'The hash of the record''s name, as sluice.erasure_hash makes it.';
COMMENT ON COLUMN sluice.erasures.asked_by IS 'The role of the database that the command worked as.';
COMMENT ON COLUMN sluice.erasures.note IS 'What the operator noted, such as the number of the request. It names no person.';
COMMENT ON COLUMN sluice.erasures.begun_at IS 'When it began, by the clock of the database.';
COMMENT ON COLUMN sluice.erasures.ended_at IS 'When it was complete.';
COMMENT ON COLUMN sluice.erasures.places IS 'How much was erased, by place: {"rows": 1, "raw records": 3}.';
COMMENT ON COLUMN sluice.erasures.digest IS 'SHA-256 of the receipt and of the digest of the receipt before it of the organization: a receipt that was altered or removed shows.';
COMMENT ON COLUMN sluice.erasures.allowed_at IS 'When the operator allowed that the record is loaded again; null if it is refused.';

CREATE TABLE sluice.erased_records (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    record_hash bytea NOT NULL,
    erasure_id bigint NOT NULL REFERENCES sluice.erasures (id),
    PRIMARY KEY (organization_id, service, resource, record_hash)
);
COMMENT ON TABLE sluice.erased_records IS 'Records that are not loaded again, whatever upstream shows.';
COMMENT ON COLUMN sluice.erased_records.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.erased_records.service IS 'The service.';
COMMENT ON COLUMN sluice.erased_records.resource IS 'The resource.';
COMMENT ON COLUMN sluice.erased_records.record_hash IS 'The hash of the record''s name, as sluice.erasure_hash makes it.';
COMMENT ON COLUMN sluice.erased_records.erasure_id IS 'The erasure because of which it is refused.';

-- +goose StatementBegin
CREATE FUNCTION sluice.erasure_hash(organization_id text, service text, resource text, record_id text) RETURNS bytea LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
    SELECT sha256(s.salt || convert_to(concat_ws(E'\n', organization_id, service, resource, record_id), 'UTF8')) FROM sluice.erasure_salt s
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.erasure_hash IS 'The salted hash by which an erased record is known.';

-- A callback can bring values of a record. Of an erased one its number alone is kept.
-- +goose StatementBegin
CREATE FUNCTION sluice.is_erased(p_organization_id text, p_record_id text) RETURNS boolean LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
    SELECT EXISTS (
        SELECT FROM (SELECT DISTINCT e.service, e.resource FROM sluice.erased_records e WHERE e.organization_id = p_organization_id) AS r
        JOIN sluice.erased_records e ON (e.organization_id, e.service, e.resource) = (p_organization_id, r.service, r.resource)
            AND e.record_hash = sluice.erasure_hash(p_organization_id, r.service, r.resource, p_record_id))
$function$;
CREATE FUNCTION sluice.refuse_erased() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF TG_TABLE_NAME = 'events' THEN
        IF sluice.is_erased(NEW.organization_id, NEW.record_id) THEN
            RETURN NULL;
        END IF;
    ELSIF EXISTS (SELECT FROM unnest(NEW.ids) AS i (id) WHERE sluice.is_erased(NEW.organization_id, i.id)) THEN
        NEW.body := NULL;
    END IF;
    RETURN NEW;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.is_erased IS 'Whether a record of any resource with this identifier was erased, and is not allowed again.';
COMMENT ON FUNCTION sluice.refuse_erased IS 'Leaves out an event about an erased record, and the body of a callback that names one.';

CREATE TRIGGER refuse_erased BEFORE INSERT ON notifications.events FOR EACH ROW EXECUTE FUNCTION sluice.refuse_erased();
CREATE TRIGGER refuse_erased BEFORE INSERT OR UPDATE ON sluice.callbacks FOR EACH ROW WHEN (NEW.body IS NOT NULL) EXECUTE FUNCTION sluice.refuse_erased();

-- What is left out --------------------------------------------------------------------------------
--
-- The columns that are left out of records or hashed (docs/decisions/0029-personal-data). The
-- configuration decides; this table says since when, and whether what came before is gone. All of
-- it is written by pipeline/warehouse/leftout.

CREATE TABLE sluice.left_out (
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    how text NOT NULL CHECK (how IN ('omitted', 'hashed')),
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz,
    scrubbed_at timestamptz,
    key_fingerprint text,
    PRIMARY KEY (service, resource, path),
    CHECK (how = 'omitted' OR key_fingerprint IS NOT NULL)
);
COMMENT ON TABLE sluice.left_out IS 'The columns that are left out of records, or hashed, before anything is stored.';
COMMENT ON COLUMN sluice.left_out.service IS 'The service.';
COMMENT ON COLUMN sluice.left_out.resource IS 'The resource.';
COMMENT ON COLUMN sluice.left_out.path IS 'The column, with the arrays that lead to it: contact_persons.email; _extra stands for keys without a column.';
COMMENT ON COLUMN sluice.left_out.how IS 'omitted: the key is left out of each record; hashed: a keyed hash is in its place.';
COMMENT ON COLUMN sluice.left_out.since IS 'When the first process worked by it.';
COMMENT ON COLUMN sluice.left_out.ended_at IS 'When the first process worked that no longer did so; null while it is in force.';
COMMENT ON COLUMN sluice.left_out.scrubbed_at IS 'When rows, versions, raw records and quarantine of before were brought in line; null if they were not.';
COMMENT ON COLUMN sluice.left_out.key_fingerprint IS 'A salted hash of the key whose hashes the column has or may still have; it tells nothing of the key. Null if it has none.';
