package main

// spendingBugs miscount what other programs spend (docs/decisions/0034-calls-of-others).
func spendingBugs() []bug {
	const (
		file  = "migrations/00122_calls_of_others.sql"
		plan  = "pipeline/planning"
		calls = "pipeline/warehouse/calls"
	)
	return []bug{
		tests(calls, "^TestOthersByQuarters$", "others begin each day anew", "what others spent of a day is counted again at each answer",
			edit{file, "    v_new := NOT FOUND OR NEW.reset_at > v_last.reset_at + interval '30 minutes' AND v_last.at <= v_begins + interval '1 hour';\n", "    v_new := true;\n"}),
		tests(calls, "^TestOthersByQuarters$", "a count that goes back", "calls of ours under way take calls of others back, which then count twice",
			edit{file, "ELSE greatest(e.calls, excluded.calls) END", "ELSE excluded.calls END"}),
		tests(plan, "^TestHabitsOfOthers$", "an alarm for each Monday", "days are compared with any day, so that a weekly report alarms each week",
			edit{plan + "/othersbook.go", "	own := sameWeekday(days, date.Weekday())\n	if len(own) < leastDays {", "	own := days\n	if len(own) < leastDays {"}),
		tests(plan, "^TestHabitsOfOthers$", "an alarm that flaps", "one usual day ends an alarm, and the next unusual one raises it again",
			edit{plan + "/others.go", "calmDays, narrow = 2, 0.5", "calmDays, narrow = 1, 0.5"}),
	}
}
