package readers

// ours begins each statement: the owner of the tables, the three groups ($1 to $3), and the
// objects of the owner that readers may be given, each with the place of the group that gets it.
const ours = `
WITH ours AS (
	SELECT o.role AS owner, pg_catalog.pg_get_userbyid(o.role) AS name FROM sluice.owner o
), groups AS (
	SELECT g.place, g.name, r.oid FROM (VALUES (1, $1::text), (2, $2::text), (3, $3::text)) AS g (place, name)
	LEFT JOIN pg_catalog.pg_roles r ON r.rolname = g.name
), schemas AS (
	SELECT s.place, s.name, n.oid, s.whole FROM (
		SELECT 1, 'analytics', true UNION ALL SELECT 3, 'history', true UNION ALL SELECT 3, 'as_of', true UNION ALL SELECT 3, 'sluice', false
		UNION ALL SELECT 3, 'notifications', false UNION ALL SELECT 3, v.name, true FROM sluice.service_schemas v
	) AS s (place, name, whole) LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = s.name
), relations AS (
	SELECT c.oid, s.name AS schema, c.relname AS name, c.relacl AS acl, CASE
		WHEN s.whole AND c.oid <> 'analytics.readers'::regclass OR c.oid IN ('sluice.organizations'::regclass, 'sluice.raw_records'::regclass,
			'sluice.tombstones'::regclass, 'sluice.columns'::regclass, 'notifications.events'::regclass) THEN s.place END AS place
	FROM schemas s JOIN pg_catalog.pg_class c ON c.relnamespace = s.oid
	WHERE c.relkind IN ('r', 'p', 'v') AND c.relowner = (SELECT owner FROM ours)
)`

const sqlGroups = ours + `
SELECT g.name, g.oid IS NOT NULL AS exists, coalesce(pg_catalog.has_schema_privilege(g.oid, 'analytics', 'USAGE'), false) AS in_use, ARRAY(
	SELECT DISTINCT r.rolname::text COLLATE "C" FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles r ON r.oid = m.member
	WHERE m.roleid = g.oid AND r.oid NOT IN (SELECT o.oid FROM groups o WHERE o.oid IS NOT NULL) AND r.oid <> (SELECT owner FROM ours)
	ORDER BY 1) AS members
FROM groups g ORDER BY g.place`

