package mutate

// absenceBugs conclude too much from what a list does not show.
func absenceBugs() []bug {
	return []bug{
		tests("pipeline/warehouse", "TestTwoCleanScansAreProof", "one scan is enough", "a row gets its tombstone when one scan did not see its record",
			edit{"pipeline/warehouse/tombstones/absence.go", "	verdict.Suspected = len(missed)\n", "	verdict.Suspected = len(missed)\n	if _, err := bury(ctx, tx, scan.Stream, missed, scan.Started, b.began); err != nil {\n		return verdict, err\n	}\n"}),
		tests("pipeline/warehouse", "TestWhatProvesNothing", "scans at once", "two scans prove something that one cache can hide from both",
			edit{"pipeline/warehouse/tombstones/absence.go", "	AND suspected_at <= $10::timestamptz - $11::interval AND suspected_clock <= $9::timestamptz - $11::interval\n", "	AND ($9::timestamptz, $10::timestamptz, $11::interval) IS NOT NULL\n"}),
		tests("pipeline/warehouse", "TestALateAnswerKeepsItsRowAlive", "a row written meanwhile", "a row that was written since the scan began can get a tombstone",
			edit{"pipeline/warehouse/tombstones/absence.go", " AND t._changed_at < $5\n", "\n"},
			edit{"pipeline/warehouse/tombstones/rows.go", "t._deleted_at IS NULL AND t._changed_at < $4\n", "t._deleted_at IS NULL AND $4::timestamptz IS NOT NULL\n"}),
		tests("pipeline/warehouse", "TestTheBrake", "no brake", "a scan that misses half of the rows is believed",
			edit{"pipeline/warehouse/tombstones/absence.go", "b.sighted == 0 || len(absent) > limit(scan.Rules, verdict.Live)", "b.sighted < 0"}),
		tests("pipeline/warehouse", "TestAnEarlierAnswerDoesNotRevive", "any sight revives", "an answer from before the scan lifts a tombstone",
			edit{"pipeline/warehouse/tombstones/seen.go", "state == stateDeleted && batch.Call > since:", "state == stateDeleted:"}),
		tests("pipeline/sync", "TestAControlRidesAlong", "a batch without its control", "an answer for several records that shows none of them is upstream's word about all",
			edit{"pipeline/sync/details.go", "	return !nameless && slices.ContainsFunc(", "	return true || !nameless && slices.ContainsFunc("}),
		tests("pipeline/sync", "TestALookFindsWhatIsMissing", "a rank off by one", "a look takes a page to begin one record later than it does",
			edit{"pipeline/sync/scan/shown.go", "	w.offset = (asked.Page - 1) * w.size\n", "	w.offset = (asked.Page-1)*w.size + 1\n"}),
		tests("pipeline/sync", "TestALookNamesOnlyWhatIsGone", "ties at the edge of a page", "a record of the page beside is missed, because it shares the second at the edge",
			edit{"pipeline/sync/scan/shown.go", "		return !times[i-1].IsZero() && times[i-1].Before(times[i])\n", "		return !times[i-1].IsZero() && !times[i].IsZero()\n"}),
		schedules("20000", "a scan in doubt proves", "a record that has no identifier is none of those that were not seen",
			edit{"pipeline/sync/whole.go", "	if scan.Doubt != \"\" {\n", "	if false {\n"}),
		tests("pipeline/sync", "TestShiftingListIsProvisional", "a provisional scan proves", "what a list that never held still did not show is taken for gone",
			edit{"pipeline/sync/whole.go", "end == nil || end.Outcome != pipeline.OutcomeDone ||", "end == nil ||"}),
		tests("pipeline/warehouse", "TestListsThatProveNoPersonGone", "a list that was not read", "a person is missed although the list of the parent broke off, or is left to the next run",
			edit{"pipeline/warehouse/tombstones/absence.go", "AND p.parent_id = t.%[3]s AND p.whole_run_id = $4)`", "AND p.parent_id = t.%[3]s AND $4::bigint IS NOT NULL)`"}),
		tests("pipeline/sync", "TestWholeListsOfParentsAreSaid", "a path that is wrong", "any answer of 404 says that a parent is gone",
			edit{"pipeline/sync/parents.go", " && failure.Code == codeNoSuchRecord && ", " && "}),
		tests("pipeline/sync", "TestPlanFollowsAnchors", "the filter alone is proof", "a sweep that decides about rows relies on the filter that missed them",
			edit{"pipeline/sync/scan/capable.go", "	return claim.Suspected || digest(", "	return digest("}),
	}
}
