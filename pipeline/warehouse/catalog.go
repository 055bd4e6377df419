package warehouse

import (
	"context"

	"sluice/pipeline/warehouse/postgres"
)

// Catalog holds the columns and comments of tables.
type Catalog struct {
	// Columns gives the type of each column, by "schema.table" and column: numeric, timestamp with
	// time zone.
	Columns map[string]map[string]string
	// Comments gives the comment of a table by "schema.table" and of a column by
	// "schema.table.column".
	Comments map[string]string
}

const sqlCatalog = `
SELECT n.nspname || '.' || c.relname AS "table", coalesce(a.attname, '') AS "column",
	coalesce(format_type(a.atttypid, a.atttypmod), '') AS type,
	coalesce(CASE WHEN a.attnum IS NULL THEN obj_description(c.oid, 'pg_class') ELSE col_description(c.oid, a.attnum) END, '')
		AS comment
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL (
	SELECT NULL::name AS attname, NULL::oid AS atttypid, NULL::integer AS atttypmod, NULL::smallint AS attnum
	UNION ALL
	SELECT attname, atttypid, atttypmod, attnum FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
) AS a
WHERE c.relkind IN ('r', 'p') AND n.nspname = ANY($1::text[])
	AND c.relowner = (SELECT o.role FROM sluice.owner o)
ORDER BY 1, a.attnum NULLS FIRST`

// Catalog reads the tables of the schemas that the program owns. A table of another role is left
// out: its triggers would be executed by the session that writes to it.
func (db *DB) Catalog(ctx context.Context, schemas []string) (Catalog, error) {
	type line struct {
		Table   string `db:"table"`
		Column  string `db:"column"`
		Type    string `db:"type"`
		Comment string `db:"comment"`
	}
	lines, err := postgres.Read[line](ctx, db.pool, "the catalogue", sqlCatalog, schemas)
	if err != nil {
		return Catalog{}, err
	}
	catalog := Catalog{Columns: map[string]map[string]string{}, Comments: map[string]string{}}
	for _, line := range lines {
		name := line.Table
		if line.Column == "" {
			catalog.Columns[line.Table] = map[string]string{}
		} else {
			catalog.Columns[line.Table][line.Column] = line.Type
			name += "." + line.Column
		}
		if line.Comment != "" {
			catalog.Comments[name] = line.Comment
		}
	}
	return catalog, nil
}

// Right is a right of another role in the database that it should not have.
type Right struct {
	// What describes the right in words. Remedy is the statement that takes it away.
	What   string `db:"what"`
	Remedy string `db:"remedy"`
}

// Not reported: roles that own the object itself, superusers and the owner of the warehouse, which
// may do everything.
const sqlRights = `
WITH ours AS (
	SELECT role AS owner FROM sluice.owner
), schemas AS (
	SELECT n.oid, n.nspname AS name, n.nspowner AS owner, n.nspacl AS acl FROM pg_catalog.pg_namespace n
	WHERE n.nspname IN ('public', 'sluice', 'history', 'as_of', 'analytics', 'notifications', 'river', 'lake')
		OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s)
), tables AS (
	SELECT c.oid, c.relnamespace, c.relname AS name, c.relowner AS owner, c.relacl AS acl, s.name AS schema
	FROM schemas s JOIN pg_catalog.pg_class c ON c.relnamespace = s.oid WHERE c.relkind IN ('r', 'p') AND s.name <> 'public'
), granted AS (
	SELECT 1 AS place, s.name AS schema, a.grantee, a.privilege_type AS right FROM schemas s
	CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(s.acl, pg_catalog.acldefault('n', s.owner))) AS a
	WHERE a.privilege_type = 'CREATE' AND a.grantee <> s.owner
	UNION
	SELECT 2, t.schema, a.grantee, a.privilege_type FROM tables t CROSS JOIN LATERAL pg_catalog.aclexplode(t.acl) AS a
	WHERE a.privilege_type IN ('TRIGGER', 'REFERENCES') AND a.grantee <> t.owner AND t.owner = (SELECT owner FROM ours)
)
SELECT CASE g.place WHEN 1 THEN format('%s may create objects in schema %I', w.who, g.schema)
		WHEN 2 THEN format('%s may %s tables of schema %I', w.who, CASE g.right WHEN 'TRIGGER'
			THEN 'have own functions executed by roles that write to' ELSE 'stop deletions by foreign keys to' END, g.schema) END AS what,
	CASE g.place WHEN 1 THEN format('REVOKE CREATE ON SCHEMA %I FROM %s', g.schema, w.name)
		ELSE format('REVOKE %s ON ALL TABLES IN SCHEMA %I FROM %s', g.right, g.schema, w.name) END AS remedy
FROM granted g LEFT JOIN pg_catalog.pg_roles r ON r.oid = g.grantee
CROSS JOIN LATERAL (SELECT CASE g.grantee WHEN 0 THEN 'any role' ELSE format('role %I', r.rolname) END AS who,
	CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END AS name) AS w
WHERE g.grantee <> (SELECT owner FROM ours) AND coalesce(NOT r.rolsuper, true)
UNION ALL
SELECT format('table %I.%I belongs to role %I and not to the one that migrated: checks leave it out', t.schema, t.name, r.rolname),
	format('if it is one of the program''s, ALTER TABLE %I.%I OWNER TO %I', t.schema, t.name,
		(SELECT o.rolname FROM pg_catalog.pg_roles o WHERE o.oid = (SELECT owner FROM ours)))
FROM tables t JOIN pg_catalog.pg_roles r ON r.oid = t.owner
WHERE t.owner <> (SELECT owner FROM ours) AND t.schema IN (SELECT s.name FROM sluice.service_schemas s)
ORDER BY 1`

// Rights returns the rights of other roles that could harm the warehouse, or other users of the
// database.
func (db *DB) Rights(ctx context.Context) ([]Right, error) {
	return postgres.Read[Right](ctx, db.pool, "the rights of other roles", sqlRights)
}
