package mutate

// watermarkBugs move a watermark where it must not go.
func watermarkBugs() []bug {
	return []bug{
		schedules("5000", "watermark from data", "the watermark is the largest modification time seen",
			edit{"pipeline/sync/run.go", "	pages    int\n", "	pages    int\n	largest  time.Time\n"},
			edit{"pipeline/sync/run.go", "	c.pages++\n", "	c.pages++\n	for i := range batch.Records {\n		if m := batch.Records[i].Modified; m.After(c.largest) {\n			c.largest = m\n		}\n	}\n"},
			edit{"pipeline/sync/run.go", "	if watermark := scan.Started.Add(-c.runner.Rules.LagFor(c.claim.Late)); watermark.After(position.Watermark) {\n", "	if watermark := c.largest; watermark.After(position.Watermark) {\n"}),
		schedules("20000", "no lag", "the watermark is upstream's clock, although writes are seen later than the time they carry",
			edit{"pipeline/sync/run.go", "scan.Started.Add(-c.runner.Rules.LagFor(c.claim.Late))", "scan.Started"}),
		schedules("20000", "watermark at the end of the run", "the watermark is our clock when the run ends",
			edit{"pipeline/sync/run.go", "	if watermark := scan.Started.Add(-c.runner.Rules.LagFor(c.claim.Late)); watermark.After(position.Watermark) {\n", "	if watermark := c.runner.Now().Add(-c.runner.Rules.Lag); watermark.After(position.Watermark) {\n"}),
		schedules("20000", "strict bound", "the next run asks from behind the watermark",
			edit{"pipeline/sync/scan/scan.go", "scan.Mode, scan.Bound = pipeline.ModeSince, bound", "scan.Mode, scan.Bound = pipeline.ModeSince, claim.Position.Watermark.Add(rules.Lag)"}),
		schedules("20000", "watermark of a shifting list", "a run that did not find the list at rest moves the watermark",
			edit{"pipeline/sync/run.go", "end.Outcome != pipeline.OutcomeDone || scan.Partial", "scan.Partial"}),
		schedules("20000", "upstream's clock alone", "a server whose clock is ahead carries the watermark with it",
			edit{"pipeline/sync/scan/scan.go", "		scan.Started = asked\n", "		scan.Started = date\n"}),
		schedules("5000", "a watermark over quarantine", "a run that was refused everything moves the watermark over it",
			edit{"pipeline/rules.go", "	case rules.TooManyRejected(r.Refused, r.Received):\n", "	case false:\n"}),
		schedules("5000", "a watermark over a clash", "a run moves the watermark over records that all came under one identifier",
			edit{"pipeline/rules.go", "	case r.Clashed > 0:\n", "	case r.Clashed < 0:\n"}),
		schedules("20000", "quarantine is forgotten", "what the watermark passed in quarantine is not asked for again",
			edit{"pipeline/sync/scan/scan.go", "if from.IsZero() || claim.Reread {", "if from.IsZero() {"}),
		tests("pipeline/sync", "TestRejectedRecordsWithOneIdentifier", "rejected records never clash", "a scan of rejected records that all have one identifier proves others gone",
			edit{"pipeline/sync/batch.go", `twice && reject.ID != "" &&`, "twice && false &&"}),
		tests("pipeline/warehouse", "TestAMarkNeverMovesBack", "a watermark moves back", "the last writer decides where the watermark is",
			edit{"pipeline/warehouse/streams/run.go", "watermark = greatest(watermark, $4::timestamptz)", "watermark = $4::timestamptz"}),
		schedules("60000", "a watermark within the lag", "a run that reads only what is new moves the watermark",
			edit{"pipeline/sync/scan/scan.go", "	s.Partial, s.Once, s.Recent, s.Overlap = ", "	_, s.Once, s.Recent, s.Overlap = "}),
		schedules("5000", "a backfill moves the watermark", "a run over a part of the list is taken for one over all of it",
			edit{"pipeline/sync/scan/window.go", "Partial: true, Once: true,", "Partial: false, Once: true,"}),
		tests("cmd/sluice/cli", "TestAWatermarkAheadOfTimeIsRefused", "a watermark ahead of time is read from", "what changed before a watermark that something else moved is passed over",
			edit{"pipeline/sync/run.go", "if claim.Position.WatermarkAhead(r.Now()) {", "if false && claim.Position.WatermarkAhead(r.Now()) {"}),
	}
}
