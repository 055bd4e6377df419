package main

// detailBugs read single records in another order (docs/decisions/0009-single-records).
func detailBugs() []bug {
	const (
		file = "pipeline/warehouse/streams/details/backlog.go"
		room = "pipeline/warehouse"
	)
	return []bug{
		tests(room, "^TestTheMostValuableSingleRecordIsReadFirst$", "newest first", "single records are read without regard to what they are worth",
			edit{file, "asked DESC, value DESC NULLS LAST, open DESC, ", "asked DESC, "}),
		tests(room, "^TestTheMostValuableSingleRecordIsReadFirst$", "yen and dollars", "amounts of several currencies are compared as they are",
			edit{file, "		rate = \"t.\" + name(v.Rate)\n", "		rate = \"1\"\n"}),
		tests(room, "^TestWhatAScanMissedIsAskedForFirst$", "suspects wait", "what a scan missed waits for more valuable rows",
			edit{file, "NULLS FIRST, asked DESC, ", "NULLS FIRST, "}),
		tests(room, "^TestEveryTenthPlaceIsOfTheLongestWait$", "small rows wait for ever", "rows of little value have no place of their own",
			edit{file, "(place+len(ids))%turn == turn-1", "false"}),
	}
}
