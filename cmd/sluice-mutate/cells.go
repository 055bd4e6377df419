package main

// cellBugs let an organization be at home in two cells, or lose some of it on the way
// (docs/decisions/0031-cells).
func cellBugs() []bug {
	const (
		room    = "pipeline/warehouse/cells"
		move    = room + "/move.go"
		copied  = room + "/copy.go"
		waits   = room + "/wait.go"
		arrives = "pipeline/warehouse/streams/arrive.go"
		tables  = "migrations/00126_cells.sql"
	)
	return []bug{
		tests(room, "^TestMovesThatEnd$", "the target begins first", "an organization is at home in the target before the source has let go",
			edit{move, "		m.tell(Switching, \"\", 0)\n", "		m.tell(Switching, \"\", 0)\n		if err := m.turn(ctx, m.held[m.To].conn, Arrived, Here, -1); err != nil {\n			return err\n		}\n"}),
		tests(room, "^TestAMoveWaitsForTransactions$", "no barrier", "a transaction that began before the seal writes after the copy",
			edit{waits, "		return int64(len(relying)), ", "		return 0, "}),
		tests(room, "^TestAMoveWaitsForTransactions$", "an old snapshot", "a transaction with an old snapshot relies on an earlier state",
			edit{tables, "IF current_setting('transaction_isolation') <> 'read committed' THEN", "IF false THEN"}),
		tests(room, "^TestAMoveWaitsForCalls$", "calls are not waited for", "rows are copied while calls are under way",
			edit{waits, "		return calls + jobs, ", "		return 0, "}),
		tests(room, "^TestWorkOfAnOrganizationThatMoves$", "calls go on", "calls of an organization leave from a cell that it is not at home in",
			edit{tables, "sluice.home_of(p_organization) <> 'here'", "sluice.home_of(p_organization) = 'nowhere'"}),
		tests(room, "^TestRowsOfOthersAreRefused$", "the seal is open", "rows are written while they are copied",
			edit{tables, "    IF v_state NOT IN ('here', 'leaving') THEN\n", "    IF v_state NOT IN ('here', 'leaving', 'sealed') THEN\n"}),
		tests(room, "^TestWorkOfAnOrganizationThatMoves$", "one that moves is due", "streams of an organization that moves take the turns of others",
			edit{"pipeline/warehouse/streams/schedule.go", "AND h.state <> 'here')", "AND h.state = 'nowhere')"}),
		tests(room, "^TestACopyThatDiffers$", "no compare", "a copy that differs counts as arrived",
			edit{copied, "	if was != is {\n", "	if was.Rows < 0 {\n"}),
		tests(room, "^TestNumbersOfCells$", "numbers do not follow", "a later call of an organization has a smaller number than an earlier one",
			edit{copied, "	for _, s := range behind {\n", "	for _, s := range behind[:0] {\n"}),
		tests(room, "^TestAMoveTakesEveryRow$", "triggers run on copies", "rows that triggers make stand in the way of those that move",
			edit{copied, "SET LOCAL sluice.moving = 'on'", "SET LOCAL sluice.moving = 'off'"}),
		tests(room, "^TestWhatIsWrittenLate$", "leftovers stay", "a row that was written late keeps an organization from coming back",
			edit{move, "		if err := m.drop(ctx, m.To); err != nil {\n			return err\n		}\n		return m.copyRows(ctx)\n", "		return m.copyRows(ctx)\n"}),
		tests(room, "^TestALockThatIsLost$", "the lock is not needed", "a mover that lost its lock switches while another one may give up",
			edit{move, "m.turn(ctx, m.held[m.From].conn, Sealed, Left, -1)", "m.turn(ctx, m.From.pool, Sealed, Left, -1)"}),
		tests(room, "^TestADatabaseThatIsLostForGood$", "given up twice", "a move is given up although the target has taken the organization over",
			edit{move, "		to.State == Here || to.State == Leaving || to.State == Sealed, // it was taken over\n", ""}),
		tests(room, "^TestNotificationsAreProvenAnew$", "the proof moves, too", "a cell skips runs since notifications arrived in another one",
			edit{arrives, "sqlDoubt, sqlDueAgain", "sqlDueAgain"}),
		tests(room, "^TestAStreamWhoseJobStays$", "the job stays behind", "a stream whose job did not move waits for its next interval",
			edit{arrives, "sqlDoubt, sqlDueAgain", "sqlDoubt"}),
		tests(room, "^TestCallsOfOtherBlocks$", "the largest number is the last call", "calls of today that came from another cell are dropped with their block",
			edit{tables, "            WHERE h.moved_rows IS NOT NULL AND h.changed_at >= v_keep", "            WHERE false AND h.changed_at >= v_keep"}),
	}
}
