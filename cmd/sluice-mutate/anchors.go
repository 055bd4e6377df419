package main

// anchorBugs lose the thread of a list that is read by keyset (docs/decisions/0008-keyset-paging).
func anchorBugs() []bug {
	const (
		keyset = "pipeline/sync/scan/keyset.go"
		room   = "pipeline/sync"
	)
	return []bug{
		schedules("60000", "a tie walked once", "more records of one second than a page holds are read by page number once",
			edit{keyset, "	if s.Pass > 1 && !s.Suspect && ", "	if true || s.Pass > 1 && !s.Suspect && "}),
		schedules("5000", "past a tie", "the anchor steps a second on although the page was full of one",
			edit{keyset, "	case first.Equal(last):\n", "	case first.Equal(last) && s.Keyset.Tie.IsZero():\n		return s.anchor(last.Add(time.Second), time.Time{}, first)\n	case first.Equal(last):\n"}),
		schedules("5000", "an exclusive anchor", "the next question begins behind the last record's second",
			edit{keyset, "		return s.anchor(last, last, first)\n", "		return s.anchor(last.Add(time.Second), time.Time{}, first)\n"}),
		schedules("20000", "ascending taken for granted", "an answer that is not in the order asked for is read on from its last record",
			edit{keyset, "	if !page.sorted {\n		return first, last, noteNotAscending\n	}\n", ""},
			edit{keyset, "		case e.modified.Before(before):\n", "		case false:\n"}),
		tests(room, "^TestWhatIsNoAnchor$", "order by its word", "upstream says that it sorted, and the run does not check",
			edit{keyset, "		case e.modified.Before(before):\n", "		case false:\n"}),
		tests(room, "^TestWhatIsNoAnchor$", "an anchor that is not shown", "a filter that leaves out its own instant is believed",
			edit{keyset, "	if k.Expect.IsZero() || ", "	if true || k.Expect.IsZero() || "}),
		tests(room, "^TestAFirstSyncMeasures$", "measured by half", "a first sync believes a filter that gives one instant alone",
			edit{keyset, "s.linked(page) && s.shown(page, last, over) && ", "s.linked(page) && (true || s.shown(page, last, over)) && "}),
		tests(room, "^TestAFirstSyncMeasures$", "measured without a link", "a first sync believes a filter that leaves out its own instant",
			edit{keyset, "s.linked(page) && s.shown(page, last, over) && ", "s.shown(page, last, over) && "}),
		tests(room, "^TestAFirstSyncMeasures$", "measured too soon", "a first sync believes an order that holds within each page alone",
			edit{"pipeline/sync/scan/overlap.go", "		if s.ByModification && modified && second {\n", "		if s.ByModification && modified && (first || second) {\n"}),
		tests(room, "^TestAFirstSyncGivesUpWhatIsRefused$", "refused for ever", "a first sync asks by keyset again and again although upstream refuses it",
			edit{keyset, "	case measuring(scan):\n", "	case false:\n"}),
		schedules("5000", "a pass that edits move", "passes are compared in the order of modification",
			edit{scanFile, "	s.ByModification = false // edits move records in that order\n", ""}),
		tests(room, "^TestPlanFollowsAnchors$", "anchors by declaration", "what a document or a declaration says is enough to read a list once",
			edit{"pipeline/capability.go", "		return v.Source == SourceProbed || v.Source == SourceObserved\n", "		return true\n"}),
		tests(room, "^TestPlanFollowsAnchors$", "the filter alone is proof", "a sweep that decides about rows relies on the filter that missed them",
			edit{"pipeline/sync/scan/capable.go", "	return claim.Suspected || digest(", "	return digest("}),
	}
}
