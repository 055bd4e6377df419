package main

// changeBugs make those who follow changes miss some, or see them in another order.
func changeBugs() []bug {
	const (
		room      = "pipeline/warehouse"
		file      = "pipeline/warehouse/changes/changes.go"
		read      = "pipeline/warehouse/changes"
		different = "pipeline/warehouse/rebuilds/rebuilds.go"
	)
	return []bug{
		tests(room, "^TestTheLogSaysWhatChanged$", "a deletion that nothing tells of", "a tombstone is no change",
			edit{rowsFile, "logChange(ctx, tx, stream, changes.Deleted, buried)", "logChange(ctx, tx, stream, changes.Deleted, nil)"}),
		tests(room, "^TestTheLogSaysWhatChanged$", "rewritten in any case", "a rebuild that changes no value of a row tells of it",
			edit{different, "if after[key] != before[key] {", "if after[key] != \"\" {"}),
		tests(read, "^TestALaterCommitIsNotMissed$", "what was open is passed", "a transaction that was open when a reader asked is not read when it has committed",
			edit{file, "(c.xact >= s.seen_max OR c.xact = ANY (s.seen_open))", "c.xact >= s.seen_max"}),
		tests(read, "^TestPagesOfAStep$", "a step without its end", "pages of a step have what commits while they are read, and the next step has it again",
			edit{file, " AND pg_visible_in_snapshot(c.xact, s.next)\n", "\n"}),
		tests(read, "^TestAnAnswerGoesOnBehindGaps$", "an answer ends at a gap", "what lies behind rows that a reader did not ask for is taken as read",
			edit{"migrations/00116_changes.sql", "WHILE NOT v_more AND v_part < p_last LOOP", "WHILE v_part = v_from LOOP"}),
	}
}
