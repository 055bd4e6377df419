package mutate

// keysetBugs lose the thread of a list that is read by keyset.
func keysetBugs() []bug {
	return []bug{
		schedules("60000", "a tie walked once", "more records of one second than a page holds are read by page number once",
			edit{"pipeline/sync/scan/keyset.go", "	if s.Pass > 1 && !s.Suspect && ", "	if true || s.Pass > 1 && !s.Suspect && "}),
		schedules("5000", "past a tie", "the anchor steps a second on although the page was full of one",
			edit{"pipeline/sync/scan/keyset.go", "	case first.Equal(last):\n", "	case first.Equal(last) && s.Keyset.Tie.IsZero():\n		return s.anchor(last.Add(time.Second), time.Time{}, first)\n	case first.Equal(last):\n"}),
		schedules("5000", "an exclusive anchor", "the next question begins behind the last record's second",
			edit{"pipeline/sync/scan/keyset.go", "		return s.anchor(last, last, first)\n", "		return s.anchor(last.Add(time.Second), time.Time{}, first)\n"}),
		schedules("20000", "ascending taken for granted", "an answer that is not in the order asked for is read on from its last record",
			edit{"pipeline/sync/scan/keyset.go", "	if !page.sorted {\n		return first, last, noteNotAscending\n	}\n", ""},
			edit{"pipeline/sync/scan/keyset.go", "		case e.modified.Before(before):\n", "		case false:\n"}),
		tests("pipeline/sync", "TestWhatIsNoAnchor", "an anchor that is not shown", "a filter that leaves out its own instant is believed",
			edit{"pipeline/sync/scan/keyset.go", "	if k.Expect.IsZero() || ", "	if true || k.Expect.IsZero() || "}),
		tests("pipeline/sync", "TestAFirstSyncMeasures", "measured by half", "a first sync believes a filter that gives one instant alone",
			edit{"pipeline/sync/scan/keyset.go", "s.linked(page) && s.shown(page, last, over) && ", "s.linked(page) && (true || s.shown(page, last, over)) && "}),
		tests("pipeline/sync", "TestAFirstSyncMeasures", "measured too soon", "a first sync believes an order that holds within each page alone",
			edit{"pipeline/sync/scan/overlap.go", "		if s.ByModification && modified && second {\n", "		if s.ByModification && modified && (first || second) {\n"}),
		schedules("5000", "a pass that edits move", "passes are compared in the order of modification",
			edit{"pipeline/sync/scan/scan.go", "	s.ByModification = false // edits move records in that order\n", ""}),
		tests("pipeline/sync", "TestPlanFollowsAnchors", "anchors by declaration", "what a document or a declaration says is enough to read a list once",
			edit{"pipeline/capability.go", "		return v.Source == SourceProbed || v.Source == SourceObserved\n", "		return true\n"}),
	}
}
