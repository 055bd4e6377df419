package main

// otherBugs let objects, functions and locks of other roles of the database in
// (docs/decisions/0019-shared-database).
func otherBugs() []bug {
	const (
		file    = "migrations/00101_streams.sql"
		session = "pipeline/warehouse/postgres/session.go"
		room    = "pipeline/warehouse/postgres"
	)
	locks := tests("pipeline/jobs", "^TestLocksOfOthers$", "any session speaks for a process", "a killed process lives as long as another role has its lock",
		edit{file, " AND l.pid = coalesce(p.lock_pid, l.pid)\n", "\n"})
	locks.Args = []string{"-patience=12s"} // what it breaks never comes true
	return []bug{
		tests("migrations", "^TestUpgradeBesideObjectsOfOthers$", "checks look at tables of others", "a table in a service's schema is ours, by whatever owner",
			edit{file, "\n    AND t.relowner = (SELECT o.role FROM sluice.owner o);", ";"}),
		tests("migrations", "^TestFunctionsSeeNoOthersSchema$", "a function without a pinned path", "functions of before look for names where their caller does",
			edit{file, "LANGUAGE plpgsql\nSET search_path = pg_catalog, pg_temp AS $function$\nBEGIN\n    PERFORM FROM sluice.housekeeping", "LANGUAGE plpgsql AS $function$\nBEGIN\n    PERFORM FROM sluice.housekeeping"}),
		tests(room, "^TestASessionIsSetUp$", "a session that sees public", "functions of others are found before those of Postgres",
			edit{session, `const searchPath = "pg_catalog, pg_temp"`, `const searchPath = "public, pg_catalog, pg_temp"`}),
		tests(room, "^TestAPoolerThatDropsSettingsIsFoundOut$", "settings are not read back", "a pooler takes the time limits of statements away, in silence",
			edit{session, "		if got[i] != said[i] || ours[name] && !same(wanted[name], got[i]) {\n", "		if _ = said; false {\n"}),
		tests(room, "^TestExposed$", "any certificate will do", "another host need not prove that it is that host, and check says nothing",
			edit{"pipeline/warehouse/postgres/address.go", "(secure == nil || secure.InsecureSkipVerify)", "secure == nil"}),
		tests("migrations", "^TestSchemasOfOthers$", "schemas of others", "tables are made in a schema whose owner may replace them",
			edit{"migrations/migrate.go", "	if schemas != \"\" {\n", "	if false {\n"}),
		tests("cmd/sluice/cli", "^TestTablesOfOthersUnderOurNames$", "triggers of others", "rows are written to a table of another role, whose triggers run as the owner",
			edit{"pipeline/warehouse/rows/look.go", "	case foreign != \"\":\n", "	case false:\n"}),
		tests("migrations", "^TestRawRecordsOfATableOfAnotherRole$", "rows that are not seen", "raw records go to which rows of a table lead that belongs to another role",
			edit{"migrations/00104_raw.sql", "            AND t.oid NOT IN (SELECT c.whole FROM sluice.table_columns c WHERE c.column_name = '_call_id')\n", "            AND false\n"}),
		locks,
	}
}
