-- +goose Up
-- Views for analysts over the tables of all services. They hold no rows.

CREATE SCHEMA IF NOT EXISTS "analytics";
COMMENT ON SCHEMA "analytics" IS 'Views for analysts over the tables of all services; they hold no rows of their own.';

-- What analysts ask first of a warehouse that is still being filled. Bills that are gone owe no
-- lines.
CREATE VIEW "analytics"."bill_lines_loaded" AS
SELECT
  "organization_id",
  "month",
  count(*) AS "bills",
  count(*) FILTER (WHERE "loaded") AS "bills_with_lines",
  round(count(*) FILTER (WHERE "loaded") / count(*)::numeric, 4) AS "share_of_bills",
  sum("value") AS "value",
  coalesce(sum("value") FILTER (WHERE "loaded"), 0) AS "value_with_lines",
  round(coalesce(sum("value") FILTER (WHERE "loaded"), 0) / nullif(sum("value"), 0), 4) AS "share_of_value",
  count(*) FILTER (WHERE "value" IS NULL) AS "bills_without_value"
FROM (
  SELECT
    "organization_id",
    date_trunc('month', "date"::timestamp)::date AS "month",
    "_detail_state" IN ('none_needed', 'current') AS "loaded",
    coalesce("sub_total" + coalesce("tax_total", 0), "balance") * coalesce("exchange_rate", 1) AS "value"
  FROM "inventory"."bills"
  WHERE "_deleted_at" IS NULL
) AS "bill"
GROUP BY "organization_id", "month";
COMMENT ON VIEW "analytics"."bill_lines_loaded" IS 'The share of bills and of bill value whose lines are loaded, by organization and month of the bill.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."organization_id" IS 'Identifier upstream of the organization that the bills belong to.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."month" IS 'First day of the month that the bills are dated in; null for bills without a date.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."bills" IS 'Number of bills that are dated in the month.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."bills_with_lines" IS 'Number of those whose lines are loaded and those of the newest version known.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."share_of_bills" IS 'Part of the bills whose lines are loaded, from 0 to 1.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."value" IS 'Sum of the bills with tax in the base currency; what is left to pay stands in where a list carried no sums, and a rate of 1 where it carried none.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."value_with_lines" IS 'Part of the value that lies on bills whose lines are loaded, in the base currency.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."share_of_value" IS 'The same part from 0 to 1; null if the value is zero or unknown.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."bills_without_value" IS 'Number of bills that are in no value, as neither sums nor what is left to pay are known.';

-- Who sees what in this schema --------------------------------------------------------------------
--
-- Which organizations, and whether persons unmasked. Views read with their owner's rights, so they
-- ask the two views below about the role that queries.

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

-- A role that may read the table of organizations itself is no reader of views alone: the owner,
-- the worker, readers of raw tables. The two lookups depend on no organization, so Postgres makes
-- each once. One that does is estimated as costly, and every query of a view was compiled for
-- seconds (jit).
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
