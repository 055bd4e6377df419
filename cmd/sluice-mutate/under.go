package main

const parentsFile = "pipeline/sync/parents.go"

// underBugs conclude from lists under parents what these do not prove (invariant 7), and keep what
// should go.
func underBugs() []bug {
	const room, reading, which = "pipeline/warehouse", "pipeline/sync", "^TestWholeListsOfParentsAreSaid$"
	return []bug{
		tests(room, "^TestListsThatProveNoPersonGone$", "a list that was not read", "a person is missed although the list of the parent broke off, or is left to the next run",
			edit{absenceFile, "AND p.parent_id = t.%[3]s AND p.whole_run_id = $4)`", "AND p.parent_id = t.%[3]s AND $4::bigint IS NOT NULL)`"}),
		tests(room, "^TestTooManyPersonsAtOnce$", "the limit of another list", "what few parents miss is held against the rows of all",
			edit{absenceFile, "		sql, args = sql+underWhole, append(args, key.Service, key.Resource, s.Run)\n", ""}),
		tests(reading, which, "a list of a parent that shifts", "the list of a parent that never held still counts as whole",
			edit{parentsFile, "	whole := failed == \"\" && scan.Mode", "	whole := scan.Mode"}),
		tests(reading, which, "a path that is wrong", "any answer of 404 says that a parent is gone",
			edit{parentsFile, " && failure.Code == codeNoSuchRecord && ", " && "}),
		tests(reading, which, "a nameless person", "a run over parents that saw a record without an identifier is evidence",
			edit{"pipeline/sync/whole.go", "	case scan.Doubt == \"\":\n", "	case scan.Doubt == \"\" || true:\n"}),
		tests(room, "^TestRowsOfGoneRecordsGo$", "a row that goes once only", "a record that came back and is deleted again keeps its row for ever",
			edit{"pipeline/warehouse/tombstones/seen.go", ", pruned_at = NULL\n", "\n"}),
	}
}
