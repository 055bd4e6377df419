package mutate

// passBugs take a list for whole that is not.
func passBugs() []bug {
	return []bug{
		schedules("20000", "one pass is enough", "a list is believed after it was read once",
			edit{"pipeline/sync/scan/scan.go", "	case equal:\n", "	case equal || true:\n"}),
		schedules("60000", "a full last page is the last", "a page that says that nothing follows is believed although it is full",
			edit{"pipeline/sync/scan/scan.go", "return !page.more && (len(page.entries) < s.PerPage || len(page.entries) == 0)", "return !page.more"}),
		tests("pipeline/sync", "TestAGapProvesNothing", "a pass with a gap counts", "a pass with an empty or repeated page is compared like others",
			edit{"pipeline/sync/scan/scan.go", "equal := s.Pass > 1 && !s.Suspect && ", "equal := s.Pass > 1 && "},
			edit{"pipeline/sync/scan/scan.go", "		s.LastSeen = -1\n", ""}),
		tests("pipeline/sync", "TestADeletionHidesTheSameRecordInNoTwoPasses", "the same page edges", "two passes can miss the record behind one edge",
			edit{"pipeline/sync/scan/scan.go", "	s.moveEdges(rules)\n", ""}),
		tests("pipeline/sync", "TestTheFirstPassIsReadInOrder", "the first pass ahead", "both passes are read with pages that overlap in time",
			edit{"pipeline/sync/scan/page.go", "|| !scan.Partial && (scan.LastPages == 0 || scan.LastPrefetched) {", "{"},
			edit{"pipeline/sync/scan/page.go", "	if !scan.Partial && scan.Page == 1 {\n		return 0 // this pass asks for another page size, which upstream may ignore\n	}\n", ""},
			edit{"pipeline/sync/scan/scan.go", " && (s.Partial || !s.LastPrefetched)", ""}),
		schedules("60000", "another page size", "a page number is asked for on under another page size",
			edit{"pipeline/sync/scan/scan.go", "	case s.Page == 1 && len(overlaps.Links) == 0:\n", "	case true:\n"}),
		schedules("60000", "order taken for granted", "a list that was asked to be sorted is taken to be",
			edit{"pipeline/sync/scan/suspect.go", "		if !page.sorted {\n", "		if false {\n"},
			edit{"pipeline/sync/scan/suspect.go", "(!last.IsZero() && e.modified.After(last))", "false"}),
		schedules("20000", "an edge without a link", "a page that shows no record of the page before is read on from",
			edit{"pipeline/sync/scan/overlap.go", "	if !first && !s.linked(page) {\n", "	if false && !first {\n"}),
		tests("pipeline/sync", "TestTiesOverAnEdge", "a link among ties", "a record that ties with the last one links the next page",
			edit{"pipeline/sync/scan/overlap.go", "	for at >= 0 && seen.times[at].Equal(seen.times[last]) {\n", "	for false {\n"}),
		schedules("60000", "an order that turned", "a page in another order links to the page before",
			edit{"pipeline/sync/scan/overlap.go", "	if page.order() != s.Order || o.Falls && !seen.falls || !o.Falls && !seen.rises {\n", "	if false && seen.falls {\n"}),
		tests("pipeline/sync", "TestALinkIsTheSameVersion", "a link of another version", "a record that changed and so moved links a page to the page before",
			edit{"pipeline/sync/scan/overlap.go", "e.identity == link.Record && digestOf(e.raw) == link.Content", "e.identity == link.Record"}),
		tests("pipeline/sync/scan", "TestWindowsOverlap", "a window one record short", "a page overlaps by one record less than asked for",
			edit{"pipeline/sync/scan/overlap.go", "before := (covered - least) / size", "before := (covered - least + 1) / size"}),
		tests("pipeline/sync", "TestTiesHideARecordFromBothPasses", "a record twice among ties", "a list that breaks ties anew shows one record twice and another one never",
			edit{"pipeline/sync/scan/page.go", "		s.Suspect = true\n", ""}),
		tests("pipeline/sync", "TestAPageOfAnotherOrderProvesNothing", "a page of another order", "a pass counts a page that upstream sorted in another way",
			edit{"pipeline/sync/scan/scan.go", "	case page.order() != s.Order && s.Overlap.Size == 0:\n", "	case false:\n"}),
	}
}
