package main

// versionBugs take the wrong one of two versions of a record (invariant 5).
func versionBugs() []bug {
	const file = "pipeline/warehouse/rows/version/version.go"
	return []bug{
		schedules("20000", "set back at once", "a modification time that went back is believed while older answers are under way",
			edit{file, "!record.RequestedAt.Before(row.Changed.Add(RollbackAfter))", "!record.RequestedAt.Before(row.Changed)"}),
		schedules("20000", "as late is newer", "of two versions of one second the one that is loaded last wins",
			edit{file, "order > 0, order == 0 && record.Call >= row.Call:", "order >= 0:"}),
		schedules("5000", "a date from the future", "a row with a date from the future is never replaced",
			edit{file, "!modified.IsZero() && (at.IsZero() || !modified.After(at.Add(Ahead)))", "!modified.IsZero() && (at.IsZero() || true)"}),
		tests(loaderRoom, "^TestVersions$", "known by its time", "a record with the time of its row is taken for equal: the second edit of a second is lost",
			edit{loaderRoom + "/judge.go", "	if row.hash == record.Hash {\n", "	if row.hash == record.Hash || record.Modified.Equal(row.modified) {\n"}),
	}
}

// importBugs believe too much of what another program has read.
func importBugs() []bug {
	return []bug{
		tests("cmd/sluice/cli", "^TestImportKeepsNewerRows$", "imported is newest", "a record of another program's export replaces a row that is not older",
			edit{loaderRoom + "/judge.go", "		call = 0 // its number says nothing about when the record was read upstream\n", "		call += 0\n"}),
		tests("pipeline/lineage/importer", "^TestNewestLineOfARecordCounts$", "the last line", "of several lines of a record any one is imported",
			edit{"pipeline/lineage/importer/importer.go", "order > 0 || order == 0 && e.single && !b.records[at].single", "order > 0 || order <= 0"}),
	}
}
