package mutate

// versionBugs take the wrong one of two versions of a record.
func versionBugs() []bug {
	return []bug{
		tests("pipeline/warehouse/rows", "(TestVersions|TestAnyOrderOfDeliveryGivesTheNewest)", "last write wins", "an older record overwrites a newer one",
			edit{"pipeline/warehouse/rows/version/version.go", "	default:\n		return Superseded\n", "	default:\n		return Replace\n"}),
		tests("pipeline/warehouse/rows", "TestNarrowerRecordWipesNothing", "all columns are written", "a key that is absent wipes what was there",
			edit{"pipeline/warehouse/rows/statements/updates.go", "CASE WHEN %[2]s THEN s.%[1]s ELSE t.%[1]s END", "CASE WHEN %[2]s THEN s.%[1]s ELSE s.%[1]s END"}),
		tests("pipeline/warehouse/rows", "TestChildrenAreReplacedWithTheirArrayOnly", "children without their array", "an array that a record does not carry empties its rows",
			edit{"pipeline/warehouse/rows/children.go", "		if k.Carries[a.child.Index] {\n", "		if true {\n"}),
		tests("schema/record", "TestTheNewerOfTwoKeysCounts", "the last of two keys counts", "of a modification time that comes under two keys the older one can stay",
			edit{"schema/record/leaf.go", "to.State == Set && s.modified.After(s.values.Instant)", "false"}),
		schedules("20000", "set back at once", "a modification time that went back is believed while older answers are under way",
			edit{"pipeline/warehouse/rows/version/version.go", "!record.RequestedAt.Before(row.Changed.Add(RollbackAfter))", "!record.RequestedAt.Before(row.Changed)"}),
		schedules("20000", "as late is newer", "of two versions of one second the one that is loaded last wins",
			edit{"pipeline/warehouse/rows/version/version.go", "order > 0, order == 0 && record.Call >= row.Call:", "order >= 0:"}),
		schedules("5000", "a date from the future", "a row with a date from the future is never replaced",
			edit{"pipeline/warehouse/rows/version/version.go", "!modified.IsZero() && (at.IsZero() || !modified.After(at.Add(Ahead)))", "!modified.IsZero() && (at.IsZero() || true)"}),
		tests("pipeline/warehouse/rows", "TestVersions", "known by its time", "a record with the time of its row is taken for equal: the second edit of a second is lost",
			edit{"pipeline/warehouse/rows/judge.go", "	if row.hash == record.Hash {\n", "	if row.hash == record.Hash || record.Modified.Equal(row.modified) {\n"}),
		tests("pipeline/warehouse/rows", "TestListsAndDetailsInAnyOrder", "any header is known", "after a hint, a header with other values leaves the single record as current",
			edit{"pipeline/warehouse/rows/statements/statements.go", "(NOT %s OR s.%[2]s IS", "(NOT %s OR true OR s.%[2]s IS"}),
		tests("cmd/sluice/cli", "TestImportKeepsNewerRows", "imported is newest", "a record of another program's export replaces a row that is not older",
			edit{"pipeline/warehouse/rows/judge.go", "		call = 0 // its number says nothing about when the record was read upstream\n", "		call += 0\n"}),
	}
}
