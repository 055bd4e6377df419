-- +goose Up
-- Who sees what in schema analytics: which organizations, and whether persons unmasked. Views read
-- with their owner's rights, so they ask these two views about the role that queries.

CREATE TABLE analytics.readers (
    role name NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (role, organization_id)
);
COMMENT ON TABLE analytics.readers IS 'One row for each role and organization whose rows its members see in the views; key: (role, organization_id). Written by operators. A role without a row sees nothing.';
COMMENT ON COLUMN analytics.readers.role IS 'Role of the database, often that of a team; its members see the same.';
COMMENT ON COLUMN analytics.readers.organization_id IS 'Key of the organization; * stands for all, those of later days included.';

CREATE TABLE sluice.reader_key (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    token_key text NOT NULL
);
COMMENT ON TABLE sluice.reader_key IS 'One row: what the tokens of masked values are made with, so that trying values does not find one.';
COMMENT ON COLUMN sluice.reader_key.only_one IS 'Always true.';
COMMENT ON COLUMN sluice.reader_key.token_key IS 'Random text of this database. A change of it changes all tokens.';
INSERT INTO sluice.reader_key (token_key) VALUES (gen_random_uuid()::text || gen_random_uuid()::text);

-- A role that may read the table of organizations itself is no reader of views alone: the owner, the
-- worker, readers of raw tables. The two lookups depend on no organization, so Postgres makes each
-- once. One that does is estimated as costly, and every query of a view was compiled for seconds
-- (jit).
CREATE VIEW sluice.visible_organizations AS
SELECT o.organization_id
FROM sluice.organizations AS o
WHERE has_table_privilege(current_user, 'sluice.organizations'::regclass, 'SELECT')
   OR '*' IN (
    SELECT r.organization_id FROM analytics.readers AS r
    JOIN pg_catalog.pg_roles AS g ON g.rolname = r.role
    WHERE pg_has_role(current_user, g.oid, 'MEMBER')
) OR o.organization_id IN (
    SELECT r.organization_id FROM analytics.readers AS r
    JOIN pg_catalog.pg_roles AS g ON g.rolname = r.role
    WHERE pg_has_role(current_user, g.oid, 'MEMBER')
);
COMMENT ON VIEW sluice.visible_organizations IS 'The organizations whose rows the querying role may see in the views.';
COMMENT ON COLUMN sluice.visible_organizations.organization_id IS 'Key of the organization.';

CREATE VIEW sluice.viewer AS
SELECT
    has_table_privilege(current_user, 'sluice.organizations'::regclass, 'SELECT')
        OR EXISTS (
            SELECT FROM pg_catalog.pg_roles AS g
            WHERE g.rolname = 'sluice_reader_personal' AND pg_has_role(current_user, g.oid, 'MEMBER')
        ) AS sees_personal,
    k.token_key
FROM sluice.reader_key AS k;
COMMENT ON VIEW sluice.viewer IS 'One row: what the querying role may see of persons.';
COMMENT ON COLUMN sluice.viewer.sees_personal IS 'Whether it sees names, addresses and free texts as they are.';
COMMENT ON COLUMN sluice.viewer.token_key IS 'The key of tokens.';

CREATE TABLE sluice.columns (
    schema_name text NOT NULL,
    table_name text NOT NULL,
    column_name text NOT NULL,
    place integer NOT NULL,
    kind text NOT NULL,
    class text NOT NULL,
    is_assumed boolean NOT NULL,
    wire text NOT NULL,
    sentence text NOT NULL,
    PRIMARY KEY (schema_name, table_name, column_name)
);
COMMENT ON TABLE sluice.columns IS 'The declared columns of all copied tables, one row for each, as the program that migrated last declares them. Written by sluice migrate alone.';
COMMENT ON COLUMN sluice.columns.schema_name IS 'Schema of the table.';
COMMENT ON COLUMN sluice.columns.table_name IS 'Name of the table.';
COMMENT ON COLUMN sluice.columns.column_name IS 'Name of the column.';
COMMENT ON COLUMN sluice.columns.place IS 'Its place among the declared columns of the table, from 0.';
COMMENT ON COLUMN sluice.columns.kind IS 'id, text, bool, int, decimal, date, time or json.';
COMMENT ON COLUMN sluice.columns.class IS 'What its values may tell about people: plain, company, person, contact, address, tax number, bank or free text.';
COMMENT ON COLUMN sluice.columns.is_assumed IS 'Whether another source than the vendor''s API documents names it.';
COMMENT ON COLUMN sluice.columns.wire IS 'Key upstream; empty where the program supplies the value.';
COMMENT ON COLUMN sluice.columns.sentence IS 'What it means.';
