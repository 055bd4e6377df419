package main

// overlapBugs believe a pass whose pages do not hang together
// (docs/decisions/0007-paging-by-number).
func overlapBugs() []bug {
	const (
		overlap = "pipeline/sync/scan/overlap.go"
		room    = "pipeline/sync"
	)
	return []bug{
		schedules("20000", "an edge without a link", "a page that shows no record of the page before is read on from",
			edit{overlap, "	if !first && !s.linked(page) {\n", "	if false && !first {\n"}),
		schedules("60000", "a last page without a link", "the last page ends the pass whatever it shows",
			edit{overlap, "	if !first && !s.linked(page) {\n", "	if !first && !s.passEnds(page) && !s.linked(page) {\n"}),
		tests(room, "^TestTiesOverAnEdge$", "a link among ties", "a record that ties with the last one links the next page",
			edit{overlap, "	for at >= 0 && seen.times[at].Equal(seen.times[last]) {\n", "	for false {\n"}),
		schedules("60000", "an order that turned", "a page in another order links to the page before",
			edit{overlap, "	if page.order() != s.Order || o.Falls && !seen.falls || !o.Falls && !seen.rises {\n", "	if false && seen.falls {\n"}),
		tests(room, "^TestALinkIsTheSameVersion$", "a link of another version", "a record that changed and so moved links a page to the page before",
			edit{overlap, "e.identity == link.Record && digestOf(e.raw) == link.Content", "e.identity == link.Record"}),
		tests(room+"/scan", "^TestWindowsOverlap$", "a window one record short", "a page overlaps by one record less than asked for",
			edit{overlap, "before := (covered - least) / size", "before := (covered - least + 1) / size"}),
		tests(room, "^TestTiesHideARecordFromBothPasses$", "a record twice among ties", "a list that breaks ties anew shows one record twice and another one never",
			edit{"pipeline/sync/scan/page.go", "		s.Suspect = true\n", ""}),
		tests(room, "^TestAPageThatRepeatsARecordIsRepeated$", "a repetition with a twin", "a page that showed a record twice comes again unnoticed",
			edit{"pipeline/sync/scan/suspect.go", "		if !e.twin { //", "		if true { //"}),
		tests(room, "^TestWithinTheLagWhatIsMostlyNewIsReadOn$", "shortened for nothing", "a run within the lag begins anew although its first page is mostly new",
			edit{scanFile, "		return 2*old >= len(page.entries) //nolint:mnd // half of them\n", "		return true\n"}),
		tests(room, "^TestAPageOfAnotherOrderProvesNothing$", "a page of another order", "a pass counts a page that upstream sorted in another way",
			edit{scanFile, "	case page.order() != s.Order && s.Overlap.Size == 0:\n", "	case false:\n"}),
		schedules("60000", "a watermark within the lag", "a run that reads only what is new moves the watermark",
			edit{scanFile, "	s.Partial, s.Once, s.Recent, s.Overlap = ", "	_, s.Once, s.Recent, s.Overlap = "}),
		tests(room, "^TestWithinTheLagOnlyWhatIsNewIsRead$", "the lag read again and again", "each run within the lag reads from the watermark",
			edit{scanFile, " || !s.Started.Before(s.Settles) || ", " || true || "}),
	}
}
