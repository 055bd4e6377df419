package report

import "context"

// Right is something that another role may do, or has, in the database, and should not.
type Right struct {
	// What says it, for people. Remedy says how that ends: a statement.
	What   string `db:"what"`
	Remedy string `db:"remedy"`
}

// Roles that own what is asked about, superusers and the owner of the warehouse may do everything.
const sqlRights = `
WITH ours AS (
	SELECT role AS owner FROM sluice.owner
), schemas AS (
	SELECT n.oid, n.nspname AS name, n.nspowner AS owner, n.nspacl AS acl FROM pg_catalog.pg_namespace n
	WHERE n.nspname IN ('public', 'sluice', 'history', 'analytics', 'river') OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s)
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

// Rights gives what other roles may do that could harm the warehouse, or those who work in the database.
func (r *Reader) Rights(ctx context.Context) ([]Right, error) {
	return query[Right](ctx, r.pool, "the rights of other roles", sqlRights)
}
