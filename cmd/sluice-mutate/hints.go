package main

// hintBugs believe change notifications too much, or forget what they told
// (docs/decisions/0014-notifications).
func hintBugs() []bug {
	const (
		room     = "pipeline/warehouse"
		sql      = room + "/hints/hints.go"
		requests = room + "/streams/schedule.go"
		singles  = "pipeline/sync/details.go"
	)
	return []bug{
		schedules("5000", "a hint moves the watermark", "a run over what callbacks told of is taken for one over the list",
			edit{scanFile, "	if stream.Work == pipeline.WorkDetails || stream.Work == pipeline.WorkHinted {\n		scan.Partial = true\n",
				"	if stream.Work == pipeline.WorkDetails || stream.Work == pipeline.WorkHinted {\n		scan.Partial = stream.Work == pipeline.WorkDetails\n"}),
		schedules("5000", "hints that are left wait", "hints for which a run had no calls wait for the next day",
			edit{singles, "		end.Again = pipeline.AgainHinted\n", "		end.Again = pipeline.AgainNot\n"}),
		schedules("5000", "an unknown record is no answer", "a hint about a record that upstream does not know is read for ever",
			edit{singles, "		if !answered[id] {\n", "		if !answered[id] && d.claim.Stream.Work != pipeline.WorkHinted {\n"}),
		schedules("5000", "hints without a cap", "callbacks cause any number of calls within a minute",
			edit{"pipeline/planning/hinted.go", "singles <= list && h.Recent+singles <= h.PerMinute", "singles <= list"}),
		tests(room, "^TestACallbackDuringAReadLeadsToAnother$", "spent by an earlier call", "a hint that arrived while its record was read is taken for read",
			edit{sql, "	AND h.last_at < n.at\n", "	AND n.at IS NOT NULL\n"}),
		tests(room, "^TestAReadThatShowsNothingNewIsRepeatedOnce$", "one look", "a record that showed nothing new is not read again, although changes are seen late",
			edit{sql, "AND t._changed_at >= began.at) AS new", "AND t._changed_at >= began.at) OR true AS new"}),
		tests(room, "^TestACallbackDuringAReadLeadsToAnother$", "one run for all hints", "hints that arrive during a run cause no other run",
			edit{requests, "requested_gen + CASE s.state WHEN 'denied' THEN 0 ELSE 1 END", "requested_gen"}),
		tests(room, "^TestTheListAnswersForItsRecords$", "an earlier list answers", "a run of the list answers hints that arrived after it began",
			edit{sql, "	AND h.last_at < n.started_at\n", "	AND n.started_at IS NOT NULL\n"}),
		tests(room, "^TestAHintNamesAParent$", "any parent", "a hint about a parent that no scheduled run reads costs a call",
			edit{sql, "AND p.active) AS known", "AND p.active) OR true AS known"}),
		tests(room, "^TestAHintNamesAParent$", "a parent for ever", "a run reads the list of a parent again whose hint came after it began",
			edit{sql, "		AND h.last_at < (SELECT", "		AND h.first_at > (SELECT r.started_at - interval '1 day' FROM sluice.runs r WHERE r.id = $4) AND now() > (SELECT"}),
		tests(room+"/rows", "^TestListsAndDetailsInAnyOrder$", "any header is known", "after a hint, a header with other values leaves the single record as current",
			edit{room + "/rows/statements/statements.go", "(NOT %s OR s.%[2]s IS", "(NOT %s OR true OR s.%[2]s IS"}),
		tests(room, "^TestWhatUpstreamRefusesNoHintOpens$", "a hint opens what is denied", "a callback makes a denied stream call again",
			edit{requests, "s.resource, s.state = 'denied', coalesce", "s.resource, false, coalesce"}),
	}
}
