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

// adoptionBugs believe too much of what another program has read.
func adoptionBugs() []bug {
	const room, reading = "cmd/sluice/cli", "pipeline/lineage/adopt"
	return []bug{
		tests(room, "^TestAdoptRefuses$", "adopted is newest", "a record of another program's warehouse replaces a row that is not older",
			edit{loaderRoom + "/judge.go", "		call = 0 // its number says nothing about when the record was read upstream\n", "		call += 0\n"}),
		tests(reading, "^TestWatermark$", "a watermark without a margin", "the next sync begins with the last record that another program has",
			edit{reading + "/adopt.go", "	return least.Add(-margin).UTC()", "	return modified.UTC()"}),
		tests(reading, "^TestReading$", "the first version", "of several versions of a record any one is adopted",
			edit{reading + "/reading.go", "row.Deleted || !row.Extracted.Equal(versions[0].Extracted)", "row.Deleted"}),
	}
}