// sqlLacks gives what the groups lack, in the order in which it can be given. A function that every
// role may execute is not lacking.
const sqlLacks = ours + `, functions AS (
	SELECT p.oid, s.name AS schema, s.place FROM schemas s JOIN pg_catalog.pg_proc p ON p.pronamespace = s.oid
	WHERE p.proowner = (SELECT owner FROM ours) AND p.prokind IN ('f', 'p')
		AND (s.name = 'analytics' OR s.name IN ('history', 'as_of') AND p.provolatile <> 'v' OR p.oid = 'sluice.raw_record(bigint, integer)'::regprocedure)
), later AS (
	SELECT s.place, s.name, k.kind, CASE k.kind WHEN 'r' THEN 'SELECT ON TABLES' ELSE 'EXECUTE ON FUNCTIONS' END AS given
	FROM schemas s JOIN groups g ON g.place = s.place
	CROSS JOIN (VALUES ('r'), ('f')) AS k (kind)
	WHERE s.whole AND (k.kind = 'r' OR s.name IN ('analytics', 'history', 'as_of')) AND NOT EXISTS (
		SELECT FROM pg_catalog.pg_default_acl d CROSS JOIN LATERAL pg_catalog.aclexplode(d.defaclacl) AS a
		WHERE d.defaclrole = (SELECT owner FROM ours) AND d.defaclnamespace = s.oid AND d.defaclobjtype = k.kind::"char" AND a.grantee = g.oid)
), lacks AS (
	SELECT 1 AS place, g.place AS among, '' AS within, 'there is no role ' || quote_ident(g.name) AS what,
		format('CREATE ROLE %I NOLOGIN', g.name) AS sql
	FROM groups g WHERE g.oid IS NULL
	UNION ALL
	SELECT 2, g.place, '', format('%I is no member of %I', g.name, b.name), format('GRANT %I TO %I', b.name, g.name)
	FROM groups g JOIN groups b ON b.place = g.place - 1
	WHERE NOT coalesce(pg_catalog.pg_has_role(g.oid, b.oid, 'MEMBER'), false)
	UNION ALL
	SELECT 3, s.place, s.name, format('there is no schema %I', s.name),
		format('CREATE SCHEMA IF NOT EXISTS %I AUTHORIZATION %I', s.name, (SELECT name FROM ours))
	FROM schemas s WHERE s.oid IS NULL
	UNION ALL
	SELECT 4, g.place, '', format('%I may not use schema %s', g.name, string_agg(quote_ident(s.name), ', ' ORDER BY s.name)),
		format('GRANT USAGE ON SCHEMA %s TO %I', string_agg(quote_ident(s.name), ', ' ORDER BY s.name), g.name)
	FROM schemas s JOIN groups g ON g.place = s.place
	WHERE NOT coalesce(pg_catalog.has_schema_privilege(g.oid, s.oid, 'USAGE'), false) GROUP BY g.place, g.name
	UNION ALL
	SELECT 5, g.place, r.schema, format('%I may not read %s', g.name, string_agg(format('%I.%I', r.schema, r.name), ', ' ORDER BY r.name)),
		format('GRANT SELECT ON TABLE %s TO %I', string_agg(format('%I.%I', r.schema, r.name), ', ' ORDER BY r.name), g.name)
	FROM relations r JOIN groups g ON g.place = r.place
	WHERE NOT coalesce(pg_catalog.has_table_privilege(g.oid, r.oid, 'SELECT'), false) GROUP BY g.place, g.name, r.schema
	UNION ALL
	SELECT 6, g.place, f.schema, format('%I may not call %s', g.name, string_agg(f.oid::regprocedure::text, ', ' ORDER BY f.oid::regprocedure::text)),
		format('GRANT EXECUTE ON ROUTINE %s TO %I', string_agg(f.oid::regprocedure::text, ', ' ORDER BY f.oid::regprocedure::text), g.name)
	FROM functions f JOIN groups g ON g.place = f.place
	WHERE NOT coalesce(pg_catalog.has_function_privilege(g.oid, f.oid, 'EXECUTE'),
		g.oid IS NULL AND pg_catalog.has_function_privilege('public', f.oid, 'EXECUTE'))
	GROUP BY g.place, g.name, f.schema
	UNION ALL
	SELECT 7, g.place, l.kind, format('%I gets no right on what is made later in schema %s (%s)', g.name,
			string_agg(quote_ident(l.name), ', ' ORDER BY l.name), lower(l.given)),
		format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA %s GRANT %s TO %I', (SELECT name FROM ours),
			string_agg(quote_ident(l.name), ', ' ORDER BY l.name), l.given, g.name)
	FROM later l JOIN groups g ON g.place = l.place GROUP BY g.place, g.name, l.kind, l.given
)
SELECT what, sql FROM lacks ORDER BY place, among, within`

// sqlReaders gives the readers. A role that was granted a view by name is one, too, unless it is a
// worker. $4 are the names of the timeouts.
const sqlReaders = ours + `
SELECT r.rolname::text AS role, r.rolcanlogin AS login,
	coalesce((SELECT g.name FROM groups g WHERE pg_catalog.pg_has_role(r.oid, g.oid, 'MEMBER') ORDER BY g.place DESC LIMIT 1), '') AS "group",
	CASE WHEN pg_catalog.has_table_privilege(r.oid, 'sluice.organizations', 'SELECT') THEN ARRAY['*'] ELSE ARRAY(
		SELECT DISTINCT a.organization_id FROM analytics.readers a JOIN pg_catalog.pg_roles t ON t.rolname = a.role
		WHERE pg_catalog.pg_has_role(r.oid, t.oid, 'MEMBER') ORDER BY 1) END AS organizations,
	ARRAY(SELECT w.name FROM unnest($4::text[]) WITH ORDINALITY AS w (name, place)
		WHERE coalesce((
			SELECT split_part(c.setting, '=', 2) FROM pg_catalog.pg_db_role_setting s CROSS JOIN LATERAL unnest(s.setconfig) AS c (setting)
			WHERE s.setrole IN (0, r.oid) AND split_part(c.setting, '=', 1) = w.name
				AND s.setdatabase IN (0, (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()))
			ORDER BY s.setrole <> 0 DESC, s.setdatabase <> 0 DESC LIMIT 1
		), (SELECT p.setting FROM pg_catalog.pg_settings p WHERE p.name = w.name AND p.source = 'configuration file'), '0') ~ '^0+[a-z]*$'
		ORDER BY w.place) AS unlimited
FROM pg_catalog.pg_roles r
WHERE NOT r.rolsuper AND r.oid <> (SELECT owner FROM ours) AND r.oid NOT IN (SELECT g.oid FROM groups g WHERE g.oid IS NOT NULL)
	AND (EXISTS (SELECT FROM groups g WHERE pg_catalog.pg_has_role(r.oid, g.oid, 'MEMBER')
			AND pg_catalog.has_schema_privilege(g.oid, 'analytics', 'USAGE'))
		OR NOT pg_catalog.has_table_privilege(r.oid, 'sluice.streams', 'UPDATE') AND EXISTS (
			SELECT FROM relations v CROSS JOIN LATERAL pg_catalog.aclexplode(v.acl) AS a
			WHERE v.schema = 'analytics' AND a.privilege_type = 'SELECT' AND pg_catalog.pg_has_role(r.oid, a.grantee, 'MEMBER')))
ORDER BY r.rolname`

