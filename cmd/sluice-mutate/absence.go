package main

const (
	absenceFile = "pipeline/warehouse/tombstones/absence.go"
	rowsFile    = "pipeline/warehouse/tombstones/rows.go"
	wholeFile   = "pipeline/sync/whole.go"
)

// absenceBugs conclude too much from what a list does not show (invariant 7).
func absenceBugs() []bug {
	const room = "pipeline/warehouse"
	return []bug{
		tests(room, "^TestTwoCleanScansAreProof$", "one scan is enough", "a row gets its tombstone when one scan did not see its record",
			edit{absenceFile, "	verdict.Suspected = len(missed)\n", "	verdict.Suspected = len(missed)\n	if _, err := bury(ctx, tx, scan.Stream, missed, scan.Started, b.began); err != nil {\n		return verdict, err\n	}\n"}),
		tests(room, "^TestWhatProvesNothing$", "scans at once", "two scans prove something that one cache can hide from both",
			edit{absenceFile, "	AND suspected_at <= $10::timestamptz - $11::interval AND suspected_clock <= $9::timestamptz - $11::interval\n", "	AND ($9::timestamptz, $10::timestamptz, $11::interval) IS NOT NULL\n"}),
		tests(room, "^TestALateAnswerKeepsItsRowAlive$", "a row written meanwhile", "a row that was written since the scan began can get a tombstone",
			edit{absenceFile, " AND t._changed_at < $5\n", "\n"},
			edit{rowsFile, "t._deleted_at IS NULL AND t._changed_at < $4\n", "t._deleted_at IS NULL AND $4::timestamptz IS NOT NULL\n"}),
		tests(room, "^TestATombstoneMovesTheStamp$", "a silent tombstone", "a row gets its tombstone and says that it did not change",
			edit{rowsFile, "SET _deleted_at = $3, _changed_at = now() WHERE", "SET _deleted_at = $3 WHERE"}),
		tests(room, "^TestATombstoneMovesTheStamp$", "a silent return", "a row loses its tombstone and says that it did not change",
			edit{rowsFile, "SET _deleted_at = NULL, _changed_at = now() WHERE", "SET _deleted_at = NULL WHERE"}),
		tests(room, "^TestTheBrake$", "no brake", "a scan that misses half of the rows is believed",
			edit{absenceFile, "b.sighted == 0 || len(absent) > limit(scan.Rules, verdict.Live)", "b.sighted < 0"}),
		tests(room, "^TestAnEarlierAnswerDoesNotRevive$", "any sight revives", "an answer from before the scan lifts a tombstone",
			edit{"pipeline/warehouse/tombstones/seen.go", "state == stateDeleted && batch.Call > since:", "state == stateDeleted:"}),
		tests("pipeline/sync", "^TestAControlRidesAlong$", "a batch without its control", "an answer for several records that shows none of them is upstream's word about all",
			edit{"pipeline/sync/details.go", "	return !nameless && slices.ContainsFunc(", "	return true || !nameless && slices.ContainsFunc("}),
		tests("pipeline/sync", "^TestALookFindsWhatIsMissing$", "a rank off by one", "a look takes a page to begin one record later than it does",
			edit{"pipeline/sync/scan/shown.go", "	w.offset = (asked.Page - 1) * w.size\n", "	w.offset = (asked.Page-1)*w.size + 1\n"}),
		tests("pipeline/sync", "^TestALookNamesOnlyWhatIsGone$", "ties at the edge of a page", "a record of the page beside is missed, because it shares the second at the edge",
			edit{"pipeline/sync/scan/shown.go", "		return !times[i-1].IsZero() && times[i-1].Before(times[i])\n", "		return !times[i-1].IsZero() && !times[i].IsZero()\n"}),
		tests(room, "^TestASweepTooSoonAfterALookReplacesIt$", "a look that nothing follows", "a sweep that came too soon to confirm a look leaves it, and no other one follows",
			edit{absenceFile, " AND NOT excluded.shrunken OR ` + byLook + `)", " AND NOT excluded.shrunken)"}),
		tests(room, "^TestALookProvesNothing$", "a look without a brake", "a look that misses more than a scan may miss is believed",
			edit{"pipeline/warehouse/tombstones/look.go", "verdict.Shrunken = len(absent) > limit(look.Rules, verdict.Live); verdict.Shrunken", "verdict.Shrunken"}),
		schedules("20000", "a scan in doubt proves", "a record that has no identifier is none of those that were not seen",
			edit{wholeFile, "	if scan.Doubt != \"\" {\n", "	if false {\n"}),
		tests("pipeline/sync", "^TestShiftingListIsProvisional$", "a provisional scan proves", "what a list that never held still did not show is taken for gone",
			edit{wholeFile, "end == nil || end.Outcome != pipeline.OutcomeDone ||", "end == nil ||"}),
		tests("migrations", "^TestAMigrationBesideReaders$", "a migration that waits", "readers of a table hang behind a migration that waits for another reader",
			edit{"migrations/beside.go", "	lockWait = 250 * time.Millisecond\n	waitSum  = 400 * time.Millisecond\n", "	lockWait = 75 * time.Second\n	waitSum  = 5 * time.Minute\n"}),
		tests("migrations", "^TestManyShortWaits$", "waits that add up", "a migration waits shortly for one table after the other, and holds the first",
			edit{"migrations/beside.go", "waits >= waitSum {", "false {"}),
		tests("migrations", "^TestAFloorAboveAProgramRefusesIt$", "no floor", "a program works on tables that lack what it uses",
			edit{"migrations/floor.go", "case s.floor.Program > own.Program:", "case false:"}),
		tests("migrations", "^TestTheProgramBeforeWorksOnANewerDatabase$", "an older program migrates", "after a rollback, views go back to older texts",
			edit{"migrations/migrate.go", "s.ahead(mine); err != nil || ahead {", "s.ahead(mine); err != nil || false && ahead {"}),
		tests("migrations", "^TestAKillAtEachStep$", "a step twice", "after a kill, a migration applies again what is applied",
			edit{"migrations/steps.go", "if done[i+1] {", "if false && done[i+1] {"}),
		tests("migrations", "^TestAContractWaitsForTheEndOfOlderProcesses$", "a contract beside older processes", "a migration takes away what processes at work use",
			edit{"migrations/steps.go", "WHERE coalesce(p.program, 0) < $1", "WHERE false AND coalesce(p.program, 0) < $1"}),
		tests("cmd/sluice/cli", "^TestAWatermarkAheadOfTimeIsRefused$", "a watermark ahead of time is read from", "what changed before a watermark that something else moved is passed over",
			edit{"pipeline/sync/run.go", "if claim.Position.WatermarkAhead(r.Now()) {", "if false && claim.Position.WatermarkAhead(r.Now()) {"}),
		schedules("5000", "a backfill moves the watermark", "a run over a part of the list is taken for one over all of it",
			edit{"pipeline/sync/scan/window.go", "Partial: true, Once: true,", "Partial: false, Once: true,"}),
	}
}

// proofBugs disable checks.
func proofBugs() []bug {
	return []bug{
		tests("pipeline/lineage/verify", "^TestCompare$", "verify compares nothing", "rows that differ from their records are found equal",
			edit{"pipeline/warehouse/contents/statement.go", "CASE WHEN %s IS DISTINCT FROM %s THEN %d END", "CASE WHEN false AND %s IS DISTINCT FROM %s THEN %d END"}),
		tests("pipeline/lineage/verify", "^TestEachCheckFindsWhatItIsFor$", "a check that finds nothing", "a watermark that is ahead of time is not reported",
			edit{"migrations/00113_verify.sql", "FROM sluice.streams WHERE watermark > clock_timestamp();", "FROM sluice.streams WHERE false;"}),
		tests("cmd/sluice/cli/explain", "^TestConclusions$", "explain is silent about details", "the command hides that a single record is missing",
			edit{"cmd/sluice/cli/explain/explain.go", "	if row.DetailState != \"\" {\n", "	if false {\n"}),
	}
}
