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