// sqlExcess gives what readers ($4) have too much of. A grant to every role counts for each reader.
const sqlExcess = ours + `, roles AS (
	SELECT r.oid, r.rolname AS name, coalesce(pg_catalog.pg_has_role(r.oid, (SELECT g.oid FROM groups g WHERE g.place = 3), 'MEMBER'), false) AS raw
	FROM pg_catalog.pg_roles r WHERE r.rolname = ANY ($4::text[]) AND r.rolcanlogin
), granted AS (
	SELECT r.schema, r.name, a.grantee, a.privilege_type FROM relations r CROSS JOIN LATERAL pg_catalog.aclexplode(r.acl) AS a
	UNION
	SELECT r.schema, r.name, a.grantee, a.privilege_type FROM relations r JOIN pg_catalog.pg_attribute c ON c.attrelid = r.oid AND NOT c.attisdropped
	CROSS JOIN LATERAL pg_catalog.aclexplode(c.attacl) AS a
), held AS (
	SELECT r.name AS role, r.raw, g.schema, g.name, g.privilege_type,
		CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_catalog.pg_get_userbyid(g.grantee)) END AS grantee
	FROM granted g JOIN roles r ON CASE g.grantee WHEN 0 THEN true ELSE pg_catalog.pg_has_role(r.oid, g.grantee, 'MEMBER') END
	WHERE g.grantee <> (SELECT owner FROM ours)
)
SELECT format('reader %I may read %s of schema %I, such as %I, where nothing is masked or limited to organizations',
		h.role, CASE count(DISTINCT h.name) WHEN 1 THEN 'a table' ELSE count(DISTINCT h.name) || ' tables' END, h.schema, min(h.name)) AS what,
	format('REVOKE SELECT ON ALL TABLES IN SCHEMA %I FROM %s', h.schema, h.grantee) AS remedy
FROM held h WHERE NOT h.raw AND h.schema <> 'analytics' AND h.privilege_type = 'SELECT' GROUP BY h.role, h.schema, h.grantee
UNION ALL
SELECT format('reader %I may write to %s of schema %I, such as %I',
		h.role, CASE count(DISTINCT h.name) WHEN 1 THEN 'a table' ELSE count(DISTINCT h.name) || ' tables' END, h.schema, min(h.name)),
	format('REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA %I FROM %s', h.schema, h.grantee)
FROM held h WHERE h.privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE') GROUP BY h.role, h.schema, h.grantee
UNION ALL
SELECT format('reader %I is a member of %I, which owns the tables, and may drop them', r.name, o.name), format('REVOKE %I FROM %I', o.name, r.name)
FROM roles r CROSS JOIN ours o WHERE pg_catalog.pg_has_role(r.oid, o.owner, 'MEMBER')
UNION ALL
SELECT DISTINCT format('analytics.readers names the role %I, which does not exist: a role of that name would see the same', a.role),
	format('sluice readers deny %s ''*''', CASE WHEN a.role ~ '^[A-Za-z0-9_]+$' THEN a.role ELSE '''' || replace(a.role, '''', '''\''''') || '''' END)
FROM analytics.readers a WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = a.role)`
